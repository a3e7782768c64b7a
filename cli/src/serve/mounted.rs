//! The mounted servers of a server. What a person accepts of them is in force without a restart.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use tokio::task::AbortHandle;
use toolwright::{
    Registry, ServiceName, Tool, ToolName, ToolSpec,
    config::{Config, McpConfig},
};
use toolwright_mounts::{DOCUMENT_FILE, LOCK_FILE};

use super::{fingerprint::Fingerprint, tell};
use crate::{
    Failure,
    context::ConfigSource,
    linked,
    mounts::{Mounts, mount, watch},
    output::plural,
    tools::records_of,
};

/// The mounted servers, and the files of what was accepted of them.
pub(super) struct MountReload {
    registry: Registry,
    source: ConfigSource,
    /// The service whose tools are served; none if all are.
    service: Option<ServiceName>,
    /// The folder of the specifications.
    specs: PathBuf,
    servers: BTreeMap<ServiceName, Server>,
    announce: Arc<dyn Fn() + Send + Sync>,
}

/// The files before a registry is built of them.
pub(super) struct MountsBefore {
    specs: PathBuf,
    servers: BTreeMap<ServiceName, Server>,
}

/// One server.
#[derive(Default)]
struct Server {
    config: Option<McpConfig>,
    /// Its files at the last read, successful or not.
    read: Option<Files>,
    /// Its files at the last look, if they have changed since.
    changed: Option<Files>,
    /// The task that compares its definitions from time to time.
    watching: Option<AbortHandle>,
}

/// The accepted definitions and their lock at a moment.
#[derive(Clone, PartialEq, Eq)]
struct Files(Fingerprint, Fingerprint);

impl Files {
    fn look(specs: &Path, name: &ServiceName) -> Self {
        let folder = specs.join(name.as_str());
        let file = |name| Fingerprint::from_file(&folder.join(name));
        Self(file(DOCUMENT_FILE), file(LOCK_FILE))
    }
}

impl MountsBefore {
    /// Looks at the files.
    pub(super) fn look(config: &Config) -> Self {
        let servers = config.mcp.iter().map(|(name, server)| {
            let seen = Server {
                config: Some(server.value.clone()),
                read: Some(Files::look(&config.workspace.specs, name)),
                ..Server::default()
            };
            (name.clone(), seen)
        });
        Self {
            specs: config.workspace.specs.clone(),
            servers: servers.collect(),
        }
    }

    /// Follows the servers for a registry that was built of them, and calls `announce` after a change. Must be
    /// called within a runtime.
    pub(super) fn follow(
        self,
        mounts: Mounts,
        registry: Registry,
        source: ConfigSource,
        service: Option<&ServiceName>,
        announce: impl Fn() + Send + Sync + 'static,
    ) -> MountReload {
        let announce: Arc<dyn Fn() + Send + Sync> = Arc::new(announce);
        let mut servers = self.servers;
        for (name, mount) in mounts {
            let server = servers.entry(name.clone()).or_default();
            server.watching = watch(name, mount, Arc::clone(&announce));
        }
        MountReload {
            registry,
            source,
            service: service.cloned(),
            specs: self.specs,
            servers,
            announce,
        }
    }
}

impl MountReload {
    /// Reads what was accepted of a server again, if the files have changed and are the same at two looks in a
    /// row: a command may still be writing them.
    pub(super) fn check(&mut self) {
        let mut settled = Vec::new();
        for (name, server) in &mut self.servers {
            let seen = Files::look(&self.specs, name);
            if server.read.as_ref() == Some(&seen) {
                server.changed = None;
            } else if server.changed.as_ref() == Some(&seen) {
                settled.push(name.clone());
            } else {
                server.changed = Some(seen);
            }
        }
        if !settled.is_empty() {
            self.reload(&settled);
        }
    }

    /// Reads the servers again whose files or settings have changed.
    pub(super) fn check_all(&mut self) {
        let Ok(config) = self.source.read() else {
            // The policy reports what is wrong with it.
            return;
        };
        let declared = config.mcp.keys().cloned();
        let names: BTreeSet<_> = declared.chain(self.servers.keys().cloned()).collect();
        let differs = |name: &ServiceName| {
            let server = self.servers.get(name);
            let settings = server.and_then(|server| server.config.as_ref());
            let read = server.and_then(|server| server.read.as_ref());
            settings != config.mcp.get(name).map(|declared| &declared.value)
                || read != Some(&Files::look(&config.workspace.specs, name))
        };
        let changed: Vec<_> = names.into_iter().filter(differs).collect();
        self.reload(&changed);
    }

    fn reload(&mut self, names: &[ServiceName]) {
        let is_served = |name: &&ServiceName| self.service.as_ref().is_none_or(|own| own == *name);
        let names: Vec<_> = names.iter().filter(is_served).cloned().collect();
        for name in &names {
            match self.take(name) {
                Ok(count) => {
                    let tools = plural(count, "tool");
                    tell(&format!(
                        "mounted server `{name}` read again: it has {tools}"
                    ));
                }
                Err(failure) => {
                    // What was accepted before is not in force any more.
                    self.registry.withdraw_tools(&self.tools(name));
                    tell(&format!(
                        "the tools of the mounted server `{name}` are off until this is fixed\n{failure}"
                    ));
                }
            }
        }
        if !names.is_empty() {
            (self.announce)();
        }
    }

    /// Puts what was accepted of a server in force, and returns the number of its tools.
    fn take(&mut self, name: &ServiceName) -> Result<usize, Failure> {
        let config = self.source.read()?;
        self.specs.clone_from(&config.workspace.specs);
        let server = self.servers.entry(name.clone()).or_default();
        server.config = config.mcp.get(name).map(|server| server.value.clone());
        server.read = Some(Files::look(&config.workspace.specs, name));
        server.changed = None;
        if let Some(task) = server.watching.take() {
            task.abort();
        }
        let (mount, _) = mount(name, &config)?;
        let specs = records_of(&config.workspace.specs, name)?;
        let before = self.tools(name);
        let is_other = |spec: &&ToolSpec| {
            !before.contains(&spec.name) && self.registry.spec(spec.name.as_str()).is_some()
        };
        if let Some(taken) = specs.iter().find(is_other) {
            let name = &taken.name;
            return Err(Failure::new(format!("a tool is named `{name}` already")));
        }
        let names: BTreeSet<_> = specs.iter().map(|spec| spec.name.clone()).collect();
        let count = names.len();
        let tools: Vec<Tool> = specs.into_iter().map(|spec| mount.tool(spec)).collect();
        let reloaded = self.registry.reload_tools(&config, tools);
        reloaded.map_err(|error| linked::wrong(&error))?;
        self.registry.withdraw_tools(before.difference(&names));
        let announce = Arc::clone(&self.announce);
        let watching = watch(name.clone(), mount, announce);
        self.servers.entry(name.clone()).or_default().watching = watching;
        Ok(count)
    }

    /// Returns the tools of a server in the registry.
    fn tools(&self, name: &ServiceName) -> BTreeSet<ToolName> {
        let tools = self.registry.tools().map(|(spec, _)| spec);
        let own = tools.filter(|spec| spec.service == *name && spec.mcp().is_some());
        own.map(|spec| spec.name.clone()).collect()
    }
}
