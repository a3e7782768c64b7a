//! The reference file server of MCP, from its registry.

use std::{
    error::Error,
    path::{Path, PathBuf},
    process::Command,
};

/// The measured version.
pub(crate) const PACKAGE: &str = "@modelcontextprotocol/server-filesystem";

/// Installs the server unless it is there, and returns its program.
pub(crate) fn install(folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let program = folder
        .join("node_modules")
        .join(PACKAGE)
        .join("dist/index.js");
    if !program.is_file() {
        std::fs::create_dir_all(folder)?;
        let status = Command::new("npm")
            .args([
                "install",
                "--no-audit",
                "--no-fund",
                "--ignore-scripts",
                "--prefix",
            ])
            .arg(folder)
            .arg(PACKAGE)
            .status()?;
        if !status.success() {
            return Err(format!("npm cannot install `{PACKAGE}`").into());
        }
    }
    Ok(program.canonicalize()?)
}

/// Returns the version of the installed server.
pub(crate) fn version(program: &Path) -> Result<String, Box<dyn Error>> {
    let package = program
        .parent()
        .and_then(Path::parent)
        .ok_or("the program has no package")?;
    let package = std::fs::read_to_string(package.join("package.json"))?;
    let package: serde_json::Value = serde_json::from_str(&package)?;
    let version = package.get("version").and_then(|version| version.as_str());
    Ok(version.ok_or("the package has no version")?.to_owned())
}
