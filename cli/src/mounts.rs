//! The mounted MCP servers of the project.

use std::{
    collections::{BTreeMap, btree_map},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use tokio::task::AbortHandle;
use toolwright::{ServiceName, Tool, ToolError, ToolSpec, audit::AuditSink as _, config::Config};
use toolwright_mounts::{DOCUMENT_FILE, Document, LOCK_FILE, Lock, Mount};

use crate::{Failure, failure::Code, output::error_line};

/// The time between two checks of a mounted server while a program serves.
const CHECKS: Duration = Duration::from_secs(30);

/// The mounted servers that the configuration declares.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mounts(BTreeMap<ServiceName, Mount>);

/// The files of one mounted server.
pub(crate) struct MountFiles {
    /// The folder of its service.
    pub(crate) folder: PathBuf,
    /// The accepted definitions.
    pub(crate) document: Document,
    /// The digests of the accepted definitions.
    pub(crate) lock: Lock,
}

impl Mounts {
    /// Reads the files of the servers. Nothing is started. A server whose files cannot be read does not
    /// affect the others, and its tools are off.
    pub(crate) fn read(config: &Config) -> Self {
        let mut mounts = BTreeMap::new();
        for name in config.mcp.keys() {
            match mount(name, config) {
                Ok((mount, _)) => drop(mounts.insert(name.clone(), mount)),
                Err(failure) => {
                    error_line(
                        failure.note("the tools of this server are off until this is fixed"),
                    );
                }
            }
        }
        Self(mounts)
    }

    /// Returns the tool of a spec that is bound to a server.
    pub(crate) fn tool(&self, spec: ToolSpec) -> Tool {
        if let Some(mount) = self.0.get(&spec.service) {
            return mount.tool(spec);
        }
        // Nothing says what may be started, so nobody accepted the definition either.
        let tool = Tool::native(spec, |_, _| async {
            Err(ToolError::failed("the server of the tool is not declared"))
        });
        tool.while_accepted(|| false)
    }
}

impl IntoIterator for Mounts {
    type Item = (ServiceName, Mount);
    type IntoIter = btree_map::IntoIter<ServiceName, Mount>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Connects to a server that has accepted tools, and compares their definitions from time to time. `announce` is
/// called after a tool was switched off. The task holds the mount until it is aborted. Must be called within a
/// runtime.
pub(crate) fn watch(
    name: ServiceName,
    mount: Mount,
    announce: Arc<dyn Fn() + Send + Sync>,
) -> Option<AbortHandle> {
    if !mount.has_tools() {
        return None;
    }
    let watching = tokio::spawn(async move {
        let mut was_told = false;
        loop {
            let before = mount.withdrawn();
            let checked = mount.check().await;
            if mount.withdrawn() != before {
                announce();
            }
            match checked {
                Err(error) if !was_told => {
                    was_told = true;
                    error_line(format_args!(
                        "warning: the mounted server `{name}` cannot be used: {error}"
                    ));
                }
                Err(_) => {}
                Ok(()) => was_told = false,
            }
            tokio::time::sleep(CHECKS).await;
        }
    });
    Some(watching.abort_handle())
}

/// Returns a mounted server with its files.
pub(crate) fn mount(name: &ServiceName, config: &Config) -> Result<(Mount, MountFiles), Failure> {
    let Some(server) = config.mcp.get(name) else {
        let failure = Failure::new(format!("no MCP server `{name}` is declared"));
        return Err(failure
            .code(Code::UnknownService)
            .help(format!("declare it as `[mcp.{name}]` in toolwright.toml")));
    };
    let files = MountFiles::read(name, config)?;
    let audit = config.audit.open();
    let mount = Mount::new(
        name.clone(),
        server.value.clone(),
        files.lock.clone(),
        &files.document,
        move |event| {
            // The tool is off and the request is refused, whether this is recorded or not.
            let _ = audit.record(&event);
        },
    );
    Ok((mount, files))
}

impl MountFiles {
    fn read(name: &ServiceName, config: &Config) -> Result<Self, Failure> {
        let folder = config.workspace.specs.join(name.as_str());
        let document = folder.join(DOCUMENT_FILE);
        let document =
            Document::read(&document).map_err(|error| Failure::file("read", &document, &error))?;
        let lock = folder.join(LOCK_FILE);
        let lock = Lock::read(&lock).map_err(|error| {
            Failure::new(format!("the lock `{}` cannot be used", lock.display()))
                .code(Code::InvalidSpecification)
                .note(error.to_string())
                .help("restore it, or remove it and accept the tools again")
        })?;
        Ok(Self {
            folder,
            document,
            lock,
        })
    }
}
