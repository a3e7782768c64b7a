//! Parses a sentence and finds the verb that describes the operation.
//!
//! The verb is the first word after a preamble: `This endpoint allows you to retrieve …`.

mod beside;

use toolwright_model::Kind;

use super::objects;
use super::signal::SignalPlace;
use crate::language::{
    Form, WordList, bases,
    clause::{after_condition, start},
    is_plural,
    vocabulary::{Certainty, Tag, Verb, is, is_past, verb_form},
};
pub(crate) use beside::side_effect;
use beside::{coordinated, enumerated, may_overwrite};

/// The action that a sentence describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Statement {
    /// The kind of operation that it speaks for.
    pub(crate) kind: Kind,
    /// Its place.
    pub(crate) place: SignalPlace,
    /// The verb, if the kind is its own.
    pub(crate) verb: Option<Verb>,
    /// True if it answers the state of something: `Returns statistics about …`.
    pub(crate) of_state: bool,
    /// True if it begins the sentence in the form that speaks to the caller: `Enable it`.
    pub(crate) imperative: bool,
}

/// Verbs that ask a question when `if` or `whether` follows.
static QUESTIONS: WordList = WordList::new("check confirm determine test verify");

/// Those of them that ask when `that` follows, too: to confirm that something happened changes it.
static QUESTIONS_THAT: WordList = WordList::new("check determine test");

/// Verbs that carry out the operation whose name follows: `Invoke function getSchedule`.
static CARRYING_OUT: WordList = WordList::new("call execute invoke perform run");

/// Nouns for an operation that its name follows.
static NAMED: WordList = WordList::new("action function method operation procedure");

/// Verbs that describe what the caller sends: `Accepts a type and returns a list`.
static TAKING: WordList = WordList::new("accept take");

/// Verbs that may take a thing out of where it is kept.
static TAKING_OUT: WordList = WordList::new("download fetch get pull restore retrieve");

/// Places from which a thing is taken out.
static STORES: WordList = WordList::new(
    "archive archives backup backups glacier quarantine recyclebin shelf trash vault",
);

/// Verbs that mean a response in a sentence, even if they mean something else in a name.
static ANSWERS: WordList = WordList::new("display give provide return");

/// Nouns for what a list is answered as.
static LISTS: WordList = WordList::new("list listing overview report summary");

/// Words before one for what was made. Others are about what exists: `Returns all saved searches`.
static BEFORE_MADE: WordList = WordList::new("and just newly or successfully that the this");

/// The number of words after `Returns` that are checked for a newly created object.
const NEAR: usize = 4;

/// The number of words after a verb that are checked for its object.
const OBJECT: usize = 8;

/// Returns the actions that a sentence describes; none if it does not begin with a verb.
pub(crate) fn statements(sentence: &str) -> Vec<Statement> {
    let words = after_condition(sentence);
    if let [first, rest @ ..] = words.as_slice()
        && first == "request"
        && objects::ends_in_credential(rest)
    {
        return vec![gives(SignalPlace::Secret)];
    }
    if is_list(&words) {
        return vec![of_answer(&[], Form::ThirdPerson)];
    }
    let Some(start) = start(&words) else {
        return Vec::new();
    };
    let before = start.checked_sub(1).and_then(|at| words.get(at));
    let Some((first, rest)) = words.get(start..).and_then(<[String]>::split_first) else {
        return Vec::new();
    };
    // `This returns` has a verb, `This update` has none
    if only_names(first, rest) || only_takes(first, rest) {
        return Vec::new();
    }
    let article = before
        .is_some_and(|word| is(word, Tag::Article) && !(word == "this" && first.ends_with('s')));
    let Some((statement, form)) = head(first, rest, article) else {
        return Vec::new();
    };
    let mut statements = vec![statement];
    // a later action of the sentence counts if it is more dangerous than the first
    let worse = |verb: &Verb| statement.kind <= Kind::Derive || verb.kind == Kind::Delete;
    let enumerated = enumerated(sentence, first, rest, form);
    statements.extend(
        coordinated(rest, form)
            .into_iter()
            .chain(enumerated)
            .filter(worse)
            .map(of_verb),
    );
    statements.extend(beyond(statement, first, rest));
    let overwrites = statement.kind == Kind::Create && may_overwrite(sentence, first, form);
    statements.extend(overwrites.then(|| gives(SignalPlace::Said)));
    statements
}

/// Checks whether the sentence only names the operation: `Invoke function getSchedule`.
fn only_names(first: &str, rest: &[String]) -> bool {
    let carries_out = bases(first).iter().any(|(base, _)| CARRYING_OUT.has(base));
    let rest = match rest {
        [article, rest @ ..] if article == "the" => rest,
        _ => rest,
    };
    carries_out
        && matches!(rest, [noun, name, ..] if NAMED.has(noun) && !is(name, Tag::Preposition))
}

