//! The tools that an operator describes: the custom tools of `tools/*.toml`, and the statements of databases.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use toolwright::{ServiceName, Tool, ToolName, config::Config};
use toolwright_custom::{CustomTool, CustomTools, FOLDER, StepsTool, read_folder};

use crate::{Failure, databases, output::error_line};

/// The tools that an operator describes.
#[derive(Default)]
pub(super) struct Described {
    /// Those that are tools by themselves.
    pub(super) tools: BTreeMap<ToolName, Tool>,
    /// Those that are tools together with the tools that they call.
    pub(super) sequences: Vec<StepsTool>,
}

/// Returns the folder of the custom tools.
pub(crate) fn folder(config: &Config) -> PathBuf {
    config.root.join(FOLDER)
}

/// Reads the tools that the operator of a project describes, or those of one service. A file with a fault is
/// reported and left out.
pub(super) fn read(config: &Config, service: Option<&ServiceName>) -> Result<Described, Failure> {
    let folder = folder(config);
    let found = read_folder(&folder).map_err(|error| Failure::file("read", &folder, &error))?;
    for fault in faults(&found) {
        error_line(format_args!("warning: a custom tool is left out: {fault}"));
    }
    let (mut tools, mut sequences) = (Vec::new(), Vec::new());
    for file in found.files {
        match file.tool {
            CustomTool::Tool(tool) => tools.push(tool),
            CustomTool::Steps(steps) => sequences.push(*steps),
        }
    }
    let is_chosen = |name: &str| service.is_none_or(|service| service.as_str() == name);
    let mut names = BTreeSet::new();
    let mut described = Described::default();
    let tools = tools.into_iter();
    let tools = tools.filter(|tool| is_chosen(tool.spec().service.as_str()));
    for tool in tools.chain(databases::tools(config, service)) {
        let name = tool.spec().name.clone();
        if is_new(&name, &mut names) {
            described.tools.insert(name, tool);
        }
    }
    for steps in sequences {
        if is_chosen(steps.service()) && is_new(steps.name(), &mut names) {
            described.sequences.push(steps);
        }
    }
    Ok(described)
}

/// Returns what is wrong with the files of a folder, a line each.
pub(crate) fn faults(found: &CustomTools) -> Vec<String> {
    let problems = found.problems.iter().map(ToString::to_string);
    let unreadable = found.unreadable.iter();
    let unreadable =
        unreadable.map(|(path, error)| format!("`{}` cannot be read: {error}", path.display()));
    problems.chain(unreadable).collect()
}

fn is_new(name: &ToolName, names: &mut BTreeSet<ToolName>) -> bool {
    let is_new = names.insert(name.clone());
    if !is_new {
        error_line(format_args!(
            "warning: a tool is left out: two files define `{name}`"
        ));
    }
    is_new
}
