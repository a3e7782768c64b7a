//! What the operation id and the texts say, where the path says too little.

use toolwright_model::Method;

mod id_parts;
mod many;

use super::operation_id;
use super::verbs::tool_verb;
use crate::{
    english::{
        WordList,
        lexicon::{self, Certainty},
        plural, singular, words,
    },
    facts::OperationFacts,
};
use id_parts::IdParts;

/// The words of the operation id and of the beginnings of the texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    /// The words of the operation id, without that of the method.
    pub(crate) id: Vec<String>,
    /// The first words of the summary and of the description.
    openings: Vec<Vec<String>>,
    /// The words of the operation id, the method's own included.
    whole: Vec<String>,
    numbered: bool,
    /// The parts of the operation id.
    pub(crate) parts: IdParts,
}

/// Words for what of a thing is meant, rather than a thing of their own.
static ASPECTS: WordList = WordList::new("overview status summary");

/// Words for what is the caller's own.
static OWN: WordList = WordList::new("authenticated current currently logged my own your");

/// Verbs that give or make what stands behind them, rather than do it: `writeRoleTag`.
static GIVES: WordList = WordList::new("add configure create set write");

/// Those of them that make it.
static MAKES: WordList = WordList::new("add create");

/// How many words behind `with` say what is meant.
const WITH: usize = 2;

/// Verbs that are nouns too, but not at the end of a path to which something is sent.
static CALLS: WordList = WordList::new(
    "clean cleanup clone configure convert copy decode detect drain duplicate empty encode explain \
     extract flush fork identify import install investigate lower merge print raise recognise \
     recognize render resolve reverse sanitise sanitize simulate summarise summarize synthesise \
     synthesize unload upgrade vacuum wrap",
);

/// Verbs of tool names that the lexicon does not have, since they say nothing of what is done.
static PLAIN: WordList = WordList::new(
    "attest begin crop disassemble donate enforce isolate normalise normalize reapply reauthenticate \
     redact reorganize reschedule scrap serialize templatize trim unallocate undrop unrevoke \
     unschedule unvote unwrap",
);

/// How many words of a text are looked at.
const OPENING: usize = 12;

impl Said {
    /// Reads the operation id and the texts.
    pub(crate) fn by(facts: &OperationFacts) -> Self {
        let method = facts.method.word().to_ascii_lowercase();
        let id = facts.operation_id.as_deref().unwrap_or_default();
        let numbered = operation_id::is_numbered(id);
        let id = words(id);
        let opening = |text: &str| {
            let line = text.lines().next().unwrap_or_default();
            words(line).into_iter().take(OPENING).collect()
        };
        Self {
            numbered,
            parts: IdParts::of(facts),
            id: id.iter().filter(|word| **word != method).cloned().collect(),
            whole: id,
            openings: facts.texts().map(opening).collect(),
        }
    }

    /// The verb of the operation id: its first word, its last, or the first within; none that
    /// reads, since the method says that better.
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

    /// The first word of the operation id, the method's own included.
    pub(crate) fn first(&self) -> Option<&str> {
        self.whole.first().map(String::as_str)
    }

    /// Whether the first word of the operation id is rather what it is about, since a verb stands
    /// behind it: `rekey_read_backup`.
    pub(crate) fn is_topic(&self) -> bool {
        let second = self.whole.get(1);
        self.parts.calls_last() || second.is_some_and(|word| is_plain(word) || word == "read")
    }

    /// Whether the operation id says that these words are a thing that is given or made: `tag` of
    /// `writeRoleTag`, `upload url` of `createUploadUrl`.
    pub(crate) fn gives(&self, words: &[String]) -> bool {
        let runs = self.id.windows(words.len()).enumerate();
        let same = |run: &[String]| {
            run.iter()
                .zip(words)
                .all(|(a, b)| singular(a) == singular(b))
        };
        let mut found = runs.filter(|(_, run)| same(run));
        found.any(|(at, _)| {
            let before = self.id.get(..at).unwrap_or_default();
            let bare = matches!(words, [only] if !is_plain(only));
            // but the `set` of a `stateful set`
            let gives = |word: &String| GIVES.has(word) && (word != "set" || before.len() == 1);
            let next = before.last().is_some_and(gives);
            next || (bare || words.len() > 1) && MAKES.has_any(before)
                || bare && before.iter().any(gives)
        })
    }