/// Checks whether the sentence begins with the input and goes on with the response: `Accepts a
/// type and returns a list`.
fn only_takes(first: &str, rest: &[String]) -> bool {
    let takes = bases(first)
        .iter()
        .any(|(base, form)| *form == Form::ThirdPerson && TAKING.has(base));
    let input = matches!(rest.first(), Some(article) if article == "a" || article == "an");
    let answers = rest.windows(2).any(|pair| {
        matches!(pair, [and, word] if and == "and" && answer(word) == Some(Form::ThirdPerson))
    });
    takes && input && answers
}

/// Checks whether the sentence names a list, and how it is made: `Paginated report of messages`.
fn is_list(words: &[String]) -> bool {
    match words {
        [made, list, of, ..] => is_past(made) && LISTS.has(list) && of == "of",
        _ => false,
    }
}

/// Returns the words of the object of a sentence that begins with a verb, up to a preposition.
pub(crate) fn object(sentence: &str) -> Option<Vec<String>> {
    let words = after_condition(sentence);
    let start = start(&words)?;
    let (first, rest) = words.get(start..)?.split_first()?;
    verb_form(first)?;
    let object = rest
        .iter()
        .take_while(|word| !is(word, Tag::Preposition) && !is(word, Tag::Aside));
    Some(object.cloned().collect())
}

/// Returns the words of the object that a sentence reads.
pub(crate) fn read_object(sentence: &str) -> Option<Vec<String>> {
    let words = after_condition(sentence);
    let first = words.get(start(&words)?)?;
    let reads = verb_form(first).is_some_and(|(verb, _)| {
        verb.reads() && (verb.is_plain() || matches!(verb.base, "show" | "view"))
    });
    if reads {
        return object(sentence);
    }
    let rest = words.iter().skip_while(|word| *word != first).skip(1);
    let object = rest.take_while(|word| !is(word, Tag::Preposition) && !is(word, Tag::Aside));
    (answer(first) == Some(Form::ThirdPerson)).then(|| object.cloned().collect())
}

/// Returns the action of the first verb of a sentence, and the form of the verb.
fn head(first: &str, rest: &[String], article: bool) -> Option<(Statement, Form)> {
    if let Some(form) = answer(first).filter(|_| !article) {
        return Some((of_answer(rest, form), form));
    }
    let next = rest.first().map_or("", String::as_str);
    let (verb, form) = verb_form(first)?;
    if matches!(verb.base, "can" | "has" | "is") {
        return None;
    }
    if matches!(verb.base, "start" | "begin" | "continue") && next.ends_with("ing") {
        // `Starts returning`
        return head(next, rest.get(1..).unwrap_or_default(), false);
    }
    let asks = QUESTIONS.has(verb.base) && matches!(next, "if" | "whether")
        || QUESTIONS_THAT.has(verb.base) && next == "that";
    // `Generate a list of all models`
    let lists = matches!(verb.base, "generate" | "build" | "produce")
        && matches!(rest, [_, list, of, ..] if list == "list" && of == "of");
    // `Reports the status of the connection`
    let reports = verb.base == "report" && form == Form::ThirdPerson;
    let statement = if answers_state(verb, rest) || reports {
        of_answer(rest, Form::Base)
    } else if asks {
        Statement {
            kind: Kind::Derive,
            place: SignalPlace::Said,
            verb: None,
            of_state: false,
            imperative: false,
        }
    } else if lists || objects::derives(verb.base, objects::object(rest).take(OBJECT)) {
        Statement {
            kind: Kind::Derive,
            place: SignalPlace::Loosely,
            verb: Some(verb),
            of_state: false,
            imperative: false,
        }
    } else {
        Statement {
            kind: verb.kind,
            place: place(verb, form, next, article)?,
            verb: Some(verb),
            of_state: false,
            imperative: form == Form::Base,
        }
    };
    Some((statement, form))
}

/// Checks whether a verb that is none of reading means that a state is answered: `Requests the details of a
/// job`, `Provide an estimated count of the issues`.
fn answers_state(verb: Verb, rest: &[String]) -> bool {
    let state = |word: Option<&String>| word.is_some_and(|word| objects::is_state_word(word));
    let indefinite = matches!(rest.first(), Some(article) if article == "a" || article == "an");
    match verb.base {
        "request" => state(rest.iter().find(|word| !is(word, Tag::Article))),
        "provide" => indefinite && state(objects::object(rest).last()),
        _ => false,
    }
}

/// Returns the action of a plain verb after the first.
fn of_verb(verb: Verb) -> Statement {
    Statement {
        kind: verb.kind,
        place: if verb.certainty == Certainty::Plain {
            SignalPlace::Plainly
        } else {
            SignalPlace::Said
        },
        verb: Some(verb),
        of_state: false,
        imperative: false,
    }
}

