//! Runs cargo from a test as from a shell.

mod dependencies;

use std::{
    env, fs,
    io::{Error, Result},
    path::{Path, PathBuf},
    process::Command,
};

use toml::Table;

/// The prefixes of the variables by which cargo describes the tested package to its test.
const OF_THE_PACKAGE: [&str; 3] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"];

/// The member of a workspace that selects the features of the crates of others.
pub const FEATURES: &str = "features";

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

/// Writes the manifest and the lock of a workspace with these members. It has the profile of this repository, and one
/// more member that selects the features of the crates of others, so that a build of the whole workspace compiles
/// none of them again. Its own crates are compiled for each workspace, as quickly as possible.
///
/// # Errors
/// If the manifests of this repository cannot be read, or those of the workspace cannot be written.
pub fn write_workspace(folder: &Path, members: &[impl AsRef<str>]) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let own: Table = fs::read_to_string(root.join("Cargo.toml"))?
        .parse()
        .map_err(Error::other)?;
    let members = members.iter().map(AsRef::as_ref).chain([FEATURES]);
    let members: Vec<_> = members.map(str::to_owned).collect();
    let mut workspace = Table::from_iter([
        ("resolver".to_owned(), "3".into()),
        ("members".to_owned(), members.into()),
    ]);
    let lints = own.get("workspace").and_then(|own| own.get("lints"));
    workspace.extend(lints.map(|lints| ("lints".to_owned(), lints.clone())));
    let profiles = Table::from_iter([("dev".to_owned(), profile(&own).into())]);
    let manifest = Table::from_iter([
        ("workspace".to_owned(), workspace.into()),
        ("profile".to_owned(), profiles.into()),
    ]);
    let features = folder.join(FEATURES);
    fs::create_dir_all(features.join("src"))?;
    write_changed(&folder.join("Cargo.toml"), &manifest.to_string())?;
    let locked = fs::read_to_string(root.join("Cargo.lock"))?;
    write_changed(&folder.join("Cargo.lock"), &locked)?;
    let manifest = dependencies::manifest(FEATURES)?;
    write_changed(&features.join("Cargo.toml"), &manifest.to_string())?;
    write_changed(&features.join("src/lib.rs"), "//! Nothing.\n")?;
    write_changed(&features.join("build.rs"), "fn main() {}\n")
}

/// Returns the profile of tests, without its settings for the crates of this repository.
fn profile(own: &Table) -> Table {
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
    profile
}

/// Writes a file unless it has this content: cargo compiles again what is newer than its result.
///
/// # Errors
/// If the file cannot be written.
pub fn write_changed(path: &Path, content: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|known| known == content) {
        return Ok(());
    }
    fs::write(path, content)
}
