//! Emitted Rust has the layout of prettyplease.

use toolwright_generator::emit::{self, CrateOptions};

use crate::{documents::Subject, findings::Findings};

/// Formats every emitted file with prettyplease and compares it.
pub(crate) fn check(subject: &Subject) -> Findings {
    let mut findings = Findings::default();
    let Some(service) = subject.service() else {
        return findings;
    };
    for (path, text) in emit::standalone(service, &CrateOptions::default()).iter() {
        if path.ends_with(".rs") {
            findings.check(format!("{}: {path}", subject.name), fault(text));
        }
    }
    findings
}

/// Returns the first difference between a file and its formatted form.
fn fault(text: &str) -> Option<String> {
    let file = match syn::parse_file(text) {
        Ok(file) => file,
        Err(error) => return Some(error.to_string()),
    };
    let formatted = prettyplease::unparse(&file);
    if formatted == text {
        return None;
    }
    let mut lines = text.lines().zip(formatted.lines());
    let first = lines.find(|(line, expected)| line != expected);
    Some(first.map_or_else(
        || "it has another length".to_owned(),
        |(line, expected)| format!("`{line}` instead of `{expected}`"),
    ))
}
