//! Builds a registry, and tells everything that is wrong at once.

mod linked;

use std::{
    collections::{BTreeMap, BTreeSet, btree_map},
    sync::Arc,
    time::Duration,
};

use jiff::SignedDuration;
use toolwright_model::{Binding, Role, ServiceName, ToolName, ToolSpec};

use super::{
    Core, Entry, Registry, RegistryError, RegistryProblem,
    selection::{Selection, Stated},
};
use crate::{
    EmbeddedTools,
    approval::{ApprovalStore, FolderApprovals, MemoryApprovals},
    audit::{AuditFile, AuditSink},
    clock::{Clock, SystemClock},
    config::{Config, ServiceConfig},
    credentials::Credentials,
    eab::{Repository, Sessions},
    http::Executor,
    linked::{Declaration, States},
    tool::{Action, Tool},
};

/// What a [`Registry`] is made of.
///
/// What is given in code wins over what a configuration says, in whatever order; grants and
/// overrides of both are taken together.
#[derive(Default)]
pub struct RegistryBuilder {
    tools: Vec<Tool>,
    linked: Vec<Declaration>,
    linked_service: Option<ServiceName>,
    states: States,
    problems: Vec<RegistryProblem>,
    grants: Vec<(String, Option<Stated>)>,
    enable: Vec<Stated>,
    disable: Vec<Stated>,
    services: BTreeMap<ServiceName, (ServiceConfig, String)>,
    config: Option<Config>,
    repository: Option<Repository>,
    credentials: Option<Credentials>,
    approvals: Option<Arc<dyn ApprovalStore>>,
    approval_lifetime: Option<Duration>,
    audit: Option<Arc<dyn AuditSink>>,
    clock: Option<Arc<dyn Clock>>,
    partial: bool,
}

/// How long a call waits for a person.
const APPROVAL_LIFETIME: Duration = Duration::from_mins(15);

impl RegistryBuilder {
    /// Adds the tools of a service that are compiled in.
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

    /// Adds tools that are carried out as their bindings say.
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

