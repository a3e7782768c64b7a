//! The registry that the operator of a workspace configures: grants, overrides and an audit.

use std::sync::Arc;

use clap::Args;
use toolwright::{Registry, Role, eab::RunContext, registry::RegistryProblem};
use toolwright_state::State;

use crate::{Failure, context::Context, linked, output::error_line, state, tools::ToolsArguments};

/// The arguments for the calling role, and for permissions in addition to `toolwright.toml`.
#[derive(Clone, Debug, Args)]
pub(crate) struct OperatorArguments {
    /// The role that calls
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Role,

    /// Grant the selected tools to the role, in addition to toolwright.toml: a name, `list-*`,
    /// `service:plane`, `category:observe`, `effect:read`
    #[arg(long = "grant", value_name = "SELECTOR")]
    grants: Vec<String>,

    /// Switch on the selected tools, in addition to toolwright.toml: tools that change state are
    /// off by default
    #[arg(long = "enable", value_name = "SELECTOR")]
    enable: Vec<String>,

    #[command(flatten)]
    run: RunArguments,
}

/// The arguments for the repository that the tools are used on. Domain services receive them.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Context for domain services")]
struct RunArguments {
    /// The run of the pipeline
    #[arg(long, value_name = "ID")]
    run: Option<String>,

    /// The person who started the run; with `four_eyes`, another one must approve its calls
    #[arg(long, value_name = "NAME")]
    started_by: Option<String>,

    /// The node of the pipeline
    #[arg(long, value_name = "NAME")]
    node: Option<String>,

    /// The work item
    #[arg(long, value_name = "ID")]
    work_item: Option<String>,
}

impl OperatorArguments {
    /// For what the tools are used.
    pub(crate) fn run_context(&self) -> RunContext {
        let RunArguments {
            run,
            started_by,
            node,
            work_item,
        } = self.run.clone();
        RunContext {
            run,
            started_by,
            node,
            work_item,
            ..RunContext::default()
        }
    }

    /// Creates a registry of the chosen tools from `toolwright.toml`, its state and the arguments.
    pub(crate) fn registry(
        &self,
        tools: &ToolsArguments,
        context: &Context,
    ) -> Result<(Registry, State), Failure> {
        let config = context.trusted_config()?;
        let (state, availability) = runtime()?.block_on(async {
            let state = state::open(&config).await?;
            let availability = state.availability(config.state.grace).await?;
            Ok::<_, Failure>((state, availability))
        })?;
        let mut builder = tools
            .registry(context)?
            .config(config)
            .default_approvals(Arc::new(state.clone()))
            .availability(availability);
        for selector in &self.grants {
            builder = builder.grant(self.role.as_str(), selector);
        }
        for selector in &self.enable {
            builder = builder.enable(selector);
        }
        if tools.are_a_part() {
            builder = builder.partial();
        }
        let registry = builder.build().map_err(|error| linked::wrong(&error))?;
        for problem in registry.unmatched() {
            if matches!(problem, RegistryProblem::DisablesElsewhere { .. }) {
                error_line(format_args!("warning: {problem}"));
            }
        }
        Ok((registry, state))
    }
}

/// A runtime for the calls of one command.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("cannot start: {error}")))
}
