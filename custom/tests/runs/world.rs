//! A repository, its custom tools, and the view of a role.

use std::{fs, path::Path, sync::Arc};

use serde_json::Value;
use tempfile::TempDir;
use toolwright::{
    Credentials, Registry, Role, Tool, ToolError,
    config::{Config, Repository},
    testing::TestView,
};
use toolwright_custom::{CustomTool, parse};
use toolwright_skills::KnownTools;

pub(crate) struct World {
    pub(crate) folder: Arc<TempDir>,
}

impl World {
    /// Creates a repository with these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let world = Self {
            folder: Arc::new(tempfile::tempdir().unwrap()),
        };
        for (path, text) in files {
            let path = world.folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        world
    }

    pub(crate) fn path(&self, path: &str) -> std::path::PathBuf {
        self.folder.path().join(path)
    }

    /// Returns the view of the role `clerk`, with a policy for it.
    pub(crate) fn view(&self, tools: &[&str], policy: &str) -> TestView {
        let path = self.path("toolwright.toml");
        let config = Config::parse(&path, policy).unwrap_or_else(|error| panic!("{error}"));
        let repository = Repository {
            path: Some(self.folder.path().to_owned()),
            ..Repository::default()
        };
        let credentials = Credentials::new(self.folder.path()).with_variables(|_| None);
        let registry = Registry::builder()
            .tools(completed(tools))
            .config(config)
            .credentials(credentials)
            .repository(repository);
        TestView::new(registry, Role::new("clerk").unwrap())
    }
}

/// Reads the tools of files, whose steps may call each other's requests and programs.
fn completed(files: &[&str]) -> Vec<Tool> {
    let files: Vec<CustomTool> = files
        .iter()
        .map(|text| {
            parse(Path::new("tools/a.toml"), text)
                .unwrap_or_else(|problems| panic!("{problems:?}\n{text}"))
        })
        .collect();
    let specs: Vec<_> = files
        .iter()
        .filter_map(|file| match file {
            CustomTool::Tool(tool) => Some(Arc::clone(tool.spec())),
            CustomTool::Steps(_) => None,
        })
        .collect();
    let known = KnownTools::new(specs.iter().map(AsRef::as_ref));
    let tools = files.iter().map(|file| file.complete(&known));
    tools
        .map(|tool| tool.unwrap_or_else(|problems| panic!("{problems:?}")))
        .collect()
}

/// Returns the policy of a role with one profile: all tools, with these scopes.
pub(crate) fn scoped(scope: &str) -> String {
    format!(
        "[roles.clerk]\nprofiles = [\"own\"]\n[profiles.own]\ntools = [\"*\"]\n[[profiles.own.scopes]]\n{scope}\n"
    )
}

/// Returns the code of the error of a call.
pub(crate) fn code(result: &Result<Value, ToolError>) -> String {
    match result {
        Ok(value) => format!("it passed: {value}"),
        Err(error) => error.code().to_owned(),
    }
}
