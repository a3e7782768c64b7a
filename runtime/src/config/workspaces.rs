//! `[services.*.workspaces.*]`: the workspaces of a service.

use std::collections::BTreeMap;

use toolwright_model::{WorkspaceName, settings::Reader as _, words};

use super::{
    Placed, ServiceConfig,
    reader::{ConfigReader, TomlNode},
    service::SERVICE_KEYS,
};
use crate::workspace::FOLDER;

/// The keys of a service's table that its workspaces do not have.
pub(super) const WORKSPACES_KEYS: [&str; 3] = ["workspaces", "default_workspace", "workspace_from"];

/// The most workspaces of a service.
pub(super) const MOST_WORKSPACES: usize = 256;

words! {
    /// The decision about the workspace of a call.
    WorkspaceFrom {
        /// The workspace of the caller decides. A caller without one has no tools of the service.
        Caller = "caller",
        /// An argument decides, also if the caller has a workspace.
        Argument = "argument",
    }
}

/// A service with its workspaces. A service without named ones is one unnamed workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Workspaces {
    /// The settings of the unnamed workspace. If there are named ones, they have started from these.
    pub common: ServiceConfig,
    /// The named workspaces, with all their settings.
    pub named: BTreeMap<WorkspaceName, ServiceConfig>,
    /// The named workspace of calls that choose none.
    pub default: Option<WorkspaceName>,
    /// The decision about the workspace of a call. If the operator states none, it is the workspace of
    /// a caller that has one, and otherwise an argument.
    pub from: Option<WorkspaceFrom>,
}

impl Workspaces {
    /// Reads the table of a service.
    pub(super) fn read(table: TomlNode<'_>, more_keys: &[&str], reader: &mut ConfigReader) -> Self {
        let keys = [&SERVICE_KEYS[..], &WORKSPACES_KEYS, more_keys].concat();
        reader.check_keys(table, &keys);
        let common = ServiceConfig::default().with(table, reader);
        let mut workspaces = Self {
            from: reader
                .word(table, "workspace_from", WorkspaceFrom::ALL)
                .map(|word| word.value),
            ..Self::from(common)
        };
        let tables = reader.tables(table, "workspaces", |reader, table| {
            reader.check_keys(table, &SERVICE_KEYS);
            table
        });
        for (Placed { value: name, place }, table) in tables {
            if workspaces.named.len() == MOST_WORKSPACES {
                let message = format!("this service has more than {MOST_WORKSPACES} workspaces");
                reader.problem(
                    place,
                    &message,
                    "describe the others in a project of their own",
                );
                break;
            }
            let settings = workspaces.start_of(&name).with(table, reader);
            workspaces.named.insert(name, settings);
        }
        workspaces.read_default(table, reader);
        workspaces
    }

    /// Returns the settings that a named workspace starts from. Its credentials are its own.
    fn start_of(&self, name: &WorkspaceName) -> ServiceConfig {
        let path = self.common.vault_path.as_deref();
        ServiceConfig {
            vault_path: path.map(|path| format!("{path}/{FOLDER}/{name}")),
            ..self.common.clone()
        }
    }

    fn read_default(&mut self, table: TomlNode<'_>, reader: &mut ConfigReader) {
        let Some(name) = reader.parsed_at::<WorkspaceName>(table, "default_workspace") else {
            return;
        };
        if self.named.contains_key(&name.value) {
            self.default = Some(name.value);
            return;
        }
        let message = format!("the service has no workspace `{}`", name.value);
        let help = "add its table to `workspaces`, or name one of those";
        reader.problem(name.place, &message, help);
    }

    /// Returns the settings of a workspace; those of the unnamed one if there is no name.
    #[must_use]
    pub fn settings(&self, workspace: Option<&WorkspaceName>) -> Option<&ServiceConfig> {
        match workspace {
            Some(name) => self.named.get(name),
            None => self.named.is_empty().then_some(&self.common),
        }
    }

    /// Returns every workspace with its settings: the named ones, or the unnamed one.
    pub fn each(&self) -> impl Iterator<Item = (Option<&WorkspaceName>, &ServiceConfig)> {
        let named = self.named.iter();
        let named = named.map(|(name, settings)| (Some(name), settings));
        let unnamed = self.named.is_empty().then_some((None, &self.common));
        named.chain(unnamed)
    }
}

impl From<ServiceConfig> for Workspaces {
    fn from(common: ServiceConfig) -> Self {
        Self {
            common,
            ..Self::default()
        }
    }
}
