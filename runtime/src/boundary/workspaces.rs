//! The workspaces of a service that a caller may use, and the choice of one for a call.
//!
//! A caller is offered only workspaces that its role may use. So a workspace that does not exist and one
//! of others are refused alike, and before anything is read or sent.

use serde_json::Value;
use toolwright_model::{ToolSpec, WorkspaceName};

use super::{
    core::{Core, Policy},
    view::Scope,
};
use crate::config::{ServiceConfig, WorkspaceFrom, Workspaces};

/// The argument that chooses a workspace.
pub(crate) const ARGUMENT: &str = "source_workspace_id";

/// The workspaces that the calls of a tool may be for.
#[derive(Debug)]
pub(crate) enum Offered<'p> {
    /// The service has no named workspaces.
    Unnamed,
    /// One, and no argument chooses it.
    One(&'p WorkspaceName),
    /// Several, among which an argument chooses.
    Several(Vec<&'p WorkspaceName>),
    /// None, so the tool is not offered.
    Nothing,
}

/// The workspace that a call is for.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    /// The name; none if the service has no named workspaces.
    pub(crate) name: Option<WorkspaceName>,
    /// True if the caller may choose another one.
    pub(crate) is_choice: bool,
    /// The settings of the workspace.
    pub(crate) settings: ServiceConfig,
}

impl Chosen {
    /// Returns the workspace if the caller may choose another one.
    pub(crate) fn choice(&self) -> Option<&WorkspaceName> {
        self.name.as_ref().filter(|_| self.is_choice)
    }
}

/// The reason why no workspace was chosen.
#[derive(Debug)]
pub(crate) enum NoChoice {
    /// The caller may use none.
    Nothing,
    /// The argument names none of these.
    Refused(String),
    /// The argument is absent, and neither a former call nor the operator chooses one.
    Absent(String),
}

impl Scope {
    /// Returns the workspaces that the calls of a tool may be for.
    pub(crate) fn workspaces<'p>(&self, policy: &'p Policy, spec: &ToolSpec) -> Offered<'p> {
        let bound = self.bound.get(&spec.service);
        let service = policy.services.get(&spec.service);
        let Some(service) = service.filter(|service| !service.named.is_empty()) else {
            return bound.map_or(Offered::Unnamed, |_| Offered::Nothing);
        };
        let allowed = service.named.keys().filter(|name| {
            let node = self.run.node.as_deref();
            let (snapshot, variables) = (&policy.snapshot, &self.variables);
            snapshot.allows_workspace(&self.role, &spec.name, node, variables, name.as_str())
        });
        let of_caller = match service.from {
            Some(WorkspaceFrom::Argument) => None,
            Some(WorkspaceFrom::Caller) | None => self.run.workspace.as_deref(),
        };
        if service.from == Some(WorkspaceFrom::Caller) && of_caller.is_none() {
            return Offered::Nothing;
        }
        let is_meant = |name: &&WorkspaceName| {
            bound.is_none_or(|bound| bound == *name)
                && of_caller.is_none_or(|workspace| workspace == name.as_str())
        };
        let mut names: Vec<_> = allowed.filter(is_meant).collect();
        match names.len() {
            0 => Offered::Nothing,
            1 => names.pop().map_or(Offered::Nothing, Offered::One),
            _ => Offered::Several(names),
        }
    }

    /// Chooses the workspace of a call: by the argument, or else the one that the caller used last, or
    /// else the operator's default.
    pub(crate) fn choose(
        &self,
        core: &Core,
        policy: &Policy,
        spec: &ToolSpec,
        argument: Option<&Value>,
    ) -> Result<Chosen, NoChoice> {
        let service = policy.services.get(&spec.service);
        let offered = self.workspaces(policy, spec);
        let (name, is_choice) = match &offered {
            Offered::Nothing => return Err(NoChoice::Nothing),
            Offered::Unnamed => (None, false),
            Offered::One(name) => (Some(*name), false),
            Offered::Several(names) => {
                let last = core.peers.last(self, &spec.service);
                let default = service.and_then(|service| service.default.as_ref());
                let wanted = match argument {
                    Some(Value::String(text)) => Some(text.as_str()),
                    Some(_) => return Err(NoChoice::Refused(offered.in_words())),
                    None => last.as_ref().or(default).map(WorkspaceName::as_str),
                };
                let found = names.iter().find(|name| Some(name.as_str()) == wanted);
                match (found, argument) {
                    (Some(name), _) => (Some(*name), true),
                    (None, Some(_)) => return Err(NoChoice::Refused(offered.in_words())),
                    (None, None) => return Err(NoChoice::Absent(offered.in_words())),
                }
            }
        };
        let settings = match service {
            Some(service) => service.settings(name).ok_or(NoChoice::Nothing)?.clone(),
            None => ServiceConfig::default(),
        };
        Ok(Chosen {
            name: name.cloned(),
            is_choice,
            settings,
        })
    }
}

impl<'p> Offered<'p> {
    /// Returns each workspace; none for the unnamed one.
    pub(crate) fn each(&self) -> Vec<Option<&'p WorkspaceName>> {
        match self {
            Self::Unnamed => vec![None],
            Self::One(name) => vec![Some(name)],
            Self::Several(names) => names.iter().map(|name| Some(*name)).collect(),
            Self::Nothing => Vec::new(),
        }
    }

    /// Returns the schema of the argument; none if there is no choice.
    pub(crate) fn schema(&self, service: Option<&Workspaces>) -> Option<Value> {
        let Self::Several(names) = self else {
            return None;
        };
        let default = service.and_then(|service| service.default.as_ref());
        let otherwise = match default.filter(|default| names.contains(default)) {
            Some(default) => {
                format!("Without it, it is the one that was used last, or `{default}`.")
            }
            None => "Without it, it is the one that was used last.".to_owned(),
        };
        let names = names.iter().map(|name| Value::from(name.as_str()));
        Some(serde_json::json!({
            "type": "string",
            "enum": names.collect::<Vec<_>>(),
            "description": format!("The workspace that the call is for. {otherwise}"),
        }))
    }

    /// Returns what the argument may be, for a message.
    fn in_words(&self) -> String {
        let names = self.each().into_iter().flatten();
        let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
        names.join(", ")
    }
}
