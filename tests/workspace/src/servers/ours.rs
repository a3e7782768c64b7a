//! The measured server: the tools for a repository over MCP, with an audit in a file.

use std::{error::Error, path::Path};

use toolwright::{
    Registry, Role,
    audit::AuditFile,
    config::{Config, Repository},
};
use toolwright_workbench as _;

const POLICY: &str = r#"
[roles.coder]
profiles = ["own"]
[profiles.own]
tools = ["*-repo-*"]
[[profiles.own.scopes]]
allowed_read_paths = ["**"]
denied_read_paths = ["**/*.pem"]
allowed_write_paths = ["work/**"]
"#;

/// Serves until standard input ends.
pub(crate) fn run(root: &Path) -> Result<(), Box<dyn Error>> {
    let audit = tempfile::tempdir()?;
    let config = Config::parse(Path::new("toolwright.toml"), POLICY)?;
    let repository = Repository {
        path: Some(root.to_owned()),
        ..Repository::default()
    };
    let registry = Registry::builder()
        .linked_tools()
        .config(config)
        .enable("*")
        .repository(repository)
        .audit(AuditFile::new(audit.path().join("audit.jsonl")))
        .build()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    Ok(runtime.block_on(toolwright_mcp::serve_stdio(&registry, &Role::new("coder")?))?)
}
