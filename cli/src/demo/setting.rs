//! The setting of the demo: a folder with a workspace, Depot, and a registry of its tools.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwright::{
    Credentials, Registry, Role, ScopedToolView, ToolSpec,
    approval::{ApproverKey, ApproverKeys},
    config::{CONFIG_FILE, Config},
    private,
};
use toolwright_depot::{Depot, DepotConfig, InitialStock, OPENAPI, Token};
use toolwright_generator::{
    emit,
    generate::{self, Input, Options},
    load::Memory,
    reconcile,
};
use toolwright_skills::{FILE, KnownTools, SkillSet, find};
use toolwright_state::State;

use super::trail;
use crate::{Failure, skills::health};

/// The specification and its overlay, below the folder.
pub(super) const SPECIFICATION: &str = "specs/depot/openapi.yaml";
const OVERLAY: &str = "specs/depot/overlay.toml";
const OVERLAY_TEXT: &str = include_str!("../../specs/depot.overlay.toml");

/// The folder of the adapters, below the setting's folder.
pub(super) const ADAPTERS: &str = "generated/depot";

/// The skill of the demo.
pub(super) const SKILL: &str = "report-depot-shortages";
const SKILL_TEXT: &str = include_str!("../../skills/report-depot-shortages/skill.toml");

/// The file with the service's address and token, below the setting's folder.
const CREDENTIALS: &str = ".local/depot/admin-auth.json";

/// The configuration by the operator of the workspace.
const CONFIG_TEXT: &str = r#"[roles.reader]
grant = ["category:observe"]

[roles.clerk]
grant = ["category:observe"]
profiles = ["stock"]

[profiles.stock]
tools = ["create-depot-item"]

[[profiles.stock.scopes]]
arguments.sku = { pattern = "CLOCK-[0-9]+" }

[tools]
enable = ["create-depot-item"]

[console.people.operator]
role = "operator"
"#;

/// The setting of the demo.
pub(super) struct Setting {
    folder: TempDir,
    depot: Depot,
    config: Config,
    /// The tools that were generated.
    pub(super) specs: Vec<ToolSpec>,
    /// The files that were generated.
    pub(super) adapters: Generated,
    /// The registry of the tools.
    pub(super) registry: Registry,
    /// The state of the workspace: switches, waiting calls, standing grants.
    pub(super) state: State,
    /// The skills of the workspace.
    pub(super) skills: SkillSet,
    /// The key of the person who approves.
    pub(super) approver: ApproverKey,
}

/// The written adapters, and the time that it took.
pub(super) struct Generated {
    pub(super) files: usize,
    pub(super) bytes: usize,
    pub(super) time: Duration,
}

impl Setting {
    /// Starts Depot, generates its adapters and builds the registry.
    pub(super) async fn new() -> Result<Self, Failure> {
        let folder = tempfile::Builder::new()
            .prefix("toolwright-demo-")
            .tempdir();
        let folder =
            folder.map_err(|error| Failure::new(format!("cannot make a folder: {error}")))?;
        let root = folder.path();
        for (file, text) in [
            (SPECIFICATION, OPENAPI),
            (OVERLAY, OVERLAY_TEXT),
            (CONFIG_FILE, CONFIG_TEXT),
        ] {
            write(&root.join(file), text)?;
        }
        let depot = start(root).await?;
        let (specs, adapters) = generate(&root.join(ADAPTERS))?;
        let config = Config::read(&root.join(CONFIG_FILE))
            .map_err(|error| Failure::new(error.to_string()))?;
        // The person of the demonstration has a key of its own.
        let approver = ApproverKey::in_folder(root);
        let approver = approver.map_err(|error| Failure::new(error.to_string()))?;
        let approvers = ApproverKeys::Listed(vec![approver.public()]);
        let state = State::from_config(&config)
            .map_err(|error| Failure::new(error.to_string()))?
            .keys(approvers);
        let opened = state.open().await;
        opened.map_err(|error| Failure::new(error.to_string()))?;
        let availability = state.availability(config.state.grace).await;
        let availability = availability.map_err(|error| Failure::new(error.to_string()))?;
        let skills = skills(root, &config, &specs, &state)?;
        let registry = Registry::builder()
            .specs(specs.clone())
            .tools(skills.tools())
            .config(config.clone())
            .approvals(Arc::new(state.clone()))
            .availability(availability)
            // The variables of the environment belong to another Depot.
            .credentials(Credentials::new(root).with_variables(|_| None))
            .build()
            .map_err(|error| Failure::new(error.to_string()))?;
        Ok(Self {
            folder,
            depot,
            config,
            specs,
            adapters,
            registry,
            state,
            skills,
            approver,
        })
    }

