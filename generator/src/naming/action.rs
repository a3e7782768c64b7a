//! Which verb and which noun: from the call at the end of the path, from its last segment, or from
//! the method.

use toolwright_model::{Kind, Method};

use super::noun::Number;
use super::path::{Part, ResourcePath};
use super::verbs::{is_of_many, tool_verb};
use crate::{
    english::{
        WordList, is_plural,
        lexicon::{self, Certainty},
        plural, words,
    },
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

/// Words beside a verb that say that it is done to many at once.
const MANY: WordList = WordList::new("all batch bulk many mass multi multiple");

/// Words of an operation id that say that it is done to many at once.
const BULK: WordList = WordList::new("batch bulk collection many multi multiple");

/// Words beside a verb that say how it is done, not what.
const MANNERS: WordList = WordList::new("async asynchronous asynchronously do try");

/// Things of which there is one, although the word is a plural.
const SINGLE_PLURALS: WordList = WordList::new(
    "analytics basics credentials defaults details insights metrics options parameters \
     preferences properties settings statistics stats terms",
);

/// Things of which a caller has one, so that without a parameter its own may be meant.
const CALLERS: WordList = WordList::new("org organization user");

/// Words for what is the caller's own.
const OWN: WordList = WordList::new("authenticated current currently logged my own your");

/// How many words of a text are looked at for such a word.
const OWN_WITHIN: usize = 12;

/// Things that are there from the beginning, and are set rather than created.
const SETTINGS: WordList =
    WordList::new("config configuration options preferences properties settings");

/// What is done, and to what.
pub(crate) fn action(facts: &OperationFacts, path: ResourcePath, kind: Kind) -> Action {
    let ResourcePath {
        mut parts, call, ..
    } = path;
    choose_by_id(facts, &mut parts);
    name_own(facts, !call.is_empty(), &mut parts);
    if !call.is_empty() {
        return called(facts, parts, &call, kind);
    }
    if let Some(last) = parts.last().filter(|part| !part.item && part.by.is_empty())
        && let Some(found) = segment_call(facts, &parts, &last.words, kind)
    {
        let shown = last.words.join("-");
        parts.pop();
        return found.on(parts, format!("the path ends in `{shown}`"));
    }
    if let Some(found) = item_call(facts, &parts) {
        let last = parts.pop().unwrap_or_default();
        if let Some(part) = parts.last_mut() {
            part.by = last.chosen;
        }
        return found.on(parts, format!("the path calls `{}`", last.words.join("-")));
    }
    if let Some(found) = leading_verb(facts, &mut parts) {
        let (_, number) = read(facts, &parts.last().cloned().unwrap_or_default());
        return Action {
            verb: found,
            parts,
            number,
            because: format!("the path and the operation id say `{found}`"),
        };
    }
    by_method(facts, parts, kind)
}

/// Names what is the caller's own: the `current-token` of `GET /token` with `getTokenSelf`, the
/// `current-user` of `GET /user/keys`, which lists the authenticated user's keys.
fn name_own(facts: &OperationFacts, called: bool, parts: &mut [Part]) {
    let id = facts.operation_id.as_deref().map(words).unwrap_or_default();
    let alone = parts.len() == 1;
    let said = id.iter().any(|word| OWN.has(word))
        || facts
            .texts()
            .any(|text| OWN.has_any(words(text).iter().take(OWN_WITHIN)));
    if let Some(first) = parts.first_mut()
        && matches!(first.words.as_slice(), [only] if CALLERS.has(only))
        && !first.item
        // where paths end with `/`, singulars are the names of collections too
        && (said || !alone && !facts.path.ends_with('/'))
        && !(alone && called)
    {
        first.words.insert(0, "current".to_owned());
        first.fixed = true;
        return;
    }
    if id.last().is_some_and(|last| last == "self")
        && let Some(last) = parts.last_mut()
        && !last.item
        && !last.words.iter().any(|word| word == "self")
    {
        last.words.insert(0, "current".to_owned());
    }
}

/// Takes from the operation id by what one of a thing is chosen whose name is no plural:
/// `project/{id}` beside `project`, with `getProjectById`.
fn choose_by_id(facts: &OperationFacts, parts: &mut [Part]) {
    let chosen_alike = |part: &Part| {
        part.item && part.by.is_empty() && part.words.last().is_some_and(|last| !is_plural(last))
    };
    let id = facts.operation_id.as_deref().map(words).unwrap_or_default();
    if let Some(at) = id.iter().position(|word| word == "by")
        && let Some(by) = id.get(at + 1)
        && parts.iter().any(chosen_alike)
        && let Some(last) = parts.last_mut()
        && last.by.is_empty()
    {
        last.by = vec![by.clone()];
    }
}

/// A call whose parameter is the last segment: `POST /keys/rotate/{name}`.
fn item_call(facts: &OperationFacts, parts: &[Part]) -> Option<Call> {
    let [.., _, last] = parts else {
        return None;
    };
    let writes = matches!(facts.method, Method::Post | Method::Put);
    (writes && last.item && is_plain(last.words.first()))
        .then(|| Call::read(&last.words))
        .flatten()
}

/// The verb of a segment before the resource with which the operation id begins too:
/// `GET /watch/items` with `watchItems`. The segment is taken out.
fn leading_verb(facts: &OperationFacts, parts: &mut Vec<Part>) -> Option<&'static str> {
    let id = words(facts.operation_id.as_deref()?);
    let first = id.first()?;
    let at = parts
        .iter()
        .take(parts.len().saturating_sub(1))
        .position(|part| !part.item && matches!(part.words.as_slice(), [only] if only == first))?;
    let verb = tool_verb(first).filter(|_| !is_noun(first))?;
    parts.remove(at);
    Some(verb)
}

