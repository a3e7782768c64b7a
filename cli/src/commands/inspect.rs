//! `toolwright inspect`: what the generator understands of specifications.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use clap::Args;
use serde::Serialize;
use toolwright::{ServiceName, binding::ServiceCredentials};
use toolwright_generator::{
    check::CheckedCatalog,
    diagnostic::Severity,
    generate::{self, Input, Outcome},
    inspect,
    load::Memory,
};

use super::list;
use crate::{
    Exit, Failure,
    context::Context,
    failure::report,
    names,
    output::{Cell, FormatArguments, Progress, Table, printable},
    source::Source,
    specification::{AS_IT_IS, Specification, count, show, understand},
};

/// Show what is understood of specifications: their tools, and what is wrong with them
///
/// Each document is looked at by itself. One that is broken is reported in its place, and the
/// others are not affected.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright inspect openapi.yaml --service shop\n  \
    toolwright inspect grpc://127.0.0.1:50051\n  \
    toolwright inspect vendors/*.json --json | jq '.operations'")]
pub(crate) struct InspectArguments {
    /// The specifications: files, URLs, or gRPC servers with reflection
    #[arg(value_name = "SPEC", required = true)]
    paths: Vec<PathBuf>,

    /// The name of the service; otherwise it is taken from the overlay or from the file's name
    #[arg(long, value_name = "NAME")]
    service: Option<ServiceName>,

    /// The overlay of the specification
    #[arg(long, value_name = "FILE")]
    overlay: Option<PathBuf>,

    #[command(flatten)]
    format: FormatArguments,
}

/// One document, looked at.
struct Inspection {
    outcome: Outcome,
    seconds: f64,
}

/// The line for programs.
#[derive(Serialize)]
struct Record<'o> {
    #[serde(flatten)]
    description: inspect::Description<'o>,
    seconds: f64,
}

impl InspectArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        if self.overlay.is_some() && self.paths.len() > 1 {
            return Err(
                Failure::usage("an overlay applies to a single specification")
                    .help("inspect the specification of the overlay separately"),
            );
        }
        let mut exit = Exit::Done;
        let mut summary = Table::new([
            "DOCUMENT",
            "FORMAT",
            "OPERATIONS",
            "TOOLS",
            "ERRORS",
            "WARNINGS",
            "UNTYPED",
            "SECONDS",
        ]);
        let progress = Progress::start();
        for path in &self.paths {
            progress.step(format!("inspecting {}", path.display()));
            let inspection = match self.inspect(path) {
                Ok(inspection) => inspection,
                // One document does not affect the others.
                Err(failure) if self.paths.len() > 1 => {
                    exit = report(&failure);
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            if count(&inspection.outcome, Severity::Error) > 0 {
                exit = Exit::Failed;
            }
            if self.format.is_json() {
                context.output.json(&inspection.record())?;
            } else {
                summary.row(inspection.row());
            }
            if let ([_], false) = (self.paths.as_slice(), self.format.is_json()) {
                inspection.show_tools(context)?;
            }
        }
        drop(progress);
        if !self.format.is_json() {
            context.output.table(&summary)?;
        }
        Ok(exit)
    }

    fn inspect(&self, path: &Path) -> Result<Inspection, Failure> {
        let source = Source::parse(&path.to_string_lossy())?;
        let start = Instant::now();
        let outcome = match source {
            Source::File(_) => {
                let specification =
                    Specification::new(path.to_owned(), self.service.clone(), self.overlay.clone());
                understand(&[specification.input()], AS_IT_IS)
            }
            Source::Url(_) | Source::Server(_) => self.understand_remote(&source)?,
        };
        Ok(Inspection {
            outcome,
            seconds: start.elapsed().as_secs_f64(),
        })
    }

    /// Reads a document that is no file. It refers to no file either.
    fn understand_remote(&self, source: &Source) -> Result<Outcome, Failure> {
        if self.overlay.is_some() {
            return Err(Failure::usage("an overlay applies to a file").help(
                "add the service with `toolwright add`, and correct the overlay that it creates",
            ));
        }
        let document = source.read()?;
        let path = source.path();
        let mut input = Input::new(&path);
        input.service = self.service.as_ref().map(ToString::to_string);
        let files = Memory([(path, document.text.into_bytes())].into());
        Ok(generate::run(&[input], AS_IT_IS, &files))
    }
}

impl Inspection {
    fn record(&self) -> Record<'_> {
        Record {
            description: inspect::document(&self.outcome, 0),
            seconds: self.seconds,
        }
    }

    /// The row for people.
    fn row(&self) -> [Cell; 8] {
        let overview = self.outcome.overviews.first().cloned().unwrap_or_default();
        let services = self
            .outcome
            .catalog
            .iter()
            .flat_map(CheckedCatalog::services);
        let (mut tools, mut nodes, mut untyped) = (0, 0, 0);
        for service in services {
            tools += service.tools().count();
            nodes += service.service().types.nodes();
            untyped += service.service().types.untyped();
        }
        [
            overview.document.into(),
            overview.format.into(),
            overview.operations.to_string().into(),
            tools.to_string().into(),
            count(&self.outcome, Severity::Error).to_string().into(),
            count(&self.outcome, Severity::Warning).to_string().into(),
            format!("{untyped} of {nodes}").into(),
            format!("{:.2}", self.seconds).into(),
        ]
    }

    /// The tools and the diagnostics of the one document.
    fn show_tools(&self, context: &mut Context) -> Result<(), Failure> {
        show(&self.outcome);
        if let Some(catalog) = &self.outcome.catalog {
            let specs = catalog.tool_specs();
            context.output.table(&list::table(&specs))?;
            context.output.line("")?;
            for service in catalog.services() {
                let decided = names::decided(service);
                if !decided.is_empty() {
                    names::write(&decided, &mut context.output)?;
                }
                if let Some(line) = names::unpinned(service) {
                    context.output.line(line)?;
                    context.output.line("")?;
                }
            }
            if let Some(spec) = specs.first() {
                let service = &spec.service;
                let credentials = ServiceCredentials::for_tools(&specs).to_string();
                context.output.line(match credentials.as_str() {
                    "" => format!("`{service}` needs no auth file."),
                    _ => format!("The auth file of `{service}` must contain"),
                })?;
                for line in credentials.lines() {
                    context.output.line(format_args!("  {}", printable(line)))?;
                }
                context.output.line("")?;
            }
        }
        Ok(())
    }
}
