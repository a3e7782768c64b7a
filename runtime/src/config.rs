//! `toolwright.toml`: what the operator of a workspace decides.
//!
//! ```toml
//! [workspace]                        # read by the `toolwright` command
//! specs = "specs"
//! generated = "generated"
//!
//! [roles.reader]                     # one table a role; selectors say what it is granted
//! grant = ["category:observe"]
//!
//! [tools]                            # overrides of what is on by default; `disable` wins
//! enable = ["create-depot-*"]
//! disable = ["delete-*"]
//!
//! [services.depot]                   # one table a service
//! base_url = "https://depot.example"
//! timeout_seconds = 30
//! max_response_bytes = 1048576
//! origins = ["https://files.example"]  # where its credentials may go too
//! allow = ["private-network"]        # also "plain-http", "unverified-tls", "link-local"
//! proxy = "http://proxy.example:3128"  # those of the environment are ignored
//!
//! [services.kicad]                   # a domain service; `[[services]]` with a `name` will do too
//! transport = "unix"                 # or "http"
//! endpoint = "/run/kicad.sock"       # or a base URL
//! handshake_seconds = 300            # after which the service is asked again what it is
//!
//! [repository]                       # what domain services work on
//! path = "."                         # for those on this machine, by a Unix socket
//! clone_url = "https://git.example/board.git"
//! ref = "main"
//!
//! [audit]
//! file = ".toolwright/audit.jsonl"
//! sync = "changes"                   # events on the disk before a call goes on; "never", "all"
//!
//! [approvals]
//! folder = ".toolwright/approvals"
//! expire_minutes = 15
//! keys = ["ed25519:…"]               # of the approvers; otherwise that of the user who runs the tools
//! group = "approvers"                # that shares the folder; otherwise it is the user's own
//! mask = ["/users/*/pin"]            # arguments that a person is not shown
//! most_waiting = 20                  # calls of one role and run
//! ```
//!
//! Everything may be left out; the values above are the defaults, but for roles, overrides and
//! services, of which there are none. Paths are relative to the folder of the file. The grammar of
//! selectors is that of [`Selector`].

mod approvals;
mod error;
mod reader;
mod service;

use std::{
    collections::BTreeMap,
    fs,
    ops::Range,
    path::{Path, PathBuf},
};

pub use approvals::ApprovalsConfig;
pub use error::{ConfigError, ConfigProblem};
use reader::{Reader, Table};
pub use service::ServiceConfig;
use toolwright_model::{Role, ServiceName};

use crate::{
    audit::{AuditFile, AuditSync},
    eab::Repository,
    selector::Selector,
};

/// The name of the file.
pub const CONFIG_FILE: &str = "toolwright.toml";

/// The whole file, with the defaults filled in and paths resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// The folder of the file, against which its paths are resolved.
    pub root: PathBuf,
    /// `[workspace]`
    pub workspace: WorkspaceConfig,
    /// `[roles.*]`: what each role is granted.
    pub roles: BTreeMap<Role, Vec<Placed<Selector>>>,
    /// `[tools] enable`: what is on although it is off by default.
    pub enable: Vec<Placed<Selector>>,
    /// `[tools] disable`: what is off, whatever else is said.
    pub disable: Vec<Placed<Selector>>,
    /// `[repository]`
    pub repository: Repository,
    /// `[services.*]`
    pub services: BTreeMap<ServiceName, Placed<ServiceConfig>>,
    /// `[audit] file`
    pub audit_file: PathBuf,
    /// `[audit] sync`
    pub audit_sync: AuditSync,
    /// `[approvals]`
    pub approvals: ApprovalsConfig,
    /// Allows binding a token that the environment names to the origin of its first use. No
    /// key of the file sets it: the command clears it outside of a project.
    pub binds_named_tokens: bool,
}

/// Where the specifications and what is generated from them are.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkspaceConfig {
    /// One folder a service: the specification and its overlay.
    pub specs: PathBuf,
    /// What is generated.
    pub generated: PathBuf,
}

