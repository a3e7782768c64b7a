//! Runs cargo from a test as from a shell.

use std::{
    env, fs,
    io::{Error, Result},
    path::{Path, PathBuf},
    process::Command,
};

use toml::Table;

/// The prefixes of the variables by which cargo describes the tested package to its test.
const OF_THE_PACKAGE: [&str; 3] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"];

/// Returns an offline cargo command that uses the target folder of the running test.
///
/// The variables that describe the tested package are removed. The build script of `ring` depends on
/// them: with other values cargo would compile that crate, and all crates that depend on it, again, here
/// and after the test.
///
/// # Errors
/// If the target folder of the test is not known.
pub fn command(name: &str) -> Result<Command> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args([name, "--offline"])
        .env("CARGO_TARGET_DIR", above_test(3)?);
    for (variable, _) in env::vars_os() {
        let text = variable.to_string_lossy();
        if OF_THE_PACKAGE.iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(variable);
        }
    }
    Ok(command)
}

/// Returns the path of a program that [`command`] has built.
///
/// # Errors
/// If the target folder of the test is not known.
pub fn program(name: &str) -> Result<PathBuf> {
    Ok(above_test(2)?.join(name))
}

/// Returns the folder so many levels above the running test, which is `target/debug/deps/<test>`.
fn above_test(levels: usize) -> Result<PathBuf> {
    let test = env::current_exe()?;
    let folder = test.ancestors().nth(levels).map(Path::to_owned);
    folder.ok_or_else(|| Error::other(format!("{} is in no target folder", test.display())))
}

/// Returns the manifest of a workspace with these members. It has the profile of this repository, so that the
/// crates of others are not compiled again. Its own crates are compiled for each workspace, as quickly as possible.
///
/// # Errors
/// If the manifest of this repository cannot be read.
pub fn workspace(members: &[&str]) -> Result<String> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml");
    let own: Table = fs::read_to_string(own)?.parse().map_err(Error::other)?;
    let profile = own.get("profile").and_then(|profile| profile.get("dev"));
    let mut profile = profile
        .and_then(|profile| profile.as_table())
        .cloned()
        .unwrap_or_default();
    if let Some(packages) = profile
        .get_mut("package")
        .and_then(|packages| packages.as_table_mut())
    {
        packages.retain(|name, _| !name.starts_with("toolwright"));
    }
    let members: Vec<_> = members.iter().map(|member| (*member).to_owned()).collect();
    let workspace = Table::from_iter([
        ("resolver".to_owned(), "3".into()),
        ("members".to_owned(), members.into()),
    ]);
    let profiles = Table::from_iter([("dev".to_owned(), profile.into())]);
    let manifest = Table::from_iter([
        ("workspace".to_owned(), workspace.into()),
        ("profile".to_owned(), profiles.into()),
    ]);
    Ok(manifest.to_string())
}
