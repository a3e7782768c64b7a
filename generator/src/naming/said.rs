//! What the operation id and the texts say, where the path says too little.

use toolwright_model::Method;

use super::verbs::tool_verb;
use crate::{
    english::{
        WordList, is_plural,
        lexicon::{self, Certainty},
        plural, words,
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

/// Words for what is the caller's own.
const OWN: WordList = WordList::new("authenticated current currently logged my own your");

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

    /// Whether the operation id begins or ends with `list`, or ends with the plural of the word.
    pub(crate) fn id_lists(&self, word: &str) -> bool {
        let many = plural(word);
        let ends = [self.id.first(), self.id.last()];
        ends.into_iter()
            .flatten()
            .any(|end| matches!(end.as_str(), "all" | "list"))
            || is_plural(&many) && self.id.last() == Some(&many)
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
        self.id.iter().any(|said| BULK.has(said) || *said == many)
    }

    /// Whether the operation is said to be about what is the caller's own.
    pub(crate) fn is_own(&self) -> bool {
        OWN.has_any(&self.id) || self.openings.iter().any(|words| OWN.has_any(words))
    }

    /// By what the operation id says that one is chosen: `id` of `getProjectById`.
    pub(crate) fn chosen_by(&self) -> Option<&String> {
        let at = self.id.iter().position(|word| word == "by")?;
        self.id.get(at + 1)
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
