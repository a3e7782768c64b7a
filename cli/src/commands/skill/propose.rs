//! `toolwright skill propose`.

use std::path::PathBuf;

use clap::Args;
use toolwright_skills::{
    FILE,
    propose::{Options, Proposal, propose, read},
};

use super::{Loaded, new::create};
use crate::{
    Exit, Failure,
    context::Context,
    output::{FormatArguments, error_line, plural},
    skills,
    tools::ToolsArguments,
};

/// The name of the file with the evidence of a proposal.
const EVIDENCE: &str = "evidence.json";

#[derive(Debug, Args)]
pub(super) struct ProposeArguments {
    /// Write the proposals below the folder of skills. None of them can be run before a person has
    /// reviewed and activated it
    #[arg(long)]
    write: bool,

    /// The least number of runs that have a sequence
    #[arg(long, value_name = "NUMBER", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..))]
    min_runs: u32,

    /// The file of the audit, rather than that of the project
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

impl ProposeArguments {
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let loaded = Loaded::for_looking(&self.tools, context)?;
        let audit = self.file.as_ref().unwrap_or(&loaded.config.audit.file);
        let closed = toolwright_audit::segment::closed(audit);
        if !closed.is_ok_and(|closed| !closed.is_empty()) {
            std::fs::metadata(audit).map_err(|error| Failure::file("read", audit, &error))?;
        }
        let events = read(audit).map_err(|error| Failure::file("read", audit, &error))?;
        let known = skills::known(&loaded.specs, &loaded.config);
        let options = Options {
            min_runs: usize::try_from(self.min_runs).unwrap_or(usize::MAX),
            ..Options::default()
        };
        let found = propose(&events, &known, options);
        if let Some(missing) = found.missing() {
            error_line(format_args!("note: {missing}"));
        }
        for proposal in &found.proposals {
            if self.write {
                let folder = loaded.config.skills.folder.join(proposal.name.as_str());
                create(&folder.join(FILE), &proposal.text)?;
                let evidence = serde_json::to_string_pretty(&proposal.evidence);
                let evidence = evidence.map_err(|error| Failure::new(error.to_string()))?;
                create(&folder.join(EVIDENCE), &format!("{evidence}\n"))?;
            }
            match self.format.is_json() {
                true => context.output.json(proposal)?,
                false => print(proposal, context)?,
            }
        }
        if !self.format.is_json() {
            let number = plural(found.proposals.len(), "proposal");
            let text = format!(
                "{number} from {} of {} runs",
                plural(found.calls, "call"),
                found.runs
            );
            context.output.line(text)?;
        }
        Ok(Exit::Done)
    }
}

fn print(proposal: &Proposal, context: &mut Context) -> Result<(), Failure> {
    let evidence = &proposal.evidence;
    let heading = format!(
        "{}: in {}, {} and about {} tokens saved each time",
        proposal.name,
        plural(evidence.runs, "run"),
        plural(evidence.calls_saved, "call"),
        evidence.tokens_saved
    );
    context.output.text(&heading)?;
    for line in proposal.text.lines() {
        context.output.text(&format!("    {line}"))?;
    }
    for (name, values) in &evidence.values {
        let values: Vec<_> = values.iter().map(ToString::to_string).collect();
        context
            .output
            .text(&format!("    # {name}: {}", values.join(", ")))?;
    }
    let runs: Vec<_> = evidence
        .examples
        .iter()
        .map(|example| example.run.as_str())
        .collect();
    context
        .output
        .text(&format!("    # runs: {}\n", runs.join(", ")))?;
    Ok(())
}
