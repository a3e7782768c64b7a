//! The tools that a command speaks of: linked into the program, or of a specification.

use clap::Args;
use toolwright::{EmbeddedTools, ToolSpec, most_similar};

use crate::{Failure, context::Context};

/// The arguments that choose the tools.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ToolsArguments {}

impl ToolsArguments {
    /// The tools, sorted by name.
    pub(crate) fn load(&self, context: &Context) -> Result<Vec<ToolSpec>, Failure> {
        let mut specs = linked(&context.linked)?;
        specs.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(specs)
    }
}

/// The tool of a name.
pub(crate) fn named<'a>(specs: &'a [ToolSpec], name: &str) -> Result<&'a ToolSpec, Failure> {
    let found = specs.iter().find(|spec| spec.name.as_str() == name);
    found.ok_or_else(|| {
        let failure = Failure::new(format!("there is no tool `{name}`"));
        match most_similar(name, specs.iter().map(|spec| spec.name.as_str())) {
            Some(similar) => {
                failure.help(format!("a tool with a similar name exists: `{similar}`"))
            }
            None => failure.help("`toolwright list` shows all tools"),
        }
    })
}

fn linked(adapters: &[EmbeddedTools]) -> Result<Vec<ToolSpec>, Failure> {
    let mut specs = Vec::new();
    for adapter in adapters {
        let read = adapter.specs().map_err(|error| {
            Failure::new(format!(
                "cannot read the linked adapters of `{}`: {error}",
                adapter.service()
            ))
            .help("generate them anew with this version of the command")
        })?;
        specs.extend(read);
    }
    Ok(specs)
}
