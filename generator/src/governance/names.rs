//! The evidence of names: the words of the operation id and of the path.

use toolwright_model::{EvidenceSource, Kind, Method};

use super::call::{self, called};
use super::command::names_thing;
use super::objects;
use super::path::{action_of, ends_in};
use super::phrase::{Phrase, VerbPlace};
use super::signal::{self, Signal};
use crate::language::{
    Form,
    facts::OperationFacts,
    is_plural, singular,
    vocabulary::{Certainty, Verb, verb, verb_form},
    words,
};

/// Returns the evidence of the operation id.
pub(crate) fn operation_id(facts: &OperationFacts) -> Vec<Signal> {
    let Some(id) = &facts.operation_id else {
        return Vec::new();
    };
    let safe = call::is_safe(facts);
    let (before, last) = last_part(id);
    let mut of_id = with_base(without_method(words(last), facts.method));
    if safe && let Some(read) = read_part(before, last) {
        of_id = read;
    } else if safe {
        of_id.drain(..topic(&of_id, &facts.path));
    }
    Name {
        source: EvidenceSource::OperationId,
        words: of_id,
        resource: words(before),
        shown: id.clone(),
        calls: false,
        last: false,
        of_item: false,
        safe,
        facts,
    }
    .signals()
}

/// Returns the evidence of the path: its last segment that is not just a parameter.
pub(crate) fn path(facts: &OperationFacts) -> Vec<Signal> {
    let Some(action) = action_of(&facts.path) else {
        return Vec::new();
    };
    let (before, last) = last_part(action);
    Name {
        source: EvidenceSource::Path,
        words: words(last),
        resource: words(before),
        shown: format!("…/{action}"),
        last: ends_in(&facts.path, action),
        calls: !before.is_empty() || called(&facts.path).is_some(),
        of_item: is_of_item(facts, action),
        safe: call::is_safe(facts),
        facts,
    }
    .signals()
}

/// Checks whether the path ends in a plural resource instead of the name of a call.
pub(crate) fn is_collection(path: &str) -> bool {
    action_of(path).is_some_and(|action| {
        let (before, last) = last_part(action);
        before.is_empty() && words(last).last().is_some_and(|last| is_plural(last))
    })
}

/// Checks whether the operation id begins with a word of the path's resource, or is absent. If so,
/// it does not begin with an unknown verb.
pub(crate) fn begins_with_resource(facts: &OperationFacts) -> bool {
    let Some(id) = &facts.operation_id else {
        return true;
    };
    let path = call::bare(&facts.path);
    let id = without_method(words(last_part(id).1), facts.method);
    let is_first = |word: &String| {
        id.first()
            .is_some_and(|first| singular(first) == singular(word))
    };
    id.len() < 2 || words(path).iter().any(is_first)
}

/// Returns the words from a plain verb that reads on, if a part of an operation id begins with one:
/// `UpdateSystem_GetCachedFiles`, `Get.Count.updateStates`.
fn read_part(before: &str, last: &str) -> Option<Vec<String>> {
    let reads = |part: &[String]| {
        let first = part.first().and_then(|first| verb(first));
        first.is_some_and(|verb| verb.kind == Kind::Read && verb.is_plain())
    };
    let mut parts = before.split('.').map(words);
    if let Some(first) = parts.find(|part| part.len() == 1 && reads(part)) {
        return Some(first.into_iter().chain(words(last)).collect());
    }
    let last = words(last.rsplit_once('_')?.1);
    (last.len() > 1 && reads(&last)).then_some(last)
}

