//! `toolwright export`: the tools in a format that others read.

use std::env;

use clap::Args;
use serde_json::{Value, json};
use toolwright::{
    Role, ToolSpec,
    render::{
        code::{Language, module},
        mcp::{self, OutputSchemas},
        prompt::{self, Calls},
        provider::Dialect,
    },
};
use toolwright_discovery::Finder;

use crate::{
    Exit, Failure,
    context::Context,
    linked,
    operator::{runtime, with_selectors},
    output::{FormatArguments, error_line, plural},
    serve::check_declared,
    state,
    target::Target,
    tools::{ToolsArguments, output_schemas},
};

/// The most reasons that are printed one by one.
const MOST_REASONS: usize = 5;

/// Export the tools in a format that others read
///
/// The formats of model providers follow the rules of docs/formats.md. With `--role`, the tools are
/// those that the role sees, as `toolwright serve` lists them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright export --target mcp\n  \
    toolwright export --target anthropic --role reader\n  \
    toolwright export --target openai-strict --spec openapi.yaml --service shop --json\n  \
    toolwright export --target prompt --role reader\n  \
    toolwright export --target typescript --role reader > tools.ts")]
pub(crate) struct ExportArguments {
    /// The format
    #[arg(long, value_enum)]
    target: Target,

    /// Only the tools that this role sees
    #[arg(long, value_name = "ROLE", required_if_eq("target", "prompt-cli"))]
    role: Option<Role>,

    /// With --role, grant it the selected tools, in addition to toolwright.toml
    #[arg(long = "grant", value_name = "SELECTOR", requires = "role")]
    grants: Vec<String>,

    /// With --role, switch on the selected tools, in addition to toolwright.toml
    #[arg(long = "enable", value_name = "SELECTOR", requires = "role")]
    enable: Vec<String>,

    /// Export whole output schemas, rather than cutting those of more than 4096 bytes
    #[arg(long)]
    whole_output_schemas: bool,

    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

impl ExportArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let (specs, exit) = match &self.role {
            Some(role) => self.view(role, context)?,
            None => {
                let tools = self.tools.listed(context)?;
                let exit = tools.exit();
                (tools.records()?, exit)
            }
        };
        if let Some(language) = self.target.language() {
            let name = if language == Language::Python {
                "python"
            } else {
                "typescript"
            };
            self.print_text(name, &module(&specs, language), context)?;
            return Ok(exit);
        }
        let schemas = output_schemas(self.whole_output_schemas);
        match (self.target.dialect(), &self.role) {
            (Some(dialect), _) => self.print(&request(dialect, &specs), context)?,
            (None, _) if self.target == Target::Mcp => {
                self.print(&mcp_list(&specs, schemas), context)?
            }
            (None, Some(role)) if self.target == Target::PromptCli => {
                let program = program()?;
                // A command of the project does not call the tools of another specification.
                let is_callable = !self.tools.names_specifications();
                let command = |spec: &ToolSpec| {
                    is_callable
                        .then(|| format!("{program} call {} --role {role} --args JSON", spec.name))
                };
                let block = prompt::block(&specs, Calls::Commands(&command));
                self.print_text("prompt", &block, context)?;
            }
            (None, _) => {
                let block = prompt::block(&specs, Calls::Functions);
                self.print_text("prompt", &block, context)?;
            }
        }
        Ok(exit)
    }

    /// Returns the tools that the role sees.
    fn view(&self, role: &Role, context: &Context) -> Result<(Vec<ToolSpec>, Exit), Failure> {
        let config = context.trusted_config()?;
        let tools = self.tools.choose(context, &config)?;
        let exit = tools.exit();
        let availability = runtime()?.block_on(async {
            let state = state::open(&config).await?;
            Ok::<_, Failure>(state.availability(config.state.grace).await?)
        })?;
        let builder = tools
            .registry()
            .discovery(Finder::new())
            .config(config)
            .availability(availability);
        let builder = with_selectors(builder, Some(role), &self.grants, &self.enable);
        let registry = builder.build().map_err(|error| linked::wrong(&error))?;
        check_declared(&registry, role)?;
        let view = registry.for_agent(role).with_whole_answers();
        // A program needs no search.
        let specs = match self.target.language() {
            Some(_) => view.specs(),
            None => registry.for_agent(role).shown(),
        };
        let specs = specs.iter().map(|spec| ToolSpec::clone(spec)).collect();
        Ok((specs, exit))
    }

    fn print(&self, exported: &Value, context: &mut Context) -> Result<(), Failure> {
        if self.format.is_json() {
            context.output.json(exported)?;
        } else {
            context.output.pretty_json(exported)?;
        }
        Ok(())
    }

    fn print_text(&self, key: &str, text: &str, context: &mut Context) -> Result<(), Failure> {
        if self.format.is_json() {
            context.output.json(&json!({ key: text }))?;
        } else {
            context.output.text(text.trim_end())?;
        }
        Ok(())
    }
}

/// The name of this program: a program with linked tools has its own.
fn program() -> Result<String, Failure> {
    let path = env::current_exe().map_err(|error| {
        Failure::new("the path of this program is unknown").note(error.to_string())
    })?;
    let name = path.file_stem().unwrap_or_default();
    Ok(name.to_string_lossy().into_owned())
}

fn mcp_list(specs: &[ToolSpec], schemas: OutputSchemas) -> Value {
    let tools: Vec<_> = specs.iter().map(|spec| mcp::tool(spec, schemas)).collect();
    json!({ "tools": tools })
}

/// Renders the tools for a provider, and notes those that are not strict.
fn request(dialect: Dialect, specs: &[ToolSpec]) -> Value {
    let mut tools = Vec::new();
    let mut reasons = Vec::new();
    for spec in specs {
        let rendering = dialect.tool(spec);
        let reason = rendering.not_strict.into_iter();
        reasons.extend(reason.map(|reason| format!("`{}` is not strict: {reason}", spec.name)));
        tools.push(rendering.tool);
    }
    let more = reasons.len().saturating_sub(MOST_REASONS);
    reasons.truncate(MOST_REASONS);
    if more > 0 {
        reasons.push(format!(
            "{} more without a strict schema",
            plural(more, "tool")
        ));
    }
    for reason in reasons {
        error_line(format_args!("= note: {reason}"));
    }
    dialect.request(tools)
}
