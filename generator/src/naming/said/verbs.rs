//! Verbs of the operation id and the summary.

use toolwright_model::Method;

use super::Said;
use crate::{
    language::tool_verbs::tool_verb,
    language::{
        WordList,
        lexicon::{self, Certainty},
    },
};

/// Verbs that are also nouns, but not at the end of the path of a request that changes something.
static CALLS: WordList = WordList::new(
    "clean cleanup clone configure convert copy decode detect drain duplicate empty encode explain \
     extract flush fork identify import install investigate lower merge print raise recognise \
     recognize render resolve reverse sanitise sanitize simulate summarise summarize synthesise \
     synthesize unload upgrade vacuum wrap",
);

/// Verbs of tool names that the lexicon does not contain, since they are no evidence of an effect.
static PLAIN: WordList = WordList::new(
    "attest begin crop disassemble donate enforce isolate normalise normalize reapply reauthenticate \
     redact reorganize reschedule scrap serialize templatize trim unallocate undrop unrevoke \
     unschedule unvote unwrap",
);

impl Said {
    /// Returns the verb of the operation id: its first word, its last, or the first inside. Verbs
    /// that read are skipped, since the method is better evidence.
    pub(crate) fn id_verb(&self) -> Option<&'static str> {
        if self.id.first().is_some_and(|first| first == "set") {
            return Some("set");
        }
        let ends = self.id.first().into_iter().chain(self.id.last());
        ends.chain(&self.id)
            .filter(|word| is_plain(word) || *word == "configure")
            .filter_map(|word| tool_verb(word))
            .find(|verb| !matches!(*verb, "get" | "list"))
    }

    /// Checks whether the first word of the operation id is more likely its object, since a verb
    /// follows: `rekey_read_backup`.
    pub(crate) fn is_topic(&self) -> bool {
        let second = self.whole.get(1);
        self.parts.calls_last() || second.is_some_and(|word| is_plain(word) || word == "read")
    }

    /// Checks whether the operation id contains `create or update`.
    pub(crate) fn upserts(&self) -> bool {
        self.id.windows(3).any(|run| {
            let [first, or, second] = run else {
                return false;
            };
            let is = |word: &str, verb| tool_verb(word) == Some(verb);
            or == "or"
                && (is(first, "create") && is(second, "update")
                    || is(first, "update") && is(second, "create"))
        })
    }

    /// Checks whether the summary creates an item if it does not exist: `Updates the user or adds
    /// one`.
    pub(crate) fn upserts_one(&self) -> bool {
        let Some([first, rest @ ..]) = self.openings.first().map(Vec::as_slice) else {
            return false;
        };
        let is =
            |word: &str, verbs: [&str; 2]| verb_in(word).is_some_and(|verb| verbs.contains(&verb));
        let both = |made: [&str; 2], other: [&str; 2]| {
            let or = rest
                .windows(2)
                .any(|pair| matches!(pair, [or, second] if or == "or" && is(second, other)));
            is(first, made) && or
        };
        both(["update", "replace"], ["create", "add"])
            || both(["create", "add"], ["update", "replace"])
    }

    /// The verb of a DELETE that undoes or calls this: `unarchive` of `…/archive` with
    /// `unarchiveProject`.
    pub(crate) fn undoes(&self, called: &str) -> Option<&'static str> {
        let undone = format!("un{called}");
        let first = self.id.first()?;
        if *first != undone && !(first == called && called.starts_with("un")) {
            return None;
        }
        tool_verb(first)
    }

    /// Returns the first verb of the summary, if it changes something.
    pub(crate) fn summary_verb(&self) -> Option<&'static str> {
        let verb = self.first_of_summary()?;
        let changes = verb.certainty == Certainty::Plain && !verb.reads();
        changes.then(|| tool_verb(verb.base)).flatten()
    }

    /// Checks whether there is no description.
    pub(crate) fn has_no_summary(&self) -> bool {
        self.openings.is_empty()
    }

    /// Returns the first verb of the summary, unless it is a noun in a request that changes
    /// something.
    pub(crate) fn summary_call(&self) -> Option<&'static str> {
        let verb = self.first_of_summary()?;
        CALLS.has(verb.base).then(|| tool_verb(verb.base)).flatten()
    }

    /// Checks whether the first plain verb of the operation id reads.
    pub(crate) fn id_reads(&self) -> bool {
        let mut plain = self.id.iter().filter(|word| is_plain(word));
        let verb = plain.find_map(|word| lexicon::verb(word));
        verb.is_some_and(|verb| verb.reads()) || self.id.iter().any(|word| word == "read")
    }

    /// Checks whether the summary begins with a verb that reads.
    pub(crate) fn summary_reads(&self) -> bool {
        self.first_of_summary().is_some_and(|verb| verb.reads())
    }

    /// Checks whether the operation id or the summary begins with this verb of tool names.
    pub(crate) fn begins_with(&self, verb: &str) -> bool {
        let first = |words: &Vec<String>| verb_in(words.first()?);
        first(&self.id) == Some(verb) || self.openings.first().and_then(first) == Some(verb)
    }

    /// Checks whether the operation id begins with this verb and ends in another: `connectPodExec`.
    pub(crate) fn has_other_than(&self, verb: &str) -> bool {
        let [first, .., last] = self.id.as_slice() else {
            return false;
        };
        let other = tool_verb(first).is_some_and(|first| first != verb);
        is_plain(first) && other && tool_verb(last) == Some(verb)
    }

    fn first_of_summary(&self) -> Option<lexicon::Verb> {
        let first = self.openings.first()?.first()?;
        lexicon::verb_form(first).map(|(verb, _)| verb)
    }
}

/// The verb of tool names that the word is a form of: `update` of `updates`.
pub(super) fn verb_in(word: &str) -> Option<&'static str> {
    lexicon::verb_form(word).and_then(|(verb, _)| tool_verb(verb.base))
}

/// Checks whether the word is a verb but not a common noun.
pub(crate) fn is_plain(word: &str) -> bool {
    PLAIN.has(word) || lexicon::verb(word).is_some_and(|verb| verb.certainty == Certainty::Plain)
}

/// Checks whether the word is a verb at the end of the path of a request that changes something.
pub(crate) fn is_called(word: &str) -> bool {
    is_plain(word) || CALLS.has(word)
}

/// Checks whether the method can call an action.
pub(crate) const fn calls(method: Method) -> bool {
    matches!(method, Method::Post | Method::Put)
}
