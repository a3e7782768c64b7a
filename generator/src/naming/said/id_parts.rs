//! The parts of an operation id.

use crate::{
    language::tool_verbs::tool_verb,
    language::{facts::OperationFacts, words},
    naming::said::is_plain,
};

/// The separators of the parts: `Items_Create`, `items.create`.
pub(crate) const SEPARATORS: [char; 3] = ['.', '_', '/'];

/// An operation id, seen as parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdParts {
    /// The words of the first part.
    topic: Vec<String>,
    /// The words of the last part, if a full stop precedes it.
    called: Vec<String>,
    /// True if the last of several parts begins with a verb.
    calls_last: bool,
    /// True if the last of several parts begins with `list`: `Applications_ListCredentials`.
    pub(crate) lists: bool,
    /// True if it contains its method: `deleteItemUsingGET`, `GET_DeleteItem`.
    pub(crate) names_method: bool,
}

impl IdParts {
    /// Reads the operation id.
    pub(crate) fn of(facts: &OperationFacts) -> Self {
        let id = facts.operation_id.as_deref().unwrap_or_default();
        let method = facts.method.word();
        let parts: Vec<&str> = id.split(SEPARATORS).collect();
        let begins = |method: &str| parts.first().is_some_and(|first| *first == method);
        let lists = |part: &&str| words(part).first().is_some_and(|first| first == "list");
        let called = id.rsplit_once('.').map_or("", |(_, last)| last);
        Self {
            topic: parts.first().map_or_else(Vec::new, |first| words(first)),
            called: words(called),
            calls_last: calls_last(&parts, &method.to_ascii_lowercase()),
            lists: parts.len() > 1 && parts.last().is_some_and(lists),
            names_method: begins(method) || id.ends_with(&format!("Using{method}")),
        }
    }

    /// Checks whether the last part is an action on the others.
    pub(crate) const fn calls_last(&self) -> bool {
        self.calls_last
    }

    /// Checks whether the first part is these words and the last is an action on them:
    /// `Connect_CreateConfiguration`.
    pub(crate) fn is_done_to(&self, words: &[String]) -> bool {
        self.calls_last && self.topic == words
    }

    /// Checks whether the last part is this call: `items.setLabels` of `/items/{id}/setLabels`.
    pub(crate) fn ends_in_call(&self, words: &[String]) -> bool {
        self.called == words
    }
}

/// Checks whether the last of several parts begins with the method or a verb, and has more words.
fn calls_last(parts: &[&str], method: &str) -> bool {
    let [_, .., last] = parts else { return false };
    match words(last).as_slice() {
        [first, _, ..] => first == method || is_plain(first) && tool_verb(first).is_some(),
        _ => false,
    }
}
