//! `toolwright.toml`: the configuration of a workspace by its operator.
//!
//! ```toml
//! [workspace]                        # read by the `toolwright` command
//! specs = "specs"
//! generated = "generated"
//!
//! [roles.reader]                     # one table a role, with the selectors of its tools
//! grant = ["category:observe"]
//! profiles = ["clerk"]               # tools with limits
//! credentials = "clerk"              # the account at the services; by default the administrator's
//!
//! [profiles.clerk]                   # one table a profile
//! tools = ["service:depot"]
//! [[profiles.clerk.scopes]]          # limits of the calls of some of its tools
//! tools = "create-depot-item"
//! arguments.name = { pattern = "[a-z]+" }
//! rate = "10/minute"
//!
//! [[forbid]]                         # what no grant allows
//! tools = "delete-*"
//!
//! [policy]
//! alert_after = 5                    # violations of scopes in one run
//! halt = false                       # whether the calls of the run are refused from then on
//! require_lock = false               # whether a policy lock must exist
//!
//! [tools]                            # overrides of the default tools; `disable` wins
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
//! credentials = "vault"              # also "environment", "keyring"; by default "files"
//! vault_path = "stock/depot"         # by default the name of the service
//! default_workspace = "north"        # of calls that choose none
//! workspace_from = "caller"          # or "argument"; by default the caller's if it has one
//!
//! [services.depot.workspaces.north]  # one table a workspace: what differs from the service
//! base_url = "https://north.depot.example"
//! constants = { warehouse = "n1" }   # pinned arguments
//!
//! [mcp.files]                        # one table a mounted MCP server
//! command = ["/usr/bin/mcp-files"]   # a program in the sandbox, or `url` of a server
//! read = ["docs"]                    # the paths that it may read
//!
//! [databases.stock]                  # one table a database, whose tools are `statements/stock.toml`
//! url = "postgres://db.example/stock"  # without a user or a password
//!
//! [vault]                            # the secret store, OpenBao or Vault
//! address = "https://vault.example:8200"
//! mount = "secret"                   # of the KV engine, version 2
//! namespace = "stock"
//! role_id = "5b8c4f6e-…"             # AppRole; or `token_file` alone
//! secret_id_file = ".local/vault-secret-id.txt"
//! approle_mount = "approle"
//!
//! [oauth]                            # the authorization server of the clients of a server
//! issuer = "https://login.example"
//! jwks_url = "https://login.example/jwks"
//! resource = "https://tools.example/mcp"  # by default the URL on loopback
//! roles = [{ value = "tools:read", role = "reader" }]
//!
//! [services.kicad]                   # a domain service; `[[services]]` with a `name` will do too
//! transport = "unix"                 # or "http"
//! endpoint = "/run/kicad.sock"       # or a base URL
//! handshake_seconds = 300            # the interval between two handshakes
//!
//! [repository]                       # the repository of domain services
//! path = "."                         # for those on this machine, by a Unix socket
//! clone_url = "https://git.example/board.git"
//! ref = "main"
//!
//! [audit]
//! file = ".toolwright/audit.jsonl"
//! mode = "changes"                   # events on the disk before a call goes on; "buffered", "durable"
//!
//! [state]                            # decisions of operators, and calls that wait
//! file = ".toolwright/state/state.db"
//! url = "postgres://toolwright@db.example/tools"  # a PostgreSQL database in place of the file
//! password_file = "/run/secrets/state"  # the password for the URL
//! group = "approvers"                # the group that shares the file; by default it is private
//! grace_seconds = 30                 # how long the last known state applies if it is unreachable
//!
//! [files]                            # answers that are files, and files that calls send
//! folder = ".toolwright/files"
//! max_file_bytes = 1073741824
//! quota_bytes = 4294967296           # of each role
//! expire_minutes = 1440
//! transfer_seconds = 3600
//!
//! [discovery]
//! threshold = 15                     # tools from which on agents see a search rather than the list
//! model = "models/all-MiniLM-L6-v2"  # of meanings; by default there is none
//!
//! [budget]
//! list_tokens = 20000                # of the list that a role sees; by default there is no limit
//! tool_tokens = 2000                 # of one tool
//!
//! [approvals]
//! expire_minutes = 15
//! keys = ["ed25519:…"]               # the approvers' keys; by default the key of the current user
//! four_eyes = true                   # nobody approves a call of a run that he or she started
//! mask = ["/users/*/pin"]            # arguments that are hidden from the approver
//! most_waiting = 20                  # calls of one role and run
//!
//! [approvals.approvers.ann]          # one table a person; if there is one, only these approve
//! key = "ed25519:…"
//! approve = ["service:depot"]        # the selectors of the tools whose calls the person may approve
//!
//! [console.people.ann]               # one table a person who may sign in to the console
//! role = "operator"                  # or "approver", "viewer"
//!
//! [approvals.webhook]                # receives an event when a call waits
//! url = "https://hooks.example/toolwright"
//! secret_file = ".local/webhook-secret.txt"  # or `secret_env`, the name of a variable
//! timeout_seconds = 10
//! allow = ["private-network"]
//!
//! [approvals.command]                # runs when a call waits
//! argv = ["/usr/local/bin/notify"]   # an absolute path, and fixed arguments
//! environment = ["DISPLAY"]          # the variables that the program receives
//! ```
//!
//! Every key is optional. The values above are the defaults, except for roles, overrides and
//! services, which have none. Paths are relative to the folder of the file. The grammar of
//! selectors is documented at [`Selector`](crate::Selector), the policy in `docs/boundary.md`.

