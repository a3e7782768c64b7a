//! `toolwright mount diff`.

use clap::Args;
use serde::Serialize;
use similar::TextDiff;
use toolwright::ServiceName;
use toolwright_model::text::escape_json;
use toolwright_mounts::Definition;

use super::changes::{Compared, Standing};
use crate::{Exit, Failure, context::Context, output::FormatArguments};

#[derive(Debug, Args)]
pub(super) struct DiffArguments {
    /// The server
    #[arg(value_name = "NAME")]
    name: ServiceName,

    #[command(flatten)]
    format: FormatArguments,
}

/// A difference as programs read it.
#[derive(Serialize)]
struct Difference<'a> {
    mounted_tool: &'a str,
    standing: Standing,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted: Option<&'a serde_json::Map<String, serde_json::Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    listed: Option<&'a serde_json::Map<String, serde_json::Value>>,
}

impl DiffArguments {
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let config = context.trusted_config()?;
        let compared = Compared::ask(&self.name, &config)?;
        compared.report();
        let tools = compared.tools().into_iter();
        let changed = tools.filter(|(_, standing)| *standing != Standing::Accepted);
        let mut exit = Exit::Done;
        for (tool, standing) in changed {
            exit = Exit::Differs;
            let accepted = compared.files.document.get(tool);
            let listed = compared.listing.definitions.get(tool);
            if self.format.is_json() {
                context.output.json(&Difference {
                    mounted_tool: tool,
                    standing,
                    accepted: accepted.map(Definition::value),
                    listed: listed.map(Definition::value),
                })?;
                continue;
            }
            context
                .output
                .line(format_args!("{tool}: {}", standing.word()))?;
            let (before, after) = (lines(accepted), lines(listed));
            let diff = TextDiff::from_lines(&before, &after);
            let diff = diff.unified_diff().context_radius(3).to_string();
            context.output.text(&diff)?;
        }
        Ok(exit)
    }
}

/// Returns a definition as lines of JSON, with every character visible.
fn lines(definition: Option<&Definition>) -> String {
    let Some(definition) = definition else {
        return String::new();
    };
    let value = serde_json::to_string_pretty(definition.value());
    format!("{}\n", escape_json(&value.unwrap_or_default()))
}
