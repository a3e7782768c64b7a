//! `toolwright approvals`, `approve` and `reject`: a person decides about calls that wait.

mod sheet;
mod show;
mod standing;
mod watch;

use std::{
    io::{self, BufRead, IsTerminal, Write},
    sync::Arc,
};

use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use toolwright::{
    approval::{
        self, ApprovalError, ApprovalHandle, ApprovalRequest, ApprovalStore, ApproverKey, Decision,
        Verdict,
    },
    audit::AuditSink,
    notify::{Notification, Notifier},
};
use toolwright_state::State;

use crate::{
    Exit, Failure,
    context::Context,
    failure::Code,
    operator::{LAST_NOTIFICATIONS, runtime},
    output::FormatArguments,
    state,
};
use show::ApprovalShowArguments;
use standing::{GrantArguments, GrantsArguments, RevokeArguments};
use watch::WatchArguments;

/// List the calls that wait for a person, and decide about them
///
/// Without a command, this lists the waiting calls, each with the request that would be sent.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright approvals\n  \
    toolwright approvals show 1f3a5c7e9b0d\n  \
    toolwright approvals approve 1f3a5c7e9b0d --by 'your name'\n  \
    toolwright approvals watch")]
pub(crate) struct ApprovalsArguments {
    #[command(subcommand)]
    command: Option<ApprovalsCommand>,
    #[command(flatten)]
    list: ApprovalListArguments,
}

#[derive(Debug, Subcommand)]
enum ApprovalsCommand {
    List(ApprovalListArguments),
    Show(ApprovalShowArguments),
    Approve(ApproveArguments),
    Reject(RejectArguments),
    Watch(WatchArguments),
    Grant(GrantArguments),
    Grants(GrantsArguments),
    Revoke(RevokeArguments),
}

/// List the calls that wait for a person, each with the request that would be sent
#[derive(Debug, Args)]
struct ApprovalListArguments {
    #[command(flatten)]
    format: FormatArguments,
}

/// Let a call that waits pass, once
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright approve 1f3a5c7e9b0d --by 'your name'\n  \
    toolwright approve 1f3a5c7e9b0d --by 'your name' --digest DIGEST   (without a terminal)")]
pub(crate) struct ApproveArguments {
    #[command(flatten)]
    decision: DecisionArguments,

    /// The digest of the request, as `toolwright approvals` shows it: approve this and nothing
    /// else, without being asked
    #[arg(long, value_name = "DIGEST")]
    digest: Option<String>,
}

/// Refuse a call that waits
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  toolwright reject 1f3a5c7e9b0d --by 'your name'")]
pub(crate) struct RejectArguments {
    #[command(flatten)]
    decision: DecisionArguments,
}

/// Print your public key, which verifies your decisions; create the key if there is none
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  toolwright approver-key")]
pub(crate) struct KeyArguments {
    #[command(flatten)]
    format: FormatArguments,
}

#[derive(Debug, Args)]
struct DecisionArguments {
    /// The handle of the request, as `toolwright approvals` shows it
    #[arg(value_name = "HANDLE")]
    handle: ApprovalHandle,

    /// Your name; it is kept in the audit, next to your user of the operating system
    #[arg(long, value_name = "NAME")]
    by: String,

    /// Your reason, which is kept with the decision and in the audit
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,

    #[command(flatten)]
    format: FormatArguments,
}

/// A waiting request as programs read it.
#[derive(Serialize)]
struct ListedRequest<'a> {
    /// The identifier that a program passes to approve a request.
    digest: String,
    #[serde(flatten)]
    request: &'a ApprovalRequest,
}

impl ApprovalsArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        match self.command {
            None => self.list.run(context),
            Some(ApprovalsCommand::List(arguments)) => arguments.run(context),
            Some(ApprovalsCommand::Show(arguments)) => arguments.run(context),
            Some(ApprovalsCommand::Approve(arguments)) => arguments.run(context),
            Some(ApprovalsCommand::Reject(arguments)) => arguments.run(context),
            Some(ApprovalsCommand::Watch(arguments)) => arguments.run(context),
            Some(ApprovalsCommand::Grant(arguments)) => arguments.run(context),
            Some(ApprovalsCommand::Grants(arguments)) => arguments.run(context),
            Some(ApprovalsCommand::Revoke(arguments)) => arguments.run(context),
        }
    }
}

impl ApprovalListArguments {
    fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let pending = waiting_requests(&store(context)?)?;
        if self.format.is_json() {
            for request in &pending {
                context.output.json(&ListedRequest::from_request(request))?;
            }
        } else if pending.is_empty() {
            context.output.line("No call is waiting for approval.")?;
        } else {
            for request in &pending {
                context.output.line(sheet::listed(request))?;
            }
        }
        Ok(Exit::Done)
    }
}

impl<'a> ListedRequest<'a> {
    fn from_request(request: &'a ApprovalRequest) -> Self {
        Self {
            digest: request.digest(),
            request,
        }
    }
}

