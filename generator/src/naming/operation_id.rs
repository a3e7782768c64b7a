//! The noun of an operation id, for a path without a noun or with one that is too long.

use toolwright_model::ServiceName;

use super::noun::{self, Number};
use super::parameter::own_words as own_words_of;
use super::path::Part;
use super::segment::{is_version, literal_words};
use crate::language::{
    WordList,
    facts::OperationFacts,
    singular,
    tool_verbs::{join_particles, tool_verb},
    words,
};

/// Words of an operation id without a meaning for the noun.
static FILLERS: WordList = WordList::new("a an s the bulk batch collection using");

/// Words of a sentence: an id that contains them is not a noun.
static TIES: WordList = WordList::new("for from in into on to with");

/// So many words are few for what another operation has too.
const FEW: usize = 3;

/// Words that join the halves of an operation id: `createOrUpdate`.
static JOINTS: WordList = WordList::new("and or");

/// Words of an operation id that distinguish it from another with the same action.
static VARIANTS: WordList =
    WordList::new("asynchronous asynchronously deprecated legacy paginated");

/// The verbs of tool names that an operation id may have anywhere.
static PLAIN: WordList = WordList::new("create delete destroy get list replace update");

/// Returns the words of an operation id's noun, without the verb, the method, the service's own
/// word, versions, and repetitions.
///
/// The parts of `VirtualMachines_ListSizes` are parsed like those of a path: the sizes of one
/// virtual machine. A number at the end shows that another operation has the same noun, so such an
/// id needs more words.
pub(crate) fn noun(
    service: &ServiceName,
    facts: &OperationFacts,
    verb: &str,
    number: Number,
) -> Vec<String> {
    let id = facts.operation_id.as_deref().unwrap_or_default();
    let method = facts.method.word().to_ascii_lowercase();
    let variant = variant(id, &facts.path);
    let mut parts: Vec<Vec<String>> = split(id)
        .map(literal_words)
        .map(|words| {
            let mut words = join_particles(words);
            // `getItemsUsingGET`
            if matches!(words.as_slice(), [.., using, last] if using == "using" && *last == method)
            {
                words.truncate(words.len() - 2);
            }
            words.retain(|word| {
                let says = !FILLERS.has(word) && variant.as_ref() != Some(word);
                says && word != service.as_str() && !is_version(word)
            });
            words
        })
        .collect();
    if matches!(parts.first().map(Vec::as_slice), Some([only]) if *only == method)
        && parts.len() > 1
    {
        parts.remove(0);
    }
    let mut parts = without_verb(parts, verb, &method);
    parts.retain(|part| !part.is_empty());
    let last = parts.len().saturating_sub(1);
    let parts: Vec<Part> = parts
        .into_iter()
        .enumerate()
        .map(|(at, mut words)| {
            if at < last
                && let Some(end) = words.last_mut()
            {
                *end = singular(end);
            }
            Part::of(without_repetition(words))
        })
        .collect();
    let mut noun = without_repetition(noun::words(&noun::groups(&parts, number)));
    if is_numbered(id)
        && let Some(last) = noun.last_mut()
        && !facts.path.to_ascii_lowercase().contains(last.as_str())
    {
        last.truncate(last.trim_end_matches(|c: char| c.is_ascii_digit()).len());
        if noun.len() <= FEW {
            noun.clear();
        }
    }
    noun.retain(|word| !word.is_empty());
    // `absences/{absenceId}` with `deleteAbsenceByAbsenceId`
    if let Some(by) = noun.iter().rposition(|word| word == "by")
        && let Some((things, [_, tail @ ..])) = noun.split_at_checked(by)
        && let Some((path, key)) = facts
            .path
            .strip_suffix('}')
            .and_then(|path| path.rsplit_once("/{"))
        && words(key) == tail
        && own_words_of(key).len() < tail.len()
        && let Some(thing) = words(path).last()
        && things
            .last()
            .is_some_and(|last| singular(last) == singular(thing))
    {
        noun.truncate(by);
    }
    if TIES.has_any(&noun) || noun.first().is_some_and(|first| first == "by") {
        Vec::new()
    } else {
        noun
    }
}

/// Counts the words at the start of a noun that are the service's own: `web app` of `webapps`.
pub(crate) fn own_words(service: &ServiceName, noun: &[String]) -> Option<usize> {
    let own = singular(service.as_str());
    (2..noun.len()).find(|end| noun.get(..*end).is_some_and(|words| words.concat() == own))
}