mod alerts;
mod approvals;
mod audit;
mod budget;
mod console;
mod databases;
mod discovery;
mod error;
mod files;
mod limits;
mod mcp;
mod metrics;
mod notify;
mod oauth;
mod openid;
mod place;
pub mod reader;
mod repository;
mod schema;
mod service;
mod sinks;
mod skills;
mod state;
mod vault;
mod workspaces;

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

pub use approvals::{ApprovalsConfig, ApproverConfig};
pub use audit::AuditConfig;
pub use budget::BudgetConfig;
pub use console::{ConsoleConfig, ConsoleRole};
pub use databases::DatabaseConfig;
pub use discovery::DiscoveryConfig;
pub use error::{ConfigError, ConfigProblem};
pub use files::FilesConfig;
pub use limits::ViolationLimits;
pub use mcp::{McpCommand, McpConfig, McpServer, McpUrl};
pub use metrics::MetricsConfig;
pub use notify::{CommandConfig, NotifyConfig, SecretSource, WebhookConfig};
pub use oauth::{OauthConfig, SigningAlgorithm};
pub use openid::OpenIdConfig;
pub use place::{Place, Placed};
use reader::{ConfigReader, File, TomlNode};
pub use repository::Repository;
pub use schema::json_schema;
pub use service::ServiceConfig;
pub use sinks::{SinkConfig, SinkKind};
pub use skills::SkillsConfig;
pub use state::StateConfig;
use toolwright_model::{
    ServiceName,
    settings::{Node as _, Reader as _},
};
use toolwright_policy::{LOCK_FILE, Policy, PolicyLock};
pub use vault::{SourceKind, VaultConfig, VaultLogin};
pub use workspaces::{WorkspaceFrom, Workspaces};

use crate::audit::AlertRule;

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
    /// `[roles.*]`, `[profiles.*]`, `[nodes.*]`, `[[forbid]]` and `[tools]`.
    pub policy: Policy,
    /// The tools that a person has accepted, from the lock next to the file.
    pub policy_lock: Option<PolicyLock>,
    /// `[policy]`
    pub violations: ViolationLimits,
    /// `[repository]`
    pub repository: Repository,
    /// `[services.*]`
    pub services: BTreeMap<ServiceName, Placed<Workspaces>>,
    /// `[mcp.*]`: the MCP servers whose tools are mounted, by the names of their services.
    pub mcp: BTreeMap<ServiceName, Placed<McpConfig>>,
    /// `[databases.*]`: the databases whose statements are tools, by the names of their services.
    pub databases: BTreeMap<ServiceName, Placed<DatabaseConfig>>,
    /// `[vault]`
    pub vault: Option<VaultConfig>,
    /// `[oauth]`
    pub oauth: Option<OauthConfig>,
    /// `[audit]`
    pub audit: AuditConfig,
    /// `[metrics]`
    pub metrics: MetricsConfig,
    /// `[policy.alerts.*]`
    pub alerts: Vec<AlertRule>,
    /// `[approvals]`
    pub approvals: ApprovalsConfig,
    /// `[state]`
    pub state: StateConfig,
    /// `[files]`
    pub files: FilesConfig,
    /// `[skills]`
    pub skills: SkillsConfig,
    /// `[budget]`
    pub budget: BudgetConfig,
    /// `[discovery]`
    pub discovery: DiscoveryConfig,
    /// `[console]`
    pub console: ConsoleConfig,
    /// Allows binding a token that the environment names to the origin of its first use. No
    /// key of the file sets it: the command clears it outside of a project.
    pub binds_named_tokens: bool,
    /// Allows asking the keyring and the secret store for credentials. No key of the file sets it:
    /// the command clears it for a file that the user has not trusted, since such a file could have a
    /// secret of the user sent to a store of its own.
    pub asks_stores: bool,
}