    /// Returns the folder of the setting.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the address of Depot.
    pub(super) fn address(&self) -> String {
        self.depot.base_url()
    }

    /// Returns the tools that an agent of this role can list and call.
    pub(super) fn view(&self, role: &Role) -> ScopedToolView {
        self.registry.for_agent(role)
    }

    /// Returns the configuration.
    pub(super) const fn config(&self) -> &Config {
        &self.config
    }

    /// The file of the audit.
    pub(super) fn audit_file(&self) -> &Path {
        &self.config.audit.file
    }

    /// The events of the audit so far.
    pub(super) fn trail(&self) -> Result<Vec<Value>, Failure> {
        trail::read(self.audit_file())
    }

    /// Ends Depot, and removes the folder unless it is to be kept.
    pub(super) async fn leave(self, keep: bool) -> Result<(), Failure> {
        let ended = self.depot.shutdown().await;
        ended.map_err(|error| Failure::new(format!("Depot did not stop cleanly: {error}")))?;
        let path = self.folder.path().to_owned();
        if keep {
            let _: PathBuf = self.folder.keep();
            return Ok(());
        }
        let removed = self.folder.close();
        removed.map_err(|error| Failure::file("remove", &path, &error))
    }
}

/// Writes the skill of the demo, and reads it as the command does.
fn skills(
    root: &Path,
    config: &Config,
    specs: &[ToolSpec],
    state: &State,
) -> Result<SkillSet, Failure> {
    let folder = root.join("skills");
    write(&folder.join(SKILL).join(FILE), SKILL_TEXT)?;
    let found = find(&folder).map_err(|error| Failure::file("read", &folder, &error))?;
    let skills = found.into_iter().filter_map(|found| found.skill.ok());
    let known = KnownTools::new(specs);
    let (set, problems) = SkillSet::new(skills, &known, state.clone(), health(config));
    match problems.first() {
        Some(problem) => Err(Failure::new(problem.to_string())),
        None => Ok(set),
    }
}

/// Starts Depot on a free port, and writes its address and token to the auth file.
async fn start(root: &Path) -> Result<Depot, Failure> {
    let token = Token::random();
    let depot = Depot::start(DepotConfig {
        folder: root.join("depot"),
        token: token.clone(),
        port: 0,
        initial_stock: InitialStock::Samples,
    })
    .await
    .map_err(|error| Failure::new(format!("Depot cannot start: {error}")))?;
    let credentials = json!({ "base_url": depot.base_url(), "api_token": token.expose() });
    write(&root.join(CREDENTIALS), &credentials.to_string())?;
    Ok(depot)
}

/// Generates the adapters of Depot, and writes them.
fn generate(folder: &Path) -> Result<(Vec<ToolSpec>, Generated), Failure> {
    let begun = Instant::now();
    let files = [(SPECIFICATION, OPENAPI), (OVERLAY, OVERLAY_TEXT)];
    let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    let input = Input::new(SPECIFICATION).overlay(OVERLAY);
    let outcome = generate::run(&[input], Options::default(), &Memory(BTreeMap::from(files)));
    let refused = || Failure::new("the adapters of Depot cannot be generated");
    let catalog = outcome.into_catalog().ok_or_else(refused)?;
    let tree = catalog
        .services()
        .first()
        .map(emit::service)
        .ok_or_else(refused)?;
    let written = reconcile::write(&tree, folder);
    written.map_err(|error| Failure::file("write", folder, &error))?;
    let adapters = Generated {
        files: tree.iter().count(),
        bytes: tree.iter().map(|(_, content)| content.len()).sum(),
        time: begun.elapsed(),
    };
    Ok((catalog.tool_specs(), adapters))
}

/// Writes a file that only its owner may read, and the folders above it.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    private::write(path, text).map_err(|error| Failure::file("write", path, &error))
}