/// A verb with its object, read from words.
struct Call {
    verb: &'static str,
    object: Vec<String>,
    many: bool,
}

impl Call {
    /// Reads words that begin with a verb, `batch` and its like aside.
    fn read(words: &[String]) -> Option<Self> {
        let mut many = false;
        let mut rest: Vec<String> = Vec::new();
        for word in words {
            if MANY.has(word) {
                many = true;
            } else if !MANNERS.has(word) {
                rest.push(word.clone());
            }
        }
        let (first, object) = rest.split_first()?;
        Some(Self {
            verb: tool_verb(first)?,
            object: object.to_vec(),
            many,
        })
    }

    /// The call on a resource.
    fn on(self, mut parts: Vec<Part>, because: String) -> Action {
        let item = parts.last().is_some_and(|part| part.item);
        let number = if !self.object.is_empty() {
            Number::AsWritten
        } else if self.many || is_of_many(self.verb) && !item {
            Number::Many
        } else if item {
            Number::One
        } else {
            Number::AsWritten
        };
        if !self.object.is_empty() {
            parts.push(Part {
                words: self.object,
                ..Part::default()
            });
        }
        Action {
            verb: self.verb,
            parts,
            number,
            because,
        }
    }
}

/// A call that the path spells out: `documents.info`, `{name}:cancel`.
fn called(facts: &OperationFacts, mut parts: Vec<Part>, call: &[String], kind: Kind) -> Action {
    let shown = call.join("_");
    if let Some(found) = Call::read(call).filter(|found| !is_thing(found, call)) {
        // `documents.update` is done to one document
        if let Some(part) = parts.last_mut()
            && !found.many
            && (!is_of_many(found.verb) || !found.object.is_empty())
        {
            part.item = true;
        }
        return found.on(parts, format!("the path calls `{shown}`"));
    }
    if let Some(part) = parts.last_mut() {
        if is_participle(call) {
            // `documents.viewed`: viewed documents
            part.words.splice(0..0, call.iter().cloned());
        } else {
            part.item = true;
            parts.push(Part {
                words: call.to_vec(),
                ..Part::default()
            });
        }
    }
    by_method(facts, parts, kind)
}

/// Whether the words are rather a thing than a call: `group_memberships`, `report_templates`.
fn is_thing(found: &Call, words: &[String]) -> bool {
    words.len() > 1
        && words.last().is_some_and(|last| is_plural(last))
        && !is_plain(words.first())
        && !found.many
}

/// Whether the word is a verb and a common noun too.
fn is_noun(word: &str) -> bool {
    lexicon::verb(word).is_none_or(|verb| verb.certainty == Certainty::AlsoNoun)
}

/// Whether the word is a verb and no common noun.
fn is_plain(word: Option<&String>) -> bool {
    word.and_then(|word| lexicon::verb(word))
        .is_some_and(|verb| verb.certainty == Certainty::Plain)
}

/// Whether a single word says of what kind the things are: `archived`.
fn is_participle(words: &[String]) -> bool {
    matches!(words, [only] if matches!(
        lexicon::verb_form(only),
        Some((_, crate::english::Form::Past))
    ))
}

