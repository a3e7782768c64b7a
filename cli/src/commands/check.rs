//! `toolwright check`: compares the checked-in adapters with the specifications.

use anstyle::AnsiColor;
use clap::Args;
use serde_json::json;
use toolwright::config::{BudgetConfig, Config, WorkspaceConfig};
use toolwright_discovery::Finder;
use toolwright_generator::{
    emit::CrateOptions,
    generate::Accept,
    reconcile::{Reconciliation, State},
};

use crate::{
    Exit, Failure, budget,
    context::Context,
    generation::{Demand, Fixing, Generation, Reuse},
    linked,
    output::{Cell, FormatArguments, Progress, Table, error_line, plural},
    tools::ToolsArguments,
};

/// Check that the generated adapters match the specifications; nothing is written
///
/// Ends with 4 if a file is stale or an orphan, or if the lock of a service is out of date. An
/// operation that cannot become a tool is an error, unless the overlay excludes it. So is a role whose
/// tools exceed the limits of `[budget]`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  toolwright check\n  toolwright check --locks\n  toolwright check --json"
)]
pub(crate) struct CheckArguments {
    /// Check only the specifications and the locks: the project has no generated adapters
    #[arg(long)]
    locks: bool,

    #[command(flatten)]
    format: FormatArguments,
}

impl CheckArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let config = context.needed_config()?;
        check_budget(&config, context)?;
        let progress = Progress::start();
        let found = compare(&config.workspace, !self.locks, &progress)?;
        drop(progress);
        if self.format.is_json() {
            for (file, state) in &found.files {
                context
                    .output
                    .json(&json!({ "file": file, "state": word(*state) }))?;
            }
        } else {
            context.output.table(&table(&found))?;
        }
        let folders = &config.workspace;
        let folder = match self.locks {
            true => folders.specs.display(),
            false => folders.generated.display(),
        };
        if found.is_fresh() {
            error_line(format_args!(
                "`{folder}` is fresh: {}",
                plural(found.files.len(), "file")
            ));
            return Ok(Exit::Done);
        }
        let stale = found.count(State::Stale) + found.count(State::Missing);
        let orphans = found.count(State::Orphan);
        error_line(format_args!(
            "`{folder}` is stale: {} and {}\n  = help: run `toolwright generate{}`",
            plural(stale, "stale file"),
            plural(orphans, "orphan"),
            if self.locks { " --locks" } else { "" }
        ));
        Ok(Exit::Differs)
    }
}

/// Checks the limits of the policy, if there are any.
fn check_budget(config: &Config, context: &Context) -> Result<(), Failure> {
    if config.budget == BudgetConfig::default() {
        return Ok(());
    }
    let tools = ToolsArguments::default().choose(context, config)?;
    let builder = tools
        .registry()
        .discovery(Finder::new())
        .config(config.clone());
    let registry = builder.build().map_err(|error| linked::wrong(&error))?;
    budget::check(&registry, &config.budget)
}

/// Compares the locks, and the adapters if there are any, with the specifications.
pub(crate) fn compare(
    folders: &WorkspaceConfig,
    with_adapters: bool,
    progress: &Progress,
) -> Result<Reconciliation, Failure> {
    let demand = Demand {
        accept: Accept::default(),
        strict: true,
        reuse: Reuse::Never,
        fixing: Fixing::Nothing,
    };
    let options = CrateOptions::default();
    let generation = Generation::of_workspace(folders, &[], &options, demand, progress)?;
    let mut found = Vec::new();
    if let Some(files) = generation.adapters.as_ref().filter(|_| with_adapters) {
        found.extend(files.compare()?.files);
    }
    for files in &generation.locks {
        let states = files.compare()?.files.into_iter();
        found.extend(states.map(|(file, state)| (files.path(&file), state)));
    }
    Ok(Reconciliation { files: found })
}

/// The files that are not fresh first.
fn table(found: &Reconciliation) -> Table {
    let mut table = Table::new(["STATE", "FILE"]);
    let mut files: Vec<_> = found.files.iter().collect();
    files.sort_by_key(|(_, state)| *state == State::Fresh);
    for (file, state) in files {
        let style = match state {
            State::Fresh => AnsiColor::Green,
            State::Stale | State::Missing | State::Orphan => AnsiColor::Red,
        };
        table.row([Cell::styled(word(*state), style.on_default()), file.into()]);
    }
    table
}

/// A file that is not there is as stale as one with other content.
const fn word(state: State) -> &'static str {
    match state {
        State::Missing => State::Stale.word(),
        state => state.word(),
    }
}
