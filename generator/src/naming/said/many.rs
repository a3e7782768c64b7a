//! Evidence of the operation id and the descriptions for one or many items.

use super::{Said, verbs::verb_in};
use crate::{
    language::tool_verbs::tool_verb,
    language::{WordList, is_plural, lexicon::is_past, plural},
};

/// Words of an operation id for a batch.
static BULK: WordList = WordList::new("batch bulk collection many multi multiple");

/// Prepositions that end the noun phrase of a summary.
static PREPOSITIONS: WordList =
    WordList::new("and as at by for from in into on or that to using via which with");

/// The most words of a description before a verb that lists.
const LISTS_WITHIN: usize = 3;

impl Said {
    /// Checks whether the operation id begins or ends with a word for listing, or it or the summary
    /// contains the plural of the word.
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

    /// Checks whether the operation id contains these words, one of them in the plural:
    /// `causesOfAction` for `causeOfAction`.
    pub(crate) fn has_many(&self, words: &[String]) -> bool {
        let same = |run: &[String]| {
            let mut pairs = run.iter().zip(words);
            run != words && pairs.all(|(said, word)| said == word || *said == plural(word))
        };
        words.len() > 1 && self.id.windows(words.len()).any(same)
    }

    /// Checks whether the operation id ends in the plural of the word, unlike `getItemsById`.
    pub(crate) fn is_of_many(&self, word: &str) -> bool {
        let many = plural(word);
        is_plural(&many) && self.whole.last() == Some(&many)
    }

    /// Checks whether the summary ends in `collection`.
    pub(crate) fn is_about_collection(&self) -> bool {
        let Some(summary) = self.openings.first() else {
            return false;
        };
        let of_many = |pair: &[String]| pair == ["collection", "of"];
        let of = summary.windows(2).take(LISTS_WITHIN).position(of_many);
        let mut things = summary.iter().skip(of.map_or(summary.len(), |at| at + 2));
        let of = things.any(|thing| is_plural(thing));
        of || summary.last().is_some_and(|last| last == "collection")
    }

    /// Checks whether the summary is about many items.
    pub(crate) fn is_about_many(&self, word: &str) -> bool {
        let many = plural(word);
        let has = |word: &str| self.head().any(|said| said == word);
        many != word && has(&many) && !has(word)
    }

    /// Checks whether the summary is about the details of an item: `List interconnect details`.
    pub(crate) fn is_about_details(&self) -> bool {
        self.about().is_some_and(|about| about == "details")
    }

    /// The words of the summary before a preposition.
    fn head(&self) -> impl Iterator<Item = &String> {
        let summary = self.openings.first().into_iter().flatten();
        summary.take_while(|word| !PREPOSITIONS.has(word))
    }

    /// The last word of the summary before a preposition: what it is about; not `filtered`.
    fn about(&self) -> Option<&String> {
        let summary = self.openings.first()?;
        let head = summary.get(..self.head().count())?;
        let of_kind = |word: &&String| !is_past(word);
        head.iter().rfind(of_kind)
    }

    /// Checks whether the operation id or the summary contains a verb that lists.
    pub(crate) fn lists(&self) -> bool {
        let lists = |word: &String| {
            tool_verb(word) == Some("list") || matches!(word.as_str(), "all" | "lists")
        };
        let summary = self.openings.first();
        let ends = summary.and_then(|summary| summary.last());
        self.id.iter().any(lists)
            || summary.into_iter().flatten().take(LISTS_WITHIN).any(lists)
            || ends.is_some_and(|last| last == "list")
    }

    /// Checks whether the operation id or the summary creates several items at once: `Create
    /// multiple items`, `bulkCreateItems`.
    pub(crate) fn creates_many(&self) -> bool {
        static SEVERAL: WordList = WordList::new("bulk multiple several");
        let makes = |word: &str| matches!(verb_in(word), Some("add" | "create")) || word == "save";
        let of_many = |pair: &[String]| {
            let [a, b] = pair else { return false };
            makes(a) && SEVERAL.has(b) || a == "bulk" && makes(b)
        };
        let summary = self.openings.first().into_iter();
        let mut heads = summary.filter_map(|summary| summary.get(..2));
        heads.any(of_many) || self.id.windows(2).any(of_many)
    }

    /// Checks whether the operation id contains `list all`.
    pub(crate) fn lists_all(&self) -> bool {
        self.id.windows(2).any(|pair| pair == ["list", "all"])
    }

    /// Checks whether the operation id ends in getting a page of a list: `items.getPage`.
    pub(crate) fn gets_page(&self) -> bool {
        matches!(self.whole.as_slice(), [.., get, page] if get == "get" && page == "page")
    }

    /// Checks whether the operation id contains `bulk`.
    pub(crate) fn is_said_bulk(&self) -> bool {
        self.id.iter().any(|word| word == "bulk")
    }

    /// Checks whether the operation id declares a batch of these items.
    pub(crate) fn is_bulk(&self, word: &str) -> bool {
        let many = plural(word);
        let is_many = |said: &String| BULK.has(said) || many != word && *said == many;
        let all = |text: &Vec<String>| {
            let many_of = |second: &String| second == "all" || second == "multiple";
            many != word
                && text.get(1).is_some_and(many_of)
                && text.iter().skip(2).any(|word| *word == many)
        };
        let about = many != word && is_plural(&many) && self.about() == Some(&many);
        self.id.iter().any(is_many) || self.openings.iter().any(all) || about
    }
}
