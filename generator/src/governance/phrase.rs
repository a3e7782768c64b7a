//! Parses a name as a phrase and finds its verb.
//!
//! A name has its verb first (`listUsers`), last (`users_list`) or, rarely, inside
//! (`account_get_photo`). A word after a verb is its object, even if it could be a verb: the verb
//! of `getUpdateStatus` is `get`.

pub(crate) use crate::language::clause::{VerbPlace, is_version};
use crate::language::vocabulary::{Certainty, Tag, Verb, is, join_particles, verb};

/// A name, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Phrase {
    /// The words without those that describe the manner or the beneficiary.
    pub(crate) words: Vec<String>,
    /// The verbs that may be what is done.
    pub(crate) verbs: Vec<(Verb, VerbPlace)>,
}

impl Phrase {
    /// Reads the words of a name.
    pub(crate) fn read(words: &[String]) -> Self {
        let joined = join_particles(words.to_vec());
        // `AddOnResults`
        let add_on = joined.starts_with(&["add", "on"].map(str::to_owned));
        let words = trim(joined.get(usize::from(add_on)..).unwrap_or_default());
        let verbs = match words {
            [] => Vec::new(),
            // `on-fetch` handles an event of another operation
            [first, ..] if first == "on" => Vec::new(),
            // `mark-read` reads nothing
            [mark, _] if mark == "mark" => verb(mark)
                .map(|verb| (verb, VerbPlace::Head))
                .into_iter()
                .collect(),
            [only] => verb(only)
                .map(|verb| (verb, VerbPlace::Whole))
                .into_iter()
                .collect(),
            [first, rest @ ..] => head(first, rest, words),
        };
        Self {
            words: words.to_vec(),
            verbs,
        }
    }

    /// Checks whether its first word is a verb that has this meaning only in some services.
    pub(crate) fn is_vague(&self) -> bool {
        self.verbs
            .iter()
            .any(|(verb, place)| *place == VerbPlace::Head && verb.certainty == Certainty::Vague)
    }
}

/// The verbs of a phrase of several words.
fn head(first: &str, rest: &[String], words: &[String]) -> Vec<(Verb, VerbPlace)> {
    match verb(first) {
        Some(verb) if verb.certainty == Certainty::Plain => {
            let mut verbs = vec![(verb, VerbPlace::Head)];
            verbs.extend(coordinated(words));
            verbs.extend(after_a_tag(verb, rest));
            verbs
        }
        Some(verb) => {
            let mut verbs = vec![(verb, VerbPlace::Head)];
            verbs.extend(after(rest));
            verbs
        }
        None => after(rest),
    }
}

/// The verb that reads after a first word that writes and may be the name of a group of
/// operations: `notifyGetThread`, `register_retrieve`.
fn after_a_tag(first: Verb, rest: &[String]) -> Option<(Verb, VerbPlace)> {
    let plain_read = |word: &String| {
        verb(word).filter(|verb| verb.reads() && verb.certainty == Certainty::Plain)
    };
    if first.reads() {
        return None;
    }
    let next = rest.first().and_then(plain_read);
    let last = rest.last().and_then(plain_read);
    next.map(|verb| (verb, VerbPlace::Inner))
        .or(last.map(|verb| (verb, VerbPlace::Tail)))
}

/// The verbs after the first word. Between the first plain one that reads and the last word are
/// objects.
fn after(rest: &[String]) -> Vec<(Verb, VerbPlace)> {
    let last = rest.len().saturating_sub(1);
    let mut verbs = Vec::new();
    let mut objects = false;
    for (at, word) in rest.iter().enumerate() {
        let Some(verb) = verb(word) else { continue };
        let plain = verb.certainty == Certainty::Plain;
        if at == last && (plain || !objects) {
            verbs.push((verb, VerbPlace::Tail));
        } else if !objects {
            verbs.push((verb, VerbPlace::Inner));
            objects = plain && verb.reads();
        }
    }
    verbs
}

/// Returns the verbs that a conjunction joins to the first.
fn coordinated(words: &[String]) -> impl Iterator<Item = (Verb, VerbPlace)> {
    words.windows(2).filter_map(|pair| match pair {
        [conjunction, word] if is(conjunction, Tag::Conjunction) => {
            verb(word).map(|verb| (verb, VerbPlace::Head))
        }
        _ => None,
    })
}

/// The words without the modifiers before and the suffixes after.
fn trim(words: &[String]) -> &[String] {
    let start = words
        .iter()
        .take_while(|word| is(word, Tag::Modifier) || is_version(word))
        .count();
    let words = words.get(start..).unwrap_or_default();
    let end = words
        .iter()
        .skip(1)
        .position(|word| is(word, Tag::Preposition))
        .map_or(words.len(), |at| at + 1);
    let words = words.get(..end).unwrap_or_default();
    let suffixes = words
        .iter()
        .skip(1)
        .rev()
        .take_while(|word| {
            is(word, Tag::Suffix) || is_version(word) || word.bytes().all(|b| b.is_ascii_digit())
        })
        .count();
    words.get(..words.len() - suffixes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::words;

    fn verbs(name: &str) -> Vec<(&'static str, VerbPlace)> {
        Phrase::read(&words(name))
            .verbs
            .into_iter()
            .map(|(verb, place)| (verb.base, place))
            .collect()
    }

    #[test]
    fn the_verb_is_first_last_or_within() {
        assert_eq!(verbs("listUsers"), [("list", VerbPlace::Head)]);
        assert_eq!(verbs("users_list"), [("list", VerbPlace::Tail)]);
        assert_eq!(verbs("account_get_photo"), [("get", VerbPlace::Inner)]);
        assert_eq!(verbs("archive"), [("archive", VerbPlace::Whole)]);
        assert_eq!(verbs("documents"), []);
    }

    #[test]
    fn what_follows_a_verb_is_its_object() {
        assert_eq!(verbs("getUpdateStatus"), [("get", VerbPlace::Head)]);
        assert_eq!(verbs("files_get_lock_status"), [("get", VerbPlace::Inner)]);
        assert_eq!(verbs("listUsersByStatus"), [("list", VerbPlace::Head)]);
    }

    #[test]
    fn a_conjunction_puts_a_second_verb_beside_the_first() {
        assert_eq!(
            verbs("fetchAndLock"),
            [("fetch", VerbPlace::Head), ("lock", VerbPlace::Head)]
        );
    }

    #[test]
    fn words_that_say_how_are_no_verbs() {
        assert_eq!(verbs("BatchGetItems"), [("get", VerbPlace::Head)]);
        assert_eq!(
            verbs("members_list_continue_v2"),
            [("list", VerbPlace::Tail)]
        );
        assert_eq!(verbs("look-up-self"), [("lookup", VerbPlace::Whole)]);
    }
}
