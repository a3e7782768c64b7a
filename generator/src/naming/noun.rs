//! Putting the noun of a name together, and shortening it.

use crate::english::{Form, WordList, is_plural, lexicon::verb_form, plural, singular};

use super::path::Part;

/// Words for of what kind things are.
const ADJECTIVES: WordList = WordList::new(
    "active all available composite current custom default effective enabled external failed \
     global internal latest local new pending related \
     basic full lite private public recent remote shared simple upcoming",
);

/// How many words of the last group are kept at least.
const LEAST: usize = 2;

/// In which number the last word of the noun stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// One thing.
    One,
    /// Many things.
    Many,
    /// Many things at once, where the same is done to one of them elsewhere.
    Batch,
    /// As the path writes it.
    AsWritten,
}

/// The words of one or more parts of a path, as they stand in a noun.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Group {
    /// The words.
    pub(crate) words: Vec<String>,
    /// Whether a parameter chooses one of many, so that the group tells things apart.
    pub(crate) item: bool,
    /// By what it is chosen, where that is no matter of course.
    pub(crate) by: Vec<String>,
}

/// The groups of a noun, the furthest parent first.
///
/// A parent of which a parameter chooses one stands in the singular.
pub(crate) fn groups(parts: &[Part], number: Number) -> Vec<Group> {
    let last = parts.len().saturating_sub(1);
    let mut groups: Vec<Group> = Vec::with_capacity(parts.len());
    let mut of_item = false;
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
        };
        push(&mut groups, group, of_item);
        of_item = part.item;
    }
    if let (Some(group), Some(part)) = (groups.last_mut(), parts.last())
        && !group.words.iter().any(|word| word == "by")
    {
        group.by.clone_from(&part.by);
    }
    groups
}

/// Puts a group after the others, without saying a word twice: `project` and `project-members`
/// are `project-members`, `access-rules` and `rule` are `access-rule`. But what belongs to one
/// chosen thing says so: documents of one document are `document-documents`, and the
/// `project-members` of one project are `project-project-members`, since it may have `members`.
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

/// Whether the words begin with others, in singular or plural.
fn begins_with(words: &[String], others: &[String]) -> bool {
    words
        .iter()
        .zip(others)
        .all(|(a, b)| singular(a) == singular(b))
}

/// Whether the words end with others, in singular or plural.
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

/// Whether the word says of what kind things are, so that it has no plural: `available`,
/// `archived`, `following`.
fn is_adjective(word: &str) -> bool {
    is_attribute(word) || matches!(verb_form(word), Some((_, Form::Gerund)))
}

/// Whether the word may stand before a noun: `available`, `archived`.
pub(crate) fn is_attribute(word: &str) -> bool {
    ADJECTIVES.has(word) || matches!(verb_form(word), Some((_, Form::Past)))
}

/// The groups in kebab case.
pub(crate) fn kebab(groups: &[Group]) -> String {
    words(groups).join("-")
}

/// The noun with the version of its group, shortened to the room there is, and whether it had to
/// be.
///
/// By what a thing is chosen is dropped first; then the furthest parents, one after the other:
/// those that no parameter chooses one of, the nearest aside; those that one does, the nearest
/// aside; the nearest of the former; and what is left word by word. Of the last group two words
/// are kept. The version is dropped last of all.
pub(crate) fn shorten(groups: &[Group], version: &[String], room: usize) -> (String, bool) {
    let fits = |kept: &[String]| [kept, version].concat().join("-").len() <= room;
    let mut rest = groups.to_vec();
    if !fits(&words(&rest))
        && let Some(last) = rest.last_mut()
    {
        last.by.clear();
    }
    while !fits(&words(&rest))
        && let Some(at) = droppable(&rest)
    {
        rest.remove(at);
    }
    let rest = words(&rest);
    let least = groups.last().map_or(0, |last| last.words.len().min(LEAST));
    let mut kept = rest.as_slice();
    while let [_, after @ ..] = kept
        && after.len() >= least
        && !fits(kept)
    {
        kept = after;
    }
    let version = if fits(kept) { version } else { &[] };
    let noun = [kept, version].concat().join("-");
    (noun, kept.len() < words(groups).len())
}

/// The place of the parent that tells least: see [`shorten`].
fn droppable(groups: &[Group]) -> Option<usize> {
    let parents = groups.get(..groups.len().saturating_sub(1))?;
    let nearest = parents.len().saturating_sub(1);
    let items = parents.iter().filter(|group| group.item).count();
    let namespace = |at: &usize| parents.get(*at).is_some_and(|group| !group.item);
    let item = |at: &usize| parents.get(*at).is_some_and(|group| group.item);
    (0..nearest)
        .find(namespace)
        .or_else(|| (0..parents.len()).find(item).filter(|_| items > 1))
        .or_else(|| (0..parents.len()).find(namespace).filter(|_| items > 0))
}

/// All the words.
fn words(groups: &[Group]) -> Vec<String> {
    groups
        .iter()
        .flat_map(|group| {
            let by = (!group.by.is_empty()).then(|| "by".to_owned());
            group
                .words
                .iter()
                .cloned()
                .chain(by)
                .chain(group.by.iter().cloned())
        })
        .collect()
}