    /// Whether the operation id is these words, but for a number at its end.
    pub(crate) fn id_is(&self, words: &[String]) -> bool {
        let bare = |word: &String| {
            let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
            letters.to_owned()
        };
        self.whole.iter().map(bare).eq(words.iter().cloned())
    }

    /// Whether the operation id says `create or update`.
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

    /// Whether the summary says of one thing that it is created where there is none: `Updates the
    /// user or adds one`.
    pub(crate) fn upserts_one(&self) -> bool {
        let Some([first, rest @ ..]) = self.openings.first().map(Vec::as_slice) else {
            return false;
        };
        let is = |word: &str, verbs: [&str; 2]| {
            let verb = lexicon::verb_form(word).and_then(|(verb, _)| tool_verb(verb.base));
            verb.is_some_and(|verb| verbs.contains(&verb))
        };
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

    /// The last of these words as the operation id has it behind those of a kind, where the path
    /// has them the other way round: `policies` of `listAclPolicies` for `policies/acl`.
    pub(crate) fn turns(&self, many: &[String], kind: &[String]) -> Option<String> {
        let (last, end) = (many.last()?, kind.last()?);
        let same = |a: &String, b: &String| singular(a) == singular(b);
        let as_path = self.whole.windows(kind.len() + 1).any(|run| {
            let as_kind = run.iter().skip(1).zip(kind).all(|(a, b)| same(a, b));
            run.first().is_some_and(|first| same(first, last)) && as_kind
        });
        let said = self.whole.iter().filter(|word| *word == end).count();
        let mut runs = self.whole.windows(kind.len() + 1);
        let found = runs.find(|run| {
            let (before, end) = run.split_at(kind.len());
            before == kind && end.first().is_some_and(|end| same(end, last))
        })?;
        let begins = self.first() == kind.first().map(String::as_str);
        (said == 1 && !as_path && !begins)
            .then(|| found.last().cloned())
            .flatten()
    }

    /// Whether the operation id has the one word before the other.
    pub(crate) fn has_before(&self, one: &str, other: &str) -> bool {
        let at = |word: &str| self.id.iter().position(|said| said == word);
        at(one).is_some_and(|one| at(other).is_some_and(|other| one < other))
    }

    /// Whether the operation id has the word, be it in two: `look up` for `lookup`.
    pub(crate) fn has(&self, word: &str) -> bool {
        let in_two = self.id.windows(2).any(|pair| pair.concat() == word);
        in_two || self.id.iter().any(|said| said == word)
    }

    /// What the operation id says at its end of how it is done: `with form` of `updatePetWithForm`,
    /// or that there is a newer one.
    pub(crate) fn manner(&self) -> Option<Vec<String>> {
        if self.numbered {
            return None;
        }
        let at = self.id.iter().rposition(|word| word == "with")?;
        let manner = self.id.get(at..)?;
        let short = at > 0 && (2..=WITH + 1).contains(&manner.len());
        short.then(|| manner.to_vec())
    }

    /// The verb with which the summary begins, if it changes something.
    pub(crate) fn summary_verb(&self) -> Option<&'static str> {
        let verb = self.first_of_summary()?;
        let changes = verb.certainty == Certainty::Plain && !verb.reads();
        changes.then(|| tool_verb(verb.base)).flatten()
    }

    /// Whether there is no text.
    pub(crate) fn has_no_summary(&self) -> bool {
        self.openings.is_empty()
    }

