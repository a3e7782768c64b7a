//! `toolwright policy test`: expectations of a policy as its unit tests.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::{
    expectation::Expectations,
    junit::{TestResult, report},
    registry,
};
use crate::{
    Exit, Failure,
    context::Context,
    output::{FormatArguments, plural},
    tools::ToolsArguments,
};

/// Test the policy: a file of calls, with the decisions that are expected
///
/// The exit code is 4 if an expectation is not met.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright policy test policy.test.toml\n  \
    toolwright policy test policy.test.toml --junit report.xml")]
pub(super) struct TestArguments {
    /// The file of expectations: one table `[[expect]]` for each
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

impl TestArguments {
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let expectations = self.read()?;
        let config = context.config()?;
        let tools = self.tools.choose(context, &config)?;
        // A refusal of an unknown tool would meet the expectation of another refusal.
        tools.must_be_complete()?;
        let registry = registry(&tools, config)?;
        let results: Vec<TestResult> = (expectations.expect.iter())
            .map(|expectation| {
                let failure = expectations.failure_of(expectation, &registry);
                (expectation.title(), failure)
            })
            .collect();
        if let Some(path) = &self.junit {
            let report = report(&self.file.display().to_string(), &results);
            std::fs::write(path, report).map_err(|error| Failure::file("write", path, &error))?;
        }
        self.print(&results, context)?;
        let all_met = results.iter().all(|(_, failure)| failure.is_none());
        Ok(if all_met { Exit::Done } else { Exit::Differs })
    }

    fn read(&self) -> Result<Expectations, Failure> {
        let text = std::fs::read_to_string(&self.file)
            .map_err(|error| Failure::file("read", &self.file, &error))?;
        let expectations: Expectations = toml::from_str(&text).map_err(|error| {
            Failure::new(format!("cannot read `{}`: {error}", self.file.display()))
        })?;
        if expectations.expect.is_empty() {
            return Err(
                Failure::new(format!("`{}` contains no expectation", self.file.display()))
                    .help("write a table `[[expect]]` with `role`, `tool` and `allowed`"),
            );
        }
        Ok(expectations)
    }

    fn print(&self, results: &[TestResult], context: &mut Context) -> Result<(), Failure> {
        let output = &mut context.output;
        for (name, failure) in results {
            if self.format.is_json() {
                let passed = failure.is_none();
                output.json(&json!({"name": name, "passed": passed, "failure": failure}))?;
            } else if let Some(failure) = failure {
                output.text(&format!("FAILED  {name}\n        {failure}"))?;
            }
        }
        if !self.format.is_json() {
            let failed = results.iter().filter(|(_, failure)| failure.is_some());
            let failed = failed.count();
            let all = plural(results.len(), "expectation");
            output.text(&format!("{all}, {failed} not met"))?;
        }
        Ok(())
    }
}