/// A value, and where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Where it was written.
    pub place: Place,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The bytes of the file's text.
    pub span: Range<usize>,
}

impl Config {
    /// Reads the file.
    ///
    /// # Errors
    /// [`ConfigError`] with everything that is wrong with it.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text =
            fs::read_to_string(path).map_err(|error| ConfigError::unreadable(path, &error))?;
        Self::parse(path, &text)
    }

    /// Reads the text of a file; `path` is named in errors, and its folder is the root.
    ///
    /// # Errors
    /// [`ConfigError`] with everything that is wrong with it.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let mut reader = Reader::new(path, text);
        let mut config = Self::new(path.parent().unwrap_or_else(|| Path::new("")));
        if let Some(document) = reader.document() {
            config.read_document(&document, &mut reader);
        }
        reader.finish(config)
    }

    /// What holds where there is no file in this folder.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self {
            workspace: WorkspaceConfig {
                specs: root.join("specs"),
                generated: root.join("generated"),
            },
            roles: BTreeMap::new(),
            enable: Vec::new(),
            disable: Vec::new(),
            repository: Repository {
                path: Some(root.clone()),
                ..Repository::default()
            },
            services: BTreeMap::new(),
            audit_file: root.join(".toolwright/audit.jsonl"),
            audit_sync: AuditSync::default(),
            approvals: ApprovalsConfig::new(&root),
            binds_named_tokens: true,
            root,
        }
    }

    /// Returns the audit file of the workspace.
    #[must_use]
    pub fn audit(&self) -> AuditFile {
        AuditFile::new(&self.audit_file).sync(self.audit_sync)
    }

    fn read_document<'a>(&mut self, document: &Table<'a>, reader: &mut Reader<'a>) {
        let known = [
            "workspace",
            "roles",
            "tools",
            "services",
            "repository",
            "audit",
            "approvals",
        ];
        reader.check_keys(document, &known);
        if let Some(table) = reader.table(document, "workspace") {
            reader.check_keys(&table, &["specs", "generated"]);
            self.set_path(reader.text(&table, "specs"), |config| {
                &mut config.workspace.specs
            });
            self.set_path(reader.text(&table, "generated"), |config| {
                &mut config.workspace.generated
            });
        }
        for (name, table) in reader.tables(document, "roles") {
            reader.check_keys(&table, &["grant"]);
            let grants = reader.parsed_list(&table, "grant");
            if let Some(role) = reader.parsed(name) {
                self.roles.insert(role.value, grants);
            }
        }
        if let Some(table) = reader.table(document, "tools") {
            reader.check_keys(&table, &["enable", "disable"]);
            self.enable = reader.parsed_list(&table, "enable");
            self.disable = reader.parsed_list(&table, "disable");
        }
        for (name, table) in reader.named_tables(document, "services") {
            let service = ServiceConfig::read(&table, reader);
            if let Some(Placed { value: name, place }) = reader.parsed(name) {
                self.services.insert(
                    name,
                    Placed {
                        value: service,
                        place,
                    },
                );
            }
        }
        if let Some(table) = reader.table(document, "repository") {
            reader.check_keys(&table, &["path", "clone_url", "ref"]);
            self.set_path(reader.text(&table, "path"), |config| {
                config.repository.path.get_or_insert_default()
            });
            self.repository.clone_url = reader.text(&table, "clone_url");
            self.repository.reference = reader.text(&table, "ref");
        }
        if let Some(table) = reader.table(document, "audit") {
            reader.check_keys(&table, &["file", "sync"]);
            self.set_path(reader.text(&table, "file"), |config| &mut config.audit_file);
            if let Some(sync) = reader.word(&table, "sync", AuditSync::ALL) {
                self.audit_sync = sync;
            }
        }
        if let Some(table) = reader.table(document, "approvals") {
            self.approvals.read(&table, &self.root, reader);
        }
    }

    fn set_path(&mut self, text: Option<String>, field: impl FnOnce(&mut Self) -> &mut PathBuf) {
        if let Some(text) = text {
            let path = self.root.join(text);
            *field(self) = path;
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}
