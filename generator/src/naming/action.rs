//! Which verb, and to what: by a call in the path, or else by the method.

use toolwright_model::{Kind, Method};

use super::call;
use super::noun::Number;
use super::path::{Part, ResourcePath};
use super::said::Said;
use super::verbs::tool_verb;
use crate::{
    english::{WordList, is_plural},
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

/// What is done, and to what.
pub(crate) fn action(facts: &OperationFacts, path: ResourcePath, kind: Kind) -> Action {
    let said = Said::by(facts);
    let (mut parts, words) = (path.parts, path.call);
    choose_by_id(&said, &mut parts);
    name_own(facts, &said, !words.is_empty(), &mut parts);
    let call = if words.is_empty() {
        call::last_segment(facts.method, &said, &mut parts, kind)
            .or_else(|| call::before_item(facts.method, &mut parts))
    } else {
        call::spelt_out(&mut parts, &words)
    };
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
    by_method(facts, &said, parts, kind)
}

/// Takes from the operation id by what one of a thing is chosen whose name is no plural:
/// `project/{id}` beside `project`, with `getProjectById`.
fn choose_by_id(said: &Said, parts: &mut [Part]) {
    let one_of_one = |part: &Part| {
        part.item && part.by.is_empty() && part.words.last().is_some_and(|last| !is_plural(last))
    };
    if let Some(by) = said.chosen_by()
        && parts.iter().any(one_of_one)
        && let Some(last) = parts.last_mut()
        && last.by.is_empty()
    {
        last.by = vec![by.clone()];
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

/// What the method does to the resource.
fn by_method(facts: &OperationFacts, said: &Said, parts: Vec<Part>, kind: Kind) -> Action {
    let last = last(&parts);
    let (verb, number) = match facts.method {
        Method::Get | Method::Propfind | Method::Report => read(facts, said, &last),
        Method::Query => ("search", read(facts, said, &last).1),
        Method::Post if kind == Kind::Read => read(facts, said, &last),
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
    chosen || has_list_parameter(facts) && said.lists()
}

/// Whether what the path ends in is many things.
fn lists_all(facts: &OperationFacts, said: &Said, last: &Part) -> bool {
    let word = last_word(last);
    let answered = shape(facts);
    // one object is answered, and nothing says that many are
    let one = answered == AnswerShape::Object && !said.lists();
    !SINGLE_PLURALS.has(word)
        && (answered == AnswerShape::Array
            || is_plural(word) && !one
            || said.id_lists(word)
            || said.lists() && (facts.answers_list() || has_list_parameter(facts)))
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

/// Whether a parameter asks for a list: `?list=true`.
fn has_list_parameter(facts: &OperationFacts) -> bool {
    facts
        .query_parameters
        .iter()
        .any(|parameter| parameter.name == "list")
}

/// The last part; an empty one where there is none.
fn last(parts: &[Part]) -> Part {
    parts.last().cloned().unwrap_or_default()
}

/// The last word of a part; empty where there is none.
fn last_word(part: &Part) -> &str {
    part.words.last().map_or("", String::as_str)
}
