//! Putting the noun of a name together, and shortening it.

use crate::language::{
    Form, WordList, is_plural,
    lexicon::{is_past, verb_form},
    plural, singular,
};

use super::path::Part;

/// Adjectives that describe the kind of items.
pub(crate) static ADJECTIVES: WordList = WordList::new(
    "active all available composite current custom default effective enabled external failed \
     first global internal last latest local national new next pending previous related transitive \
     basic full lite private public recent remote shared simple upcoming",
);

/// Words within the name of a thing whose last word alone would be another thing:
/// `versions-on-hold`.
pub(crate) static PREPOSITIONS: WordList =
    WordList::new("at by for from in of on per to under with");

/// The grammatical number of the noun's last word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// One thing.
    One,
    /// Many things.
    Many,
    /// A batch, if the same action on one item exists elsewhere.
    Batch,
    /// As the path writes it.
    AsWritten,
}

/// The words of one or more parts of a path, as part of a noun.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Group {
    /// The words.
    pub(crate) words: Vec<String>,
    /// True if a parameter selects one item, so the group distinguishes nouns.
    pub(crate) item: bool,
    /// The key that selects the item, if it is not the usual one.
    pub(crate) by: Vec<String>,
    /// True for the object of a call, whose words come before its parents.
    pub(crate) object: bool,
}

impl Group {
    /// Returns the suffix for the key or the variant: `by-email`, `with-form`.
    pub(crate) fn manner(&self) -> Vec<String> {
        let stands_alone = self.by.first().is_none_or(|first| MANNERS.has(first));
        let by = (!stands_alone).then(|| "by".to_owned());
        by.into_iter().chain(self.by.iter().cloned()).collect()
    }
}

/// First words of a manner that needs no `by`.
static MANNERS: WordList = WordList::new("with");

/// Returns the groups of a noun, the furthest parent first.
///
/// A parent of which a parameter selects one item is in the singular.
pub(crate) fn groups(parts: &[Part], number: Number) -> Vec<Group> {
    let last = parts.len().saturating_sub(1);
    let mut groups: Vec<Group> = Vec::with_capacity(parts.len());
    let (mut of_item, mut of_group) = (false, false);
    for (at, part) in parts.iter().enumerate() {
        let number = match number {
            number if at == last => number,
            _ if part.item => Number::One,
            _ => Number::AsWritten,
        };
        let group = Group {
            words: in_number(&part.words, number),
            item: part.item || part.fixed,
            by: Vec::new(),
            object: part.object,
        };
        // `events.example.io/events`
        let of_same = groups
            .last()
            .is_some_and(|last| of_group && last.words == group.words);
        push(&mut groups, group, of_item || of_same);
        (of_item, of_group) = (part.item, part.group);
    }
    if let (Some(group), Some(part)) = (groups.last_mut(), parts.last())
        && !group.words.iter().any(|word| word == "by")
    {
        group.by.clone_from(&part.by);
    }
    groups
}

/// Adds a group after the others, without a repeated word: `project` and `project-members` are
/// `project-members`, `access-rules` and `rule` are `access-rule`. Parts of one selected item keep
/// the word: documents of one document are `document-documents`, and the `project-members` of one
/// project are `project-project-members`, since it may have `members`.
fn push(groups: &mut Vec<Group>, mut group: Group, of_item: bool) {
    if group.words.is_empty() {
        return;
    }
    let before = groups.last().map_or(&[][..], |before| &before.words);
    if before.len() < group.words.len() {
        if !of_item && !before.is_empty() && begins_with(&group.words, before) {
            groups.pop();
        }
    } else if !(of_item && before.len() == group.words.len()) && ends_with(before, &group.words) {
        let kept = before.len() - group.words.len();
        let mut whole = groups.pop().unwrap_or_default().words;
        whole.truncate(kept);
        whole.append(&mut group.words);
        group.words = whole;
    }
    groups.push(group);
}

/// Checks whether the words begin with others, in singular or plural.
pub(crate) fn begins_with(words: &[String], others: &[String]) -> bool {
    words
        .iter()
        .zip(others)
        .all(|(a, b)| singular(a) == singular(b))
}

/// Checks whether the words end with others, in singular or plural.
fn ends_with(words: &[String], others: &[String]) -> bool {
    words
        .iter()
        .rev()
        .zip(others.iter().rev())
        .all(|(a, b)| singular(a) == singular(b))
}

/// The words with the last one in this number.
fn in_number(words: &[String], number: Number) -> Vec<String> {
    let mut words = words.to_vec();
    let many = words.iter().any(|word| is_plural(word));
    // `totals/by-contributor`, `news-by-player`
    let by = words.iter().position(|word| word == "by");
    if let Some(by) = by.filter(|by| by + 1 < words.len())
        && number != Number::One
    {
        let tail = words.split_off(by);
        words = in_number(&words, number);
        words.extend(tail);
        return words;
    }
    if let Some(last) = words.last_mut() {
        *last = match number {
            // `cycles-lite`
            Number::Many if many => return words,
            Number::One => singular(last),
            Number::Many | Number::Batch if is_adjective(last) => return words,
            Number::Batch if plural(last) == singular(last) => {
                words.push("batch".to_owned());
                return words;
            }
            Number::Many | Number::Batch => plural(last),
            Number::AsWritten => return words,
        };
    }
    words
}

/// Checks whether the word describes the kind of items, so it has no plural: `available`,
/// `archived`, `following`, `member-of`.
fn is_adjective(word: &str) -> bool {
    is_attribute(word)
        || PREPOSITIONS.has(word)
        || matches!(verb_form(word), Some((_, Form::Gerund)))
}

/// Checks whether the word may precede a noun: `available`, `archived`.
pub(crate) fn is_attribute(word: &str) -> bool {
    ADJECTIVES.has(word) || is_past(word) || is_participle(word)
}

/// Checks whether the word looks like a participle: `supported`, but not `feed`.
fn is_participle(word: &str) -> bool {
    word.len() >= SHORT
        && word.ends_with("ed")
        && !word.ends_with("eed")
        && !word.ends_with("embed")
}

/// Shorter words in `ed` are things: `bed`, `shed`.
const SHORT: usize = 5;

/// The groups in kebab case.
pub(crate) fn kebab(groups: &[Group]) -> String {
    words(groups).join("-")
}

/// All the words.
pub(crate) fn words(groups: &[Group]) -> Vec<String> {
    groups
        .iter()
        .flat_map(|group| group.words.iter().cloned().chain(group.manner()))
        .collect()
}
