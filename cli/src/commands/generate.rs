//! `toolwright generate`: specifications to adapters.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use clap::{ArgGroup, Args, ValueEnum};
use serde::Serialize;
use serde_json::{Value, json};
use toolwright::ServiceName;
use toolwright_generator::{
    fix::Fix,
    generate::Accept,
    reconcile::{Reconciliation, State},
    render,
};

use crate::{
    Exit, Failure,
    context::Context,
    generation::{self, Demand, Files, Fixing, Generation, Reuse, left_out},
    interrupt, names,
    new_crate::NewCrateArguments,
    output::{FormatArguments, Progress, Table, error_line, plural},
    specification::Specification,
};

/// Generate adapters: those of the project, or those of one specification
///
/// Without a specification, this updates the folder `generated` of the project to match the folder
/// `specs`. Only files whose content changes are written, and nothing is written after an error.
/// An operation that cannot become a tool is left out with a warning; the command then ends with 3.
/// `--fix` adds the lines to the overlay that make tools of them.
/// The lock of a service, `names.lock`, is also written: it holds every name that a tool ever had,
/// so no name is lost by accident. Commit it.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("target").args(["out", "lock"]).multiple(true)))]
#[command(after_help = "Examples:\n  \
    toolwright generate\n  \
    toolwright generate --service plane\n  \
    toolwright generate shop.yaml --service shop --out src/shop\n  \
    toolwright generate shop.yaml --service shop --out ../shop-tools --crate\n  \
    toolwright generate shop.yaml --service shop --lock shop.names.lock\n  \
    toolwright generate --locks\n  \
    toolwright generate --accept renames\n  \
    toolwright generate --fix")]
pub(crate) struct GenerateArguments {
    /// One specification, instead of those of the project
    #[arg(value_name = "SPEC", requires = "target")]
    spec: Option<PathBuf>,

    /// The service: of the project, only this one (may be repeated); with SPEC, its name instead of
    /// the one in the overlay
    #[arg(long, value_name = "NAME")]
    service: Vec<ServiceName>,

    /// The folder to write the adapters of SPEC into
    #[arg(long, value_name = "DIR", requires = "spec")]
    out: Option<PathBuf>,

    /// Write a complete crate instead of a module
    #[arg(long = "crate", requires = "out")]
    as_crate: bool,

    #[command(flatten)]
    new_crate: NewCrateArguments,

    /// The overlay of SPEC
    #[arg(long, value_name = "FILE", requires = "spec")]
    overlay: Option<PathBuf>,

    /// The lock of SPEC; the default is the one next to the overlay, such as `shop.names.lock` next
    /// to `shop.overlay.toml`. Without --out, only the lock is written
    #[arg(long, value_name = "FILE", requires = "spec")]
    lock: Option<PathBuf>,

    /// Write only the locks of the project, and with --fix the overlays: it has no generated adapters
    #[arg(long, conflicts_with_all = ["spec", "review"])]
    locks: bool,

    /// A difference from the lock to accept (may be repeated)
    #[arg(long, value_enum, value_name = "WHAT")]
    accept: Vec<Accepted>,

    /// Refuse to leave out an operation: write nothing then, and end with 100
    #[arg(long)]
    strict: bool,

    /// Add the missing lines to the overlays, each with its reason. Nothing in them is changed, and
    /// an overlay that does not exist is created. With SPEC, --overlay names it
    #[arg(long, conflicts_with = "review")]
    fix: bool,

    /// With --fix, also exclude the operations that cannot be tools as the document stands
    #[arg(long, requires = "fix")]
    exclude_broken: bool,

    /// List the new names that the document decides, and write nothing
    #[arg(long)]
    review: bool,

    #[command(flatten)]
    format: FormatArguments,
}

/// A difference that a person may accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Accepted {
    /// The overlay gives a tool another name
    Renames,
    /// A tool has a lower category, or no longer needs approval
    Lowering,
}

/// The result, for programs.
#[derive(Serialize)]
struct RunSummary<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<&'a Path>,
    services: &'a [generation::Summary],
    written: Vec<&'a str>,
    removed: Vec<&'a str>,
    unchanged: usize,
    /// The locks that were written.
    locks: Vec<String>,
    /// The lines that the overlays got.
    fixed: Vec<Value>,
}