/// A call in the last segment of a path: `POST /items/{id}/archive`.
fn segment_call(
    facts: &OperationFacts,
    parts: &[Part],
    words: &[String],
    kind: Kind,
) -> Option<Call> {
    let call = match Call::read(words) {
        Some(call) => call,
        None => return tail_call(facts, words),
    };
    let plain = is_plain(words.first()) || call.many && is_plain(words.get(1));
    let reads = words
        .iter()
        .find(|word| !MANY.has(word))
        .and_then(|word| lexicon::verb(word))
        .is_some_and(|verb| verb.reads());
    let of_item = parts
        .len()
        .checked_sub(2)
        .and_then(|at| parts.get(at))
        .is_some_and(|part| part.item);
    let said = says(facts, call.verb) && parts.len() > 1;
    let reads = reads && kind <= Kind::Derive;
    let is_call = match facts.method {
        Method::Post | Method::Put if said => true,
        _ if is_thing(&call, words) || says_otherwise(facts, &call, words) => false,
        // the thing that a GET gets has the word for a name, unless getting it does something
        Method::Get => {
            plain
                && (matches!(call.verb, "list" | "search")
                    || kind > Kind::Derive && !reads_by_summary(facts))
        }
        // `POST /items/{id}/list`: a list that is made
        Method::Post if of_item && matches!(call.verb, "get" | "list") => !call.object.is_empty(),
        Method::Post | Method::Put => plain || reads || of_item && call.object.is_empty(),
        _ => false,
    };
    is_call.then_some(call)
}

/// A call whose verb is the last of several words: `PUT /items/{id}/price-validate`.
fn tail_call(facts: &OperationFacts, words: &[String]) -> Option<Call> {
    let (last, object) = words.split_last()?;
    let writes = matches!(facts.method, Method::Post | Method::Put);
    (writes && !object.is_empty() && is_plain(Some(last))).then_some(Call {
        verb: tool_verb(last)?,
        object: object.to_vec(),
        many: false,
    })
}

/// Whether the operation id or the summary begins with the verb.
fn says(facts: &OperationFacts, verb: &str) -> bool {
    let first = |text: &str| {
        let first = words(text).into_iter().next()?;
        let (base, _) = lexicon::verb_form(&first)?;
        tool_verb(base.base)
    };
    let id = facts.operation_id.as_deref().and_then(first);
    let summary = facts.texts().next().and_then(first);
    id == Some(verb) || summary == Some(verb)
}

/// Whether the words are a plural and the operation id has another verb: `POST /deploy_keys` with
/// `createDeployKey`.
fn says_otherwise(facts: &OperationFacts, call: &Call, words: &[String]) -> bool {
    let id = facts
        .operation_id
        .as_deref()
        .map(self::words)
        .unwrap_or_default();
    let said = words.first().is_some_and(|first| id.contains(first));
    !said
        && words.len() > 1
        && words.last().is_some_and(|last| is_plural(last))
        && id_verb(facts).is_some_and(|verb| verb != call.verb)
}

