//! The command `toolwright`, for tests that start it as another program does.

use std::{
    io::{Error, Result},
    path::{Path, PathBuf},
    process::Stdio,
};

use serde_json::{Value, json};

/// Builds the command and returns its path.
///
/// # Errors
/// If it does not build.
pub fn build() -> Result<PathBuf> {
    // As `cargo test --workspace` builds it: with other features, cargo would compile many crates again,
    // also for the tests that run at the same time.
    let built = toolwright_test_cargo::command("test")?
        .args(["--workspace", "--no-run", "--test", "vendors", "--quiet"])
        .args(["--message-format", "json"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .stderr(Stdio::inherit())
        .output()?;
    let messages = String::from_utf8_lossy(&built.stdout);
    let program = messages.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let target = message.get("target")?;
        let is_command =
            target.get("name")? == "toolwright" && target.get("kind")? == &json!(["bin"]);
        let executable = message.get("executable")?.as_str().map(PathBuf::from);
        executable.filter(|_| is_command)
    });
    program.ok_or_else(|| Error::other("the command does not build"))
}
