//! The examples of `docs/run-commands.md`.

use std::{fs, path::Path};

use serde_json::{Value, json};
use toolwright::{
    Registry, Role,
    config::{Config, Repository},
    testing::TestView,
};

use crate::folder::{Folder, code};

/// Returns the blocks of the page in a language.
fn blocks(language: &str) -> Vec<String> {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/run-commands.md");
    let page = fs::read_to_string(page).unwrap();
    let mut blocks = page.split("```").skip(1).step_by(2);
    let mut found = Vec::new();
    blocks.by_ref().for_each(|block| {
        found.extend(
            block
                .strip_prefix(&format!("{language}\n"))
                .map(str::to_owned),
        );
    });
    found
}

pub(crate) async fn examples_run() {
    let policy = blocks("toml").remove(0);
    let config = Config::parse(Path::new("toolwright.toml"), &policy).unwrap();
    let folder = Folder::new(&[
        ("docs/guide.md", "three words here"),
        (
            "Makefile",
            "all:\n\t@echo built > out/build.log\ncheck:\n\t@echo tested\n",
        ),
        ("out/.keep", ""),
    ]);
    let repository = Repository {
        path: Some(folder.root()),
        ..Repository::default()
    };
    let registry = Registry::builder()
        .linked_tools()
        .config(config)
        .repository(repository);
    let view = TestView::new(registry, Role::new("coder").unwrap());
    let run = async |arguments: Value| view.call("run-shell-command", arguments).await;
    let call: Value = serde_json::from_str(&blocks("json").remove(0)).unwrap();
    assert_eq!(run(call).await.unwrap()["stdout"], "3 docs/guide.md\n");
    assert_eq!(
        run(json!({"command": "build"})).await.unwrap()["success"],
        true
    );
    let values = json!({"lines": "1", "kind": "build"});
    let log = run(json!({"command": "log", "values": values}))
        .await
        .unwrap();
    assert_eq!(log["stdout"], "built\n");
    let values = json!({"lines": "1", "kind": "other"});
    let refused = run(json!({"command": "log", "values": values})).await;
    assert_eq!(code(refused), "command_value_refused");
    assert_eq!(
        run(json!({"command": "test"})).await.unwrap()["stdout"],
        "tested\n"
    );
    let second = format!(
        "[profiles.commands]\ntools = []\n{}",
        blocks("toml").remove(1)
    );
    Config::parse(Path::new("toolwright.toml"), &second).unwrap();
}
