//! `toolwright approvals show`: one request, also one that was decided.

use clap::Args;
use toolwright::approval::ApprovalRequest;
use toolwright_state::ExportedApproval;

use super::{sheet, store};
use crate::{
    Exit, Failure,
    context::Context,
    failure::Code,
    operator::runtime,
    output::{FormatArguments, printable},
};

/// Show one request and what became of it
#[derive(Debug, Args)]
pub(super) struct ApprovalShowArguments {
    /// The handle of the request, or the id that its caller received
    #[arg(value_name = "HANDLE")]
    name: String,
    #[command(flatten)]
    format: FormatArguments,
}

impl ApprovalShowArguments {
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let state = store(context)?;
        let approvals = runtime()?.block_on(state.approvals())?;
        let has_name = |approval: &&ExportedApproval| {
            let fields = ["handle", "id"].map(|field| approval.request.get(field));
            fields
                .into_iter()
                .flatten()
                .any(|field| *field == *self.name)
        };
        let Some(approval) = approvals.iter().find(has_name) else {
            return Err(Failure::new(format!("there is no request `{}`", self.name))
                .code(Code::UnknownEntry)
                .help("run `toolwright approvals` to list the waiting calls"));
        };
        if self.format.is_json() {
            context.output.json(approval)?;
            return Ok(Exit::Done);
        }
        let request: Result<ApprovalRequest, _> = serde_json::from_value(approval.request.clone());
        let request = request
            .map_err(|error| Failure::new(format!("the request cannot be read: {error}")))?;
        context.output.line(sheet::whole(&request).trim_end())?;
        let decision = approval.decision.as_ref();
        let person = decision.and_then(|decision| decision.get("person")?.as_str());
        let mut standing = match person {
            Some(person) => format!("{}, by {}", approval.standing, printable(person)),
            None => approval.standing.clone(),
        };
        if let Some(why) = decision.and_then(|decision| decision.get("why")?.as_str()) {
            standing = format!("{standing}: {}", printable(why));
        }
        context
            .output
            .line(format_args!("  standing   {standing}"))?;
        if let Some(time) = approval.used_at {
            context
                .output
                .line(format_args!("  used       {time:.0}"))?;
        }
        Ok(Exit::Done)
    }
}
