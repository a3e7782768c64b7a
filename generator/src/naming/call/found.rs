//! The location of a call in a path: spelt out, in the last segment, or before a parameter at the
//! end.

use toolwright_model::{Kind, Method};

use super::Call;
use super::evidence::{WITH_OBJECT, asks_many, is_another, is_call};
use crate::{
    language::tool_verbs::{is_of_many, tool_verb},
    language::{WordList, is_plural, lexicon::is_past},
    naming::{
        path::Part,
        said::{Said, calls, is_called, is_plain},
    },
};

/// Verbs that are also nouns, but seldom with a selecting parameter after them.
static WITH_CHOICE: WordList = WordList::new("issue sign trim");

/// Endings of words for what is done: `impersonation`.
const DEEDS: [&str; 3] = ["ion", "ment", "ance"];

/// Returns a call that the path spells out: `documents.info`, `{name}:cancel`. If the words are not
/// a call, they become a part of the resource.
pub(crate) fn spelt_out(parts: &mut Vec<Part>, words: &[String]) -> Option<Call> {
    let call = Call::read(words).filter(|call| {
        let set = words.first().is_some_and(|first| WITH_OBJECT.has(first));
        set || !call.is_thing(words)
    });
    let Some(part) = parts.last_mut() else {
        return call;
    };
    match &call {
        // `documents.update` is done to one document
        Some(call) => {
            let to_many = is_of_many(call.verb) && call.object.is_empty();
            part.item |= !call.many && !to_many;
        }
        // `documents.viewed`: viewed documents
        None if is_participle(words) => {
            part.words.splice(0..0, words.iter().cloned());
        }
        None => {
            part.item = true;
            parts.push(Part::of(words.to_vec()));
        }
    }
    call
}

/// A call in the last segment of a path: `POST /items/{id}/archive`. Its part is taken out.
pub(crate) fn last_segment(
    method: Method,
    said: &Said,
    parts: &mut Vec<Part>,
    kind: Kind,
) -> Option<Call> {
    let words = &parts.last().filter(|part| !part.item && !part.named)?.words;
    let call = match Call::read(words) {
        _ if method == Method::Delete => undone(said, words)?,
        Some(call) => is_call(method, said, parts, &call, kind).then_some(call)?,
        None => verb_last(method, said, words, kind).or_else(|| deed(method, said, parts))?,
    };
    parts.pop();
    // `POST /items/query/count`
    if call.verb == "count" && asks_many(parts) {
        parts.pop();
    }
    let of_item = parts.last().is_some_and(|part| part.item);
    // `POST /items/{id}/retrieve` next to `GET /items/{id}`
    if method == Method::Post && call.verb == "get" && call.object.is_empty() && of_item {
        return Some(Call {
            verb: "query",
            ..call
        });
    }
    Some(call)
}

/// A call whose parameter is the last segment: `POST /keys/rotate/{name}`. Its part is taken out.
pub(crate) fn before_item(method: Method, said: &Said, parts: &mut Vec<Part>) -> Option<Call> {
    let [.., _, last] = parts.as_slice() else {
        return None;
    };
    let first = last.words.first()?;
    let plain = is_called(first) || WITH_CHOICE.has(first) && !last.by.is_empty();
    // `upload_sessions/{upload_session_id}` are things
    let call = Call::read(&last.words).filter(|call| {
        let thing = last.bears && !call.object.is_empty()
            || said.gives(&last.words)
            || is_another(said, call, &last.words);
        calls(method) && last.item && !last.named && plain && !thing
    })?;
    let Part { chosen, key, .. } = parts.pop()?;
    let by = match parts.last_mut() {
        Some(Part { item: true, .. }) => chosen,
        _ if !chosen.is_empty() || !call.object.is_empty() => chosen,
        // `orders/cancel/{id}`: one of the orders
        Some(many) if !many.fixed && many.words.last().is_some_and(|last| is_plural(last)) => {
            many.item = true;
            chosen
        }
        _ => key,
    };
    let by = Some(by);
    Some(Call { by, ..call })
}

/// The call of a DELETE that its operation id names: `DELETE /items/{id}/archive` with
/// `unarchiveItem`.
fn undone(said: &Said, words: &[String]) -> Option<Call> {
    let [only] = words else { return None };
    Some(Call::plain(said.undoes(only)?, &[]))
}

/// The call of a word for what is done: `POST /users/{id}/impersonation`, which impersonates.
fn deed(method: Method, said: &Said, parts: &[Part]) -> Option<Call> {
    let [.., _, last] = parts else { return None };
    let [only] = last.words.as_slice() else {
        return None;
    };
    let verb = said.summary_verb().or_else(|| said.id_verb())?;
    let named = DEEDS.iter().any(|ending| only.ends_with(ending)) && is_deed(verb, only);
    (method == Method::Post && named).then(|| Call::plain(verb, &[]))
}

/// Checks whether the noun is the action itself: `deactivation` of `deactivate`.
pub(crate) fn is_deed(verb: &str, noun: &str) -> bool {
    const STEM: usize = 5;
    verb.get(..STEM).is_some_and(|stem| noun.starts_with(stem))
}

/// A call whose verb is the last of several words: `PUT /items/{id}/price-validate`.
fn verb_last(method: Method, said: &Said, words: &[String], kind: Kind) -> Option<Call> {
    let (last, object) = words.split_last()?;
    // a `price list` that is changed is a thing
    let verb = tool_verb(last)
        .filter(|verb| (*verb != "list" || kind <= Kind::Derive) && is_plain(last))
        .filter(|_| !said.gives(words))?;
    (calls(method) && !object.is_empty()).then(|| Call::plain(verb, object))
}

/// Checks whether a single word describes the kind of the items: `archived`.
fn is_participle(words: &[String]) -> bool {
    matches!(words, [only] if is_past(only))
}
