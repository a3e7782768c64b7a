//! Checks in the source of the runtime that a call has one exit, which removes the secrets.
//!
//! A second exit is easily added and hard to notice.

#![cfg(test)]

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Returns the source files of the runtime without tests.
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

/// Returns the files whose code contains the string, and its number of occurrences.
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

/// Returns the body of a function of a source file.
fn body(file: &str, signature: &str) -> String {
    let all = sources();
    let (_, code) = all
        .iter()
        .find(|(path, _)| path == Path::new(file))
        .unwrap();
    let body = code.split(signature).nth(1).unwrap();
    body.split("\n}\n").next().unwrap().to_owned()
}

#[test]
fn only_a_view_runs_calls() {
    let file = "boundary/call.rs";
    let (_, code) = sources()
        .into_iter()
        .find(|(path, _)| path == Path::new(file))
        .unwrap();
    assert!(code.contains("\nasync fn run(\n    view: &ScopedToolView,"));
    let waits = body(file, "\nasync fn run_and_wait(");
    assert_eq!(waits.matches(" run(view, ").count(), 3);
    assert_eq!(
        code.matches(" run(").count(),
        4,
        "the function, and its calls by the one that waits"
    );
    assert_eq!(
        code.matches(" run_and_wait(").count(),
        3,
        "the function and two methods"
    );
    let methods = code.split("impl ScopedToolView {").nth(1).unwrap();
    let methods = methods.split("\n}\n").next().unwrap();
    assert_eq!(methods.matches(" run_and_wait(self, ").count(), 2);
    assert_eq!(files_with(".carry_out("), only(file, 1));
    assert_eq!(
        files_with(".execute(binding"),
        only("boundary/call/work/service.rs", 1)
    );
}

#[test]
fn every_exit_of_a_call_removes_secrets() {
    let outer = body("boundary/call.rs", "\nasync fn run(");
    assert!(!outer.contains('?') && !outer.contains("return "));
    assert_eq!(outer.matches("pass_gates(").count(), 1);
    let run = body("boundary/call.rs", "\nasync fn pass_gates(");
    let exits: Vec<&str> = run
        .lines()
        .filter(|line| line.contains("return "))
        .collect();
    assert!(!exits.is_empty());
    for exit in exits {
        assert!(exit.contains("return secrets.leave("), "{exit}");
    }
    assert!(!run.contains('?'), "`?` returns an error with its secrets");
    assert!(run.contains("let mut result = secrets.leave(done.await);"));
    assert!(run.trim_end().ends_with("\n    result"));
}

#[test]
fn a_plan_is_not_carried_out_and_its_exit_removes_secrets() {
    let file = "boundary/call/plan.rs";
    let planned = body(file, "\nasync fn planned(");
    assert!(
        !planned.contains('?') && !planned.contains("return "),
        "{planned}"
    );
    let exit = "\n    recorded.map_err(|error| secrets.clean(error))";
    assert!(planned.trim_end().ends_with(exit), "{planned}");
    // It is the only caller of the function that plans.
    assert_eq!(files_with("= plan(view, "), only(file, 1));
    for sends in ["carry_out", "executor", "sessions", ".ready("] {
        let files = files_with(sends);
        assert!(files.iter().all(|(found, _)| found != file), "{sends}");
    }
}

#[test]
fn one_module_removes_secrets() {
    let calls = [
        ".error_value(",
        "redactor.value(",
        "redactor.error(",
        "redactor.text(",
    ];
    let files: Vec<_> = calls
        .iter()
        .flat_map(|call| files_with(call))
        .map(|(file, _)| file)
        .filter(|file| file != "exchange/redact.rs")
        .collect();
    // The sheet that an approver reads, a plan, and the request in spans and errors are no results
    // of the call. The errors of authorization servers and secret stores may repeat secrets that the
    // call does not know.
    let allowed = [
        "boundary/secrets.rs",
        "boundary/call/consent.rs",
        "boundary/call/work/sent.rs",
        "exchange/oauth.rs",
        "sources/vault/session.rs",
    ];
    for file in &files {
        assert!(allowed.contains(&file.as_str()), "`{file}` removes secrets");
    }
    assert!(files.iter().any(|file| file == "boundary/secrets.rs"));
}

#[test]
fn few_modules_read_secrets() {
    let allowed = [
        "credentials.rs",
        "credentials/auth_file.rs",
        "credentials/expiry.rs",
        "credentials/login.rs",
        "credentials/oauth.rs",
        "credentials/part.rs",
        "credentials/pem.rs",
        "exchange/http/authorise.rs",
        "exchange/oauth.rs",
        "exchange/redact.rs",
        "exchange/redact/forms.rs",
        "exchange/redact/stream.rs",
        "exchange/sign_in.rs",
        "secret.rs",
        "sources/vault/session.rs",
        "target/identity.rs",
    ];
    let files = files_with(".expose()");
    assert!(files.len() >= 3, "{files:?}");
    for (file, _) in files {
        assert!(allowed.contains(&file.as_str()), "`{file}` reads a secret");
    }
}
