//! Runs the examples of the README.
#![cfg(test)]

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwright_depot::{Depot, DepotConfig, InitialStock, Token};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The heading of the section that runs in a folder of its own, with a running service.
const FIVE_MINUTES: &str = "\n## Five minutes with your own specification\n";

/// The README, divided into the parts that run in different folders.
struct Readme {
    before: String,
    five_minutes: String,
    after: String,
}

impl Readme {
    fn read() -> Self {
        let text = fs::read_to_string(readme()).unwrap();
        let (before, rest) = text.split_once(FIVE_MINUTES).unwrap();
        let (five_minutes, after) = rest.split_once("\n## ").unwrap();
        Self {
            before: before.to_owned(),
            five_minutes: five_minutes.to_owned(),
            after: format!("\n## {after}"),
        }
    }

    /// Writes the examples of this repository.
    fn tour(&self) -> String {
        format!("{}{FIVE_MINUTES}{}", self.before, self.after)
    }
}

fn readme() -> PathBuf {
    Path::new(ROOT).join("README.md")
}

/// Creates a checkout that can hold the audit and the requests for approval of the tour.
fn checkout() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(ROOT).unwrap();
    for part in ["specs", "generated", "cli"] {
        symlink(root.join(part), folder.path().join(part)).unwrap();
    }
    let config = fs::read(root.join("toolwright.toml")).unwrap();
    toolwright::private::write(&folder.path().join("toolwright.toml"), config).unwrap();
    // A call that lacks credentials fails before a person is asked to approve it.
    let auth = folder.path().join(".local/depot/admin-auth.json");
    toolwright::private::write(&auth, r#"{"api_token": "of-the-tour"}"#).unwrap();
    folder
}

/// Starts the inventory service with its sample items.
async fn service(folder: &Path, token: &Token) -> Depot {
    Depot::start(DepotConfig {
        folder: folder.join("depot"),
        token: token.clone(),
        port: 0,
        initial_stock: InitialStock::Samples,
    })
    .await
    .unwrap()
}

/// Creates the folder of a newcomer: a specification, and the auth file that the section shows.
fn project(service: &Depot, token: &Token, section: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let document = Path::new(ROOT).join("specs/depot/openapi.yaml");
    fs::copy(document, folder.path().join("inventory.yaml")).unwrap();
    let (_, shown) = section.split_once("\n```json\n").unwrap();
    let (shown, _) = shown.split_once("\n```\n").unwrap();
    let mut auth: Value = serde_json::from_str(shown).unwrap();
    assert_eq!(auth.as_object().unwrap().len(), 2, "{shown}");
    auth["base_url"] = json!(service.base_url());
    auth["api_token"] = json!(token.expose());
    let file = folder.path().join(".local/inventory/admin-auth.json");
    toolwright::private::write(&file, auth.to_string()).unwrap();
    folder
}

/// Runs the examples of a page in a folder and returns the page, rewritten if `TRYCMD` is set.
fn run(folder: &Path, page: &str) -> String {
    let file = folder.join("README.md");
    fs::write(&file, page).unwrap();
    std::env::set_current_dir(folder).unwrap();
    let state = tempfile::tempdir().unwrap();
    let cases = trycmd::TestCases::new();
    cases
        .env("XDG_CONFIG_HOME", state.path().display().to_string())
        .register_bin("toolwright", Path::new(env!("CARGO_BIN_EXE_toolwright")))
        .case("README.md");
    cases.run();
    fs::read_to_string(file).unwrap()
}

#[test]
fn examples_run_as_shown() {
    let readme_text = Readme::read();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let data = tempfile::tempdir().unwrap();
    let token = Token::random();
    let service = runtime.block_on(service(data.path(), &token));
    let project = project(&service, &token, &readme_text.five_minutes);
    let five_minutes = run(project.path(), &readme_text.five_minutes);
    let checkout = checkout();
    let tour = run(checkout.path(), &readme_text.tour());
    if std::env::var_os("TRYCMD").is_some() {
        let (before, after) = tour.split_once(FIVE_MINUTES).unwrap();
        let rewritten = [before, FIVE_MINUTES, &five_minutes, after].concat();
        fs::write(readme(), rewritten).unwrap();
    }
    runtime.block_on(service.shutdown()).unwrap();
}
