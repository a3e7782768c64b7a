//! The tools as an agent sees them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::{Map, Value};
use toolwright_model::{AccountName, Bound, ServiceName, ToolSpec, WorkspaceName};

use super::{
    core::{Policy, RegisteredTool},
    pins::ShownArguments,
    tool::Action,
    view::Scope,
    workspaces::ARGUMENT,
};
use crate::credentials::{CredentialRequest, Credentials};

/// The constants of services, each in one of its workspaces.
pub(crate) type ServiceConstants =
    BTreeMap<(ServiceName, Option<WorkspaceName>), Map<String, Value>>;

/// The service constants. Those of each workspace are read once per listing.
pub(crate) struct Constants<'a> {
    credentials: &'a Credentials,
    policy: &'a Policy,
    scope: &'a Scope,
    account: Option<&'a AccountName>,
    read: BTreeMap<(&'a ServiceName, Option<&'a WorkspaceName>), Map<String, Value>>,
}

impl<'a> Constants<'a> {
    pub(crate) fn new(credentials: &'a Credentials, policy: &'a Policy, scope: &'a Scope) -> Self {
        Self {
            credentials,
            policy,
            scope,
            account: policy.snapshot.account(&scope.role),
            read: BTreeMap::new(),
        }
    }

    /// Returns the constants of a service in a workspace; of its credentials none if they cannot be read.
    pub(crate) fn of(
        credentials: &Credentials,
        policy: &Policy,
        account: Option<&AccountName>,
        (service, workspace): (&ServiceName, Option<&WorkspaceName>),
    ) -> Map<String, Value> {
        let request = CredentialRequest::new(service, account);
        let access = credentials.read(request.in_workspace(workspace));
        let constants = access.map(|access| access.constants);
        let mut constants = constants.unwrap_or_default();
        let service = policy.services.get(service);
        let settings = service.and_then(|service| service.settings(workspace));
        for (name, value) in settings.iter().flat_map(|settings| &settings.constants) {
            let own = constants.entry(name);
            own.or_insert_with(|| value.clone());
        }
        constants
    }

    /// Returns the tool as an agent sees it.
    pub(crate) fn show(&mut self, entry: &'a RegisteredTool) -> Arc<ToolSpec> {
        let spec = entry.tool.spec();
        let offered = self.scope.workspaces(self.policy, spec);
        let by_policy = self.scope.pins(self.policy, &spec.name).unwrap_or_default();
        let mut shown = ShownArguments::default();
        if matches!(entry.tool.action(), Action::Binding) {
            let each = offered.each().into_iter();
            let each = each.map(|workspace| self.pinned(spec, workspace));
            let each: Vec<BTreeSet<&str>> = each.collect();
            shown.optional = each.iter().flatten().copied().collect();
            let in_all = |name: &&str| each.iter().all(|pinned| pinned.contains(name));
            shown.pinned = shown.optional.iter().copied().filter(in_all).collect();
        }
        shown.pinned.extend(by_policy.keys().map(String::as_str));
        let service = self.policy.services.get(&spec.service);
        shown.added = offered.schema(service).map(|schema| (ARGUMENT, schema));
        if shown.is_unchanged() {
            return Arc::clone(spec);
        }
        Arc::new(shown.of(spec))
    }

    /// Returns the constants that were read.
    pub(crate) fn into_read(self) -> ServiceConstants {
        let read = self.read.into_iter();
        let read = read.map(|((service, workspace), constants)| {
            ((service.clone(), workspace.cloned()), constants)
        });
        read.collect()
    }

    /// Returns the arguments that the constants of a workspace pin.
    fn pinned(
        &mut self,
        spec: &'a ToolSpec,
        workspace: Option<&'a WorkspaceName>,
    ) -> BTreeSet<&'a str> {
        let key = (&spec.service, workspace);
        let constants = self
            .read
            .entry(key)
            .or_insert_with(|| Self::of(self.credentials, self.policy, self.account, key));
        let names = spec.binding.bounds().into_iter();
        let names = names.filter_map(Bound::argument);
        names.filter(|name| constants.contains_key(*name)).collect()
    }
}
