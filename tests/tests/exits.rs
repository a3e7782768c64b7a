//! There is one way out of a call: nothing leaves that the clean-up of secrets has not seen.
//!
//! The rules are about the source of the runtime, since a second way out is easily added and hard to
//! notice.

#![cfg(test)]

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The source of the runtime.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src");
    let (mut folders, mut files) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && !path.ends_with("tests.rs")
            {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap().to_owned();
                files.push((path.strip_prefix(&root).unwrap().to_owned(), code));
            }
        }
    }
    files.sort();
    assert!(files.len() > 50, "the source was not found");
    files
}

/// The files that contain a text, with how often.
fn files_with(text: &str) -> Vec<(String, usize)> {
    let files = sources().into_iter();
    let counted = files.map(|(path, code)| {
        let code: Vec<&str> = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        (
            path.display().to_string(),
            code.join("\n").matches(text).count(),
        )
    });
    counted.filter(|(_, count)| *count > 0).collect()
}

fn only(file: &str, count: usize) -> Vec<(String, usize)> {
    vec![(file.to_owned(), count)]
}

#[test]
fn a_call_is_run_for_a_view_and_for_nobody_else() {
    assert_eq!(files_with("call::run("), only("view.rs", 2));
    assert_eq!(files_with(".carry_out("), only("call.rs", 1));
}

#[test]
fn every_end_of_a_call_is_cleaned() {
    let (_, code) = sources()
        .into_iter()
        .find(|(path, _)| path == Path::new("call.rs"))
        .unwrap();
    let run = code.split("pub(crate) async fn run(").nth(1).unwrap();
    let run = run.split("\n}\n").next().unwrap();
    for line in run.lines().filter(|line| line.contains("return ")) {
        assert!(line.contains("return secrets.leave("), "{line}");
    }
    assert!(!run.contains('?'), "an error would leave as it is");
    assert!(run.contains("let mut result = secrets.leave(done.await);"));
    assert!(run.trim_end().ends_with("\n    result"));
}

#[test]
fn secrets_are_removed_in_one_place() {
    let redacting: Vec<_> = [
        ".error_value(",
        "redactor.value(",
        "redactor.error(",
        "redactor.text(",
    ]
    .iter()
    .flat_map(|call| files_with(call))
    .map(|(file, _)| file)
    .filter(|file| file != "redact.rs")
    .collect();
    // What a person is shown who approves is no result of the call.
    let allowed = ["call/leave.rs", "call/consent.rs"];
    for file in &redacting {
        assert!(
            allowed.contains(&file.as_str()),
            "`{file}` removes secrets by itself"
        );
    }
    assert!(redacting.iter().any(|file| file == "call/leave.rs"));
}

#[test]
fn secrets_are_exposed_only_where_they_are_sent_or_looked_for() {
    let allowed = [
        "credentials.rs",
        "credentials/auth_file.rs",
        "http/authorise.rs",
        "redact.rs",
        "redact/forms.rs",
        "secret.rs",
    ];
    for (file, _) in files_with(".expose()") {
        assert!(allowed.contains(&file.as_str()), "`{file}` reads a secret");
    }
}
