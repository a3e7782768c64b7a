//! The builder of a registry. It reports all problems at once.

mod linked;

use std::{
    collections::{BTreeMap, btree_map},
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::sync::{Semaphore, watch};
use toolwright_model::{Binding, Role, ServiceName, ToolName, ToolSpec};
use toolwright_policy::{Policy, Selector, Stated};

use super::{
    Registry, RegistryError, RegistryProblem, Sources,
    policy::{CompiledPolicy, Statements},
    reload::FilePlaces,
};
use crate::{
    EmbeddedTools,
    approval::{ApprovalStore, ArgumentPointer, MemoryApprovals},
    audit::{AuditSink, DigestKey, Recorder},
    availability::Availability,
    boundary::{
        core::Core,
        menu::Menus,
        notices::MOST_EXPIRIES,
        peers::Peers,
        provenance::Provenance,
        rates::Rates,
        revocation::Revocations,
        tool::{Action, Tool},
        tools::Tools,
        violations::Violations,
        wait::Undecided,
    },
    config::{Config, Repository, Workspaces},
    credentials::Credentials,
    discovery::{DiscoveryTool, Searcher},
    exchange::{eab::Sessions, http::Executor, oauth::AccessTokens, redact::RecentRedactors},
    files::FileStore,
    linked::{Declaration, States},
    notify::{Notification, Notifier},
    private,
    system::{Clock, SystemClock},
};

/// Builds a [`Registry`].
///
/// Settings in code take precedence over a configuration, regardless of the order of the calls.
/// Grants and overrides of both are combined.
#[derive(Default)]
pub struct RegistryBuilder {
    tools: Vec<Tool>,
    linked: Vec<Declaration>,
    linked_service: Option<ServiceName>,
    states: States,
    problems: Vec<RegistryProblem>,
    statements: Statements,
    config: Option<Config>,
    repository: Option<Repository>,
    credentials: Option<Credentials>,
    approvals: Option<Arc<dyn ApprovalStore>>,
    availability: Arc<Availability>,
    audit: Option<Arc<dyn AuditSink>>,
    audit_key: Option<DigestKey>,
    audit_values: bool,
    audit_value_sources: bool,
    clock: Option<Arc<dyn Clock>>,
    files: Option<FileStore>,
    searcher: Option<Arc<dyn Searcher>>,
}

impl RegistryBuilder {
    /// Adds the compiled-in tools of a service.
    #[must_use]
    pub fn embedded(mut self, tools: EmbeddedTools) -> Self {
        match tools.specs() {
            Ok(specs) => self.specs(specs),
            Err(error) => {
                self.problems.push(RegistryProblem::UnreadableTools {
                    service: tools.service().to_owned(),
                    message: error.to_string(),
                });
                self
            }
        }
    }

    /// Adds tools that send the requests of their bindings.
    #[must_use]
    pub fn specs(self, specs: impl IntoIterator<Item = ToolSpec>) -> Self {
        self.tools(specs.into_iter().map(Tool::from))
    }

    /// Adds a tool.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Adds tools.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = Tool>) -> Self {
        self.tools.extend(tools);
        self
    }

    /// Applies the operator's configuration: roles, overrides, services, and the places of the
    /// audit and the credentials.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = Some(config);
        self
    }

    /// Grants a role the tools that a [`Selector`](crate::Selector) selects.
    #[must_use]
    pub fn grant(mut self, role: &str, selector: &str) -> Self {
        self.add_grant(role, selector);
        self
    }

    /// Declares a role without granting it anything.
    #[must_use]
    pub fn role(mut self, role: &str) -> Self {
        if let Some(role) = self.parse_role(role) {
            self.statements.policy.roles.entry(role).or_default();
        }
        self
    }

    /// Adds a policy: roles, profiles, scopes and what is forbidden, as the configuration states
    /// them.
    #[must_use]
    pub fn policy(mut self, policy: &Policy) -> Self {
        let own = std::mem::take(&mut self.statements.policy);
        self.statements.policy = own.combined_with(policy);
        self
    }

    /// Makes the seven nodes of a pipeline roles with the built-in profiles
    /// ([`BUILT_IN`](toolwright_policy::BUILT_IN)). A role that the configuration declares keeps its
    /// own grants.
    #[must_use]
    pub const fn pipeline_roles(mut self) -> Self {
        self.statements.pipeline = true;
        self
    }

    /// Switches on the tools that a [`Selector`](crate::Selector) selects, although they are off by
    /// default.
    #[must_use]
    pub fn enable(mut self, selector: &str) -> Self {
        let stated = self.parse_selector(selector, "the tools to enable");
        self.statements.policy.enable.extend(stated);
        self
    }

    /// Switches off the tools that a [`Selector`](crate::Selector) selects. This wins over every
    /// other setting.
    #[must_use]
    pub fn disable(mut self, selector: &str) -> Self {
        let stated = self.parse_selector(selector, "the tools to disable");
        self.statements.policy.disable.extend(stated);
        self
    }

    /// Sets the settings of a service: a [`ServiceConfig`](crate::config::ServiceConfig), or
    /// [`Workspaces`].
    #[must_use]
    pub fn service(mut self, service: ServiceName, config: impl Into<Workspaces>) -> Self {
        let place = format!("the service `{service}`");
        let settings = (config.into(), place);
        self.statements.services.insert(service, settings);
        self
    }

    /// Sets the repository that domain services work on. The default is the configuration's. A view
    /// may set another one for its run.
    #[must_use]
    pub fn repository(mut self, repository: Repository) -> Self {
        self.repository = Some(repository);
        self
    }

    /// Sets the source of credentials. By default they come from the environment, and from `.local`
    /// below the folder of the configuration or the current folder.
    #[must_use]
    pub fn credentials(mut self, credentials: Credentials) -> Self {
        self.credentials = Some(credentials);
        self
    }

    /// Sets the store of waiting calls. The default is the memory of the process.
    #[must_use]
    pub fn approvals(mut self, approvals: Arc<dyn ApprovalStore>) -> Self {
        self.approvals = Some(approvals);
        self
    }

    /// Sets the store of waiting calls unless the program sets another one.
    #[must_use]
    pub fn default_approvals(mut self, approvals: Arc<dyn ApprovalStore>) -> Self {
        self.approvals.get_or_insert(approvals);
        self
    }

    /// Sets the source of the operator's switches. By default no tool is overridden.
    #[must_use]
    pub fn availability(mut self, availability: Arc<Availability>) -> Self {
        self.availability = availability;
        self
    }

    /// Sets how long a call waits for a person. The default is 15 minutes.
    #[must_use]
    pub const fn approval_lifetime(mut self, lifetime: Duration) -> Self {
        self.statements.approval_lifetime = Some(lifetime);
        self
    }

    /// Masks the value at this place of every tool's arguments for the person who approves, in
    /// addition to the values that the schemas declare secret.
    #[must_use]
    pub fn mask(mut self, place: ArgumentPointer) -> Self {
        self.statements.mask.push(place);
        self
    }

    /// Sets the destination of audit events. A registry requires one.
    #[must_use]
    pub fn audit(mut self, audit: impl AuditSink + 'static) -> Self {
        self.audit = Some(Arc::new(audit));
        self
    }

    /// Sets the key of the digests in the audit. The default is the audit's own.
    #[must_use]
    pub fn audit_key(mut self, key: DigestKey) -> Self {
        self.audit_key = Some(key);
        self
    }

    /// Records the values of arguments in the audit, with those that are secret by their schema masked,
    /// and the scopes of the role. The configuration can ask for it too.
    #[must_use]
    pub const fn audit_values(mut self) -> Self {
        self.audit_values = true;
        self
    }

    /// Records in the audit which results of earlier calls of the same run the values of arguments come
    /// from. The configuration can ask for it too.
    #[must_use]
    pub const fn audit_value_sources(mut self) -> Self {
        self.audit_value_sources = true;
        self
    }

    /// Sets the clock. The default is the machine's.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Some(Arc::new(clock));
        self
    }

    /// Sets the store of files. Answers of bytes become files of it, and calls can send files of it. By
    /// default there is none.
    #[must_use]
    pub fn files(mut self, files: FileStore) -> Self {
        self.files = Some(files);
        self
    }

    /// Offers [discovery](crate::discovery) with this search to agents that have many tools. By default
    /// an agent sees the list of its tools, whatever their number.
    #[must_use]
    pub fn discovery(mut self, searcher: impl Searcher + 'static) -> Self {
        self.searcher = Some(Arc::new(searcher));
        self
    }

    /// Lets the configuration mention tools that are not in this registry, which deliberately holds
    /// a part of a workspace's tools. [`Registry::unmatched`] returns these mentions. A selector
    /// that switches tools off must still select a tool, here or [elsewhere](Self::elsewhere).
    #[must_use]
    pub const fn partial(mut self) -> Self {
        self.statements.partial = true;
        self
    }

    /// Names tools of the workspace that this registry leaves out. A selector that selects only
    /// these is not an error.
    #[must_use]
    pub fn elsewhere(mut self, specs: impl IntoIterator<Item = ToolSpec>) -> Self {
        self.statements.elsewhere.extend(specs);
        self
    }

    /// Builds the registry.
    ///
    /// # Errors
    /// [`RegistryError`] with everything that is wrong.
    pub fn build(mut self) -> Result<Registry, RegistryError> {
        let config = self.config.take();
        if let Some(config) = &config {
            self.take_places(config);
        }
        self.take_linked();
        self.take_reader();
        let tools = self.collect_tools();
        for tool in tools.values() {
            let faults = tool.parameter_faults();
            let problems = faults.map(|(parameter, message)| RegistryProblem::ScopeParameter {
                tool: tool.spec().name.clone(),
                parameter: parameter.to_owned(),
                message,
            });
            self.problems.extend(problems);
        }
        let seen = tools.values().filter(|tool| tool.is_governed());
        let seen: Vec<_> = seen.map(Tool::for_policy).collect();
        let mut compiled = self.statements.compile(config.as_ref(), &seen);
        self.problems.append(&mut compiled.problems);
        compiled.policy.tools = Arc::new(Tools::new(tools));
        self.finish(compiled, config)
    }

    fn add_grant(&mut self, role: &str, selector: &str) {
        let stated = self.parse_selector(selector, &format!("the grant of `{role}`"));
        let role = self.parse_role(role);
        if let (Some(role), Some(stated)) = (role, stated) {
            self.statements.policy.grant(role, stated);
        }
    }

    fn parse_role(&mut self, role: &str) -> Option<Role> {
        let parsed = Role::new(role);
        let refused = |error: &dyn std::fmt::Display| RegistryProblem::Role {
            message: error.to_string(),
        };
        let parsed = parsed.map_err(|error| self.problems.push(refused(&error)));
        parsed.ok()
    }

    fn parse_selector(&mut self, selector: &str, place: &str) -> Option<Stated<Selector>> {
        match selector.parse() {
            Ok(selector) => Some(Stated::new(selector, place)),
            Err(error) => {
                let error: toolwright_policy::SelectorError = error;
                self.problems.push(RegistryProblem::Selector {
                    place: place.to_owned(),
                    message: error.to_string(),
                });
                None
            }
        }
    }

    /// Adopts the places that the configuration names, unless the program named others.
    fn take_places(&mut self, config: &Config) {
        self.repository
            .get_or_insert_with(|| config.repository.clone());
        self.credentials
            .get_or_insert_with(|| Credentials::from_config(config));
        self.audit
            .get_or_insert_with(|| Arc::new(config.audit.open()));
    }

    /// Returns the tools by name. Of several with one name, the first is kept.
    fn collect_tools(&mut self) -> BTreeMap<ToolName, Tool> {
        let mut tools: BTreeMap<ToolName, Tool> = BTreeMap::new();
        for tool in std::mem::take(&mut self.tools) {
            let name = tool.spec().name.clone();
            if matches!(
                (&tool.spec().binding, tool.action()),
                (Binding::Mcp(_) | Binding::Native, Action::Binding)
            ) {
                self.problems
                    .push(RegistryProblem::NoFunction { tool: name.clone() });
            }
            if self.searcher.is_some() && DiscoveryTool::from_name(name.as_str()).is_some() {
                self.problems.push(RegistryProblem::NameOfDiscovery {
                    name: name.clone(),
                    origin: tool.spec().origin.clone(),
                });
            }
            match tools.entry(name) {
                btree_map::Entry::Vacant(place) => {
                    place.insert(tool);
                }
                btree_map::Entry::Occupied(taken) => {
                    self.problems.push(RegistryProblem::DuplicateTool {
                        name: taken.key().clone(),
                        first: taken.get().spec().origin.clone(),
                        second: tool.spec().origin.clone(),
                    });
                }
            }
        }
        tools
    }

    fn finish(
        mut self,
        compiled: CompiledPolicy,
        config: Option<Config>,
    ) -> Result<Registry, RegistryError> {
        if self.audit.is_none() {
            self.problems.push(RegistryProblem::NoAudit);
        }
        let Some(audit) = self.audit.filter(|_| self.problems.is_empty()) else {
            return Err(RegistryError {
                problems: self.problems,
            });
        };
        let values = config.as_ref().is_some_and(|config| config.audit.values);
        let sources = config
            .as_ref()
            .is_some_and(|config| config.audit.value_sources);
        let sources = self.audit_value_sources || sources;
        let audit = Recorder::new(audit, self.audit_key, self.audit_values || values);
        let audit = Arc::new(audit);
        audit.watch(&compiled.policy.alerts);
        let clock = self.clock.unwrap_or_else(|| Arc::new(SystemClock));
        if let Some(files) = &self.files {
            // A store that cannot be used is an error of the calls that need it.
            let _ = files.sweep(clock.now());
        }
        let of_config = config.as_ref().map(|config| config.files.limits);
        let of_store = self.files.as_ref().map(FileStore::limits);
        let core = Core {
            policy: watch::Sender::new(Arc::new(compiled.policy)),
            availability: self.availability,
            revocations: Revocations::default(),
            violations: Violations::default(),
            rates: Rates::default(),
            peers: Peers::default(),
            credentials: self.credentials.unwrap_or_else(|| Credentials::new("")),
            redactors: RecentRedactors::default(),
            approvals: self
                .approvals
                .unwrap_or_else(|| Arc::new(MemoryApprovals::new())),
            notifier: Notifier::new(Arc::clone(&audit) as Arc<dyn AuditSink>),
            expiries: Arc::new(Semaphore::new(MOST_EXPIRIES)),
            audit,
            clock,
            executor: Executor::default(),
            tokens: AccessTokens::default(),
            sessions: Sessions::default(),
            repository: self.repository.unwrap_or_default(),
            reads_without_audit: config
                .as_ref()
                .is_some_and(|config| config.audit.reads_without_audit),
            workspace: workspace(config.as_ref()),
            file_limits: of_store.or(of_config).unwrap_or_default(),
            files: self.files,
            provenance: sources.then(Provenance::default),
            searcher: self.searcher,
            menus: Menus::default(),
            undecided: Undecided::default(),
        };
        let sources = Sources {
            statements: self.statements,
            places: config.as_ref().map(FilePlaces::from_config),
            findings: watch::Sender::new(compiled.findings),
            changing: Mutex::default(),
        };
        let core = Arc::new(core);
        let alerted = Arc::downgrade(&core);
        core.audit.deliver_alerts(move |alert, time| {
            if let Some(core) = alerted.upgrade() {
                let notification = Notification::alert(alert, time);
                core.notifier.send(&core.policy().notify, &notification);
            }
        });
        Ok(Registry {
            core,
            sources: Arc::new(sources),
        })
    }
}

/// Returns the workspace of a configuration: the folder of its file.
fn workspace(config: Option<&Config>) -> Option<String> {
    let root = &config?.root;
    // The folder of a file without a path is the current one.
    let folder = private::parent(&root.join("toolwright.toml")).canonicalize();
    let folder = folder.unwrap_or_else(|_| root.clone());
    Some(folder.display().to_string())
}
