//! A folder with files, and the view of a role whose profile grants tools for it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use tempfile::TempDir;
use toolwright::{
    Registry, Role, ToolError,
    audit::{AuditEvent, What},
    config::{Config, Repository},
    testing::TestView,
};
use toolwright_workbench as _;

/// A repository in a folder of its own; next to it is a file that no tool may reach.
pub(crate) struct Folder {
    outer: TempDir,
}

impl Folder {
    /// Creates a repository with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self {
            outer: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(folder.root()).unwrap();
        fs::write(folder.outside(), "outside").unwrap();
        for (path, text) in files {
            folder.write(path, text);
        }
        folder
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.outer.path().join("repository")
    }

    /// Returns the path of a file outside of the repository.
    pub(crate) fn outside(&self) -> PathBuf {
        self.outer.path().join("outside")
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// Returns the view of a role with one profile: these tools, with these scopes.
    pub(crate) fn view(&self, tools: &[&str], scopes: &str) -> TestView {
        let policy = format!(
            "[roles.coder]\nprofiles = [\"own\"]\n[profiles.own]\ntools = {tools:?}\n\
             [[profiles.own.scopes]]\n{scopes}\n"
        );
        let config = Config::parse(Path::new("toolwright.toml"), &policy).unwrap();
        let repository = Repository {
            path: Some(self.root()),
            ..Repository::default()
        };
        let registry = Registry::builder()
            .linked_tools()
            .config(config)
            .repository(repository);
        TestView::new(registry, Role::new("coder").unwrap())
    }
}

/// Returns the folder of the toolchain that runs this test.
pub(crate) fn toolchain() -> PathBuf {
    let output = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()
        .unwrap();
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
}

/// Returns the code of the error of a call.
pub(crate) fn code(result: Result<Value, ToolError>) -> String {
    match result {
        Ok(value) => format!("it passed: {value}"),
        Err(error) => error.code().to_owned(),
    }
}

/// Returns the kinds of the events about refused paths.
pub(crate) fn violations(view: &TestView) -> Vec<(&'static str, String)> {
    let events = view.events();
    let refused = events.iter().filter_map(|event: &AuditEvent| {
        let (kind, violated) = match &event.what {
            What::ScopeViolation(violated) => ("scope_violation", violated),
            What::ProtectedPath(violated) => ("protected_path", violated),
            _ => return None,
        };
        Some((kind, violated.rule.clone().unwrap_or_default()))
    });
    refused.collect()
}
