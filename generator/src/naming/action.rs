//! Which verb, and to what: by a call in the path, or else by the method.

use toolwright_model::{Kind, Method};

use super::call;
use super::noun::{Number, begins_with};
use super::path::{Part, ResourcePath};
use super::said::Said;
use super::verbs::tool_verb;
use crate::{
    english::{WordList, is_plural, singular, words},
    facts::{AnswerShape, OperationFacts},
};

/// A verb, the parts of the noun, and the number of its last word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Action {
    /// The verb.
    pub(crate) verb: &'static str,
    /// The parts of the noun.
    pub(crate) parts: Vec<Part>,
    /// The number of the last word.
    pub(crate) number: Number,
    /// What decided the verb, for `explain`.
    pub(crate) because: String,
}

/// Things of which there is one, although the word is a plural.
const SINGLE_PLURALS: WordList = WordList::new(
    "analytics basics credentials defaults details insights metrics options parameters \
     preferences properties settings statistics stats terms",
);

/// Things of which a caller has one, so that without a parameter its own may be meant.
const CALLERS: WordList = WordList::new("org organization user");

/// Things that are there from the beginning, and are set rather than created.
const SETTINGS: WordList =
    WordList::new("config configuration options preferences properties settings");

/// Query parameters that ask for a list.
const LISTING: WordList = WordList::new("list");

/// Query parameters that ask for a part of a list.
const PAGING: WordList = WordList::new(
    "cursor limit maxresults nextpagetoken offset page pagenumber pagesize pagetoken perpage \
     resultsperpage startat startindex",
);

/// What is done, and to what.
pub(crate) fn action(facts: &OperationFacts, path: ResourcePath, kind: Kind) -> Action {
    let said = Said::by(facts);
    let (mut parts, called) = (path.parts, path.call);
    name_own(facts, &said, !called.is_empty(), &mut parts);
    name_all(&said, &mut parts);
    name_existing(&said, &mut parts);
    if !said.is_numbered() {
        say_once(&mut parts);
    }
    split_compounds(&said, &mut parts);
    let call = if called.is_empty() {
        call::last_segment(facts.method, &said, &mut parts, kind)
            .or_else(|| call::before_item(facts.method, &mut parts))
    } else {
        call::spelt_out(&mut parts, &called)
    };
    choose_by_id(&said, &mut parts);
    if let Some(call) = call {
        return call.on(parts, "the path ends in what is called".to_owned());
    }
    if let Some(verb) = call::leading(&said, &mut parts) {
        let number = read(facts, &said, &last(&parts)).1;
        return Action {
            verb,
            parts,
            number,
            because: "the path and the operation id begin with it".to_owned(),
        };
    }
    by_method(facts, &said, parts, kind, !called.is_empty())
}

/// Takes from the operation id by what one of a thing is chosen whose name is no plural:
/// `project/{id}` beside `project`, with `getProjectById`.
fn choose_by_id(said: &Said, parts: &mut [Part]) {
    let one_of_one = |part: &Part| {
        part.item && part.by.is_empty() && part.words.last().is_some_and(|last| !is_plural(last))
    };
    let Some(by) = said.chosen_by() else { return };
    let of_one = parts.iter().any(one_of_one);
    if let Some(last) = parts.last_mut()
        && last.by.is_empty()
        && !last
            .words
            .iter()
            .any(|word| singular(word).ends_with(&singular(by)))
        && (of_one || last.chosen.iter().any(|word| word == by))
    {
        last.by = vec![by.to_owned()];
    }
}

/// Names what is the caller's own: the `current-token` of `GET /token` with `getTokenSelf`, the
/// `current-user` of `GET /user/keys`, which lists the authenticated user's keys.
fn name_own(facts: &OperationFacts, said: &Said, called: bool, parts: &mut [Part]) {
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
    } else if let Some(last) = parts.last_mut()
        && said.id.last().is_some_and(|last| last == "self")
        && !last.item
        && !last.words.iter().any(|word| word == "self")
    {
        last.words.insert(0, "current".to_owned());
    }
}

/// Names what is of all owners: `all-events`.
fn name_all(said: &Said, parts: &mut Vec<Part>) {
    if said.is_for_all() && parts.iter().all(|part| !part.item) {
        let all = Part::of(vec!["all".to_owned()]);
        parts.insert(0, Part { fixed: true, ..all });
    }
}

/// Names what is there already, where that tells it from what is sent along: `existing-monitor` of
/// `POST /monitor/{id}/validate` with `validateExistingMonitor`.
fn name_existing(said: &Said, parts: &mut [Part]) {
    let existing = "existing".to_owned();
    let is_known = parts.iter().any(|part| part.words.contains(&existing));
    if let Some(item) = parts.iter_mut().rfind(|part| part.item)
        && said.id.contains(&existing)
        && !is_known
    {
        item.words.insert(0, existing);
    }
}

