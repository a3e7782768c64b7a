//! `toolwright export`: the tools in a format that others read.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use toolwright::{
    ToolSpec,
    render::mcp::{self, OutputSchemas},
};

use crate::{
    Exit, Failure,
    context::Context,
    output::FormatArguments,
    tools::{ToolsArguments, output_schemas},
};

/// Export the tools in a format that others read
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright export --target mcp\n  \
    toolwright export --target mcp --spec openapi.yaml --service shop --json")]
pub(crate) struct ExportArguments {
    /// The format
    #[arg(long, value_enum)]
    target: Target,

    /// Export whole output schemas, rather than cutting those of more than 4096 bytes
    #[arg(long)]
    whole_output_schemas: bool,

    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

/// A format that others read.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Target {
    /// The answer to `tools/list` of the Model Context Protocol
    Mcp,
}

impl ExportArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let tools = self.tools.listed(context)?;
        let exit = tools.exit();
        let specs = tools.records()?;
        let exported = match self.target {
            Target::Mcp => mcp_list(&specs, output_schemas(self.whole_output_schemas)),
        };
        if self.format.is_json() {
            context.output.json(&exported)?;
        } else {
            context.output.pretty_json(&exported)?;
        }
        Ok(exit)
    }
}

fn mcp_list(specs: &[ToolSpec], schemas: OutputSchemas) -> Value {
    let tools: Vec<_> = specs.iter().map(|spec| mcp::tool(spec, schemas)).collect();
    json!({ "tools": tools })
}
