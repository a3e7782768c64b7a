//! `toolwright eab verify`: whether a service keeps to the protocol and to its document.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anstyle::{AnsiColor, Style};
use clap::Args;
use serde_json::{Value, json};
use toolwright::{ToolSpec, eab::Endpoint};
use toolwright_eab::kit::{Check, CheckVerdict, Options, Report, verify};

use crate::{
    Exit, Failure,
    context::Context,
    failure::Code,
    operator::runtime,
    output::{Cell, FormatArguments, Progress, Table, plural},
    specification::{AS_IT_IS, Specification},
};

/// Check that a running service conforms to the protocol and to its document
///
/// It shakes hands, calls each method with valid and invalid params, and sends envelopes and bodies
/// that the service must refuse. Methods that change something are called with valid params only if
/// --writes is given.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright eab verify specs/kicad/eab.yaml --endpoint /run/kicad.sock --repository ../board\n  \
    toolwright eab verify kicad.yaml --endpoint http://127.0.0.1:7071 --json | jq .passed")]
pub(crate) struct VerifyArguments {
    /// The document of the service
    #[arg(value_name = "DOCUMENT")]
    document: PathBuf,

    /// The address of the service: a socket or a base URL
    #[arg(long, value_name = "WHERE")]
    endpoint: Endpoint,

    /// The service's repository: a folder, or a URL to clone
    #[arg(long, value_name = "WHERE")]
    repository: Option<String>,

    /// The longest time for each response, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    timeout: u64,

    /// Call methods that change something, too
    #[arg(long)]
    writes: bool,

    #[command(flatten)]
    format: FormatArguments,
}

impl VerifyArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let specification = Specification::new(self.document.clone(), None, None);
        let specs = specification.read(AS_IT_IS)?.specs;
        if !specs.iter().any(|spec| spec.eab().is_some()) {
            let path = self.document.display();
            return Err(
                Failure::new(format!("`{path}` does not declare a domain service"))
                    .code(Code::InvalidSpecification)
                    .help("pass an EAB document; it begins with `eab: \"1.0\"`"),
            );
        }
        let progress = Progress::start();
        progress.step(format!("checking the service at {}", self.endpoint));
        let report = self.verify(&specs)?;
        drop(progress);
        if self.format.is_json() {
            context.output.json(&record(&report))?;
        } else {
            print(&report, context)?;
        }
        Ok(if report.passed() {
            Exit::Done
        } else {
            Exit::Failed
        })
    }

    fn verify(&self, specs: &[ToolSpec]) -> Result<Report, Failure> {
        let mut options = Options::new(self.endpoint.clone());
        options.repository = self.repository.as_deref().map(repository).transpose()?;
        options.timeout = Duration::from_secs(self.timeout);
        options.calls_that_write = self.writes;
        Ok(runtime()?.block_on(verify(specs, &options)))
    }
}

/// Returns the `repository` member of a request.
fn repository(text: &str) -> Result<Value, Failure> {
    if text.contains("://") {
        return Ok(json!({"clone_url": text}));
    }
    let path = Path::new(text);
    let path = std::path::absolute(path).map_err(|error| Failure::file("find", path, &error))?;
    Ok(json!({"path": path}))
}

/// The report for programs.
fn record(report: &Report) -> Value {
    json!({
        "endpoint": report.endpoint,
        "passed": report.passed(),
        "checks": report.checks,
    })
}

/// The report for people.
fn print(report: &Report, context: &mut Context) -> Result<(), Failure> {
    let mut table = Table::new(["CHECK", "METHOD", "", "FINDING"]);
    for check in &report.checks {
        let Check {
            id,
            method,
            verdict,
            message,
        } = check;
        let (word, style) = match verdict {
            CheckVerdict::Passed => ("passed", Style::new()),
            CheckVerdict::Failed => ("failed", AnsiColor::Red.on_default().bold()),
            CheckVerdict::Skipped => ("skipped", AnsiColor::Yellow.on_default()),
        };
        table.row([
            Cell::styled(id, style),
            Cell::styled(method.as_deref().unwrap_or_default(), style),
            Cell::styled(word, style),
            Cell::styled(message, style),
        ]);
    }
    context.output.table(&table)?;
    context.output.line(format_args!(
        "\n{} at `{}`: {} failed, {} skipped",
        plural(report.checks.len(), "check"),
        report.endpoint,
        report.count(CheckVerdict::Failed),
        report.count(CheckVerdict::Skipped),
    ))?;
    Ok(())
}
