//! Decides if words at the end of a path are a call or a resource.

use toolwright_model::{Kind, Method};

use super::{Call, MANY};
use crate::{
    language::{WordList, is_plural, lexicon, singular},
    naming::{
        path::Part,
        said::{Said, calls, is_called, is_plain},
    },
};

/// Verbs that are also nouns, but seldom in a request that changes something and with an object
/// after them.
pub(super) static WITH_OBJECT: WordList = WordList::new("change mark set sign");

/// Verbs that read and are also nouns, but not after a collection.
static ASKS: WordList = WordList::new("count query");

/// Checks whether the last of these parts, which could be this call, is one.
pub(super) fn is_call(
    method: Method,
    said: &Said,
    parts: &[Part],
    call: &Call,
    kind: Kind,
) -> bool {
    let [before @ .., last] = parts else {
        return false;
    };
    let of_item = before.last().is_some_and(|part| part.item);
    let mut verbs = last.words.iter().filter(|word| !MANY.has(word));
    let Some(first) = verbs.next() else {
        return false;
    };
    let sent = WITH_OBJECT.has(first) && !call.object.is_empty();
    let plain = is_plain(first) || calls(method) && (is_called(first) || sent);
    let reads = kind <= Kind::Derive && lexicon::verb(first).is_some_and(|verb| verb.reads());
    let bare = call.object.is_empty();
    match method {
        Method::Post | Method::Put if is_given(said, call, &last.words) => false,
        Method::Post | Method::Put if bare && call.all && call.verb != "get" => true,
        Method::Post if asks_many(parts) || asks_many(before) && first == "count" => true,
        Method::Post | Method::Put if !before.is_empty() && said.begins_with(call.verb) => true,
        Method::Post if !bare && said.parts.ends_in_call(&last.words) => true,
        Method::Patch if !bare && plain && said.id_is(&last.words) => true,
        _ if call.is_thing(&last.words) || is_other_than_said(said, call, &last.words) => false,
        // `GET /items/count`
        Method::Get if first == "count" && bare && asks_many(parts) => true,
        // the thing that a GET gets has the word for a name, unless getting it does something
        Method::Get => {
            let acts = kind > Kind::Derive
                && !(said.summary_reads() || said.id_reads() || said.is_numbered());
            plain
                && (matches!(call.verb, "list" | "search")
                    || acts && !said.has_other_than(call.verb))
                || bare && call.verb == "download"
                || !bare && first == "find"
        }
        // `POST /items/{id}/list`: a list that is made
        Method::Post if of_item && matches!(call.verb, "get" | "list") => !bare,
        Method::Post | Method::Put => plain || reads || of_item && bare,
        // `PATCH /items/{id}/restore`
        Method::Patch => {
            let other = said.id_verb().is_some_and(|verb| verb != call.verb);
            let changes = lexicon::verb(first).is_none_or(|verb| !verb.reads());
            is_plain(first)
                && changes
                && !other
                && (of_item || bare && said.id.last() == Some(first))
        }
        _ => false,
    }
}

/// Checks whether the last of these parts queries a collection: `items/query`.
pub(super) fn asks_many(parts: &[Part]) -> bool {
    matches!(parts, [.., many, asks]
        if !many.item
            && many.words.last().is_some_and(|last| is_plural(last))
            && matches!(asks.words.as_slice(), [only] if ASKS.has(only)))
}

/// Checks whether the words are a plural and the operation id has another verb: `POST /deploy_keys`
/// with `createDeployKey`.
pub(super) fn is_other_than_said(said: &Said, call: &Call, words: &[String]) -> bool {
    let is_said = words.first().is_some_and(|first| said.id.contains(first));
    !is_said && ends_in_many(words) && said.id_verb().is_some_and(|verb| verb != call.verb)
}

/// Checks whether the operation id gives or creates the words: `POST /role/{role}/tag` with
/// `writeRoleTag`, `POST /upload_sessions`, which creates one.
pub(super) fn is_given(said: &Said, call: &Call, words: &[String]) -> bool {
    if said.summary_verb() == Some(call.verb) {
        return false;
    }
    if is_another(said, call, words) || said.parts.is_done_to(words) && !said.begins_with(call.verb)
    {
        return true;
    }
    let one = |words: &[String]| words.last().map(|last| singular(last));
    let ends = one(&said.id) == one(words);
    let object = !call.object.is_empty() && said.summary_verb() == Some("create");
    said.gives(words) && ends || object && call.verb != "create" && said.is_about(words)
}

/// Checks whether the summary describes another action on these words: `PUT /envelopes/{id}/lock`,
/// which updates the lock, `PUT /deploy-keys/{id}`, which updates a deploy key.
pub(super) fn is_another(said: &Said, call: &Call, words: &[String]) -> bool {
    let Some(verb) = said.summary_verb().filter(|verb| *verb != call.verb) else {
        return false;
    };
    let noun = !words.first().is_some_and(|first| is_plain(first));
    let other = !call.object.is_empty() || noun && verb == "update";
    other && said.is_about(words)
}

/// Checks whether there are several words, and the last is a plural.
pub(super) fn ends_in_many(words: &[String]) -> bool {
    matches!(words, [_, .., last] if is_plural(last))
}
