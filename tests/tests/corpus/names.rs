//! Checks the names of tools: grammar, length and uniqueness.

use std::collections::BTreeMap;

use toolwright::ToolSpec;
use toolwright_generator::internals::LeftOutBecause;

use crate::{documents::Subject, findings::Findings};

/// The maximum length of a name in characters.
const LONGEST: usize = 48;

/// Checks that every valid operation has a name that follows the rules.
pub(crate) fn check(subject: &Subject) -> Findings {
    let mut findings = Findings::default();
    let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
    for tool in &subject.tools {
        *taken.entry(tool.name.as_str()).or_default() += 1;
    }
    for tool in &subject.tools {
        let what = format!("{}: {}", subject.name, tool.name);
        let fault = fault(tool).or_else(|| {
            let shared = taken[tool.name.as_str()] > 1;
            shared.then(|| "several tools have it".to_owned())
        });
        findings.check(what, fault);
    }
    let service = subject.service().map(|service| service.service());
    let left = service.iter().flat_map(|service| &service.left_out);
    let unnamed: Vec<_> = left
        .filter(|left| left.why == LeftOutBecause::Unnamed)
        .map(|left| (left.method.word(), left.path.as_str()))
        .collect();
    for operation in &unnamed {
        let (method, path) = operation;
        let what = format!("{}: {method} {path}", subject.name);
        if unnamed
            .iter()
            .any(|other| are_equal(subject, operation, other))
        {
            findings.exempt(what, "it is equal to another operation in every respect");
        } else {
            findings.fail(what, "it has no unique name");
        }
    }
    findings
}

/// Checks whether two operations have the same method, operation id, and path apart from the names of
/// its parameters.
fn are_equal(subject: &Subject, one: &(&str, &str), other: &(&str, &str)) -> bool {
    let template = |(method, path): &(&str, &str)| {
        let segments = path.split('/');
        let segments = segments.map(|segment| match segment.split_once('{') {
            Some((before, _)) => format!("{before}{{}}"),
            None => segment.to_owned(),
        });
        let segments: Vec<_> = segments.collect();
        ((*method).to_owned(), segments)
    };
    let id = |(method, path): &(&str, &str)| {
        let paths = subject.value.as_ref().map(|value| &value["paths"])?;
        paths[*path][method.to_lowercase()]["operationId"].as_str()
    };
    one != other && template(one) == template(other) && id(one) == id(other)
}

/// Returns the first fault of a tool's name.
fn fault(tool: &ToolSpec) -> Option<String> {
    let name = tool.name.as_str();
    let words: Vec<&str> = name.split('-').collect();
    let is_word = |word: &&str| {
        let mut characters = word.chars();
        characters.next().is_some()
            && word
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    if !words.iter().all(is_word) || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        return Some("it is not lower-case words with hyphens".to_owned());
    }
    if name.len() > LONGEST {
        return Some(format!("it has more than {LONGEST} characters"));
    }
    if words.len() < 3 || words[1] != tool.service.as_str() {
        return Some("it is not verb, service and noun".to_owned());
    }
    has_invented_number(tool, words[words.len() - 1])
        .then(|| "it ends in a number that the operation does not have".to_owned())
}

/// Returns true if the last word is a number that the operation does not contain.
fn has_invented_number(tool: &ToolSpec, last: &str) -> bool {
    let path = tool.http().map_or("", |http| http.path.as_str());
    let id = tool.origin.operation_id.as_deref().unwrap_or_default();
    last.chars().all(|c| c.is_ascii_digit()) && !path.contains(last) && !id.contains(last)
}
