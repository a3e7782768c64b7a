//! Applies the operation id to the parts of a path: their selection, words and order.

use toolwright_model::Method;

use super::noun::{PREPOSITIONS, begins_with};
use super::path::{CALLERS, Part};
use super::said::{Said, is_plain};
use crate::language::{facts::OperationFacts, is_plural, singular, tool_verbs::tool_verb, words};

/// The word for many at once; a `batch` may be a thing.
const BULK: &str = "bulk";

/// Removes a last part that declares a batch: `POST /items/bulk`.
pub(crate) fn take_bulk(method: Method, said: &Said, parts: &mut Vec<Part>) -> bool {
    let bulk = matches!(
        parts.as_slice(),
        [.., many, last]
            if !many.item
                && !last.item
                && (said.is_said_bulk() || many.words.last().is_some_and(|last| is_plural(last)))
                && is_bulk(method, &last.words)
    );
    let changes = !matches!(method, Method::Get | Method::Head | Method::Options);
    if bulk && changes {
        parts.pop();
    }
    bulk && changes
}

/// Checks whether these words mean `bulk`, with or without the method: `DELETE /items/bulk-delete`.
fn is_bulk(method: Method, words: &[String]) -> bool {
    let deletes = |word: &String| method == Method::Delete && word == "delete";
    words.iter().any(|word| word == BULK) && words.iter().all(|word| word == BULK || deletes(word))
}

/// Puts two words in the order of the operation id: `policies/acl` with `listAclPolicies` are
/// `acl-policies`.
pub(crate) fn turn_as_said(said: &Said, parts: &mut Vec<Part>) {
    let [.., many, kind] = parts.as_slice() else {
        return;
    };
    let literal = !many.item && !many.named && !kind.named;
    let (Some(first), Some(last)) = (kind.words.first(), kind.words.last()) else {
        return;
    };
    let tells = tool_verb(first).is_none() && !is_plural(last) && last != BULK;
    let leads = |word: &String| PREPOSITIONS.has(word) || is_plain(word);
    let led = matches!(many.words.as_slice(), [only] if leads(only));
    if !literal || !tells || led || begins_with(&kind.words, &many.words) {
        return;
    }
    if let Some(end) = said.turns(&many.words, &kind.words)
        && let Some(kind) = parts.pop()
        && let Some(many) = parts.last_mut()
    {
        let mut words = [kind.words.as_slice(), &many.words].concat();
        if let Some(last) = words.last_mut() {
            *last = end;
        }
        *many = Part {
            words,
            object: true,
            turned: true,
            ..kind
        };
    }
}

/// Adds `default` if the operation id distinguishes the default item from selected ones.
pub(crate) fn name_default(said: &Said, parts: &mut [Part]) {
    let default = "default".to_owned();
    let known = parts.iter().any(|part| part.words.contains(&default));
    if let Some(last) = parts.last_mut()
        && !known
        && !last.item
        && last
            .words
            .last()
            .is_some_and(|last| !is_plural(last) && said.has_before(&default, last))
    {
        last.words.insert(0, default);
    }
}

/// Takes from the end of the operation id how it is done: `pet-with-form` of `updatePetWithForm`.
pub(crate) fn name_manner(facts: &OperationFacts, said: &Said, parts: &mut [Part]) {
    let chosen = facts.path_parameters.iter().flat_map(|name| words(name));
    let own = parts.iter().flat_map(|part| part.words.clone());
    let known: Vec<String> = own.chain(chosen).collect();
    if let Some(last) = parts.last_mut()
        && last.by.is_empty()
        && let Some(manner) = said.manner()
        && !manner
            .iter()
            .any(|word| known.iter().any(|known| known.contains(word.as_str())))
    {
        last.by = manner;
    }
}

