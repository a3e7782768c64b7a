//! The verb and its object: from a call in the path, or else from the method.

use toolwright_model::{Kind, Method};

mod reading;

use super::call::{self, is_deed};
use super::noun::Number;
use super::parts;
use super::path::{Part, ResourcePath};
use super::said::{Said, is_plain};
use crate::language::{WordList, facts::OperationFacts, is_plural, plural, tool_verbs::tool_verb};
use reading::{of_one_id, read};

/// A verb, the parts of the noun, and the number of its last word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Action {
    /// The verb.
    pub(crate) verb: &'static str,
    /// The parts of the noun.
    pub(crate) parts: Vec<Part>,
    /// The number of the last word.
    pub(crate) number: Number,
    /// The manner, if it distinguishes the call from another.
    pub(crate) manner: Vec<String>,
    /// The evidence for the verb, for `explain`.
    pub(crate) because: String,
}

/// Things that are there from the beginning, and are set rather than created.
static SETTINGS: WordList =
    WordList::new("config configuration options preferences properties settings");

/// Returns the verb and its object.
pub(crate) fn action(facts: &OperationFacts, path: ResourcePath, kind: Kind) -> Action {
    let said = Said::by(facts);
    let (mut parts, called) = (path.parts, path.call);
    parts::name_own(facts, &said, !called.is_empty(), &mut parts);
    parts::name_all(&said, &mut parts);
    parts::name_existing(&said, &mut parts);
    if !said.is_numbered() {
        parts::say_once(&mut parts);
    }
    parts::split_compounds(&said, &mut parts);
    let bulk = called.is_empty() && parts::take_bulk(facts.method, &said, &mut parts);
    let call = if called.is_empty() {
        call::last_segment(facts.method, &said, &mut parts, kind)
            .or_else(|| call::before_item(facts.method, &said, &mut parts))
    } else {
        call::spelt_out(&mut parts, &called)
    };
    parts::turn_as_said(&said, &mut parts);
    parts::name_default(&said, &mut parts);
    parts::choose_by_id(&said, &mut parts);
    parts::name_manner(facts, &said, &mut parts);
    if let Some(mut call) = call {
        if matches!(call.verb, "get" | "list") && kind <= Kind::Derive && beside_get(facts, &said) {
            call.verb = "query";
        }
        // `POST /items/list` with `listAllItems`
        call.all |= call.verb == "list" && facts.method == Method::Post && said.lists_all();
        // `searchItems1` next to `searchItems`
        if call.verb == "search" && facts.method == Method::Post && said.is_numbered() {
            call.verb = "query";
        }
        let reads = matches!(call.verb, "get" | "list");
        if facts.method == Method::Get && !reads && said.parts.names_method {
            call.manner = ["using", "get"].map(str::to_owned).to_vec();
        }
        return call.on(parts, "the path ends in what is called".to_owned());
    }
    if facts.method == Method::Get {
        call::drop_get(&mut parts);
    }
    if let Some(verb) = call::leading(&said, &mut parts) {
        let number = read(facts, &said, &last(&parts)).1;
        return Action {
            verb,
            parts,
            number,
            manner: Vec::new(),
            because: "the path and the operation id begin with it".to_owned(),
        };
    }
    if let Some(verb) = call::within(facts.method, &said, &mut parts) {
        return Action {
            verb,
            parts,
            number: Number::AsWritten,
            manner: Vec::new(),
            because: "the path has it before the thing".to_owned(),
        };
    }
    let mut action = by_method(facts, &said, parts, kind, !called.is_empty());
    if bulk {
        action.number = Number::Batch;
    }
    action
}

/// Returns the action of the method on the resource.
fn by_method(
    facts: &OperationFacts,
    said: &Said,
    mut parts: Vec<Part>,
    kind: Kind,
    rpc: bool,
) -> Action {
    let last = last(&parts);
    let (verb, number) = match facts.method {
        Method::Get | Method::Propfind | Method::Report => read(facts, said, &last),
        Method::Query => ("search", read(facts, said, &last).1),
        Method::Post
            if kind == Kind::Read
                && !beside_get(facts, said)
                && (rpc || said.begins_with("list")) =>
        {
            read(facts, said, &last)
        }
        Method::Post if kind == Kind::Read => ("query", read(facts, said, &last).1),
        Method::Post
            if !last.item
                && (said.upserts()
                    || said.begins_with("upsert") && last_word(&last) != "upsert") =>
        {
            let many = said.id.contains(&plural(last_word(&last)));
            ("upsert", if many { Number::Many } else { Number::One })
        }
        Method::Post
            if last.item
                && said.upserts_one()
                && !matches!(said.id_verb(), Some("set" | "write")) =>
        {
            ("upsert", Number::One)
        }
        Method::Post if updates(said, &last, kind) => ("update", Number::AsWritten),
        Method::Post if deletes(said, &last, kind) => ("delete", Number::AsWritten),
        Method::Post => {
            let verb = post(said, &parts, &last, kind);
            let one = last.item || verb == "create" && !said.creates_many();
            (verb, if one { Number::One } else { Number::AsWritten })
        }
        Method::Put if creates(said) => ("create", one_or_batch(said, &last)),
        Method::Put => ("replace", one_or_batch(said, &last)),
        Method::Patch => ("update", one_or_batch(said, &last)),
        Method::Delete => (revokes(said).unwrap_or("delete"), one_or_batch(said, &last)),
        Method::Head => ("check", one_or_batch(said, &last)),
        Method::Options => ("describe", one_or_batch(said, &last)),
        method => {
            let word = method.word().to_lowercase();
            let verb = tool_verb(&word).unwrap_or("call");
            (verb, one_or_batch(said, &last))
        }
    };
    if verb == "list"
        && let Some(last) = parts
            .last_mut()
            .filter(|last| last.foreign && last.by.is_empty())
    {
        last.by.clone_from(&last.chosen);
    }
    if verb == "get"
        && !last.item
        && let Some(aspect) = said.aspect(last_word(&last))
        && !parts.iter().any(|part| part.words.contains(aspect))
    {
        parts.push(Part::of(vec![aspect.clone()]));
    }
    Action {
        verb,
        parts: without_verb(parts, verb),
        number,
        manner: Vec::new(),
        because: format!("by the method {}", facts.method),
    }
}