/// Leaves out what a part repeats of the item that it belongs to, where that is not the first:
/// `projects/{id}/cycles/{id}/cycle-issues` are `project-cycle-issues`. An operation id that is
/// numbered says that there is another of the name, so that the repetition tells them apart.
fn say_once(parts: &mut [Part]) {
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

/// Splits words of the path that the operation id spells as several: `statefulsets` beside
/// `readStatefulSet`.
fn split_compounds(said: &Said, parts: &mut [Part]) {
    for part in parts {
        let split = |word: &String| said.spelt(word).unwrap_or_else(|| vec![word.clone()]);
        part.words = part.words.iter().flat_map(split).collect();
    }
}

/// What the method does to the resource.
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
        Method::Post if kind == Kind::Read && (rpc || said.begins_with("list")) => {
            read(facts, said, &last)
        }
        Method::Post if kind == Kind::Read => ("query", read(facts, said, &last).1),
        Method::Post if updates(said, &last, kind) => ("update", Number::AsWritten),
        Method::Post => (post(said, &last, kind), Number::One),
        Method::Put => ("replace", one_or_batch(said, &last)),
        Method::Patch => ("update", one_or_batch(said, &last)),
        Method::Delete => ("delete", one_or_batch(said, &last)),
        Method::Head => ("check", one_or_batch(said, &last)),
        Method::Options => ("describe", one_or_batch(said, &last)),
        method => {
            let word = method.word().to_lowercase();
            let verb = tool_verb(&word).unwrap_or("call");
            (verb, one_or_batch(said, &last))
        }
    };
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
        because: format!("by the method {}", facts.method),
    }
}

/// What a reading method does.
fn read(facts: &OperationFacts, said: &Said, last: &Part) -> (&'static str, Number) {
    let lists = if last.item {
        lists_chosen(facts, said, last)
    } else {
        lists_all(facts, said, last)
    };
    if lists {
        ("list", Number::Many)
    } else if last.item {
        ("get", Number::One)
    } else {
        ("get", Number::AsWritten)
    }
}

/// Whether a parameter at the end chooses several: `GET /items/{owner}` with a list for an answer.
fn lists_chosen(facts: &OperationFacts, said: &Said, last: &Part) -> bool {
    let array = shape(facts) == AnswerShape::Array;
    let chosen = !last.by.is_empty() && (array || facts.answers_list() && said.lists());
    chosen || has_parameter(facts, LISTING) && said.lists()
}

/// Whether what the path ends in is many things.
fn lists_all(facts: &OperationFacts, said: &Said, last: &Part) -> bool {
    let word = last_word(last);
    let answered = shape(facts);
    // one object is answered, and nothing says that many are
    let one = answered == AnswerShape::Object && !said.lists();
    let queries = said.begins_with("query") && !last.words.iter().any(|word| word == "query");
    (!SINGLE_PLURALS.has(word) || said.begins_with("list"))
        && word != "list"
        && (answered == AnswerShape::Array
            || is_plural(word) && !one
            || said.lists_many(word)
            || queries
            || has_parameter(facts, PAGING)
                && answered != AnswerShape::Object
                && !said.id.iter().any(|said| said == word)
            || said.lists() && !matches!(answered, AnswerShape::Object | AnswerShape::Scalar)
            || said.lists() && has_parameter(facts, LISTING))
}

/// Whether POST to a collection changes what is in it, as the operation id says.
fn updates(said: &Said, last: &Part, kind: Kind) -> bool {
    !last.item && kind != Kind::Create && said.id_verb() == Some("update")
}

/// What POST does: it creates one of many; to one of them, or to a thing of which there is one, it
/// does what the operation id or the summary says.
fn post(said: &Said, last: &Part, kind: Kind) -> &'static str {
    let word = last_word(last);
    if !last.item && (is_plural(word) || kind == Kind::Create) {
        return "create";
    }
    let fallback = if last.item || SETTINGS.has(word) {
        "update"
    } else {
        "create"
    };
    said.id_verb()
        .or_else(|| said.summary_verb())
        .filter(|verb| !is_deed(verb, word))
        .unwrap_or(fallback)
}

/// Whether the noun is the deed itself: `deactivation` of `deactivate`.
fn is_deed(verb: &str, noun: &str) -> bool {
    const STEM: usize = 5;
    verb.get(..STEM).is_some_and(|stem| noun.starts_with(stem))
}

/// One thing where a parameter chooses it, many where the operation id says so, else as the path
/// writes it.
fn one_or_batch(said: &Said, last: &Part) -> Number {
    if last.item {
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
        !part.item && matches!(part.words.as_slice(), [only] if tool_verb(only) == Some(verb))
    };
    if let Some(at) = parts.iter().take(last).position(is_verb) {
        parts.remove(at);
    }
    parts
}

/// The shape of the answer to a success.
fn shape(facts: &OperationFacts) -> AnswerShape {
    facts
        .success()
        .map_or(AnswerShape::Unknown, |answer| answer.shape)
}

/// Whether a query parameter has one of these names, however it is spelt.
fn has_parameter(facts: &OperationFacts, names: WordList) -> bool {
    let mut parameters = facts.query_parameters.iter();
    parameters.any(|parameter| names.has(&words(&parameter.name).concat()))
}

/// The last part; an empty one where there is none.
fn last(parts: &[Part]) -> Part {
    parts.last().cloned().unwrap_or_default()
}

/// The last word of a part; empty where there is none.
fn last_word(part: &Part) -> &str {
    part.words.last().map_or("", String::as_str)
}