/// What the method does to the resource.
fn by_method(facts: &OperationFacts, parts: Vec<Part>, kind: Kind) -> Action {
    let last = parts.last().cloned().unwrap_or_default();
    let (verb, number) = match facts.method {
        Method::Get | Method::Query => read(facts, &last),
        Method::Post if kind == Kind::Read => read(facts, &last),
        Method::Head => ("check", of_one_or_bulk(facts, &last)),
        Method::Options => ("describe", of_one_or_bulk(facts, &last)),
        Method::Trace => ("trace", of_one_or_bulk(facts, &last)),
        Method::Put => ("replace", of_one_or_bulk(facts, &last)),
        Method::Patch => ("update", of_one_or_bulk(facts, &last)),
        Method::Delete => ("delete", of_one_or_bulk(facts, &last)),
        Method::Post => post(facts, &last, kind),
    };
    Action {
        verb,
        parts: without_verb(parts, verb),
        number,
        because: format!("by the method {}", facts.method),
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

/// What a reading method does.
fn read(facts: &OperationFacts, last: &Part) -> (&'static str, Number) {
    let listed = if last.item {
        lists_items(facts, last)
    } else {
        lists_all(facts, last)
    };
    if listed {
        ("list", Number::Many)
    } else if last.item {
        ("get", Number::One)
    } else {
        ("get", Number::AsWritten)
    }
}

/// Whether a parameter at the end chooses several: `GET /items/{owner}` with a list for an answer.
fn lists_items(facts: &OperationFacts, last: &Part) -> bool {
    let array = matches!(facts.success(), Some(answer) if answer.shape == AnswerShape::Array);
    let chosen = !last.by.is_empty() && (array || facts.answers_list() && says_list(facts));
    chosen || has_list_parameter(facts) && says_list(facts)
}

/// Whether what the path ends in is many things.
fn lists_all(facts: &OperationFacts, last: &Part) -> bool {
    let word = last.words.last().map_or("", String::as_str);
    let array = matches!(facts.success(), Some(answer) if answer.shape == AnswerShape::Array);
    !SINGLE_PLURALS.has(word)
        && (array
            || is_plural(word) && !answers_one(facts)
            || is_list(facts, word)
            || (facts.answers_list() || has_list_parameter(facts)) && says_list(facts))
}

/// Whether one object is answered, and nothing says that many are.
fn answers_one(facts: &OperationFacts) -> bool {
    let object = matches!(facts.success(), Some(answer) if answer.shape == AnswerShape::Object);
    object && !says_list(facts)
}

/// Whether the operation id begins or ends with `list`, or ends with the plural of the word.
fn is_list(facts: &OperationFacts, word: &str) -> bool {
    let words = facts.operation_id.as_deref().map(words).unwrap_or_default();
    let many = plural(word);
    let says = |at: Option<&String>| at.is_some_and(|at| matches!(at.as_str(), "all" | "list"));
    says(words.first())
        || says(words.last())
        || is_plural(&many) && words.last().is_some_and(|last| *last == many)
}

/// Whether the operation id or the summary says that many are listed.
fn says_list(facts: &OperationFacts) -> bool {
    let lists = |word: &String| tool_verb(word) == Some("list") || word == "lists" || word == "all";
    let id = facts.operation_id.as_deref().map(words).unwrap_or_default();
    let summary = facts.texts().next().map(words).unwrap_or_default();
    id.iter().any(lists) || summary.iter().take(3).any(lists)
}

/// Whether a parameter asks for a list: `?list=true`.
fn has_list_parameter(facts: &OperationFacts) -> bool {
    facts
        .query_parameters
        .iter()
        .any(|parameter| parameter.name == "list")
}

/// What POST does: it creates one of many; to one of them, or to a thing of which there is one, it
/// does what the operation id or the summary says.
fn post(facts: &OperationFacts, last: &Part, kind: Kind) -> (&'static str, Number) {
    let word = last.words.last().map_or("", String::as_str);
    if !last.item && (is_plural(word) || kind == Kind::Create) {
        return ("create", Number::One);
    }
    let fallback = if last.item || SETTINGS.has(word) {
        "update"
    } else {
        "create"
    };
    let verb = id_verb(facts)
        .or_else(|| summary_verb(facts))
        .filter(|verb| !is_deed(verb, word));
    (verb.unwrap_or(fallback), Number::One)
}

/// Whether the noun is the deed itself: `deactivation` of `deactivate`.
fn is_deed(verb: &str, noun: &str) -> bool {
    const STEM: usize = 5;
    verb.get(..STEM).is_some_and(|stem| noun.starts_with(stem))
}

/// Whether the summary begins with a verb that reads.
fn reads_by_summary(facts: &OperationFacts) -> bool {
    facts
        .texts()
        .next()
        .and_then(|text| lexicon::verb_form(words(text).first()?))
        .is_some_and(|(verb, _)| verb.reads())
}

/// The verb with which the summary begins.
fn summary_verb(facts: &OperationFacts) -> Option<&'static str> {
    let first = words(facts.texts().next()?).into_iter().next()?;
    let (verb, _) = lexicon::verb_form(&first)?;
    let sure = verb.certainty == Certainty::Plain && !verb.reads();
    sure.then(|| tool_verb(verb.base)).flatten()
}

/// The verb of the operation id: its first word, its last, or the first within.
fn id_verb(facts: &OperationFacts) -> Option<&'static str> {
    let words = words(facts.operation_id.as_deref()?);
    let method = facts.method.word().to_ascii_lowercase();
    let words: Vec<&String> = words.iter().filter(|word| **word != method).collect();
    let ends = words.first().into_iter().chain(words.last());
    ends.chain(words.iter())
        .filter(|word| is_plain(Some(**word)))
        .find_map(|word| tool_verb(word))
        .filter(|verb| !matches!(*verb, "get" | "list"))
}

/// One thing where a parameter chooses it, many where the operation id says so, else as the path
/// writes it.
fn of_one_or_bulk(facts: &OperationFacts, last: &Part) -> Number {
    let many = last
        .words
        .last()
        .map(|word| plural(word))
        .unwrap_or_default();
    let bulk = |id: &str| words(id).iter().any(|word| BULK.has(word) || *word == many);
    if last.item {
        Number::One
    } else if facts.operation_id.as_deref().is_some_and(bulk) {
        Number::Batch
    } else {
        Number::AsWritten
    }
}
