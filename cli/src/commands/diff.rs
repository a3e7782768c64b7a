//! `toolwright diff`: what the change of a specification does to the tools.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use toolwright::ServiceName;
use toolwright_drift::Class;

use crate::{
    Exit, Failure,
    context::Context,
    drift::{Drift, Reading},
    output::Progress,
};

/// Compare the tools of two specifications, manifests, or folders of them
///
/// OLD and NEW are specifications, files that `generate` wrote (`tools.json`, or `manifest.json`,
/// which contains less), or folders of either, such as `specs` and `generated`. A folder of
/// specifications is read with the overlays and locks in it. Ends with 4 if a change is breaking or
/// widening, or as `--fail-on` says.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright diff vendor-2025.yaml vendor-2026.yaml --service shop\n  \
    toolwright diff ../base/specs specs --format markdown\n  \
    toolwright diff ../base/generated generated --json | jq '.totals'")]
pub(crate) struct DiffArguments {
    /// The old tools
    #[arg(value_name = "OLD")]
    old: PathBuf,

    /// The new tools
    #[arg(value_name = "NEW")]
    new: PathBuf,

    /// The service: of folders, only this one; of two files, its name on both sides
    #[arg(long, value_name = "NAME")]
    service: Option<ServiceName>,

    /// The overlay of the specification, on both sides
    #[arg(long, value_name = "FILE")]
    overlay: Option<PathBuf>,

    /// The overlay of OLD, if it had another
    #[arg(long, value_name = "FILE")]
    old_overlay: Option<PathBuf>,

    /// The least dangerous class of changes that ends the command with 4
    #[arg(long, value_enum, value_name = "CLASS", default_value_t)]
    fail_on: FailOn,

    /// The form of the report on standard output
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    format: ReportFormat,

    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// The changes that a command fails on, the fewest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// A tool can do more, or has less control.
    Widening,
    /// Those, and calls or results that break.
    #[default]
    Breaking,
    /// Those, and other words for agents.
    Texts,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// For a terminal.
    #[default]
    Text,
    /// For programs: one JSON value.
    Json,
    /// For a pull request.
    Markdown,
    /// One page, which needs nothing else.
    Html,
}

impl DiffArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let progress = Progress::start();
        progress.step("reading both sides");
        let old_overlay = self.old_overlay.as_deref().or(self.overlay.as_deref());
        let old = Reading::open(&self.old, old_overlay)?;
        let new = Reading::open(&self.new, self.overlay.as_deref())?;
        let (old, new) = Reading::read_both(old, new, self.service.as_ref())?;
        let drift = Drift::between(&old, &new, context)?;
        drop(progress);
        let form = if self.json {
            ReportFormat::Json
        } else {
            self.format
        };
        match form {
            ReportFormat::Json => context.output.json(&drift)?,
            ReportFormat::Text => context.output.styled(&drift.text())?,
            ReportFormat::Markdown => context.output.text(drift.markdown().trim_end())?,
            ReportFormat::Html => context.output.text(&drift.html())?,
        }
        let class = match self.fail_on {
            FailOn::Widening => Class::Widening,
            FailOn::Breaking => Class::Breaking,
            FailOn::Texts => Class::Texts,
        };
        Ok(if drift.report.reaches(class) {
            Exit::Differs
        } else {
            Exit::Done
        })
    }
}
