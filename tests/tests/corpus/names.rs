//! Names of tools: their grammar, their length, and that each is had once.

use std::collections::BTreeMap;

use toolwright::ToolSpec;
use toolwright_generator::ir::LeftOutBecause;

use crate::{documents::Subject, findings::Findings};

/// The most characters of a name.
const LONGEST: usize = 48;

/// Every operation that is not broken has a name that follows the rules.
pub(crate) fn judge(subject: &Subject) -> Findings {
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
    for left in service.iter().flat_map(|service| &service.left_out) {
        if left.why == LeftOutBecause::Unnamed {
            let what = format!("{}: {} {}", subject.name, left.method, left.path);
            findings.fail(what, "it has no name of its own");
        }
    }
    findings
}

/// What is wrong with the name of a tool.
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
    made_up(tool, words[words.len() - 1])
        .then(|| "it ends in a number that the operation does not have".to_owned())
}

/// Whether the last word of a name is a number that does not stand in its operation.
fn made_up(tool: &ToolSpec, last: &str) -> bool {
    let path = tool.http().map_or("", |http| http.path.as_str());
    let id = tool.origin.operation_id.as_deref().unwrap_or_default();
    last.chars().all(|c| c.is_ascii_digit()) && !path.contains(last) && !id.contains(last)
}