/// Checks whether a POST that reads indicates that a GET does the same: its query is sent as a
/// form, or its operation id contains the method.
fn beside_get(facts: &OperationFacts, said: &Said) -> bool {
    const FORM: &str = "application/x-www-form-urlencoded";
    let form = facts
        .body
        .as_ref()
        .is_some_and(|body| matches!(body.media_types.as_slice(), [only] if only == FORM));
    facts.method == Method::Post && (form || said.parts.names_method)
}

/// Checks whether POST to a collection changes its items, by the operation id.
fn updates(said: &Said, last: &Part, kind: Kind) -> bool {
    !last.item && kind != Kind::Create && said.id_verb() == Some("update")
}

/// Checks whether POST to a collection deletes its items, by the operation id and the summary.
fn deletes(said: &Said, last: &Part, kind: Kind) -> bool {
    let is_said = said.begins_with("delete") && said.summary_verb() == Some("delete");
    !last.item && kind == Kind::Delete && is_said
}

/// Returns the verb of a DELETE that does not remove the resource, by the operation id and the
/// summary.
fn revokes(said: &Said) -> Option<&'static str> {
    let verb = said.summary_verb()?;
    (matches!(verb, "revoke" | "cancel") && said.id.iter().any(|word| word == verb)).then_some(verb)
}

/// Checks whether PUT only creates, by the operation id and the summary.
fn creates(said: &Said) -> bool {
    let summary = said.has_no_summary() || said.summary_verb() == Some("create");
    let is_said = said.id_verb() == Some("create") && summary;
    is_said && !said.upserts()
}

/// Returns the verb of a POST: on a collection it creates an item; on an item or a single resource,
/// the operation id or the summary decides.
fn post(said: &Said, parts: &[Part], last: &Part, kind: Kind) -> &'static str {
    let word = last_word(last);
    let within = parts.iter().any(|part| {
        let settings = |word: &String| SETTINGS.has(word);
        !part.item && part.words.last().is_some_and(settings)
    });
    if !last.item
        && let Some(verb) = said.id_verb()
        && (matches!(verb, "set" | "write") || verb == "configure" && !within)
    {
        return verb;
    }
    if !last.item && !within && (is_plural(word) || kind == Kind::Create) {
        return "create";
    }
    let fallback = if last.item || SETTINGS.has(word) || within {
        "update"
    } else {
        "create"
    };
    said.id_verb()
        .or_else(|| said.summary_verb())
        .or_else(|| said.summary_call())
        .filter(|verb| !(is_deed(verb, word) || within && *verb == "configure"))
        .unwrap_or(fallback)
}

/// Returns one if a parameter selects the item, many if the operation id declares a batch, or else
/// the number in the path.
fn one_or_batch(said: &Said, last: &Part) -> Number {
    if last.item && of_one_id(last) && said.is_of_many(last_word(last)) {
        Number::Many
    } else if last.item {
        Number::One
    } else if said.is_bulk(last_word(last)) {
        Number::Batch
    } else {
        Number::AsWritten
    }
}

/// The parts without one before the last that is the verb itself: `POST /validate/job`.
fn without_verb(mut parts: Vec<Part>, verb: &str) -> Vec<Part> {
    let last = parts.len().saturating_sub(1);
    let is_verb = |part: &Part| {
        let is_it = |word: &String| {
            tool_verb(word) == Some(verb) && (!part.item || !part.named && is_plain(word))
        };
        matches!(part.words.as_slice(), [only] if is_it(only))
    };
    if let Some(at) = parts.iter().take(last).position(is_verb) {
        parts.remove(at);
    }
    // `POST /areas/polygon-query`
    if let Some(last) = parts.last_mut().filter(|last| !last.item)
        && last.words.len() > 1
        && verb == "query"
        && last.words.last().is_some_and(|word| word == verb)
    {
        last.words.pop();
    }
    parts
}

/// Returns the last part, or an empty one.
fn last(parts: &[Part]) -> Part {
    parts.last().cloned().unwrap_or_default()
}

/// Returns the last word of a part, or an empty one.
fn last_word(part: &Part) -> &str {
    part.words.last().map_or("", String::as_str)
}
