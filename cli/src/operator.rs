//! The registry that the operator of a workspace configures: grants, overrides and an audit.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use clap::Args;
use toolwright::{
    Registry, RegistryBuilder, Role, ScopedToolView, Statement, ToolSpec, WorkspaceName,
    audit::{AuditFile, AuditSink, ClientContext},
    eab::RunContext,
    error::OpenError,
    policy::{PolicyProblem, Variables},
    registry::RegistryProblem,
};
use toolwright_skills::SkillSet;
use toolwright_state::State;

pub(crate) use crate::asynchronous::runtime;
#[cfg(feature = "generator")]
use crate::mounts::Mounts;
use crate::{
    Failure, context::Context, linked, output::error_line, search::finder, skills, state,
    tools::ToolsArguments,
};

/// The longest time for which a command waits at its end for the delivery of notifications.
pub(crate) const LAST_NOTIFICATIONS: Duration = Duration::from_secs(5);

/// The arguments for the calling role, and for permissions in addition to `toolwright.toml`.
#[derive(Clone, Debug, Args)]
pub(crate) struct OperatorArguments {
    /// The role that calls
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Role,

    #[command(flatten)]
    more: PermissionArguments,
}

/// A registry, and what belongs to it.
pub(crate) struct Opened {
    pub(crate) registry: Registry,
    pub(crate) state: State,
    /// The skills among its tools.
    pub(crate) skills: SkillSet,
    /// The mounted servers of its tools.
    #[cfg(feature = "generator")]
    pub(crate) mounts: Mounts,
}

/// The person who changes what the boundary permits, and the reason.
#[derive(Debug, Args)]
pub(crate) struct PersonArguments {
    /// Your name, which is recorded with the change and in the audit
    #[arg(long, value_name = "NAME")]
    pub(crate) by: String,

    /// The reason, which is recorded with the change
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: String,
}

impl PersonArguments {
    /// Returns both as a statement.
    ///
    /// # Errors
    /// If one of them is empty, too long, or has an invisible character.
    pub(crate) fn statement(&self) -> Result<Statement, Failure> {
        let statement = Statement::new(&self.by, &self.why);
        statement.map_err(|error| Failure::usage(error.to_string()))
    }
}

/// The arguments for permissions in addition to `toolwright.toml`, and for the run.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PermissionArguments {
    /// Grant the selected tools to the role, in addition to toolwright.toml: a name, `list-*`,
    /// `service:plane`, `category:observe`, `effect:read`
    #[arg(long = "grant", value_name = "SELECTOR")]
    grants: Vec<String>,

    /// Switch on the selected tools, in addition to toolwright.toml: tools that change state are
    /// off by default
    #[arg(long = "enable", value_name = "SELECTOR")]
    enable: Vec<String>,

    /// A variable that the scopes of the role refer to; several values make a list (may be repeated)
    #[arg(long = "variable", value_name = "NAME=VALUE", value_parser = variable)]
    variables: Vec<(String, String)>,

    #[command(flatten)]
    run: RunArguments,
}

/// The argument for calls that a person must approve.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct WaitArguments {
    /// Let calls that a person must approve wait for the decision this long, rather than refuse them
    /// at once
    #[arg(
        long = "wait",
        value_name = "SECONDS",
        default_value_t = 0,
        hide_default_value = true
    )]
    seconds: u64,
}

impl WaitArguments {
    /// Returns how long calls wait.
    pub(crate) const fn limit(self) -> Duration {
        Duration::from_secs(self.seconds)
    }
}

/// The arguments for the repository that the tools are used on. Domain services receive them.
#[derive(Clone, Debug, Default, Args)]
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

    /// The agent, for the audit
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,

    /// The workspace that the caller works in: that of services which have workspaces
    #[arg(long, value_name = "NAME")]
    workspace: Option<String>,
}

/// Returns the user of this process as the client of its calls. Clients of a server replace it.
fn user_of_process() -> ClientContext {
    ClientContext {
        principal: Some(format!("os:{}", toolwright::system::user())),
        ..ClientContext::default()
    }
}

impl OperatorArguments {
    /// Opens the view of the role. The audit records the scopes if there are variables.
    pub(crate) fn view(&self, registry: &Registry) -> Result<ScopedToolView, Failure> {
        self.more.view(registry, &self.role)
    }

    /// Opens the view of the role for the calls of one tool. The chosen workspace is one of its service.
    pub(crate) fn view_for(
        &self,
        registry: &Registry,
        tool: &str,
    ) -> Result<ScopedToolView, Failure> {
        let view = self.view(registry)?;
        let Some(workspace) = &self.more.run.workspace else {
            return Ok(view);
        };
        let mut tools = registry.tools();
        let Some((spec, _)) = tools.find(|(spec, _)| spec.name.as_str() == tool) else {
            return Ok(view);
        };
        bound(view, &spec, workspace)
    }

