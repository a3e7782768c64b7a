//! `toolwright approvals`, `approve` and `reject`: a person decides about calls that wait.

use std::io::{self, BufRead, IsTerminal, Write};

use clap::Args;
use jiff::Timestamp;
use toolwright::{
    approval::{
        self, ApprovalError, ApprovalId, ApprovalRequest, ApprovalStore, Decision, FolderApprovals,
        Verdict,
    },
    audit::AuditFile,
};

use crate::{
    Exit, Failure,
    context::Context,
    operator::runtime,
    output::{FormatArguments, Table, printable},
};

/// List the calls that wait for a person
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  toolwright approvals\n  toolwright approvals --json")]
pub(crate) struct ListArguments {
    #[command(flatten)]
    format: FormatArguments,
}

/// Let a call that waits pass, once
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  toolwright approve 1f3a5c7e9b0d --by operator")]
pub(crate) struct ApproveArguments {
    #[command(flatten)]
    decision: DecisionArguments,

    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

/// Refuse a call that waits
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  toolwright reject 1f3a5c7e9b0d --by operator")]
pub(crate) struct RejectArguments {
    #[command(flatten)]
    decision: DecisionArguments,
}

#[derive(Debug, Args)]
struct DecisionArguments {
    /// The id of the request, as `toolwright approvals` shows it
    #[arg(value_name = "ID")]
    id: ApprovalId,

    /// The name of the person who decides; it is kept in the audit
    #[arg(long, value_name = "NAME")]
    by: String,
}

impl ListArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let pending = pending(&store(context)?)?;
        if self.format.is_json() {
            for request in &pending {
                context.output.json(request)?;
            }
        } else if pending.is_empty() {
            context.output.line("No call waits for a person.")?;
        } else {
            context.output.table(&table(&pending))?;
        }
        Ok(Exit::Done)
    }
}

impl ApproveArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let store = store(context)?;
        if !self.yes && io::stdin().is_terminal() {
            let waiting = pending(&store)?;
            if let Some(request) = waiting
                .iter()
                .find(|request| request.id == self.decision.id)
            {
                confirm(request)?;
            }
        }
        self.decision.decide(&store, Verdict::Approved, context)
    }
}

impl RejectArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let store = store(context)?;
        self.decision.decide(&store, Verdict::Rejected, context)
    }
}

impl DecisionArguments {
    fn decide(
        self,
        store: &FolderApprovals,
        verdict: Verdict,
        context: &mut Context,
    ) -> Result<Exit, Failure> {
        let decision = Decision::new(verdict, self.by, Timestamp::now()).map_err(failure)?;
        let audit = AuditFile::new(context.config()?.audit_file);
        let decided = runtime()?.block_on(approval::decide(store, &audit, self.id, decision));
        let request = decided.map_err(failure)?;
        let done = match verdict {
            Verdict::Approved => "approved: the same call passes once",
            Verdict::Rejected => "rejected: the same call is refused",
        };
        let ApprovalRequest {
            tool,
            role,
            expires,
            ..
        } = request;
        context.output.line(format_args!(
            "`{tool}` by `{role}` is {done} until {expires:.0}"
        ))?;
        Ok(Exit::Done)
    }
}

fn store(context: &Context) -> Result<FolderApprovals, Failure> {
    Ok(FolderApprovals::new(context.config()?.approvals_folder))
}

fn pending(store: &FolderApprovals) -> Result<Vec<ApprovalRequest>, Failure> {
    let pending = runtime()?.block_on(store.pending(Timestamp::now()));
    pending.map_err(failure)
}

fn table(pending: &[ApprovalRequest]) -> Table {
    let mut table = Table::new(["ID", "ROLE", "TOOL", "EXPIRES", "ARGUMENTS"]);
    for request in pending {
        table.row([
            request.id.as_str().into(),
            request.role.as_str().into(),
            request.tool.as_str().into(),
            format!("{:.0}", request.expires).into(),
            request.arguments.to_string().into(),
        ]);
    }
    table
}

/// Shows the person what is decided on, and asks.
fn confirm(request: &ApprovalRequest) -> Result<(), Failure> {
    let ApprovalRequest {
        tool,
        role,
        arguments,
        ..
    } = request;
    let mut stderr = io::stderr();
    writeln!(stderr, "`{role}` wants to call `{tool}` with")?;
    for line in format!("{arguments:#}").lines() {
        writeln!(stderr, "    {}", printable(line))?;
    }
    write!(stderr, "approve? [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err(Failure::new("nothing was decided; the call still waits")),
    }
}

fn failure(error: ApprovalError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        ApprovalError::NotPending(_) => failure.help("`toolwright approvals` shows what waits"),
        _ => failure,
    }
}
