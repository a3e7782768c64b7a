//! Calls: paths that say what is done, not only to what.

use toolwright_model::{Kind, Method};

mod evidence;

use super::action::Action;
use super::noun::{Number, PREPOSITIONS, is_attribute};
use super::path::Part;
use super::said::{Said, calls, is_called, is_plain};
use super::verbs::{is_of_many, join_particles, tool_verb};
use crate::english::{Form, WordList, is_plural, lexicon};
use evidence::{asks_many, ends_in_many, is_another, is_call};

/// A verb with its object, read from words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    /// The verb.
    pub(crate) verb: &'static str,
    /// What is done it to, beside the resource: `user` of `collections.add_user`.
    pub(crate) object: Vec<String>,
    /// Whether it is done to many at once.
    pub(crate) many: bool,
    /// Whether it is done to all of them.
    pub(crate) all: bool,
    /// How it is done, where that tells it from another: `async`.
    pub(crate) manner: Vec<String>,
    /// By what it is done, where that stands behind the verb: `branch` of `sync_fork/{branch}`.
    pub(crate) by: Option<Vec<String>>,
}

/// The word for many at once that may be a thing too.
const BATCH: &str = "batch";

/// The word beside a verb that says that it is done to all of them.
const ALL: &str = "all";

/// Words beside a verb that say that it is done to many at once.
static MANY: WordList = WordList::new("all batch bulk many mass multi multiple");

/// Verbs that are nouns too, but seldom where something is sent with an object behind them.
static WITH_OBJECT: WordList = WordList::new("change mark set sign");

/// Verbs that are nouns too, but seldom where something else chooses behind them.
static WITH_CHOICE: WordList = WordList::new("issue sign trim");

/// Endings of words for what is done: `impersonation`.
const DEEDS: [&str; 3] = ["ion", "ment", "ance"];

/// Verbs that read and are nouns too, but not behind many things of which something is asked.
static ASKS: WordList = WordList::new("count query");

/// Words beside a verb that say how it is done, not what.
static MANNERS: WordList = WordList::new("async asynchronous asynchronously do try");

/// Those of them that tell a call from one that is answered when it is done.
static LATER: WordList = WordList::new("async asynchronous asynchronously");

impl Call {
    /// Reads words that begin with a verb, `batch` and its like aside.
    pub(crate) fn read(words: &[String]) -> Option<Self> {
        // a `build batch` is a thing
        let thing = |at: usize, word: &str| word == BATCH && at > 0 && words.len() > 2;
        let mut many = false;
        let mut rest = Vec::new();
        for (at, word) in words.iter().enumerate() {
            if MANY.has(word) && !thing(at, word) {
                many = true;
            } else if !MANNERS.has(word) {
                rest.push(word.clone());
            }
        }
        let rest = join_particles(rest);
        let (first, mut object) = rest.split_first()?;
        // `generate-and-download`
        if let [and, second, ..] = object
            && and == "and"
            && tool_verb(second).is_some()
        {
            object = object.get(1..).unwrap_or_default();
        }
        Some(Self {
            verb: tool_verb(first)?,
            object: object.to_vec(),
            many,
            all: words.iter().any(|word| word == ALL),
            manner: words
                .iter()
                .find(|word| LATER.has(word))
                .cloned()
                .into_iter()
                .collect(),
            by: None,
        })
    }

    /// The call on a resource.
    pub(crate) fn on(mut self, mut parts: Vec<Part>, because: String) -> Action {
        let item = parts.last().is_some_and(|part| part.item);
        // `templates/list-scheduled`: the scheduled templates
        if let [attribute] = self.object.as_slice()
            && is_of_many(self.verb)
            && is_attribute(attribute)
            && let Some(last) = parts.last_mut().filter(|last| !last.item)
            && last.words.last().is_some_and(|word| is_plural(word))
        {
            last.words.insert(0, attribute.clone());
            self.object.clear();
        }
        let plain = !PREPOSITIONS.has_any(&self.object);
        let number = if !self.object.is_empty() && self.many && !self.all && plain {
            Number::Batch
        } else if !self.object.is_empty() {
            Number::AsWritten
        } else if self.many && !self.all && !is_of_many(self.verb) {
            Number::Batch
        } else if self.many || is_of_many(self.verb) && !item {
            Number::Many
        } else if item || self.verb == "create" {
            Number::One
        } else {
            Number::AsWritten
        };
        let words = match parts.last_mut() {
            Some(last) if self.object.is_empty() && !last.item => Some(&mut last.words),
            _ if self.object.is_empty() => None,
            _ => Some(&mut self.object),
        };
        if let Some(words) = words.filter(|words| self.all && !words.iter().any(|word| word == ALL))
        {
            words.insert(0, ALL.to_owned());
        }
        if !self.object.is_empty() {
            parts.push(Part {
                object: true,
                ..Part::of(self.object)
            });
        }
        if let (Some(part), Some(by)) = (parts.last_mut(), self.by) {
            part.by = by;
            part.by.retain(|word| !part.words.contains(word));
        }
        Action {
            verb: self.verb,
            parts,
            number,
            manner: self.manner,
            because,
        }
    }

    /// Whether the words are rather a thing than a call: `group_memberships`, `report_templates`.
    fn is_thing(&self, words: &[String]) -> bool {
        !self.many && ends_in_many(words) && !words.first().is_some_and(|first| is_plain(first))
    }
}

/// A call that the path spells out: `documents.info`, `{name}:cancel`. Where the words are no
/// call, they become a part of the resource.
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
    // `POST /items/{id}/retrieve` beside `GET /items/{id}`
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

/// Leaves out what GET says: `getPolicy` of `GET /items/{id}/getPolicy` is the policy.
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

/// The verb of a segment before the resource with which the operation id begins too:
/// `GET /watch/items` with `watchItems`. Its part is taken out.
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

/// The call of a DELETE that its operation id names: `DELETE /items/{id}/archive` with
/// `unarchiveItem`.
fn undone(said: &Said, words: &[String]) -> Option<Call> {
    let [only] = words else { return None };
    Some(Call {
        verb: said.undoes(only)?,
        object: Vec::new(),
        many: false,
        all: false,
        manner: Vec::new(),
        by: None,
    })
}

/// The call of a word for what is done: `POST /users/{id}/impersonation`, which impersonates.
fn deed(method: Method, said: &Said, parts: &[Part]) -> Option<Call> {
    let [.., _, last] = parts else { return None };
    let [only] = last.words.as_slice() else {
        return None;
    };
    let verb = said.summary_verb().or_else(|| said.id_verb())?;
    let named = DEEDS.iter().any(|ending| only.ends_with(ending)) && is_deed(verb, only);
    (method == Method::Post && named).then(|| Call {
        verb,
        object: Vec::new(),
        many: false,
        all: false,
        manner: Vec::new(),
        by: None,
    })
}

/// Whether the noun is the deed itself: `deactivation` of `deactivate`.
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
    (calls(method) && !object.is_empty()).then(|| Call {
        verb,
        object: object.to_vec(),
        many: false,
        all: false,
        manner: Vec::new(),
        by: None,
    })
}

/// Whether a single word says of what kind the things are: `archived`.
fn is_participle(words: &[String]) -> bool {
    matches!(words, [only] if matches!(lexicon::verb_form(only), Some((_, Form::Past))))
}
