//! `toolwright doctor`: what keeps a project from working, and what to do about it.

mod checks;
mod databases;
mod finding;
mod services;

use clap::Args;

use crate::{
    Exit, Failure,
    context::Context,
    output::{FormatArguments, plural},
};
use finding::{Findings, Status};

/// Check the project: its configuration, policy, credentials, services, locks and state
///
/// Nothing is written, and nothing is sent without `--online`. With it, one read of each service is
/// called: a GET without required arguments, as a role that is granted it. Such a call passes the
/// gates and is recorded in the audit. Ends with 4 if there is something to fix.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright doctor\n  \
    toolwright doctor --online\n  \
    toolwright doctor --json | jq 'select(.status != \"ok\")'")]
pub(crate) struct DoctorArguments {
    /// Call one harmless read of each service
    #[arg(long)]
    online: bool,

    #[command(flatten)]
    format: FormatArguments,
}

impl DoctorArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let mut findings = Findings::default();
        checks::all(context, self.online, &mut findings)?;
        let (errors, warnings) = (
            findings.count(Status::Error),
            findings.count(Status::Warning),
        );
        for finding in findings.all() {
            if self.format.is_json() {
                context.output.json(finding)?;
            } else {
                context.output.line(finding)?;
            }
        }
        if !self.format.is_json() {
            let (errors, warnings) = (plural(errors, "error"), plural(warnings, "warning"));
            context
                .output
                .line(format_args!("\n{errors}, {warnings}"))?;
        }
        Ok(match errors + warnings {
            0 => Exit::Done,
            _ => Exit::Differs,
        })
    }
}
