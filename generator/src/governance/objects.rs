//! What is done it to: the nouns that change what a verb means.

use super::phrase::Phrase;

/// Things that are made when they are asked for.
const CREDENTIALS: &[&str] = &[
    "certificate",
    "credential",
    "credentials",
    "creds",
    "jwt",
    "password",
    "secret",
    "sts",
    "token",
];

/// Things that are computed from what is there.
const DERIVED: &[&str] = &["forecast", "preview", "report", "reports", "summary"];

/// Things about something else: its state, or what is set of it.
const STATES: &[&str] = &[
    "config",
    "configuration",
    "count",
    "counts",
    "details",
    "history",
    "info",
    "information",
    "list",
    "log",
    "logs",
    "metadata",
    "metrics",
    "progress",
    "result",
    "results",
    "settings",
    "state",
    "stats",
    "status",
    "summary",
];

/// Whether the verb makes something that is only computed: `generate` a report.
pub(crate) fn derives<'a>(verb: &str, mut objects: impl Iterator<Item = &'a String>) -> bool {
    matches!(verb, "generate" | "run" | "build" | "report")
        && objects.any(|word| word != verb && DERIVED.contains(&word.as_str()))
}

/// Whether the word is what another verb of the phrase makes: the report of `runReport`.
pub(crate) fn is_derived(word: &str, phrase: &Phrase) -> bool {
    DERIVED.contains(&word)
        && phrase
            .verbs
            .iter()
            .any(|(verb, _)| verb.base != word && derives(verb.base, phrase.words.iter()))
}

/// Whether the last of several words is the state of what the others name.
pub(crate) fn is_state(phrase: &Phrase) -> bool {
    matches!(phrase.words.as_slice(), [_, .., last] if is_state_word(last))
}

/// Whether the word is the state of something: `status`, `settings`.
pub(crate) fn is_state_word(word: &str) -> bool {
    STATES.contains(&word)
}

/// Whether a phrase ends in something that is made when it is asked for.
pub(crate) fn is_credential(phrase: &Phrase) -> bool {
    phrase
        .words
        .last()
        .is_some_and(|last| CREDENTIALS.contains(&last.as_str()))
}

/// Whether the words are of a place to upload to.
pub(crate) fn is_upload(words: &[String]) -> bool {
    words.iter().any(|word| word.starts_with("upload"))
        && words
            .iter()
            .any(|word| matches!(word.as_str(), "url" | "urls" | "link" | "links"))
}

/// Whether a verb gets one thing, so that getting a credential may make it.
pub(crate) fn obtains(verb: &str) -> bool {
    matches!(verb, "get" | "obtain" | "retrieve" | "fetch" | "read")
}