    /// The verb with which the summary begins, if it is no noun where something is sent.
    pub(crate) fn summary_call(&self) -> Option<&'static str> {
        let verb = self.first_of_summary()?;
        CALLS.has(verb.base).then(|| tool_verb(verb.base)).flatten()
    }

    /// Whether the first plain verb of the operation id reads.
    pub(crate) fn id_reads(&self) -> bool {
        let mut plain = self.id.iter().filter(|word| is_plain(word));
        let verb = plain.find_map(|word| lexicon::verb(word));
        verb.is_some_and(|verb| verb.reads()) || self.id.iter().any(|word| word == "read")
    }

    /// Whether the summary begins with a verb that reads.
    pub(crate) fn summary_reads(&self) -> bool {
        self.first_of_summary().is_some_and(|verb| verb.reads())
    }

    /// Whether the operation id or the summary begins with this verb of tool names.
    pub(crate) fn begins_with(&self, verb: &str) -> bool {
        let first = |words: &Vec<String>| {
            let (found, _) = lexicon::verb_form(words.first()?)?;
            tool_verb(found.base)
        };
        first(&self.id) == Some(verb) || self.openings.first().and_then(first) == Some(verb)
    }

    /// Whether the summary has these words, the last in singular or plural, behind its first:
    /// `Create upload session`.
    pub(crate) fn is_about(&self, thing: &[String]) -> bool {
        let Some(summary) = self
            .openings
            .first()
            .filter(|text| !self.whole.starts_with(text))
        else {
            return false;
        };
        let one = |words: &[String]| -> Vec<String> { words.iter().map(|w| singular(w)).collect() };
        let thing = one(thing);
        summary
            .get(1..)
            .unwrap_or_default()
            .windows(thing.len())
            .any(|run| one(run) == thing)
    }

    /// Whether the operation id ends in a number that only keeps it apart from another.
    pub(crate) const fn is_numbered(&self) -> bool {
        self.numbered
    }

    /// The last word of the operation id, where it says what of the thing is meant: `overview` of
    /// `task_overview`.
    pub(crate) fn aspect(&self, thing: &str) -> Option<&String> {
        let [.., before, last] = self.id.as_slice() else {
            return None;
        };
        (before == thing && ASPECTS.has(last)).then_some(last)
    }

    /// Whether the operation id begins with this verb and ends in that one: `connectPodExec`.
    pub(crate) fn has_other_than(&self, verb: &str) -> bool {
        let [first, .., last] = self.id.as_slice() else {
            return false;
        };
        let other = tool_verb(first).is_some_and(|first| first != verb);
        is_plain(first) && other && tool_verb(last) == Some(verb)
    }

    /// Whether the operation is said to be about what is the caller's own.
    pub(crate) fn is_own(&self) -> bool {
        OWN.has_any(&self.id) || self.openings.iter().any(|words| OWN.has_any(words))
    }

    /// The word as the operation id spells it, where that is in several: `stateful`, `sets` for
    /// `statefulsets` of `readStatefulSet`.
    pub(crate) fn spelt(&self, word: &str) -> Option<Vec<String>> {
        const SHORTEST: usize = 11;
        if word.len() < SHORTEST {
            return None;
        }
        let one = singular(word);
        let is_run = |run: &&[String]| run.iter().all(|piece| piece.len() > 1);
        let runs = (2..=self.id.len()).flat_map(|length| self.id.windows(length));
        let mut runs = runs.filter(is_run);
        let run = runs.find(|run| {
            let joined = run.concat();
            joined == word || singular(&joined) == one
        })?;
        let mut spelt = run.to_vec();
        if let Some(last) = spelt.last_mut()
            && run.concat() != word
        {
            *last = if one == word {
                singular(last)
            } else {
                plural(last)
            };
        }
        Some(spelt)
    }

    /// Whether the operation id says that it is about all of them, whatever they belong to:
    /// `listEventForAllNamespaces`.
    pub(crate) fn is_for_all(&self) -> bool {
        self.id.windows(2).any(|pair| pair == ["for", "all"])
    }

    /// By what the operation id says that one is chosen: `id` of `getProjectById`.
    pub(crate) fn chosen_by(&self) -> Option<&str> {
        // `listRulesForAPolicy`
        if self.id.windows(2).any(|pair| pair == ["for", "a"]) {
            return Some("id");
        }
        let at = self.id.iter().position(|word| word == "by")?;
        self.id.get(at + 1).map(String::as_str)
    }

    fn first_of_summary(&self) -> Option<lexicon::Verb> {
        let first = self.openings.first()?.first()?;
        lexicon::verb_form(first).map(|(verb, _)| verb)
    }
}

/// Whether the word is a verb and no common noun.
pub(crate) fn is_plain(word: &str) -> bool {
    PLAIN.has(word) || lexicon::verb(word).is_some_and(|verb| verb.certainty == Certainty::Plain)
}

/// Whether the word is no noun at the end of a path to which something is sent.
pub(crate) fn is_called(word: &str) -> bool {
    is_plain(word) || CALLS.has(word)
}

/// Whether the method is one with which something is called.
pub(crate) const fn calls(method: Method) -> bool {
    matches!(method, Method::Post | Method::Put)
}