impl GenerateArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let progress = Progress::start();
        let (json, review) = (self.format.is_json(), self.review);
        let generation = self.generate(context, &progress)?;
        if review {
            drop(progress);
            return list_decided(&generation, json, context);
        }
        let mut found = Vec::new();
        for files in generation.files() {
            found.push((files, files.compare()?));
        }
        if found.iter().any(|(_, before)| !before.is_fresh()) {
            progress.step("writing");
            interrupt::replace(&found)?;
        }
        generation.leave_stamp()?;
        drop(progress);
        let summary = RunSummary::new(&generation, &found);
        if json {
            context.output.json(&summary)?;
        } else {
            summary.print(context)?;
        }
        let Some(left_out) = left_out::describe(&generation.services) else {
            return Ok(Exit::Done);
        };
        let help = left_out::help(&generation.services).into_iter();
        let help = help.map(|help| format!("\n  = help: {help}"));
        error_line(format_args!(
            "{left_out}\n  = note: the warnings explain each; `--strict` makes them errors{}",
            help.collect::<String>()
        ));
        Ok(Exit::Partial)
    }

    fn generate(self, context: &Context, progress: &Progress) -> Result<Generation, Failure> {
        let demand = self.demand();
        let options = self.new_crate.options()?;
        if self.spec.is_some() && !self.as_crate && self.new_crate.is_given() {
            return Err(Failure::usage(
                "`--toolwright-path` and `--own-workspace` are about a new crate; add `--crate`",
            ));
        }
        let Some(path) = self.spec else {
            let config = context.needed_config()?;
            let folders = &config.workspace;
            let generation =
                Generation::of_workspace(folders, &self.service, &options, demand, progress)?;
            return Ok(if self.locks {
                generation.only_locks()
            } else {
                generation
            });
        };
        if self.service.len() > 1 {
            return Err(Failure::usage("a specification has one `--service`"));
        }
        let service = self.service.first().cloned();
        if self.fix && self.overlay.is_none() {
            return Err(
                Failure::usage("with a specification, `--fix` requires `--overlay`")
                    .help("the file is created if it does not exist"),
            );
        }
        let mut specification = Specification::new(path, service, self.overlay);
        specification.lock = self.lock.or(specification.lock);
        let as_crate = self.as_crate.then_some(options);
        Generation::of_one(specification, self.out, as_crate, demand, progress)
    }

    fn demand(&self) -> Demand {
        Demand {
            accept: Accept {
                renames: self.accept.contains(&Accepted::Renames),
                lowering: self.accept.contains(&Accepted::Lowering),
            },
            strict: self.strict,
            reuse: if self.review || self.locks {
                Reuse::Never
            } else {
                Reuse::Allowed
            },
            fixing: match (self.fix, self.exclude_broken) {
                (false, _) => Fixing::Nothing,
                (true, false) => Fixing::Missing,
                (true, true) => Fixing::Exclude,
            },
        }
    }
}

/// Lists the new names that the document decides, for a person to read once.
fn list_decided(
    generation: &Generation,
    json: bool,
    context: &mut Context,
) -> Result<Exit, Failure> {
    let names = generation.services.iter();
    let names: Vec<_> = names.flat_map(|service| service.decided.clone()).collect();
    if json {
        context.output.json(&names)?;
    } else if names.is_empty() {
        context.output.line("the document decides no new name")?;
    } else {
        names::write(&names, &mut context.output)?;
        context.output.line(
            "To choose another name, add a line to the overlay. `toolwright generate` pins these.",
        )?;
    }
    Ok(Exit::Done)
}

impl<'a> RunSummary<'a> {
    fn new(generation: &'a Generation, found: &'a [(&Files, Reconciliation)]) -> Self {
        let written = |state| matches!(state, State::Stale | State::Missing);
        let (adapters, locks) = found.split_at(usize::from(generation.adapters.is_some()));
        let lines = &generation.fixes.lines;
        let is_overlay = |path: &String| lines.iter().any(|(overlay, _)| overlay == path);
        let before = || adapters.iter().map(|(_, before)| before);
        Self {
            folder: generation
                .adapters
                .as_ref()
                .map(|files| files.folder.as_path()),
            services: &generation.services,
            written: before().flat_map(|found| found.in_state(written)).collect(),
            removed: before()
                .flat_map(|found| found.in_state(|state| state == State::Orphan))
                .collect(),
            unchanged: before().map(|found| found.count(State::Fresh)).sum(),
            locks: locks
                .iter()
                .flat_map(|(files, before)| before.in_state(written).map(|file| files.path(file)))
                .filter(|path| !is_overlay(path))
                .collect(),
            fixed: lines.iter().map(fixed).collect(),
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
        let decided: usize = self
            .services
            .iter()
            .map(|service| service.decided.len())
            .sum();
        if decided > 0 {
            let names = plural(decided, "new name");
            context.output.line(format_args!(
                "decided by the document: {names} (`--review` lists them before they are written)"
            ))?;
        }
        for (verb, paths) in [("written", &self.written), ("removed", &self.removed)] {
            for path in paths {
                context.output.line(format_args!("{verb}  {path}"))?;
            }
        }
        self.print_fixed(context)?;
        for path in &self.locks {
            context.output.line(format_args!("written  {path}"))?;
        }
        if let Some(folder) = self.folder {
            let (written, removed) = (self.written.len(), self.removed.len());
            context.output.line(format_args!(
                "{}: {} written, {removed} removed, {} unchanged",
                folder.display(),
                plural(written, "file"),
                self.unchanged
            ))?;
        }
        Ok(())
    }

    /// Lists the lines that overlays got, with their reasons.
    fn print_fixed(&self, context: &mut Context) -> Result<(), Failure> {
        if self.fixed.is_empty() {
            return Ok(());
        }
        let mut table = Table::new(["OVERLAY", "OPERATION", "LINE", "REASON"]);
        for line in &self.fixed {
            let text = |key: &str| line.get(key).and_then(Value::as_str).unwrap_or_default();
            let cells = ["overlay", "selector", "line", "reason"];
            table.row(cells.map(|key| text(key).into()));
        }
        context.output.table(&table)?;
        context.output.line("")?;
        let overlays = self
            .fixed
            .iter()
            .filter_map(|line| line.get("overlay")?.as_str());
        for path in overlays.collect::<BTreeSet<_>>() {
            context.output.line(format_args!("written  {path}"))?;
        }
        Ok(())
    }
}

/// Renders a line that an overlay got as an object.
fn fixed((overlay, fix): &(String, Fix)) -> Value {
    let mut line = render::fix_json(fix);
    if let Some(fields) = line.as_object_mut() {
        fields.insert("overlay".to_owned(), json!(overlay));
        fields.insert("line".to_owned(), json!(fix.line()));
    }
    line
}
