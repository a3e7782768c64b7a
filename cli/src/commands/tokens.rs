//! `toolwright tokens`: the tokens by which clients of a server show who they are.

use clap::{Args, Subcommand, value_parser};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use toolwright::{
    Role, TokenName,
    audit::{AuditEvent, AuditSink, TokenChange},
    config::Config,
};
use toolwright_model::text::has_invisible;
use toolwright_state::{State, StoredToken, TokenGrant};

use crate::{
    Exit, Failure,
    context::Context,
    failure::Code,
    operator::{PersonArguments, runtime},
    output::{FormatArguments, Table},
    serve::unknown_role,
    state,
};

/// The longest time for which a token is accepted, in days: ten years.
const MOST_DAYS: i64 = 3650;

/// Issue, list and revoke the tokens of clients of `serve --transport http`
///
/// A token decides the role of the clients that show it. Only its SHA-256 is kept.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright tokens issue nightly-build --role reader --days 30 --by 'your name' --why 'reports'\n  \
    toolwright tokens list\n  \
    toolwright tokens revoke nightly-build --by 'your name' --why 'it was in a log'")]
pub(crate) struct TokensArguments {
    #[command(subcommand)]
    command: TokensCommand,
}

#[derive(Debug, Subcommand)]
enum TokensCommand {
    /// Issue a token, and print it: this is the only time that it can be seen
    Issue(IssueArguments),
    /// List the tokens, never with the token itself
    List(ListArguments),
    /// Revoke a token: servers refuse it within a second
    Revoke(RevokeArguments),
}

#[derive(Debug, Args)]
struct IssueArguments {
    /// The name of the token, which the audit records; no other one has it
    #[arg(value_name = "NAME")]
    name: TokenName,

    /// The role of the clients that show the token
    #[arg(long, value_name = "ROLE")]
    role: Role,

    /// The workspace that their calls are recorded with
    #[arg(long, value_name = "NAME")]
    workspace: Option<String>,

    /// The days for which the token is accepted
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = value_parser!(i64).range(1..=MOST_DAYS))]
    days: i64,

    /// The minutes for which it is accepted, rather than days
    #[arg(long, value_name = "N", conflicts_with = "days", value_parser = value_parser!(i64).range(1..=MOST_DAYS * 1440))]
    minutes: Option<i64>,

    #[command(flatten)]
    person: PersonArguments,
    #[command(flatten)]
    format: FormatArguments,
}

#[derive(Debug, Args)]
struct ListArguments {
    #[command(flatten)]
    format: FormatArguments,
}

#[derive(Debug, Args)]
struct RevokeArguments {
    /// The name of the token
    #[arg(value_name = "NAME")]
    name: TokenName,

    #[command(flatten)]
    person: PersonArguments,
    #[command(flatten)]
    format: FormatArguments,
}

impl TokensArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        match self.command {
            TokensCommand::Issue(arguments) => arguments.run(context),
            TokensCommand::List(arguments) => arguments.run(context),
            TokensCommand::Revoke(arguments) => arguments.run(context),
        }
    }
}

