//! `toolwright generate`: specifications to adapters.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use toolwright::ServiceName;
use toolwright_generator::reconcile::{self, Reconciliation, State};

use crate::{
    Exit, Failure,
    context::Context,
    generation::{self, Crate, Generation},
    interrupt,
    output::{FormatArguments, Progress, Table},
    specification::{Specification, plural},
};

/// Generate adapters: those of the project, or those of one specification
///
/// Without a specification, the folder `generated` of the project is brought up to what the folder
/// `specs` says. Only files whose content changes are written, and nothing is written if anything
/// has an error.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright generate\n  \
    toolwright generate --service plane\n  \
    toolwright generate shop.yaml --service shop --out src/shop\n  \
    toolwright generate shop.yaml --service shop --out ../shop-tools --crate")]
pub(crate) struct Arguments {
    /// One specification, rather than those of the project
    #[arg(value_name = "SPEC", requires_all = ["service", "out"])]
    spec: Option<PathBuf>,

    /// The service: of the project, only this one (may be repeated); with SPEC, its name
    #[arg(long, value_name = "NAME")]
    service: Vec<ServiceName>,

    /// The folder to write the adapters of SPEC into
    #[arg(long, value_name = "DIR", requires = "spec")]
    out: Option<PathBuf>,

    /// Write a crate that builds as it is, rather than a module
    #[arg(long = "crate", requires = "spec")]
    as_crate: bool,

    /// Let the crate depend on the runtime in this folder, rather than on the published one
    #[arg(long, value_name = "DIR", requires = "as_crate")]
    runtime_path: Option<PathBuf>,

    /// The overlay of SPEC
    #[arg(long, value_name = "FILE", requires = "spec")]
    overlay: Option<PathBuf>,

    #[command(flatten)]
    format: FormatArguments,
}

/// What was done, for programs.
#[derive(Serialize)]
struct Summary<'a> {
    folder: &'a Path,
    services: &'a [generation::Summary],
    written: Vec<&'a str>,
    removed: Vec<&'a str>,
    unchanged: usize,
}

impl Arguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let progress = Progress::start();
        let json = self.format.is_json();
        let generation = self.generate(context, &progress)?;
        let compared = reconcile::compare(&generation.tree, &generation.folder);
        let mut before = compared.map_err(|error| Failure::new(format!("cannot read {error}")))?;
        before.files.retain(|(path, _)| generation.owns(path));
        if !before.is_fresh() {
            progress.step(format!("writing {}", generation.folder.display()));
            interrupt::replace(&generation.tree, &generation.folder, &before)?;
        }
        drop(progress);
        let summary = Summary::new(&generation, &before);
        if json {
            context.output.json(&summary)?;
        } else {
            summary.print(context)?;
        }
        Ok(Exit::Done)
    }

    fn generate(self, context: &Context, progress: &Progress) -> Result<Generation, Failure> {
        let (Some(path), Some(out)) = (self.spec, self.out) else {
            let config = context.needed_config()?;
            return Generation::of_workspace(&config.workspace, &self.service, progress);
        };
        let [service] = self.service.as_slice() else {
            return Err(Failure::usage("one specification is one service"));
        };
        let specification = Specification {
            path,
            service: Some(service.clone()),
            overlay: self.overlay,
        };
        let runtime_path = self.runtime_path.as_deref().map(runtime).transpose()?;
        let as_crate = self.as_crate.then_some(Crate { runtime_path });
        Generation::of_one(&specification, out, as_crate, progress)
    }
}

/// The folder of the runtime, so that it means the same from wherever the crate is.
fn runtime(folder: &Path) -> Result<PathBuf, Failure> {
    let manifest = folder.join("Cargo.toml");
    if !manifest.is_file() {
        return Err(Failure::new(format!("there is no `{}`", manifest.display()))
            .help("`--runtime-path` names the folder of the crate `toolwright`, which is `runtime` in a checkout"));
    }
    std::path::absolute(folder).map_err(|error| Failure::file("find", folder, &error))
}

impl<'a> Summary<'a> {
    fn new(generation: &'a Generation, before: &'a Reconciliation) -> Self {
        let written = |state| matches!(state, State::Stale | State::Missing);
        Self {
            folder: &generation.folder,
            services: &generation.services,
            written: before.in_state(written).collect(),
            removed: before.in_state(|state| state == State::Orphan).collect(),
            unchanged: before.count(State::Fresh),
        }
    }

    fn print(&self, context: &mut Context) -> Result<(), Failure> {
        let mut table = Table::new(["SERVICE", "FORMAT", "OPERATIONS", "TOOLS", "UNTYPED"]);
        for service in self.services {
            table.row([
                service.name.as_str().into(),
                service.format.as_str().into(),
                service.operations.to_string().into(),
                service.tools.to_string().into(),
                format!("{} of {}", service.untyped, service.nodes).into(),
            ]);
        }
        context.output.table(&table)?;
        context.output.line("")?;
        for (verb, paths) in [("written", &self.written), ("removed", &self.removed)] {
            for path in paths {
                context.output.line(format_args!("{verb}  {path}"))?;
            }
        }
        let (written, removed) = (self.written.len(), self.removed.len());
        context.output.line(format_args!(
            "{}: {} written, {removed} removed, {} unchanged",
            self.folder.display(),
            plural(written, "file"),
            self.unchanged
        ))?;
        Ok(())
    }
}
