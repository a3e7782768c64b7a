//! The custom tools of the project: `tools/*.toml`.

use std::collections::BTreeMap;

use toolwright::{ServiceName, Tool, ToolName, config::Config};

use crate::{Failure, output::error_line};

/// The folder of the custom tools, next to `toolwright.toml`.
const FOLDER: &str = "tools";

/// Reads the custom tools of a project, or those of one service. A file with a fault is reported and left
/// out.
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
    for tool in found.tools {
        let name = tool.spec().name.clone();
        if service.is_some_and(|service| tool.spec().service != *service) {
            continue;
        }
        if tools.contains_key(&name) {
            error_line(format_args!(
                "warning: a custom tool is left out: two files define `{name}`"
            ));
            continue;
        }
        tools.insert(name, tool);
    }
    Ok(tools)
}
