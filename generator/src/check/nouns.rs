//! The nouns that the check suggests for an operation.

use toolwright_model::{MAX_TOOL_NAME, ServiceName, ToolName};

use crate::{
    language::{facts::OperationFacts, vocabulary::tool_verb, words},
    naming::{Naming, abbreviations::abbreviate},
};

/// The noun of an operation whose document contains no word for it.
const NO_WORD: &str = "operation";

/// The nouns of one operation, the best first. Each makes a valid name.
pub(super) struct CandidateNouns<'a> {
    service: &'a ServiceName,
    facts: &'a OperationFacts,
    naming: &'a Naming,
    room: usize,
}

impl<'a> CandidateNouns<'a> {
    /// Prepares the nouns of an operation, whose name is derived without the noun of the overlay.
    pub(super) fn new(
        service: &'a ServiceName,
        facts: &'a OperationFacts,
        naming: &'a Naming,
    ) -> Self {
        let around = naming.verb.len() + service.as_str().len() + "--".len();
        Self {
            service,
            facts,
            naming,
            room: MAX_TOOL_NAME.saturating_sub(around),
        }
    }

    /// Returns the name with a noun.
    pub(super) fn name(&self, noun: &str) -> Option<ToolName> {
        ToolName::new(format!("{}-{}-{noun}", self.naming.verb, self.service)).ok()
    }

    /// Returns the nouns of words in the document, with their names.
    pub(super) fn telling(&self) -> impl Iterator<Item = (String, ToolName)> + use<'_, 'a> {
        let parts = self.heads().into_iter().flat_map(|head| {
            let tails = self.tails().into_iter();
            tails.map(move |tail| (head.clone(), tail))
        });
        parts.filter_map(|(head, tail)| self.join(&head, &tail))
    }

    /// Returns the noun that ends in a number, with its name, for an operation that nothing else tells
    /// apart from its neighbours.
    pub(super) fn numbered(&self, number: usize) -> Option<(String, ToolName)> {
        let head = self.heads().into_iter().next()?;
        self.join(&head, &[number.to_string()])
    }

    fn join(&self, head: &[String], tail: &[String]) -> Option<(String, ToolName)> {
        let noun = fit(head, tail, self.room)?;
        let name = self.name(&noun)?;
        Some((noun, name))
    }

    /// Returns the words for the thing: those of the path's resource, of the operation id, of the
    /// whole path, and of the first tag.
    fn heads(&self) -> Vec<Vec<String>> {
        let facts = self.facts;
        let base = words(&self.naming.noun);
        let id = facts.operation_id.as_deref().map(|id| self.of_id(id));
        let literals = facts.path.split(['{', '}']).step_by(2);
        let path = literals.flat_map(words).collect();
        let tag = facts.tags.first().map(|tag| words(tag));
        let mut heads: Vec<Vec<String>> = Vec::new();
        for head in [Some(base), id, Some(path), tag].into_iter().flatten() {
            if !head.is_empty() && !heads.contains(&head) {
                heads.push(head);
            }
        }
        if heads.is_empty() {
            heads.push(vec![NO_WORD.to_owned()]);
        }
        heads
    }

    /// Returns the words of an operation id without the verb at its start and without the service.
    fn of_id(&self, id: &str) -> Vec<String> {
        let mut said = words(id);
        said.retain(|word| word != self.service.as_str());
        if said.len() > 1 && said.first().is_some_and(|word| tool_verb(word).is_some()) {
            said.remove(0);
        }
        said
    }

    /// Returns the words that may tell the operation apart: nothing, the last parameter of the path,
    /// all of them, the required parameters of the query, all of them, and the method.
    fn tails(&self) -> Vec<Vec<String>> {
        let facts = self.facts;
        let keys = &facts.path_parameters;
        let last = keys.last().into_iter().flat_map(|key| words(key));
        let all = keys.iter().flat_map(|key| words(key));
        let query = &facts.query_parameters;
        let required = query.iter().filter(|parameter| parameter.required);
        let required = required.flat_map(|parameter| words(&parameter.name));
        let every = query.iter().flat_map(|parameter| words(&parameter.name));
        let method = facts.method.word().to_ascii_lowercase();
        vec![
            Vec::new(),
            led_by("by", last),
            led_by("by", all),
            led_by("with", required),
            led_by("with", every),
            led_by("using", [method].into_iter()),
        ]
    }
}

fn led_by(preposition: &str, words: impl Iterator<Item = String>) -> Vec<String> {
    let words: Vec<String> = words.collect();
    if words.is_empty() {
        return words;
    }
    [vec![preposition.to_owned()], words].concat()
}

/// Joins the words of a noun in the available length: abbreviated if they are too long, then without
/// the first words of the head, and then with the last one cut. The tail stays whole.
fn fit(head: &[String], tail: &[String], room: usize) -> Option<String> {
    let (short, short_tail) = (abbreviated(head), abbreviated(tail));
    let whole = [(head, tail), (&short, tail)].into_iter();
    let cut = (0..short.len()).filter_map(|from| Some((short.get(from..)?, &short_tail[..])));
    let mut nouns = whole.chain(cut).map(|(head, tail)| [head, tail].concat());
    if let Some(noun) = nouns.find(|noun| length(noun) <= room) {
        return Some(noun.join("-"));
    }
    let last = short.last()?;
    let too_many = length(&[std::slice::from_ref(last), &short_tail].concat()).checked_sub(room)?;
    let left = last.len().checked_sub(too_many)?;
    let last = last.get(..left).filter(|last| !last.is_empty())?;
    Some([&[last.to_owned()], &short_tail[..]].concat().join("-"))
}

fn abbreviated(words: &[String]) -> Vec<String> {
    let abbreviated = words.iter().map(|word| (word, abbreviate(word)));
    abbreviated
        .map(|(word, short)| short.map_or_else(|| word.clone(), Into::into))
        .collect()
}

/// Counts the characters of words that are joined by hyphens.
fn length(words: &[String]) -> usize {
    let letters: usize = words.iter().map(|word| word.len() + 1).sum();
    letters.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(head: &str, tail: &str, room: usize) -> Option<String> {
        fit(&words(head), &words(tail), room)
    }

    #[test]
    fn a_noun_keeps_the_words_that_tell_it_apart() {
        for (room, noun) in [
            (40, "shop-organization-members-by-id"),
            (22, "shop-org-mbrs-by-id"),
            (14, "org-mbrs-by-id"),
            (12, "mbrs-by-id"),
            (8, "mb-by-id"),
        ] {
            let fitted = fitted("shop organization members", "by id", room);
            assert_eq!(fitted.as_deref(), Some(noun), "{room}");
        }
        assert_eq!(fitted("members", "by id", 6), None);
        assert_eq!(fitted("members", "", 3).as_deref(), Some("mbr"));
    }
}
