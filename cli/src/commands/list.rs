//! `toolwright list`: the tools there are.

use anstyle::{AnsiColor, Style};
use clap::Args;
use toolwright::{Category, ToolSpec, WorkspaceName, binding::Hints};

use crate::{
    Exit, Failure,
    context::Context,
    output::{Cell, FormatArguments, Table},
    tools::ToolsArguments,
};

/// List the tools with their governance
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright list\n  \
    toolwright list --service plane\n  \
    toolwright list --spec shop.yaml --spec notes.yaml --json")]
pub(crate) struct ListArguments {
    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

impl ListArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let tools = self.tools.listed(context)?;
        let exit = tools.exit();
        let specs = tools.records()?;
        if self.format.is_json() {
            for spec in &specs {
                context.output.json(spec)?;
            }
        } else {
            context.output.table(&table(&specs))?;
            let config = context.config()?;
            for (service, workspaces) in &config.services {
                let names = workspaces.value.named.keys().map(WorkspaceName::as_str);
                let names: Vec<_> = names.collect();
                if !names.is_empty() && specs.iter().any(|spec| spec.service == *service) {
                    let names = names.join(", ");
                    let line = format_args!("`{service}` has the workspaces {names}.");
                    context.output.line(line)?;
                }
            }
        }
        Ok(exit)
    }
}

/// The tools as a table: name, governance, and what they do.
pub(crate) fn table(specs: &[ToolSpec]) -> Table {
    let mut table = Table::new(["TOOL", "CATEGORY", "APPROVAL", "HINTS", "DESCRIPTION"]);
    for spec in specs {
        table.row([
            spec.name.as_str().into(),
            category(spec.category),
            approval(spec.approval_required),
            hints(spec.hints).into(),
            what_it_does(spec),
        ]);
    }
    table
}

/// Describes the tool in one line, with a mark if it is deprecated.
fn what_it_does(spec: &ToolSpec) -> Cell {
    if spec.deprecated {
        Cell::styled(format!("deprecated: {}", spec.short), Style::new().dimmed())
    } else {
        spec.short.as_str().into()
    }
}

/// The category in its colour.
pub(crate) fn category(category: Category) -> Cell {
    let color = match category {
        Category::Observe => AnsiColor::Green,
        Category::Report => AnsiColor::Cyan,
        Category::Execute => AnsiColor::Yellow,
        Category::Approve => AnsiColor::Magenta,
    };
    Cell::styled(category.word(), color.on_default())
}

/// Returns the cell for the approval of calls.
pub(crate) fn approval(required: bool) -> Cell {
    if required {
        Cell::styled("needed", Style::new().bold())
    } else {
        "no".into()
    }
}

/// Summarises the hints in one word. `show` prints all of them.
pub(crate) const fn hints(hints: Hints) -> &'static str {
    match (hints.read_only, hints.destructive) {
        (true, _) => "read-only",
        (false, true) => "destructive",
        (false, false) => "additive",
    }
}