/// The folders of the specifications and of the generated adapters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkspaceConfig {
    /// The folder with one folder per service, which holds the specification and its overlay.
    pub specs: PathBuf,
    /// The folder of the generated adapters.
    pub generated: PathBuf,
}

impl Config {
    /// Reads the file.
    ///
    /// # Errors
    /// [`ConfigError`] with everything that is wrong with it.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text =
            fs::read_to_string(path).map_err(|error| ConfigError::unreadable(path, &error))?;
        Self::parse(path, &text)?.with_lock_file()
    }

    /// Reads the policy lock next to the file, if there is one.
    ///
    /// # Errors
    /// [`ConfigError`] if the lock cannot be read, or if `require_lock` is set and there is none.
    pub fn with_lock_file(self) -> Result<Self, ConfigError> {
        let path = self.lock_path();
        match fs::read_to_string(&path) {
            Ok(text) => self.with_lock(&path, &text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if self.violations.require_lock {
                    return Err(ConfigError::no_lock(&path));
                }
                Ok(self)
            }
            Err(error) => Err(ConfigError::unreadable(&path, &error)),
        }
    }

    /// Returns the path of the policy lock, which is next to the file.
    #[must_use]
    pub fn lock_path(&self) -> PathBuf {
        self.root.join(LOCK_FILE)
    }

    fn with_lock(mut self, path: &Path, text: &str) -> Result<Self, ConfigError> {
        let file = File { path, text };
        let mut reader = ConfigReader::default();
        let document = file.parse(&mut reader);
        let lock = document.map(|document| PolicyLock::read(file.node(&document), &mut reader));
        self.policy_lock = lock;
        let problems = reader.into_problems();
        if problems.is_empty() {
            return Ok(self);
        }
        Err(ConfigError { problems })
    }

    /// Parses the content of a file. Errors name `path`, and its folder is the root.
    ///
    /// # Errors
    /// [`ConfigError`] with everything that is wrong with it.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let (config, problems) = Self::parse_all(path, text);
        if problems.is_empty() {
            return Ok(config);
        }
        Err(ConfigError { problems })
    }

    /// Parses the content of a file as far as possible, to find the faults of its policy too. A
    /// configuration with problems must not be used.
    #[must_use]
    pub fn parse_all(path: &Path, text: &str) -> (Self, Vec<ConfigProblem>) {
        let file = File { path, text };
        let mut reader = ConfigReader::default();
        let mut config = Self::new(path.parent().unwrap_or_else(|| Path::new("")));
        if let Some(document) = file.parse(&mut reader) {
            config.read_document(file.node(&document), &mut reader);
        }
        (config, reader.into_problems())
    }

    /// Returns the defaults for a folder without a file.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self {
            workspace: WorkspaceConfig {
                specs: root.join("specs"),
                generated: root.join("generated"),
            },
            policy: Policy::default(),
            policy_lock: None,
            violations: ViolationLimits::default(),
            repository: Repository {
                path: Some(root.clone()),
                ..Repository::default()
            },
            services: BTreeMap::new(),
            mcp: BTreeMap::new(),
            databases: BTreeMap::new(),
            vault: None,
            oauth: None,
            audit: AuditConfig::new(&root),
            metrics: MetricsConfig::default(),
            alerts: Vec::new(),
            approvals: ApprovalsConfig::new(&root),
            state: StateConfig::new(&root),
            files: FilesConfig::new(&root),
            skills: SkillsConfig::new(&root),
            budget: BudgetConfig::default(),
            discovery: DiscoveryConfig::default(),
            console: ConsoleConfig::default(),
            binds_named_tokens: true,
            asks_stores: true,
            root,
        }
    }

    fn read_document(&mut self, document: TomlNode<'_>, reader: &mut ConfigReader) {
        let known = [
            "workspace",
            "roles",
            "profiles",
            "nodes",
            "forbid",
            "policy",
            "tools",
            "services",
            "mcp",
            "databases",
            "vault",
            "oauth",
            "repository",
            "audit",
            "metrics",
            "approvals",
            "state",
            "files",
            "skills",
            "discovery",
            "budget",
            "console",
        ];
        reader.check_keys(document, &known);
        if let Some(table) = reader.table_at(document, "workspace") {
            reader.check_keys(table, &["specs", "generated"]);
            self.set_path(reader.string(table, "specs"), |config| {
                &mut config.workspace.specs
            });
            self.set_path(reader.string(table, "generated"), |config| {
                &mut config.workspace.generated
            });
        }
        self.policy = Policy::read(document, reader);
        if let Some(table) = reader.table_at(document, "policy") {
            self.violations = ViolationLimits::read(table, reader);
            self.alerts = alerts::read(table, reader);
        }
        self.read_services(document, reader);
        self.mcp = mcp::read(document, &self.root, reader);
        self.databases = databases::read(document, reader);
        match reader.table_at(document, "vault") {
            Some(table) => self.vault = VaultConfig::read(table, &self.root, reader),
            None => self.check_vault(reader),
        }
        if let Some(table) = reader.table_at(document, "oauth") {
            self.oauth = OauthConfig::read(table, reader);
        }
        if let Some(table) = reader.table_at(document, "repository") {
            reader.check_keys(table, &["path", "clone_url", "ref"]);
            self.set_path(reader.string(table, "path"), |config| {
                config.repository.path.get_or_insert_default()
            });
            let mut string = |key| reader.string(table, key).map(|text| text.value);
            self.repository.clone_url = string("clone_url");
            self.repository.reference = string("ref");
        }
        if let Some(table) = reader.table_at(document, "audit") {
            self.audit.read(table, &self.root, reader);
        }
        if let Some(table) = reader.table_at(document, "metrics") {
            self.metrics = MetricsConfig::read(table, reader);
        }
        if let Some(table) = reader.table_at(document, "approvals") {
            self.approvals.read(table, &self.root, reader);
        }
        if let Some(table) = reader.table_at(document, "state") {
            self.state.read(table, &self.root, reader);
        }
        if let Some(table) = reader.table_at(document, "files") {
            self.files.read(table, &self.root, reader);
        }
        if let Some(table) = reader.table_at(document, "skills") {
            self.skills.read(table, &self.root, reader);
        }
        if let Some(table) = reader.table_at(document, "discovery") {
            self.discovery = DiscoveryConfig::read(table, &self.root, reader);
        }
        if let Some(table) = reader.table_at(document, "budget") {
            self.budget = BudgetConfig::read(table, reader);
        }
        self.console = ConsoleConfig::read(document, reader);
    }

    /// Reads `[services.*]`, or `[[services]]` whose tables contain their `name`.
    fn read_services(&mut self, document: TomlNode<'_>, reader: &mut ConfigReader) {
        let key = "services";
        let services = match document.value_of(key).and_then(TomlNode::elements) {
            Some(elements) => reader.named_tables(elements, key, |reader, table| {
                Workspaces::read(table, &["name"], reader)
            }),
            None => reader.tables(document, key, |reader, table| {
                Workspaces::read(table, &[], reader)
            }),
        };
        for (Placed { value: name, place }, value) in services {
            self.services.insert(name, Placed { value, place });
        }
    }

    /// Reports services whose credentials are in a secret store that is not declared.
    fn check_vault(&self, reader: &mut ConfigReader) {
        for service in self.services.values() {
            let mut each = service.value.each();
            if each.any(|(_, settings)| settings.credentials == SourceKind::Vault) {
                let message = "the credentials of this service are in a secret store, and there is no table `[vault]`";
                let help = "add `[vault]` with the `address` of the store and a login";
                reader.problem(service.place.clone(), message, help);
            }
        }
    }

    fn set_path(
        &mut self,
        text: Option<Placed<String>>,
        field: impl FnOnce(&mut Self) -> &mut PathBuf,
    ) {
        if let Some(text) = text {
            let path = self.root.join(text.value);
            *field(self) = path;
        }
    }
}
