//! The tools that an operator describes: the custom tools of `tools/*.toml`, and the statements of databases.

use std::collections::BTreeMap;

use toolwright::{ServiceName, Tool, ToolName, config::Config};

use crate::{Failure, databases, output::error_line};

/// The folder of the custom tools, next to `toolwright.toml`.
const FOLDER: &str = "tools";

/// Reads the tools that the operator of a project describes, or those of one service. A file with a fault is
/// reported and left out.
pub(super) fn read(
    config: &Config,
    service: Option<&ServiceName>,
) -> Result<BTreeMap<ToolName, Tool>, Failure> {
    let folder = config.root.join(FOLDER);
    let found = toolwright_custom::read_folder(&folder)
        .map_err(|error| Failure::file("read", &folder, &error))?;
    for problem in &found.problems {
        error_line(format_args!(
            "warning: a custom tool is left out: {problem}"
        ));
    }
    for (path, error) in &found.unreadable {
        error_line(format_args!(
            "warning: a custom tool is left out: `{}` cannot be read: {error}",
            path.display()
        ));
    }
    let mut tools = BTreeMap::new();
    let described = found.tools.into_iter();
    let described =
        described.filter(|tool| service.is_none_or(|name| tool.spec().service == *name));
    for tool in described.chain(databases::tools(config, service)) {
        let name = tool.spec().name.clone();
        if tools.contains_key(&name) {
            error_line(format_args!(
                "warning: a tool is left out: two files define `{name}`"
            ));
            continue;
        }
        tools.insert(name, tool);
    }
    Ok(tools)
}
