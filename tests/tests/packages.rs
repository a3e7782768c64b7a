//! Every crate that users depend on can be packaged.
#![cfg(test)]

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;

/// The crates that are not published.
const INTERNAL: [&str; 2] = ["toolwright-example", "toolwright-test"];

#[test]
fn crates_for_users_can_be_packaged() {
    let packages = packages();
    assert!(packages.len() >= 13, "{packages:?}");
    let mut cargo = toolwright_test_cargo::command("package").unwrap();
    cargo.args(["--no-verify", "--allow-dirty", "--quiet"]);
    for package in &packages {
        cargo.args(["--package", package]);
    }
    let run = cargo.current_dir(root()).output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{said}");
}

#[test]
fn only_internal_crates_are_not_published() {
    let published = packages();
    let all = metadata(|_| true);
    for name in all.difference(&published) {
        let is_bench = name.ends_with("bench");
        let is_internal = INTERNAL.iter().any(|internal| name.starts_with(internal));
        assert!(is_internal || is_bench, "{name} is not published");
    }
}

#[test]
fn packages_describe_themselves() {
    for package in of_workspace() {
        let name = &package["name"];
        if package["publish"] == serde_json::json!([]) {
            continue;
        }
        for field in ["description", "license", "readme"] {
            assert!(package[field].is_string(), "{name} has no {field}");
        }
        for field in ["keywords", "categories"] {
            assert!(
                !package[field].as_array().unwrap().is_empty(),
                "{name} has no {field}"
            );
        }
        let folder = Path::new(package["manifest_path"].as_str().unwrap())
            .parent()
            .unwrap();
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let [own, root] =
                [folder, root()].map(|folder| fs::read_to_string(folder.join(licence)).unwrap());
            assert!(own == root, "{name}: {licence} is not that of the root");
        }
    }
}

/// A package contains the files of its folder alone, and symbolic links do not survive every checkout.
#[test]
fn copies_for_packages_equal_their_originals() {
    for (copy, original) in [
        ("cli/specs/depot.overlay.toml", "specs/depot/overlay.toml"),
        ("eab/specs/crates.yaml", "specs/crates/eab.yaml"),
        ("tests/depot/specs/openapi.yaml", "specs/depot/openapi.yaml"),
    ] {
        let [copy_text, text] =
            [copy, original].map(|file| fs::read_to_string(root().join(file)).unwrap());
        assert!(
            copy_text == text,
            "`{copy}` differs from `{original}`; copy it"
        );
    }
}

/// The names of the crates that are published.
fn packages() -> BTreeSet<String> {
    metadata(|package| package["publish"] != serde_json::json!([]))
}

fn metadata(is_chosen: impl Fn(&Value) -> bool) -> BTreeSet<String> {
    let chosen = of_workspace().into_iter().filter(is_chosen);
    chosen
        .map(|package| package["name"].as_str().unwrap().to_owned())
        .collect()
}

fn of_workspace() -> Vec<Value> {
    let mut cargo = toolwright_test_cargo::command("metadata").unwrap();
    cargo.args(["--no-deps", "--format-version", "1"]);
    let run = cargo.current_dir(root()).output().unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let metadata: Value = serde_json::from_slice(&run.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