impl ApproveArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let store = store(context)?;
        let request = self.decision.request(&store)?;
        match self.digest {
            Some(digest) if digest == request.digest() => {}
            Some(_) => {
                return Err(Failure::new("the digest does not match the request")
                    .code(Code::NotDecided)
                    .help(
                        "run `toolwright approvals` to list the waiting calls with their digests",
                    ));
            }
            None if io::stdin().is_terminal() => confirm(&request)?,
            None => {
                return Err(Failure::usage("cannot show the request without a terminal")
                    .help("add `--digest` with the digest that `toolwright approvals` prints"));
            }
        }
        self.decision
            .decide(&store, &request, Verdict::Approved, context)
    }
}

impl RejectArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let store = store(context)?;
        let request = self.decision.request(&store)?;
        self.decision
            .decide(&store, &request, Verdict::Rejected, context)
    }
}

impl KeyArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let key = ApproverKey::of_user().map_err(failure)?;
        if self.format.is_json() {
            context.output.json(&json!({"key": key.public()}))?;
        } else {
            context.output.line(key.public())?;
        }
        Ok(Exit::Done)
    }
}

impl DecisionArguments {
    /// The request that is decided on.
    fn request(&self, store: &State) -> Result<ApprovalRequest, Failure> {
        let mut pending = waiting_requests(store)?.into_iter();
        let found = pending.find(|request| request.handle == self.handle);
        found.ok_or_else(|| failure(ApprovalError::NotPending(self.handle.clone())))
    }

    fn decide(
        self,
        store: &State,
        request: &ApprovalRequest,
        verdict: Verdict,
        context: &mut Context,
    ) -> Result<Exit, Failure> {
        let (handle, format) = (self.handle.clone(), self.format);
        let key = ApproverKey::of_user().map_err(failure)?;
        check_accepted(store, &key)?;
        let mut decision = Decision::new(verdict, self.by, Timestamp::now()).map_err(failure)?;
        if let Some(why) = self.why {
            decision = decision.because(why).map_err(failure)?;
        }
        let decision = decision.signed(&key, request);
        let config = context.trusted_config()?;
        let audit = Arc::new(config.audit.open());
        let notifier = Notifier::new(Arc::clone(&audit) as Arc<dyn AuditSink>);
        let notification = Notification::decided(request, &decision);
        let decided = runtime()?.block_on(async {
            let decided = approval::decide(store, &audit, self.handle, decision).await?;
            notifier.send(&config.approvals.notify, &notification);
            notifier.finish(LAST_NOTIFICATIONS).await;
            Ok(decided)
        });
        let ApprovalRequest {
            tool,
            role,
            expires,
            ..
        } = decided.map_err(failure)?;
        if format.is_json() {
            context.output.json(&json!({
                "handle": handle,
                "tool": tool,
                "role": role,
                "verdict": verdict,
                "expires": expires,
            }))?;
            return Ok(Exit::Done);
        }
        let done = match verdict {
            Verdict::Approved => "approved: the same call passes once",
            Verdict::Rejected => "rejected: the same call is refused",
        };
        context.output.line(format_args!(
            "`{tool}` by `{role}` is {done} until {expires:.0}"
        ))?;
        Ok(Exit::Done)
    }
}

/// Checks that decisions with this key count.
fn check_accepted(store: &State, key: &ApproverKey) -> Result<(), Failure> {
    if store.accepts(&key.public()).map_err(failure)? {
        return Ok(());
    }
    Err(Failure::new("your decisions are not accepted here")
        .code(Code::NotDecided)
        .note("`[approvals]` in toolwright.toml does not contain your key")
        .help(format!("ask the operator to add `{}`", key.public())))
}

fn store(context: &Context) -> Result<State, Failure> {
    runtime()?.block_on(state::open(&context.trusted_config()?))
}

fn waiting_requests(store: &State) -> Result<Vec<ApprovalRequest>, Failure> {
    let pending = runtime()?.block_on(store.pending(Timestamp::now()));
    pending.map_err(failure)
}

/// Shows the person what is decided on, and asks.
fn confirm(request: &ApprovalRequest) -> Result<(), Failure> {
    let mut stderr = io::stderr();
    writeln!(stderr, "{}", sheet::whole(request))?;
    write!(stderr, "approve? [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err(Failure::new("nothing was decided; the call still waits").code(Code::NotDecided)),
    }
}

fn failure(error: ApprovalError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        ApprovalError::NotPending(_) => {
            let failure = failure.code(Code::UnknownEntry);
            failure.help("run `toolwright approvals` to list the waiting calls")
        }
        ApprovalError::NotAHandle(_)
        | ApprovalError::NoPerson
        | ApprovalError::NoReason
        | ApprovalError::Terms => failure.code(Code::Usage),
        ApprovalError::Store(_) => failure.code(Code::State),
        _ => failure,
    }
}
