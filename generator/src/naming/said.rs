//! What the operation id and the texts say, where the path says too little.

use toolwright_model::Method;

use super::segment::is_version;
use super::verbs::tool_verb;
use crate::{
    english::{
        WordList, is_plural,
        lexicon::{self, Certainty},
        plural, singular, words,
    },
    facts::OperationFacts,
};

/// The words of the operation id and of the beginnings of the texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    /// The words of the operation id, without that of the method.
    pub(crate) id: Vec<String>,
    /// The first words of the summary and of the description.
    openings: Vec<Vec<String>>,
}

/// Words of an operation id that say that it is done to many at once.
const BULK: WordList = WordList::new("batch bulk collection many multi multiple");

/// Words for what of a thing is meant, rather than a thing of their own.
const ASPECTS: WordList = WordList::new("overview status summary");

/// Words for what is the caller's own.
const OWN: WordList = WordList::new("authenticated current currently logged my own your");

/// Words behind which a text says more than what it is about.
const PREPOSITIONS: WordList =
    WordList::new("and as at by for from in into on or that to using via which with");

/// How many words of a text are looked at.
const OPENING: usize = 12;

/// How many words of a text may come before it says that it lists.
const LISTS_WITHIN: usize = 3;

impl Said {
    /// Reads the operation id and the texts.
    pub(crate) fn by(facts: &OperationFacts) -> Self {
        let method = facts.method.word().to_ascii_lowercase();
        let id = facts.operation_id.as_deref().map(words).unwrap_or_default();
        let opening = |text: &str| {
            let line = text.lines().next().unwrap_or_default();
            words(line).into_iter().take(OPENING).collect()
        };
        Self {
            id: id.into_iter().filter(|word| *word != method).collect(),
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
            .filter(|word| is_plain(word))
            .find_map(|word| tool_verb(word))
            .filter(|verb| !matches!(*verb, "get" | "list"))
    }

    /// The verb with which the summary begins, if it changes something.
    pub(crate) fn summary_verb(&self) -> Option<&'static str> {
        let verb = self.first_of_summary()?;
        let changes = verb.certainty == Certainty::Plain && !verb.reads();
        changes.then(|| tool_verb(verb.base)).flatten()
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

    /// Whether the operation id begins or ends with a word for listing, or it or the summary has
    /// the plural of the word.
    pub(crate) fn lists_many(&self, word: &str) -> bool {
        let many = plural(word);
        let ends = [self.id.first(), self.id.last()];
        let heads = self.summary_reads()
            && self.about() == Some(&many)
            && self.id.last().is_none_or(|last| last != word);
        ends.into_iter()
            .flatten()
            .any(|end| matches!(end.as_str(), "all" | "list"))
            || is_plural(&many) && self.id.last() == Some(&many)
            || many != word && is_plural(&many) && (self.id.contains(&many) || heads)
    }

    /// The last word of the summary before a preposition: what it is about.
    fn about(&self) -> Option<&String> {
        let summary = self.openings.first()?;
        summary
            .iter()
            .take_while(|word| !PREPOSITIONS.has(word))
            .last()
    }

    /// Whether the operation id ends in a number that only keeps it apart from another:
    /// `roles2`, `downloads_1`.
    pub(crate) fn is_numbered(&self) -> bool {
        let last = self.id.last().map(String::as_str).unwrap_or_default();
        let version = last.starts_with('v') && is_version(last);
        last.ends_with(|c: char| c.is_ascii_digit()) && !version
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

    /// Whether the operation id or the summary says anywhere that many are listed.
    pub(crate) fn lists(&self) -> bool {
        let lists = |word: &String| {
            tool_verb(word) == Some("list") || matches!(word.as_str(), "all" | "lists")
        };
        let summary = self.openings.first().into_iter().flatten();
        self.id.iter().any(lists) || summary.take(LISTS_WITHIN).any(lists)
    }

    /// Whether the operation id says that it is done to many of these at once.
    pub(crate) fn is_bulk(&self, word: &str) -> bool {
        let many = plural(word);
        self.id
            .iter()
            .any(|said| BULK.has(said) || many != word && *said == many)
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
    lexicon::verb(word).is_some_and(|verb| verb.certainty == Certainty::Plain)
}

/// Whether the method is one with which something is called.
pub(crate) const fn calls(method: Method) -> bool {
    matches!(method, Method::Post | Method::Put)
}
