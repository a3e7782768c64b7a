//! `toolwright budget`: what the tools cost a model to read.

use clap::Args;
use serde_json::json;
use toolwright::{Registry, Role, ScopedToolView};
use toolwright_discovery::Finder;

use crate::{
    Exit, Failure,
    budget::{Scale, Size, check},
    context::Context,
    failure::Code,
    linked,
    operator::with_selectors,
    output::{FormatArguments, Table, error_line, plural},
    serve::check_declared,
    target::Target,
    tools::ToolsArguments,
};

/// Show what the tools cost a model to read, in bytes and tokens
///
/// Without `--role`, one line for each role and format: the list as the role sees it, and the list of
/// all its tools. With it, one line for each tool, the largest first. Tokens are those of OpenAI's
/// encoding `o200k_base`. Fails if a role exceeds the limits of `[budget]` in toolwright.toml.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright budget\n  \
    toolwright budget --target mcp --target openai-strict\n  \
    toolwright budget --role reader --json\n  \
    toolwright budget --role me --grant 'category:observe' --spec openapi.yaml --service shop")]
pub(crate) struct BudgetArguments {
    /// The tools of this role
    #[arg(long, value_name = "ROLE")]
    role: Option<Role>,

    /// With --role, grant it the selected tools, in addition to toolwright.toml
    #[arg(long = "grant", value_name = "SELECTOR", requires = "role")]
    grants: Vec<String>,

    /// The format (may be repeated)
    #[arg(long = "target", value_enum, default_values_t = [Target::Mcp])]
    targets: Vec<Target>,

    /// With --role, the most tools of a format that are shown
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    most: usize,

    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

impl BudgetArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let config = context.config()?;
        let limits = config.budget;
        let tools = self.tools.choose(context, &config)?;
        let exit = tools.exit();
        let builder = tools.registry().discovery(Finder::new()).config(config);
        let builder = match &self.role {
            Some(role) => with_selectors(builder, Some(role), &self.grants, &[]),
            None => builder,
        };
        let registry = builder.build().map_err(|error| linked::wrong(&error))?;
        let mut scale = Scale::new();
        match &self.role {
            Some(role) => {
                check_declared(&registry, role)?;
                self.show_tools(&registry.for_agent(role), &mut scale, context)?;
            }
            None => self.show_roles(&registry, &mut scale, context)?,
        }
        check(&registry, &limits)?;
        Ok(exit)
    }

    /// Prints one line for each role and format.
    fn show_roles(
        &self,
        registry: &Registry,
        scale: &mut Scale,
        context: &mut Context,
    ) -> Result<(), Failure> {
        let roles = registry.roles();
        if roles.is_empty() {
            return Err(Failure::new("no roles are declared")
                .code(Code::InvalidConfiguration)
                .help("declare them in `toolwright.toml`, or try a grant: `--role me --grant category:observe`"));
        }
        let header = ["ROLE", "FORMAT", "TOOLS", "BYTES", "TOKENS", "ALL TOKENS"];
        let mut table = Table::new(header);
        for role in &roles {
            let view = registry.for_agent(role);
            let (specs, shown) = (view.specs(), view.shown());
            for &target in &self.targets {
                let list = Size::sum(&scale.weigh(shown.iter().map(AsRef::as_ref), target));
                let all = Size::sum(&scale.weigh(specs.iter().map(AsRef::as_ref), target));
                if self.format.is_json() {
                    context.output.json(&json!({
                        "role": role, "target": target.word(), "tools": specs.len(),
                        "bytes": list.bytes, "tokens": list.tokens,
                        "all_bytes": all.bytes, "all_tokens": all.tokens,
                    }))?;
                }
                table.row([
                    role.as_str().into(),
                    target.word().into(),
                    specs.len().to_string().into(),
                    list.bytes.to_string().into(),
                    list.tokens.to_string().into(),
                    all.tokens.to_string().into(),
                ]);
            }
        }
        if !self.format.is_json() {
            context.output.table(&table)?;
        }
        Ok(())
    }

    /// Prints one line for each tool and format.
    fn show_tools(
        &self,
        view: &ScopedToolView,
        scale: &mut Scale,
        context: &mut Context,
    ) -> Result<(), Failure> {
        let specs = view.specs();
        let mut table = Table::new(["TOOL", "FORMAT", "BYTES", "TOKENS"]);
        for &target in &self.targets {
            let sized = scale.weigh(specs.iter().map(AsRef::as_ref), target);
            for tool in sized.iter().take(self.most) {
                let Size { bytes, tokens } = tool.size;
                if self.format.is_json() {
                    context.output.json(&json!({
                        "tool": tool.name, "target": target.word(), "bytes": bytes, "tokens": tokens,
                    }))?;
                }
                table.row([
                    tool.name.as_str().into(),
                    target.word().into(),
                    bytes.to_string().into(),
                    tokens.to_string().into(),
                ]);
            }
            let rest = sized.len().saturating_sub(self.most);
            if rest > 0 {
                let more = plural(rest, "smaller tool");
                error_line(format_args!(
                    "note: {more} of the format `{}` not shown",
                    target.word()
                ));
            }
        }
        if !self.format.is_json() {
            context.output.table(&table)?;
        }
        Ok(())
    }
}