/// Returns the version in an operation id, unless it is the first: `v2` of `getUserV2`.
pub(crate) fn version(id: &str) -> Option<String> {
    let mut versions = words(id).into_iter();
    versions.find(|word| word.starts_with('v') && is_version(word) && word != "v1")
}

/// Returns the variant of an operation in its operation id, if the path does not contain it:
/// `legacy`, `paginated`.
pub(crate) fn variant(id: &str, path: &str) -> Option<String> {
    let path = path.to_ascii_lowercase();
    let thing = id
        .rsplit_once(['.', '/', '_'])
        .map_or("", |(thing, _)| thing);
    let bulk = words(id)
        .into_iter()
        .next()
        .filter(|first| first == "bulk" && path.ends_with('}'));
    let kin = words(thing).pop().filter(|last| last == "child");
    let mut variants = words(id)
        .into_iter()
        .filter(|word| VARIANTS.has(word))
        .chain(bulk)
        .chain(kin);
    variants.find(|word| !path.contains(word.as_str()))
}

/// Checks whether an operation id ends in a number that only makes it unique: `roles2`,
/// `downloads_1`.
pub(crate) fn is_numbered(id: &str) -> bool {
    let last = words(id).pop().unwrap_or_default();
    let version = last.starts_with('v') && is_version(&last);
    last.ends_with(|c: char| c.is_ascii_digit()) && !version
}

/// Checks whether an operation id ends in a counter that a tool added: `create_6`.
pub(crate) fn is_counted(id: &str) -> bool {
    let end = id.rsplit_once('_').map_or("", |(_, end)| end);
    !end.is_empty() && end.bytes().all(|b| b.is_ascii_digit())
}

/// Splits an operation id into its parts: `VirtualMachines` and `ListSizes`. Without capitals, `_`
/// is a space.
fn split(id: &str) -> impl Iterator<Item = &str> {
    let capitals = id.bytes().any(|b| b.is_ascii_uppercase());
    id.split(move |c: char| matches!(c, '.' | '/') || capitals && c == '_')
}

/// Removes the verb from the parts, even if it is split in two: the verb of the name or the method
/// in any position, or else a verb at the start of a part, or else a plain verb.
fn without_verb(mut parts: Vec<Vec<String>>, verb: &str, method: &str) -> Vec<Vec<String>> {
    let find = |is_it: &dyn Fn(usize, &str) -> bool| {
        parts.iter().enumerate().rev().find_map(|(part, words)| {
            let at = words
                .iter()
                .enumerate()
                .position(|(at, word)| is_it(at, word))?;
            Some((part, at))
        })
    };
    let place = find(&|_, word| word == method || tool_verb(word) == Some(verb))
        .or_else(|| find(&|at, word| at == 0 && tool_verb(word).is_some()))
        .or_else(|| find(&|_, word| tool_verb(word).is_some_and(|verb| PLAIN.has(verb))));
    if let Some((part, at)) = place
        && let Some(words) = parts.get_mut(part)
    {
        let mut after = words.split_off(at);
        after.remove(0);
        // `createOrUpdate`
        if let [joint, second, ..] = after.as_slice()
            && JOINTS.has(joint)
            && tool_verb(second).is_some()
        {
            after.drain(..2);
        }
        // `postValidateCodes`
        if words.is_empty()
            && after
                .first()
                .is_some_and(|first| first == verb || first == "update")
        {
            after.remove(0);
        }
        // `createReplaceItems`
        if matches!(words.as_slice(), [only] if tool_verb(only).is_some()) {
            words.clear();
        }
        parts.insert(part + 1, after);
    }
    parts
}

/// Removes a run of words that directly follows itself: `captions captions`.
fn without_repetition(mut words: Vec<String>) -> Vec<String> {
    let same =
        |a: &[String], b: &[String]| a.iter().zip(b).all(|(a, b)| singular(a) == singular(b));
    for length in (1..=words.len() / 2).rev() {
        let mut at = 0;
        while let Some(window) = words.get(at..at + 2 * length) {
            let (first, second) = window.split_at(length);
            if same(first, second) {
                words.drain(at..at + length);
            } else {
                at += 1;
            }
        }
    }
    words
}