/// Takes the key from the operation id if the collection's name is not a plural: `project/{id}`
/// next to `project`, with `getProjectById`.
pub(crate) fn choose_by_id(said: &Said, parts: &mut [Part]) {
    let one_of_one = |part: &Part| {
        part.item && part.by.is_empty() && part.words.last().is_some_and(|last| !is_plural(last))
    };
    let Some(by) = said.chosen_by() else { return };
    let of_one = parts.iter().any(one_of_one);
    // `versions/{versionNumber}/users`
    let of_parent = by == "number"
        && parts
            .iter()
            .any(|part| part.key.last().is_some_and(|key| key == by));
    let of_owner = |part: &Part| {
        part.item
            && part
                .words
                .last()
                .is_some_and(|word| singular(word) == singular(by))
    };
    // `version/{id}/links` with `deleteLinksByVersionId`
    if parts.iter().rev().skip(1).any(of_owner) {
        return;
    }
    if let Some(last) = parts.last_mut()
        && last.by.is_empty()
        && !last
            .words
            .iter()
            .any(|word| singular(word).ends_with(&singular(by)))
        && (of_one || of_parent || last.chosen.iter().any(|word| word == by))
    {
        last.by = vec![by.to_owned()];
    }
}

/// Names what is the caller's own: the `current-token` of `GET /token` with `getTokenSelf`, the
/// `current-user` of `GET /user/keys`, which lists the authenticated user's keys.
pub(crate) fn name_own(facts: &OperationFacts, said: &Said, called: bool, parts: &mut [Part]) {
    let alone = parts.len() == 1;
    // where paths end with `/`, singulars are the names of collections too
    let own = said.is_own() || !alone && !facts.path.ends_with('/');
    if let Some(first) = parts.first_mut()
        && matches!(first.words.as_slice(), [only] if CALLERS.has(only))
        && !first.item
        && own
        && !(alone && called)
    {
        first.words.insert(0, "current".to_owned());
        first.fixed = true;
    } else if let [only] = parts
        && !only.item
        && !called
        && said.id.iter().any(|word| word == "current")
        && only.words.last().is_some_and(|last| !is_plural(last))
        && !only.words.iter().any(|word| word == "current")
    {
        only.words.insert(0, "current".to_owned());
    } else if let Some(last) = parts.last_mut()
        && said.id.last().is_some_and(|last| last == "self")
        && !last.item
        && !last.words.iter().any(|word| word == "self")
    {
        last.words.insert(0, "current".to_owned());
    }
}

/// Names what is of all owners: `all-events`.
pub(crate) fn name_all(said: &Said, parts: &mut Vec<Part>) {
    if said.is_for_all() && parts.iter().all(|part| !part.item) {
        let all = Part::of(vec!["all".to_owned()]);
        parts.insert(0, Part { fixed: true, ..all });
    }
}

/// Adds `existing` if it distinguishes the resource from one in the request: `existing-monitor` of
/// `POST /monitor/{id}/validate` with `validateExistingMonitor`.
pub(crate) fn name_existing(said: &Said, parts: &mut [Part]) {
    let existing = "existing".to_owned();
    let is_known = parts.iter().any(|part| part.words.contains(&existing));
    if let Some(item) = parts.iter_mut().rfind(|part| part.item)
        && said.id.contains(&existing)
        && !is_known
    {
        item.words.insert(0, existing);
    }
}

/// Removes the words of a part that repeat its parent, unless it is the first:
/// `projects/{id}/cycles/{id}/cycle-issues` are `project-cycle-issues`. A numbered operation id
/// shows that another operation has the same name, so the repetition is kept.
pub(crate) fn say_once(parts: &mut [Part]) {
    let first = parts.iter().position(|part| part.item);
    for at in first.map_or(parts.len(), |first| first + 2)..parts.len() {
        let (before, after) = parts.split_at_mut(at);
        let (Some(owner), Some(part)) = (before.last(), after.first_mut()) else {
            continue;
        };
        let shared = owner.words.len();
        if owner.item && part.words.len() > shared && begins_with(&part.words, &owner.words) {
            part.words.drain(..shared);
        }
    }
}

/// Splits words of the path that the operation id spells as several: `statefulsets` next to
/// `readStatefulSet`.
pub(crate) fn split_compounds(said: &Said, parts: &mut [Part]) {
    for part in parts {
        let split = |word: &String| said.spelt(word).unwrap_or_else(|| vec![word.clone()]);
        part.words = part.words.iter().flat_map(split).collect();
    }
}