/// Counts the words at the start of an operation id that repeat a segment of the path before the last:
/// `StopPoint` of `StopPoint_Route`.
fn topic(id: &[String], path: &str) -> usize {
    let segments = call::bare(path).trim_end_matches('/').rsplit('/').skip(1);
    let lengths = segments.filter_map(|segment| {
        let segment = words(segment).concat();
        let mut rest = segment.as_str();
        let repeated = id
            .iter()
            .take_while(|word| match rest.strip_prefix(word.as_str()) {
                Some(after) if !rest.is_empty() => {
                    rest = after;
                    true
                }
                _ => false,
            });
        let count = repeated.count();
        (rest.is_empty() && (2..id.len()).contains(&count)).then_some(count)
    });
    lengths.max().unwrap_or_default()
}

/// Checks whether a parameter before the last segment selects an item.
fn is_of_item(facts: &OperationFacts, action: &str) -> bool {
    let before = call::bare(&facts.path).strip_suffix(action);
    before.is_some_and(|before| before.ends_with("}/"))
}

/// A name that may contain a verb.
struct Name<'a> {
    source: EvidenceSource,
    /// The words of the part that has the verb.
    words: Vec<String>,
    /// The words before it: the resource, if the name has several parts.
    resource: Vec<String>,
    /// The whole name, to be quoted.
    shown: String,
    /// True for names like `documents.archive`, whose last part is always the action.
    calls: bool,
    /// True if HTTP declares that the method changes nothing.
    safe: bool,
    /// True if a path ends in it, without a parameter after it that selects an item.
    last: bool,
    /// True if it follows a parameter of a path that selects an item.
    of_item: bool,
    /// The facts of the operation.
    facts: &'a OperationFacts,
}

impl Name<'_> {
    fn signals(&self) -> Vec<Signal> {
        let phrase = Phrase::read(&self.words);
        let mut signals: Vec<Signal> = phrase
            .verbs
            .iter()
            .filter_map(|&(verb, place)| self.signal(&phrase, verb, place))
            .collect();
        signals.extend(self.granted(&phrase));
        signals.extend(self.unknown(&phrase));
        signals.extend(self.replaces(&phrase));
        signals
    }

    /// Returns the evidence of a GET that calls an unknown verb: `GET /#Action=EnrageEverybody`.
    fn unknown(&self, phrase: &Phrase) -> Option<Signal> {
        // `example.graph.user` is the name of a type
        let name = self.shown.matches('.').count() > 1;
        let unknown = self.calls && self.safe && !name;
        let unknown = unknown && phrase.words.len() > 1 && phrase.verbs.is_empty();
        unknown.then(|| {
            let found = format!("`{}` calls what is not known", self.shown);
            let place = if ends_in_many(phrase) {
                signal::SignalPlace::Objects
            } else {
                signal::SignalPlace::Sure
            };
            Signal::new(self.source, found, Kind::Action, place)
        })
    }

    /// Returns the evidence that something is overwritten if it exists: `createOrUpdateItem`.
    fn replaces(&self, phrase: &Phrase) -> Option<Signal> {
        let kind = |word: &String| verb(word).map(|verb| verb.kind);
        let either = |words: &[String]| match words {
            [first, or, second] => {
                or == "or"
                    && kind(first) == Some(Kind::Create)
                    && kind(second) == Some(Kind::Overwrite)
            }
            _ => false,
        };
        let replaces = !self.safe && phrase.words.windows(3).any(either);
        replaces.then(|| {
            let found = format!("`{}` may overwrite", self.shown);
            Signal::new(self.source, found, Kind::Action, signal::SignalPlace::Sure)
        })
    }

    fn signal(&self, phrase: &Phrase, verb: Verb, place: VerbPlace) -> Option<Signal> {
        use signal::SignalPlace::{Objects, Repeated, State, Sure};
        let sure = if self.safe {
            is_sure_of_safe(self.calls, phrase, verb, place)
        } else {
            is_sure(phrase, verb, place)
        }?;
        let asks = place == VerbPlace::Head && objects::asks(verb.base, &phrase.words);
        let computed = objects::derives(verb.base, phrase.words.iter().chain(&self.resource))
            || self.safe && objects::starts_search(verb, &words(&self.facts.path));
        let thing = self.safe && !verb.reads() && names_thing(self.facts, verb);
        let marks = verb.base == "read" && marks_as_read(self.facts);
        if thing || marks || !computed && objects::is_derived(verb.base, phrase) {
            return None;
        }
        let of_id = self.source == EvidenceSource::OperationId;
        let (suggests, place) = if asks {
            (Kind::Read, Sure)
        } else if computed {
            (Kind::Derive, signal::SignalPlace::Vague)
        } else if !sure {
            (verb.kind, unsure(phrase, verb, place))
        } else if of_id && verb.reads() && objects::is_state(phrase) {
            (verb.kind, State)
        } else if verb.base == "get" {
            (verb.kind, Repeated)
        } else if ends_in_many(phrase) {
            (verb.kind, Objects)
        } else {
            (verb.kind, Sure)
        };
        let found = format!("`{}` in `{}`", verb.base, self.shown);
        let mut signal = Signal::new(self.source, found, suggests, place);
        signal.verb = Some(verb);
        Some(signal)
    }

    /// Returns the evidence that the result is a power: a credential, or an upload URL.
    fn granted(&self, phrase: &Phrase) -> Option<Signal> {
        let asked = phrase
            .verbs
            .iter()
            .any(|(verb, _)| matches!(verb.base, "request" | "issue"));
        let got = phrase
            .verbs
            .first()
            .is_none_or(|(verb, _)| objects::obtains(verb.base));
        let entry = objects::is_entry(&self.words);
        let id = self.facts.operation_id.as_deref().map(words);
        let id_reads = |word: &String| verb(word).is_some_and(|verb| verb.kind == Kind::Read);
        let reads = match phrase.verbs.first() {
            Some((verb, _)) => verb.reads(),
            // `POST /projects/{name}/secrets` may create one
            None => id.is_some_and(|id| id.iter().any(id_reads)),
        };
        let granted = entry
            || self.of_item && !self.safe && reads && objects::is_handed(&self.words)
            || objects::is_upload(&self.words)
            || objects::is_credential(phrase) && (asked || got);
        granted.then(|| {
            let found = format!("`{}` gives a power", self.shown);
            let passing = self.last && objects::is_passing(phrase);
            let place = if asked || self.safe && (passing || entry) {
                signal::SignalPlace::Issued
            } else {
                signal::SignalPlace::Power
            };
            Signal::new(self.source, found, Kind::Action, place)
        })
    }
}

