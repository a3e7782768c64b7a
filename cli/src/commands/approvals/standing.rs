//! `toolwright approvals grant`, `grants` and `revoke`: calls that a person approves in advance.

use clap::Args;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use toolwright::{
    Role, WorkspaceName,
    approval::{ApproverKey, Decision, StandingGrant, StandingId, StandingTerms, Verdict},
    audit::{AuditEvent, AuditSink, StandingGrantChange},
    config::Config,
    system,
};
use toolwright_model::text::escape_json;
use toolwright_state::StoredGrant;

use super::{check_accepted, failure, store};
use crate::{
    Exit, Failure,
    context::Context,
    failure::Code,
    operator::{PersonArguments, runtime},
    output::{FormatArguments, Table},
    tools::{ToolsArguments, find},
};

/// Approve a number of calls of a role in advance
#[derive(Debug, Args)]
pub(super) struct GrantArguments {
    /// The role whose calls pass
    #[arg(value_name = "ROLE")]
    role: Role,

    /// The tool
    #[arg(value_name = "TOOL")]
    tool: String,

    /// The workspace of the service, if it has workspaces
    #[arg(long, value_name = "NAME")]
    workspace: Option<WorkspaceName>,

    /// Arguments that a call must have, with their values; other arguments are free
    #[arg(long, value_name = "JSON", default_value = "{}")]
    args: String,

    /// The number of calls that pass
    #[arg(long, value_name = "N")]
    uses: u32,

    /// The time after which no call passes any more
    #[arg(long, value_name = "MINUTES")]
    minutes: u32,

    #[command(flatten)]
    person: PersonArguments,
    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

/// List the standing grants with the calls that are left
#[derive(Debug, Args)]
pub(super) struct GrantsArguments {
    #[command(flatten)]
    format: FormatArguments,
}

/// End a standing grant
#[derive(Debug, Args)]
pub(super) struct RevokeArguments {
    /// The id of the grant
    #[arg(value_name = "ID")]
    id: StandingId,

    #[command(flatten)]
    person: PersonArguments,
    #[command(flatten)]
    format: FormatArguments,
}

impl GrantArguments {
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let specs = self.tools.load(context)?;
        let tool = find(&specs, &self.tool)?.name.clone();
        let arguments: Map<String, Value> = serde_json::from_str(&self.args)
            .map_err(|error| Failure::usage(format!("`--args` is not a JSON object: {error}")))?;
        let state = store(context)?;
        let key = ApproverKey::of_user().map_err(failure)?;
        check_accepted(&state, &key)?;
        let now = Timestamp::now();
        let lifetime = SignedDuration::from_mins(i64::from(self.minutes));
        let terms = StandingTerms {
            role: self.role,
            tool,
            workspace: self.workspace,
            arguments,
            uses: self.uses,
            until: now.saturating_add(lifetime).unwrap_or(now),
            why: self.person.why,
        };
        let grant = StandingGrant::new(terms, &self.person.by, now, &key).map_err(failure)?;
        record(&context.trusted_config()?, &grant, None)?;
        runtime()?.block_on(state.grant(&grant))?;
        if self.format.is_json() {
            context.output.json(&grant)?;
            return Ok(Exit::Done);
        }
        context.output.line(format_args!(
            "{}: {} calls of `{}` by `{}` pass until {:.0}",
            grant.id, grant.uses, grant.tool, grant.role, grant.until
        ))?;
        Ok(Exit::Done)
    }
}

impl GrantsArguments {
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let state = store(context)?;
        let grants = runtime()?.block_on(state.standing_grants())?;
        let mut table = Table::new([
            "GRANT",
            "ROLE",
            "TOOL",
            "LEFT",
            "UNTIL",
            "ARGUMENTS, REASON",
        ]);
        for stored in &grants {
            if self.format.is_json() {
                context.output.json(stored)?;
                continue;
            }
            let StoredGrant {
                grant,
                uses_left,
                revocation,
                ..
            } = stored;
            let left = match revocation {
                Some(_) => "revoked".to_owned(),
                None => format!("{uses_left}/{}", grant.uses),
            };
            let arguments = Value::from(grant.arguments.clone()).to_string();
            table.row([
                grant.id.as_str().into(),
                grant.role.as_str().into(),
                grant.tool.as_str().into(),
                left.into(),
                format!("{:.0}", grant.until).into(),
                format!(
                    "{} {}: {}",
                    escape_json(&arguments),
                    grant.decision.person,
                    grant.why
                )
                .into(),
            ]);
        }
        if grants.is_empty() && !self.format.is_json() {
            context.output.line("There are no standing grants.")?;
        } else if !self.format.is_json() {
            context.output.table(&table)?;
        }
        Ok(Exit::Done)
    }
}

impl RevokeArguments {
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let state = store(context)?;
        let grants = runtime()?.block_on(state.standing_grants())?;
        let found = grants.iter().find(|stored| stored.grant.id == self.id);
        let Some(stored) = found.filter(|stored| stored.revocation.is_none()) else {
            return Err(
                Failure::new(format!("no standing grant `{}` is in force", self.id))
                    .code(Code::UnknownEntry)
                    .help("run `toolwright approvals grants` to list them"),
            );
        };
        let now = Timestamp::now();
        for text in [&self.person.by, &self.person.why] {
            Decision::new(Verdict::Rejected, text.as_str(), now).map_err(failure)?;
        }
        record(
            &context.trusted_config()?,
            &stored.grant,
            Some((&self.person.by, &self.person.why)),
        )?;
        let reason = format!("{}: {}", self.person.by, self.person.why);
        runtime()?.block_on(state.revoke(&self.id, &reason, now))?;
        if self.format.is_json() {
            let revoked = json!({"id": self.id, "revoked": true});
            context.output.json(&revoked)?;
        } else {
            let line = format_args!("{} is revoked", self.id);
            context.output.line(line)?;
        }
        Ok(Exit::Done)
    }
}

/// Records a grant, or its end by a person with a reason, before it counts.
fn record(
    config: &Config,
    grant: &StandingGrant,
    revoked: Option<(&str, &str)>,
) -> Result<(), Failure> {
    let mut change = grant.beginning();
    if let Some((person, why)) = revoked {
        change = StandingGrantChange {
            revoked: true,
            person: person.to_owned(),
            os_user: system::user(),
            why: why.to_owned(),
            ..change
        };
    }
    let recorded = config
        .audit
        .open()
        .record(&AuditEvent::standing_grant(Timestamp::now(), change));
    recorded.map_err(|error| Failure::new(format!("{error}; nothing was decided")))
}
