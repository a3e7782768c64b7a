//! Building, testing and linting a real crate.

use std::env;

use serde_json::json;

use crate::folder::{Folder, toolchain};

pub(crate) async fn a_crate() {
    let manifest =
        "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
    let code = "//! Adds.\n\n/// Adds one.\n#[must_use]\npub const fn add(a: u64) -> u64 {\n    a + 1\n}\n\n\
        #[cfg(test)]\nmod tests {\n    #[test]\n    fn it_adds() {\n        assert_eq!(super::add(1), 2);\n    }\n\n    \
        #[test]\n    fn it_reads_no_secret() {\n        std::fs::read(\"/etc/shadow\").unwrap_err();\n    }\n}\n";
    let folder = Folder::new(&[
        ("Cargo.toml", manifest),
        ("src/lib.rs", code),
        ("target/.keep", ""),
    ]);
    // A build creates the lock file next to the manifest, which commands may not write.
    folder.write(
        "Cargo.lock",
        "version = 4\n\n[[package]]\nname = \"small\"\nversion = \"0.1.0\"\n",
    );
    let scope = format!(
        r#"
allowed_commands = [
    "build = cargo build --locked --offline",
    "test = cargo test --locked --offline <filter:word>",
    "lint = cargo clippy --locked --offline --all-targets -- -D warnings",
]
max_execution_time_seconds = "300"
program_folders = "{}"
writable_folders = "target"
executable_folders = "target"
environment = ["CARGO_HOME=target/cargo-home", "CARGO_INCREMENTAL=0"]
max_memory_bytes = "4000000000"
"#,
        toolchain().display()
    );
    let view = folder.view(&["run-shell-command"], &scope);
    let run = async |command: &str, values| {
        let arguments = json!({"command": command, "values": values});
        let result = view.call("run-shell-command", arguments).await.unwrap();
        assert_eq!(result["success"], true, "{command}: {result}");
        format!("{}{}", result["stdout"], result["stderr"])
    };
    assert!(run("build", json!({})).await.contains("Finished"));
    let tested = run("test", json!({"filter": "it"})).await;
    assert!(tested.contains("2 passed"), "{tested}");
    assert!(run("lint", json!({})).await.contains("Finished"));
    assert!(env::var_os("CARGO").is_some() || folder.path("target/debug").is_dir());
}
