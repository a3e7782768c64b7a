//! `toolwright console sessions` and `end`: who is signed in.

use clap::Args;
use jiff::Timestamp;
use serde_json::json;
use toolwright::{
    audit::{AuditEvent, AuditSink as _, ConsoleAction, ConsoleUse},
    system,
};

use crate::{
    Exit, Failure,
    context::Context,
    failure::Code,
    operator::{PersonArguments, runtime},
    output::{FormatArguments, Table},
    state,
};

/// The most sessions that are listed.
const MOST_SESSIONS: usize = 1_000;

#[derive(Debug, Args)]
pub(super) struct SessionsArguments {
    #[command(flatten)]
    format: FormatArguments,
}

#[derive(Debug, Args)]
pub(super) struct EndArguments {
    /// The id of the session
    #[arg(value_name = "SESSION")]
    id: String,

    #[command(flatten)]
    person: PersonArguments,

    #[command(flatten)]
    format: FormatArguments,
}

impl SessionsArguments {
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let sessions = runtime()?.block_on(async {
            let state = state::open(&context.trusted_config()?).await?;
            Ok::<_, Failure>(state.console_sessions(MOST_SESSIONS).await?)
        })?;
        let now = Timestamp::now();
        let mut table = Table::new(["SESSION", "PERSON", "SIGNED IN", "LAST USE", "ENDS"]);
        for session in &sessions {
            if self.format.is_json() {
                context.output.json(session)?;
                continue;
            }
            let ends = match (&session.reason, session.is_live(now)) {
                (Some(reason), _) => format!("ended: {reason}"),
                (None, true) => format!("{:.0}", session.expires_at),
                (None, false) => "expired".to_owned(),
            };
            table.row([
                session.id.as_str().into(),
                session.person.as_str().into(),
                format!("{:.0}", session.opened_at).into(),
                format!("{:.0}", session.used_at).into(),
                ends.into(),
            ]);
        }
        if !self.format.is_json() {
            context.output.table(&table)?;
        }
        Ok(Exit::Done)
    }
}

impl EndArguments {
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let statement = self.person.statement()?;
        let config = context.trusted_config()?;
        let now = Timestamp::now();
        runtime()?.block_on(async {
            let state = state::open(&config).await?;
            let session = state.console_session_with_id(&self.id).await?;
            if !session.is_some_and(|session| session.is_live(now)) {
                let message = format!("there is no session `{}`", self.id);
                return Err(Failure::new(message)
                    .code(Code::UnknownEntry)
                    .help("run `toolwright console sessions` to list them"));
            }
            // As with tokens: what cannot be recorded is not done.
            let used = ConsoleUse {
                action: ConsoleAction::SessionEnded,
                person: self.person.by.clone(),
                os_user: system::user(),
                session: Some(self.id.clone()),
                why: Some(self.person.why.clone()),
            };
            let recorded = config.audit.open().record(&AuditEvent::console(now, used));
            recorded.map_err(|error| Failure::new(format!("{error}; no session was ended")))?;
            state.end_console_session(&self.id, &statement, now).await?;
            Ok(())
        })?;
        if self.format.is_json() {
            let ended = json!({"session": self.id, "ended": true});
            context.output.json(&ended)?;
        } else {
            let line = format_args!("the session {} has ended", self.id);
            context.output.line(line)?;
        }
        Ok(Exit::Done)
    }
}