/// Checks whether `read` may mean to mark as read: one item, as in `POST /chats/{id}/read`, or many if the answer
/// lists nothing.
fn marks_as_read(facts: &OperationFacts) -> bool {
    let path = call::bare(&facts.path).trim_end_matches('/');
    let read = path.strip_suffix("/read");
    let marks = |thing: &str| thing.ends_with('}') || !facts.answers_list();
    !call::is_safe(facts) && read.is_some_and(marks)
}

/// Checks whether the last word is a plural.
fn ends_in_many(phrase: &Phrase) -> bool {
    matches!(phrase.words.as_slice(), [_, .., last] if is_plural(last))
}

/// Checks whether a word is a verb for sure if the method does not declare a read. Returns `None` if
/// it is not a verb.
fn is_sure(phrase: &Phrase, verb: Verb, place: VerbPlace) -> Option<bool> {
    match (place, verb.certainty) {
        (VerbPlace::Whole | VerbPlace::Head, Certainty::Plain) => Some(true),
        (VerbPlace::Tail, Certainty::Plain) if !phrase.is_vague() => Some(true),
        (VerbPlace::Inner, Certainty::Plain) if !verb.reads() && phrase.verbs.len() == 1 => {
            Some(true)
        }
        (VerbPlace::Inner, Certainty::AlsoNoun | Certainty::Vague) => None,
        _ => Some(false),
    }
}

