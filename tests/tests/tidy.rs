//! Project rules that neither rustc nor clippy checks.
#![cfg(test)]

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The maximum number of lines in a source file. Tables and generated code are exempt.
const MOST_LINES: usize = 500;

/// Files that contain tables rather than logic.
const TABLES: &[&str] = &["words.rs", "forms.rs", "lexicon.rs", "verbs.rs"];

/// Folders without the project's source, relative to the root.
const LEFT_OUT: &[&str] = &["target", ".git", "generated/src"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the files with a file name ending, with paths relative to the root.
fn files(ending: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root()).unwrap().to_str().unwrap();
            let name = name.replace('\\', "/");
            if path.is_dir() {
                let left_out = LEFT_OUT.contains(&name.as_str()) || name.ends_with("/target");
                if !left_out && !name.starts_with('.') {
                    folders.push(path);
                }
            } else if name.ends_with(ending) {
                found.push((name, fs::read_to_string(&path).unwrap_or_default()));
            }
        }
    }
    found.sort();
    found
}

fn assert_none(what: &str, wrong: &[String]) {
    assert!(wrong.is_empty(), "{what}:\n  {}", wrong.join("\n  "));
}

/// Returns true for UI cases, which contain one fault each, and for expected output.
fn is_case(name: &str) -> bool {
    name.contains("/ui/") || name.contains("/cases/")
}

/// Returns true for tests, which have no length limit.
fn is_test(name: &str) -> bool {
    name.contains("/tests/") || name.ends_with("/tests.rs")
}

#[test]
fn every_file_starts_with_a_module_comment() {
    let all = files(".rs");
    assert!(all.len() > 100, "only {} files were found", all.len());
    let wrong: Vec<_> = all
        .into_iter()
        .filter(|(name, text)| !is_case(name) && !text.starts_with("//!"))
        .map(|(name, _)| name)
        .collect();
    assert_none("these files do not begin with `//!`", &wrong);
}

#[test]
fn files_stay_small() {
    let wrong: Vec<_> = files(".rs")
        .into_iter()
        .filter(|(name, _)| !is_case(name) && !is_test(name))
        .filter(|(name, _)| !TABLES.iter().any(|table| name.ends_with(table)))
        .map(|(name, text)| {
            let production = text.split("#[cfg(test)]").next().unwrap_or_default();
            (name, production.lines().count())
        })
        .filter(|(_, lines)| *lines > MOST_LINES)
        .map(|(name, lines)| format!("{name}: {lines} lines"))
        .collect();
    assert_none("these files are too long", &wrong);
}

#[test]
fn no_file_is_marked_as_unfinished() {
    // Assembled here to keep the marks out of this file.
    let marks = ["TO DO", "FIX ME", "X XX", "#[ig nore"].map(|mark| mark.replace(' ', ""));
    let wrong: Vec<_> = [".rs", ".md", ".toml", ".yaml"]
        .into_iter()
        .flat_map(files)
        .flat_map(|(name, text)| {
            let marks = &marks;
            let lines: Vec<_> = text
                .lines()
                .enumerate()
                .filter(|(_, line)| marks.iter().any(|mark| line.contains(mark.as_str())))
                .map(|(at, _)| format!("{name}:{}", at + 1))
                .collect();
            lines
        })
        .collect();
    assert_none("these places are marked as unfinished", &wrong);
}

#[test]
fn every_crate_inherits_lints_and_versions() {
    let wrong: Vec<_> = files("Cargo.toml")
        .into_iter()
        .filter(|(name, _)| name != "Cargo.toml" && !is_case(name))
        // The fuzz crate is a separate workspace, because it needs a nightly compiler.
        .filter(|(name, _)| name != "fuzz/Cargo.toml")
        .filter(|(_, text)| !text.contains("[lints]\nworkspace = true") || declares_a_version(text))
        .map(|(name, _)| name)
        .collect();
    assert_none(
        "these manifests do not inherit `[lints]`, or declare the version of a dependency",
        &wrong,
    );
}

/// Returns true if a dependency line contains a version. A crate of the workspace may be declared by
/// its path: without default features, or without a version, as a dependency of tests.
fn declares_a_version(manifest: &str) -> bool {
    let mut in_dependencies = false;
    manifest.lines().any(|line| {
        if line.starts_with('[') {
            in_dependencies = line.contains("dependencies");
        }
        in_dependencies
            && (line.contains("version =") || line.contains("= \""))
            && !line.contains("{ path = \".")
    })
}

#[test]
fn no_machine_path_is_in_the_repository() {
    let homes = ["/ro ot/", "/ho me/", "/wo rk/", "/Us ers/"].map(|home| home.replace(' ', ""));
    let wrong: Vec<_> = [".rs", ".md", ".toml", ".json", ".yaml", ".sh"]
        .into_iter()
        .flat_map(files)
        .filter(|(_, text)| {
            homes.iter().any(|home| {
                text.contains(&format!("\"{home}")) || text.contains(&format!(" {home}"))
            })
        })
        .map(|(name, _)| name)
        .collect();
    assert_none("these files contain a path of a machine", &wrong);
}
