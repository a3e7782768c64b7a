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
//!
//! [approvals]
//! folder = ".toolwright/approvals"
//! expire_minutes = 15
//! ```
//!
//! Everything may be left out; the values above are the defaults, but for roles, overrides and
//! services, of which there are none. Paths are relative to the folder of the file. The grammar of
//! selectors is that of [`Selector`].

mod error;
mod reader;

use std::{
    collections::BTreeMap,
    fs,
    ops::Range,
    path::{Path, PathBuf},
    time::Duration,
};

pub use error::{ConfigError, ConfigProblem};
use reader::{Reader, Table};
use toolwright_model::{Role, ServiceName, TransportKind};

use crate::{eab::Repository, selector::Selector};

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
    /// `[approvals] folder`
    pub approvals_folder: PathBuf,
    /// `[approvals] expire_minutes`
    pub approval_lifetime: Duration,
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

/// How a service is spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceConfig {
    /// Where it is; wins over the specification, and the credentials win over it.
    pub base_url: Option<String>,
    /// How a domain service is spoken to; otherwise as its document prefers.
    pub transport: Option<TransportKind>,
    /// Where a domain service is: a socket or a base URL. Otherwise where its document says.
    pub endpoint: Option<String>,
    /// How long a call may take, to the last byte of the answer. Otherwise 30 seconds, or what the
    /// document of a domain service says of the method.
    pub timeout: Option<Duration>,
    /// How long a domain service is taken for what its handshake said. Five minutes unless said.
    pub handshake_interval: Duration,
    /// The longest answer that is read, in bytes; the rest is cut off. One mebibyte unless said.
    pub max_response_bytes: usize,
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
            approvals_folder: root.join(".toolwright/approvals"),
            approval_lifetime: Duration::from_mins(15),
            root,
        }
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
            reader.check_keys(&table, &["file"]);
            self.set_path(reader.text(&table, "file"), |config| &mut config.audit_file);
        }
        if let Some(table) = reader.table(document, "approvals") {
            reader.check_keys(&table, &["folder", "expire_minutes"]);
            self.set_path(reader.text(&table, "folder"), |config| {
                &mut config.approvals_folder
            });
            if let Some(minutes) = reader.count(&table, "expire_minutes", 60 * 24 * 7) {
                self.approval_lifetime = Duration::from_mins(minutes);
            }
        }
    }

    fn set_path(&mut self, text: Option<String>, field: impl FnOnce(&mut Self) -> &mut PathBuf) {
        if let Some(text) = text {
            let path = self.root.join(text);
            *field(self) = path;
        }
    }
}

impl ServiceConfig {
    fn read(table: &Table<'_>, reader: &mut Reader<'_>) -> Self {
        reader.check_keys(
            table,
            &[
                "base_url",
                "transport",
                "endpoint",
                "timeout_seconds",
                "max_response_bytes",
                "handshake_seconds",
            ],
        );
        let mut service = Self {
            base_url: reader.text(table, "base_url"),
            transport: reader.word(table, "transport", TransportKind::ALL),
            endpoint: reader.text(table, "endpoint"),
            ..Self::default()
        };
        if let Some(seconds) = reader.count(table, "timeout_seconds", 60 * 60) {
            service.timeout = Some(Duration::from_secs(seconds));
        }
        if let Some(seconds) = reader.count(table, "handshake_seconds", 24 * 60 * 60) {
            service.handshake_interval = Duration::from_secs(seconds);
        }
        if let Some(bytes) = reader.count(table, "max_response_bytes", 1 << 30) {
            service.max_response_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        }
        service
    }
}

impl Default for ServiceConfig {
    fn default() -> Self {
        Self {
            base_url: None,
            transport: None,
            endpoint: None,
            timeout: None,
            handshake_interval: Duration::from_mins(5),
            max_response_bytes: 1 << 20,
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file.display(), self.line, self.column)
    }
}