impl IssueArguments {
    fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let config = context.trusted_config()?;
        if !config.policy.roles.contains_key(&self.role) {
            return Err(unknown_role(&self.role, config.policy.roles.keys()));
        }
        let has_name = |name: &String| !name.trim().is_empty() && !has_invisible(name);
        if !self.workspace.as_ref().is_none_or(has_name) {
            let message = "the name of the workspace must have visible characters only";
            return Err(Failure::usage(message));
        }
        let now = Timestamp::now();
        let lifetime = match self.minutes {
            Some(minutes) => SignedDuration::from_mins(minutes),
            None => SignedDuration::from_hours(self.days * 24),
        };
        let grant = TokenGrant {
            issued: self.person.statement()?,
            name: self.name,
            role: self.role,
            workspace: self.workspace,
            until: now.saturating_add(lifetime).unwrap_or(now),
        };
        let issued = runtime()?.block_on(async {
            let state = state::open(&config).await?;
            if find(&state, &grant.name).await?.is_some() {
                return Ok(None);
            }
            record(&config, now, grant.issue())?;
            Ok::<_, Failure>(state.issue_token(&grant, now).await?)
        })?;
        let TokenGrant {
            name, role, until, ..
        } = grant;
        let Some(token) = issued else {
            return Err(Failure::new(format!("there is a token `{name}`"))
                .code(Code::Exists)
                .note("the audit tells callers apart by the names of their tokens")
                .help("choose another name"));
        };
        let token = token.expose();
        if self.format.is_json() {
            let issued = json!({"name": name, "role": role, "until": until, "token": token});
            context.output.json(&issued)?;
            return Ok(Exit::Done);
        }
        context.output.line(token)?;
        crate::output::error_line(format_args!(
            "this is the token `{name}` of the role `{role}`, accepted until {until:.0}; it cannot be shown again"
        ));
        Ok(Exit::Done)
    }
}

impl ListArguments {
    fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let config = context.trusted_config()?;
        let tokens = runtime()?.block_on(async {
            let state = state::open(&config).await?;
            Ok::<_, Failure>(state.tokens().await?)
        })?;
        let now = Timestamp::now();
        let mut table = Table::new([
            "TOKEN",
            "ROLE",
            "WORKSPACE",
            "STANDING",
            "LAST USED",
            "ISSUED BY",
        ]);
        for token in &tokens {
            if self.format.is_json() {
                context.output.json(token)?;
            }
            let used = token.used_at.map(|time| format!("{time:.0}"));
            table.row([
                token.name.as_str().into(),
                token.role.as_str().into(),
                token.workspace.clone().unwrap_or_default().into(),
                standing(token, now).into(),
                used.unwrap_or_else(|| "never".to_owned()).into(),
                format!("{}: {}", token.issued.by, token.issued.why).into(),
            ]);
        }
        if tokens.is_empty() && !self.format.is_json() {
            context.output.line("There are no tokens.")?;
        } else if !self.format.is_json() {
            context.output.table(&table)?;
        }
        Ok(Exit::Done)
    }
}

impl RevokeArguments {
    fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let config = context.trusted_config()?;
        let statement = self.person.statement()?;
        let name = &self.name;
        let now = Timestamp::now();
        let revoked = runtime()?.block_on(async {
            let state = state::open(&config).await?;
            let found = find(&state, name).await?;
            let Some(token) = found.filter(|token| token.revoked.is_none()) else {
                return Ok(false);
            };
            record(&config, now, token.revocation(&statement))?;
            Ok::<_, Failure>(state.revoke_token(name, &statement, now).await?)
        })?;
        if !revoked {
            return Err(Failure::new(format!("no token `{name}` is in force"))
                .code(Code::UnknownEntry)
                .help("run `toolwright tokens list` to list them"));
        }
        if self.format.is_json() {
            context
                .output
                .json(&json!({"name": name, "revoked": true}))?;
        } else {
            context.output.line(format_args!("`{name}` is revoked"))?;
        }
        Ok(Exit::Done)
    }
}

/// Returns the token with a name.
async fn find(state: &State, name: &TokenName) -> Result<Option<StoredToken>, Failure> {
    let mut tokens = state.tokens().await?.into_iter();
    Ok(tokens.find(|token| token.name == *name))
}

/// Records a change before it takes effect: what cannot be recorded is not done.
fn record(config: &Config, now: Timestamp, change: TokenChange) -> Result<(), Failure> {
    let event = AuditEvent::token_changed(now, change);
    let recorded = config.audit.open().record(&event);
    recorded.map_err(|error| Failure::new(format!("{error}; nothing was changed")))
}

/// Describes whether a token is accepted.
fn standing(token: &StoredToken, now: Timestamp) -> String {
    match &token.revoked {
        Some(revoked) => format!("revoked {:.0}", revoked.at),
        None if token.is_live(now) => format!("until {:.0}", token.until),
        None => format!("ended {:.0}", token.until),
    }
}