/// Returns the action of `Returns …`: a read, unless the returned object was just created.
///
/// `Return payment` may mean to give it back.
fn of_answer(rest: &[String], form: Form) -> Statement {
    let made = rest.iter().take(NEAR).enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).and_then(|at| rest.get(at));
        is(word, Tag::Made) && before.is_none_or(|before| BEFORE_MADE.has(before))
    });
    let gives_back = form == Form::Base
        && rest
            .first()
            .is_none_or(|next| verb_form(next).is_none() && !is_of_answer(next, rest));
    Statement {
        kind: if made { Kind::Create } else { Kind::Read },
        place: if gives_back {
            SignalPlace::Loosely
        } else {
            SignalPlace::Said
        },
        verb: None,
        of_state: rest.iter().take(2).any(|word| objects::is_state_word(word)),
        imperative: false,
    }
}

/// Checks whether the words after `return` show that a response is meant: `Return a list`, but
/// `Return all or part of an order`.
fn is_of_answer(next: &str, rest: &[String]) -> bool {
    let either = rest.iter().take(2).any(|word| word == "or");
    is(next, Tag::Determiner) && !either
        || is(next, Tag::Preposition)
        || objects::is_state_word(next)
        || is_plural(next)
}

/// Returns the form of a word that means a response.
fn answer(word: &str) -> Option<Form> {
    bases(word)
        .into_iter()
        .find(|(base, form)| match form {
            // `Provide a name` and `Give a reason` speak to the caller
            Form::Base => word == "return",
            Form::ThirdPerson | Form::Gerund => ANSWERS.has(base),
            Form::Past => false,
        })
        .map(|(_, form)| form)
}

/// Returns the place of a verb at the start of a sentence. Returns `None` if it is not a verb
/// there.
fn place(verb: Verb, form: Form, next: &str, article: bool) -> Option<SignalPlace> {
    let plain = verb.certainty == Certainty::Plain;
    let noun = if verb.reads() {
        article && form != Form::ThirdPerson && !plain
    } else {
        // `Login View`
        let names = objects::ENTRANCES.has(verb.base)
            && verb_form(next).is_some_and(|(_, form)| form == Form::Base);
        article && form != Form::ThirdPerson
            || form == Form::Gerund
            || objects::is_state_word(next)
            || names
    };
    if noun || form == Form::Past {
        return None;
    }
    match verb.certainty {
        Certainty::Plain if verb.base == "generate" => Some(SignalPlace::Generated),
        Certainty::Plain => Some(SignalPlace::Plainly),
        Certainty::Vague if verb.base == "read" => Some(SignalPlace::Said),
        Certainty::Vague => Some(SignalPlace::Loosely),
        Certainty::AlsoNoun if verb.reads() => Some(SignalPlace::Said),
        // `Stores recipes`, `Run scheduled jobs`, but `Orders search`
        Certainty::AlsoNoun if !is(next, Tag::Determiner) => {
            let many = is_plural(next) || is_past(next);
            let verb = form == Form::ThirdPerson || form == Form::Base && many;
            (verb && is_object(next)).then_some(SignalPlace::Loosely)
        }
        Certainty::AlsoNoun if form == Form::Base => Some(SignalPlace::Loosely),
        Certainty::AlsoNoun => Some(SignalPlace::Said),
    }
}

/// Checks whether the word may be the object of the verb before it.
fn is_object(next: &str) -> bool {
    let verb = verb_form(next).is_some_and(|(_, form)| form != Form::Past);
    !next.is_empty()
        && !verb
        && !is(next, Tag::Conjunction)
        && !is(next, Tag::Preposition)
        && !is(next, Tag::Aside)
}

/// Returns the action of giving a power, or of a change.
const fn gives(place: SignalPlace) -> Statement {
    Statement {
        kind: Kind::Action,
        place,
        verb: None,
        of_state: false,
        imperative: false,
    }
}

/// Returns an additional action: giving a power, taking a thing out of an archive, or storing a
/// derived result elsewhere.
fn beyond(statement: Statement, first: &str, rest: &[String]) -> Option<Statement> {
    if objects::is_credential_made(statement.verb, rest) {
        return Some(gives(SignalPlace::Secret));
    }
    if objects::is_credential_got(statement.verb, rest) {
        return Some(if objects::is_short_lived(rest) {
            gives(SignalPlace::Secret)
        } else if objects::is_any(rest) {
            gives(SignalPlace::Made)
        } else {
            gives(SignalPlace::Given)
        });
    }
    if objects::is_entry(rest) {
        return Some(gives(SignalPlace::Secret));
    }
    if objects::is_upload(rest) {
        return Some(gives(SignalPlace::Given));
    }
    let leaves = statement.kind == Kind::Derive && objects::leaves(rest);
    (leaves || takes_out(first, rest)).then(|| gives(SignalPlace::Loosely))
}

/// Checks whether a thing is taken from where it is kept: `Retrieves a tape from the archive`.
fn takes_out(first: &str, rest: &[String]) -> bool {
    let takes = bases(first).iter().any(|(base, _)| TAKING_OUT.has(base));
    let mut from = rest.iter().skip_while(|word| *word != "from").take(OBJECT);
    takes && from.any(|word| STORES.has(word))
}

#[cfg(test)]
mod tests;
