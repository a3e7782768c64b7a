//! `toolwright mount list`.

use clap::Args;
use serde::Serialize;
use toolwright::ServiceName;

use super::changes::{Compared, Standing};
use crate::{
    Exit, Failure,
    context::Context,
    output::{FormatArguments, Table, error_line},
};

#[derive(Debug, Args)]
pub(super) struct ListArguments {
    /// The server; by default all of them
    #[arg(value_name = "NAME")]
    name: Option<ServiceName>,

    #[command(flatten)]
    format: FormatArguments,
}

/// A tool as programs read it.
#[derive(Serialize)]
struct ListedTool<'a> {
    service: &'a ServiceName,
    mounted_tool: &'a str,
    standing: Standing,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted_by: Option<&'a str>,
}

impl ListArguments {
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let config = context.trusted_config()?;
        let names = match self.name {
            Some(name) => vec![name],
            None => config.mcp.keys().cloned().collect(),
        };
        let only = names.len() == 1;
        let mut exit = Exit::Done;
        let mut table = Table::new(["SERVER", "TOOL", "STANDING", "ACCEPTED BY"]);
        for name in &names {
            let compared = match Compared::ask(name, &config) {
                Err(failure) if !only => {
                    error_line(&failure);
                    exit = Exit::Partial;
                    continue;
                }
                compared => compared?,
            };
            compared.report();
            for (tool, standing) in compared.tools() {
                let accepted = compared.files.lock.get(tool);
                let accepted_by = accepted.map(|accepted| accepted.by.as_str());
                if self.format.is_json() {
                    context.output.json(&ListedTool {
                        service: name,
                        mounted_tool: tool,
                        standing,
                        accepted_by,
                    })?;
                }
                table.row([
                    name.as_str().into(),
                    tool.into(),
                    standing.word().into(),
                    accepted_by.unwrap_or_default().into(),
                ]);
            }
        }
        if !self.format.is_json() {
            context.output.table(&table)?;
        }
        Ok(exit)
    }
}
