//! What the operation id and the texts say of how many are meant.

use super::{Said, verbs::verb_in};
use crate::{
    english::{WordList, is_plural, lexicon::is_past, plural},
    naming::verbs::tool_verb,
};

/// Words of an operation id that say that it is done to many at once.
static BULK: WordList = WordList::new("batch bulk collection many multi multiple");

/// Words behind which a text says more than what it is about.
static PREPOSITIONS: WordList =
    WordList::new("and as at by for from in into on or that to using via which with");

/// How many words of a text may come before it says that it lists.
const LISTS_WITHIN: usize = 3;

impl Said {
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

    /// Whether the operation id has these words, one of them in the plural: `causesOfAction` for
    /// `causeOfAction`.
    pub(crate) fn has_many(&self, words: &[String]) -> bool {
        let same = |run: &[String]| {
            let mut pairs = run.iter().zip(words);
            run != words && pairs.all(|(said, word)| said == word || *said == plural(word))
        };
        words.len() > 1 && self.id.windows(words.len()).any(same)
    }

    /// Whether the operation id ends in the plural of the word, which is not `getItemsById`.
    pub(crate) fn is_of_many(&self, word: &str) -> bool {
        let many = plural(word);
        is_plural(&many) && self.whole.last() == Some(&many)
    }

    /// Whether the summary ends in `collection`.
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

    /// Whether the summary is about many of a thing.
    pub(crate) fn is_about_many(&self, word: &str) -> bool {
        let many = plural(word);
        let has = |word: &str| self.head().any(|said| said == word);
        many != word && has(&many) && !has(word)
    }

    /// Whether the summary is about what is known of a thing: `List interconnect details`.
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

    /// Whether the operation id or the summary says anywhere that many are listed.
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

    /// Whether the operation id or the summary says that several are made at once: `Create multiple
    /// items`, `bulkCreateItems`.
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

    /// Whether the operation id says `list all`.
    pub(crate) fn lists_all(&self) -> bool {
        self.id.windows(2).any(|pair| pair == ["list", "all"])
    }

    /// Whether the operation id says at its end that a page of a list is got: `items.getPage`.
    pub(crate) fn gets_page(&self) -> bool {
        matches!(self.whole.as_slice(), [.., get, page] if get == "get" && page == "page")
    }

    /// Whether the operation id says `bulk`.
    pub(crate) fn is_said_bulk(&self) -> bool {
        self.id.iter().any(|word| word == "bulk")
    }

    /// Whether the operation id says that it is done to many of these at once.
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
