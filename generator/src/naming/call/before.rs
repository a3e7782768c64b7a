//! Verbs in front of their objects.

use toolwright_model::Method;

use crate::{
    language::tool_verbs::tool_verb,
    language::{is_plural, lexicon},
    naming::{
        path::Part,
        said::{Said, calls, is_plain},
    },
};

/// Removes a verb that only repeats GET: `getPolicy` of `GET /items/{id}/getPolicy` is the policy.
pub(crate) fn drop_get(parts: &mut Vec<Part>) {
    // `/agent/{id}/get/config`
    let last = parts.len().saturating_sub(1);
    let says_get = |part: &Part| {
        !part.item && !part.named && matches!(part.words.as_slice(), [only] if only == "get")
    };
    if let Some(at) = parts.iter().take(last).position(says_get) {
        parts.remove(at);
    }
    if let Some(last) = parts.last_mut()
        && !last.named
        && last.words.len() > 1
        && last.words.first().is_some_and(|first| first == "get")
    {
        last.words.remove(0);
    }
}

/// Returns the verb of a segment before the resource if the operation id begins with it too: `GET
/// /watch/items` with `watchItems`. Its part is removed.
pub(crate) fn leading(said: &Said, parts: &mut Vec<Part>) -> Option<&'static str> {
    let first = said
        .id
        .first()
        .filter(|first| said.first() == Some(first))?;
    let noun =
        lexicon::verb(first).is_none_or(|verb| verb.certainty == lexicon::Certainty::AlsoNoun);
    let at = parts
        .iter()
        .take(parts.len().saturating_sub(1))
        .position(|part| !part.item && matches!(part.words.as_slice(), [only] if only == first))?;
    let verb = tool_verb(first).filter(|_| !noun && !said.is_topic())?;
    parts.remove(at);
    Some(verb)
}

/// A verb of its own before the thing that it is done to: `POST /lookup/entity`. Its part is taken
/// out.
pub(crate) fn within(method: Method, said: &Said, parts: &mut Vec<Part>) -> Option<&'static str> {
    let (last, before) = parts.split_last()?;
    let many = last.words.last().is_some_and(|last| is_plural(last));
    if !calls(method) || last.item || method == Method::Post && many {
        return None;
    }
    let at = before.iter().position(|part| {
        let own = !part.item && !part.named;
        own && matches!(part.words.as_slice(), [only] if is_plain(only))
    })?;
    let word = before.get(at)?.words.first()?;
    let verb = tool_verb(word)?;
    if !said.id.is_empty() && !said.has(word) || said.id_verb().is_some_and(|other| other != verb) {
        return None;
    }
    parts.remove(at);
    Some(verb)
}