    /// Creates a registry of the chosen tools from `toolwright.toml`, its state and the arguments.
    pub(crate) fn registry(
        &self,
        tools: &ToolsArguments,
        context: &Context,
    ) -> Result<(Registry, State), Failure> {
        let role = Some(&self.role);
        let more = &self.more;
        let opened = more.registry(role, tools, context, |audit| Arc::new(audit))?;
        Ok((opened.registry, opened.state))
    }
}

impl PermissionArguments {
    /// Opens the view of a role for the user of this process.
    pub(crate) fn view(&self, registry: &Registry, role: &Role) -> Result<ScopedToolView, Failure> {
        let opened = self.open(registry, role);
        let opened = opened.map(|view| view.for_client(user_of_process()));
        opened.map_err(|error| match error {
            OpenError::Variables(faults) => Failure::all(faults.iter().map(ToString::to_string)),
            OpenError::Audit(error) => Failure::new(error.to_string()),
        })
    }

    /// Opens the view of a role. The audit records the scopes if there are variables.
    pub(crate) fn open(
        &self,
        registry: &Registry,
        role: &Role,
    ) -> Result<ScopedToolView, OpenError> {
        let run = self.run_context();
        if self.variables.is_empty() {
            return Ok(registry.for_agent(role).in_run(run));
        }
        registry.open(role, run, variables(&self.variables))
    }

    /// Returns true if a permission is granted to the role.
    pub(crate) const fn has_grants(&self) -> bool {
        !self.grants.is_empty()
    }

    /// For what the tools are used.
    fn run_context(&self) -> RunContext {
        let RunArguments {
            run,
            started_by,
            node,
            work_item,
            agent,
            workspace,
        } = self.run.clone();
        RunContext {
            run,
            started_by,
            node,
            work_item,
            agent,
            workspace,
            ..RunContext::default()
        }
    }

    /// Creates a registry of the chosen tools from `toolwright.toml`, its state and the arguments, with
    /// an audit made from the file of the configuration. The grants are those of the role.
    pub(crate) fn registry(
        &self,
        role: Option<&Role>,
        tools: &ToolsArguments,
        context: &Context,
        audit: impl FnOnce(AuditFile) -> Arc<dyn AuditSink>,
    ) -> Result<Opened, Failure> {
        let config = context.trusted_config()?;
        let chosen = tools.choose(context, &config)?;
        let specs = chosen.all_records()?;
        let (state, availability, skills) = runtime()?.block_on(async {
            let state = state::open(&config).await?;
            let availability = state.availability(config.state.grace).await?;
            let skills = skills::load(&config, &specs, &state).await?;
            Ok::<_, Failure>((state, availability, skills))
        })?;
        let files = config.files.store();
        let finder = finder(&config)?;
        let builder = chosen
            .registry()
            .tools(skills.tools())
            .audit(audit(config.audit.open()))
            .files(files)
            .discovery(finder)
            .config(config)
            .default_approvals(Arc::new(state.clone()))
            .availability(availability);
        let builder = with_selectors(builder, role, &self.grants, &self.enable);
        let registry = builder.build().map_err(|error| linked::wrong(&error))?;
        for problem in registry.unmatched() {
            if matches!(
                problem,
                RegistryProblem::Policy(PolicyProblem::DisablesElsewhere { .. })
            ) {
                error_line(format_args!("warning: {problem}"));
            }
        }
        Ok(Opened {
            registry,
            state,
            skills,
            #[cfg(feature = "generator")]
            mounts: chosen.mounts().clone(),
        })
    }
}

/// Binds the calls of a tool's service to a workspace.
pub(crate) fn bound(
    view: ScopedToolView,
    spec: &ToolSpec,
    workspace: &str,
) -> Result<ScopedToolView, Failure> {
    let name = WorkspaceName::new(workspace).map_err(|error| Failure::usage(error.to_string()))?;
    Ok(view.in_workspace(spec.service.clone(), name))
}

/// Adds the selectors of `--grant` and `--enable` to those of the configuration.
pub(crate) fn with_selectors(
    mut builder: RegistryBuilder,
    role: Option<&Role>,
    grants: &[String],
    enable: &[String],
) -> RegistryBuilder {
    if let Some(role) = role {
        for selector in grants {
            builder = builder.grant(role.as_str(), selector);
        }
    }
    for selector in enable {
        builder = builder.enable(selector);
    }
    builder
}

/// Parses `NAME=VALUE`.
pub(crate) fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("write a name, `=` and a value, such as `module=inventory`")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Returns the variables of the arguments. One that is given several times is a list.
pub(crate) fn variables(given: &[(String, String)]) -> Variables {
    let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, value) in given {
        values.entry(name).or_default().push(value);
    }
    let variables = values.into_iter();
    variables.fold(Variables::new(), |variables, (name, values)| {
        match values.as_slice() {
            [value] => variables.with(name, *value),
            several => variables.with_list(name, several.iter().copied()),
        }
    })
}