/// Checks whether a word is a verb for sure if the method declares a read. Returns `None` if it is
/// not a verb.
fn is_sure_of_safe(calls: bool, phrase: &Phrase, verb: Verb, place: VerbPlace) -> Option<bool> {
    if surely_reads(verb) {
        return Some(true);
    }
    if verb.reads() {
        return is_sure(phrase, verb, place);
    }
    let reads = phrase.verbs.iter().any(|(verb, place)| {
        matches!(place, VerbPlace::Inner | VerbPlace::Tail) && surely_reads(*verb)
    });
    let noun = verb.certainty != Certainty::Plain;
    // `updateSettings` updates them, but `seal-status` is what is read
    let set = place == VerbPlace::Head && !noun && objects::is_settable(phrase);
    // `GET …/seal-status`, `getSingleCommit`, `notifyGetThread`: a thing that is read
    if objects::is_state(phrase) && !set || reads {
        return None;
    }
    match place {
        VerbPlace::Whole if noun => Some(calls),
        VerbPlace::Tail if noun => None,
        _ => is_sure(phrase, verb, place),
    }
}

/// Returns the place of a word that may be a verb. A verb that a conjunction joins is one: `search
/// and book`.
fn unsure(phrase: &Phrase, verb: Verb, place: VerbPlace) -> signal::SignalPlace {
    let joined = place == VerbPlace::Head && phrase.words.first().is_some_and(|w| w != verb.base);
    match (verb.certainty, place) {
        // `batch/read`
        (Certainty::Vague, VerbPlace::Whole) if verb.base == "read" => signal::SignalPlace::Whole,
        (Certainty::Vague, _) => signal::SignalPlace::Vague,
        (Certainty::AlsoNoun, VerbPlace::Head | VerbPlace::Tail) if !joined => {
            signal::SignalPlace::Within
        }
        _ if verb.reads() => signal::SignalPlace::Within,
        _ => signal::SignalPlace::Whole,
    }
}

/// Checks whether a verb certainly reads if the method does too. With POST, `read` may mean to mark
/// as read.
fn surely_reads(verb: Verb) -> bool {
    verb.reads()
        && (verb.certainty == Certainty::Plain || matches!(verb.base, "read" | "show" | "view"))
}

/// Converts the first word to its base form if it is a plain verb: `Gets`.
pub(super) fn with_base(mut words: Vec<String>) -> Vec<String> {
    if let Some(first) = words.first_mut()
        && let Some((verb, Form::ThirdPerson)) = verb_form(first)
        && verb.certainty == Certainty::Plain
    {
        verb.base.clone_into(first);
    }
    words
}

/// The words without the word of the method, which tools that make ids put first or last.
pub(super) fn without_method(mut words: Vec<String>, method: Method) -> Vec<String> {
    let method = method.word().to_ascii_lowercase();
    if words.len() > 1 && words.last() == Some(&method) {
        words.pop();
    }
    if words.len() > 1 && words.first() == Some(&method) && method != "get" {
        words.remove(0);
    }
    words
}

/// Splits a dotted, colon-separated or prefixed name before the part that contains the verb.
pub(crate) fn last_part(name: &str) -> (&str, &str) {
    let (before, name) = name.rsplit_once(['.', ':', '/', '#']).unwrap_or(("", name));
    let Some((first, rest)) = name.split_once('_') else {
        return (before, name);
    };
    // `GET_DescribeAlarms`
    if Method::from_word(first).is_some_and(|method| Method::WITH_KEY.contains(&method)) {
        return (before, rest);
    }
    // `CREATE_Quote_for_User`, but `VirtualMachines_CreateOrUpdate`
    let begins_with_verb = words(first)
        .first()
        .and_then(|word| verb(word))
        .is_some_and(|verb| verb.certainty == Certainty::Plain || verb.base == "read");
    match name.rsplit_once('_') {
        Some((tag, last))
            if !begins_with_verb && last.contains(|c: char| c.is_ascii_uppercase()) =>
        {
            (tag, last)
        }
        _ => (before, name),
    }
}