    /// Takes what an operator's file says: roles, overrides, services, and where the audit, the
    /// approvals and the credentials are.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = Some(config);
        self
    }

    /// Grants a role what a [`Selector`](crate::Selector) selects.
    #[must_use]
    pub fn grant(mut self, role: &str, selector: &str) -> Self {
        self.add_grant(role, selector);
        self
    }

    /// Declares a role without granting it anything.
    #[must_use]
    pub fn role(mut self, role: &str) -> Self {
        self.grants.push((role.to_owned(), None));
        self
    }

    /// Switches on what a [`Selector`](crate::Selector) selects, although it is off by default.
    #[must_use]
    pub fn enable(mut self, selector: &str) -> Self {
        self.enable
            .push(Stated::new(selector, "the tools to enable"));
        self
    }

    /// Switches off what a [`Selector`](crate::Selector) selects, whatever else is said.
    #[must_use]
    pub fn disable(mut self, selector: &str) -> Self {
        self.disable
            .push(Stated::new(selector, "the tools to disable"));
        self
    }

    /// Says how a service is spoken to.
    #[must_use]
    pub fn service(mut self, service: ServiceName, config: ServiceConfig) -> Self {
        let place = format!("the service `{service}`");
        self.services.insert(service, (config, place));
        self
    }

    /// Says what domain services work on: otherwise what the configuration says. A view may say
    /// otherwise for its run.
    #[must_use]
    pub fn repository(mut self, repository: Repository) -> Self {
        self.repository = Some(repository);
        self
    }

    /// Says where credentials are found: otherwise by the environment, and in `.local` below the
    /// folder of the configuration or else below the current one.
    #[must_use]
    pub fn credentials(mut self, credentials: Credentials) -> Self {
        self.credentials = Some(credentials);
        self
    }

    /// Says where calls wait for a person: otherwise where the configuration says, or else in the
    /// memory of the process.
    #[must_use]
    pub fn approvals(mut self, approvals: Arc<dyn ApprovalStore>) -> Self {
        self.approvals = Some(approvals);
        self
    }

    /// Says how long a call waits for a person: otherwise 15 minutes.
    #[must_use]
    pub const fn approval_lifetime(mut self, lifetime: Duration) -> Self {
        self.approval_lifetime = Some(lifetime);
        self
    }

    /// Says where audit events go. There is no registry without an audit.
    #[must_use]
    pub fn audit(mut self, audit: impl AuditSink + 'static) -> Self {
        self.audit = Some(Arc::new(audit));
        self
    }

    /// Says what time it is: otherwise what the machine says.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Some(Arc::new(clock));
        self
    }

    /// Accepts what selects nothing, for a registry that holds a part of a workspace's tools on
    /// purpose. [`Registry::unmatched`] tells what that was.
    #[must_use]
    pub const fn partial(mut self) -> Self {
        self.partial = true;
        self
    }

    /// Builds the registry.
    ///
    /// # Errors
    /// [`RegistryError`] with everything that is wrong.
    pub fn build(mut self) -> Result<Registry, RegistryError> {
        if let Some(config) = self.config.take() {
            self.take_config(&config);
        }
        self.take_linked();
        let tools = self.collect_tools();
        let specs: Vec<&ToolSpec> = tools.values().map(|tool| &**tool.spec()).collect();
        let mut selection = Selection::new(&specs);
        let grants = selection.grants(&self.grants);
        let enabled = selection.any_of(&self.enable);
        let disabled = selection.any_of(&self.disable);
        selection.check_services(&self.services);
        let Selection {
            problems,
            mut unmatched,
            ..
        } = selection;
        self.problems.extend(problems);
        if !self.partial {
            self.problems.append(&mut unmatched);
        }
        let entries: BTreeMap<_, _> = tools
            .into_iter()
            .map(|(name, tool)| {
                let on = tool.spec().enabled_by_default || enabled.contains(&name);
                let entry = Entry::new(tool, on && !disabled.contains(&name));
                (name, entry)
            })
            .collect();
        self.check_schemas(&entries, &grants);
        self.finish(entries, grants, unmatched)
    }

    fn add_grant(&mut self, role: &str, selector: &str) {
        let stated = Stated::new(selector, format!("the grant of `{role}`"));
        self.grants.push((role.to_owned(), Some(stated)));
    }

    fn take_config(&mut self, config: &Config) {
        for (role, grants) in &config.roles {
            self.grants.push((role.to_string(), None));
            let grants = grants
                .iter()
                .map(|grant| (role.to_string(), Some(grant.into())));
            self.grants.extend(grants);
        }
        self.enable.extend(config.enable.iter().map(Stated::from));
        self.disable.extend(config.disable.iter().map(Stated::from));
        for (name, service) in &config.services {
            let stated = || (service.value.clone(), service.place.to_string());
            self.services.entry(name.clone()).or_insert_with(stated);
        }
        self.repository
            .get_or_insert_with(|| config.repository.clone());
        self.credentials
            .get_or_insert_with(|| Credentials::new(&config.root));
        self.approvals
            .get_or_insert_with(|| Arc::new(FolderApprovals::new(&config.approvals_folder)));
        self.approval_lifetime
            .get_or_insert(config.approval_lifetime);
        self.audit
            .get_or_insert_with(|| Arc::new(AuditFile::new(&config.audit_file)));
    }

    /// The tools by their names; the first of a name stays.
    fn collect_tools(&mut self) -> BTreeMap<ToolName, Tool> {
        let mut tools: BTreeMap<ToolName, Tool> = BTreeMap::new();
        for tool in std::mem::take(&mut self.tools) {
            let name = tool.spec().name.clone();
            if matches!(
                (&tool.spec().binding, tool.action()),
                (Binding::Native, Action::Binding)
            ) {
                self.problems
                    .push(RegistryProblem::NoFunction { tool: name.clone() });
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

    /// Checks the schemas of the tools that somebody can call.
    fn check_schemas(
        &mut self,
        tools: &BTreeMap<ToolName, Entry>,
        grants: &BTreeMap<Role, BTreeSet<ToolName>>,
    ) {
        let granted: BTreeSet<_> = grants.values().flatten().collect();
        let callable = |name, entry: &Entry| granted.contains(name) && entry.enabled;
        for (name, entry) in tools.iter().filter(|(name, entry)| callable(*name, entry)) {
            if let Err(message) = entry.schema.compiled(&entry.spec().input_schema) {
                self.problems.push(RegistryProblem::Schema {
                    tool: name.clone(),
                    message: message.to_owned(),
                });
            }
        }
    }

    fn finish(
        mut self,
        tools: BTreeMap<ToolName, Entry>,
        grants: BTreeMap<Role, BTreeSet<ToolName>>,
        unmatched: Vec<RegistryProblem>,
    ) -> Result<Registry, RegistryError> {
        if self.audit.is_none() {
            self.problems.push(RegistryProblem::NoAudit);
        }
        let Some(audit) = self.audit.filter(|_| self.problems.is_empty()) else {
            return Err(RegistryError {
                problems: self.problems,
            });
        };
        let services = self
            .services
            .into_iter()
            .map(|(name, (config, _))| (name, config));
        let lifetime = self.approval_lifetime.unwrap_or(APPROVAL_LIFETIME);
        let core = Core {
            tools,
            grants,
            services: services.collect(),
            credentials: self.credentials.unwrap_or_else(|| Credentials::new("")),
            approvals: self
                .approvals
                .unwrap_or_else(|| Arc::new(MemoryApprovals::new())),
            approval_lifetime: SignedDuration::try_from(lifetime).unwrap_or(SignedDuration::MAX),
            audit,
            clock: self.clock.unwrap_or_else(|| Arc::new(SystemClock)),
            executor: Executor::default(),
            sessions: Sessions::default(),
            repository: self.repository.unwrap_or_default(),
            unmatched,
        };
        Ok(Registry {
            core: Arc::new(core),
        })
    }
}
