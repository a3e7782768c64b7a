//! The evidence of the summary and the description: the verbs of their first sentences.

use toolwright_model::{EvidenceSource, Kind};

use super::lexicon::{Certainty, Verb, verb_form};
use super::objects;
use super::phrase::CONJUNCTIONS;
use super::prose::{quote, sentences, without_markup};
use super::signal::{Signal, Weight};
use crate::{
    english::{Form, bases, words},
    facts::OperationFacts,
};

/// Words with which a sentence begins before it says what is done.
const PREAMBLE: &[&str] = &[
    "a",
    "able",
    "admin",
    "all",
    "allow",
    "allows",
    "an",
    "and",
    "api",
    "asynchronously",
    "batch",
    "be",
    "beta",
    "bulk",
    "call",
    "can",
    "client",
    "clients",
    "deprecated",
    "do",
    "enables",
    "endpoint",
    "experimental",
    "for",
    "function",
    "http",
    "is",
    "it",
    "lets",
    "may",
    "method",
    "operation",
    "only",
    "performs",
    "please",
    "post",
    "quickly",
    "request",
    "rest",
    "route",
    "simply",
    "synchronously",
    "that",
    "the",
    "then",
    "this",
    "to",
    "use",
    "used",
    "user",
    "users",
    "using",
    "way",
    "which",
    "will",
    "you",
    "your",
];

/// Words that make a noun of the next one.
const ARTICLES: &[&str] = &["a", "all", "an", "the", "this", "your"];

/// Words that make a verb of the one before: `Share a file`, but `Share settings`.
const DETERMINERS: &[&str] = &[
    "a", "all", "an", "any", "existing", "multiple", "new", "one", "several", "the", "these",
    "this", "your",
];

/// Nouns for the operation itself: what it does comes after them.
const ITSELF: &[&str] = &[
    "action",
    "api",
    "call",
    "endpoint",
    "function",
    "method",
    "operation",
    "request",
    "resource",
    "route",
];

/// Words that begin a clause about something else than what the operation does.
const ASIDES: &[&str] = &[
    "because", "can", "could", "if", "may", "might", "so", "that", "when", "where", "whether",
    "which", "who", "whose",
];

/// Words after which a condition comes, and then what is done.
const CONDITIONS: &[&str] = &["after", "before", "given", "if", "once", "when"];

/// Verbs that ask a question when `if` or `whether` follows.
const QUESTIONS: &[&str] = &["check", "confirm", "determine", "test", "verify"];

/// Verbs that mean an answer in a text, whatever they mean in a name.
const ANSWERS: &[&str] = &["display", "give", "provide", "return", "show"];

/// Words for places outside of the service: what is put there changes something.
const DESTINATIONS: &[&str] = &[
    "bucket",
    "dataset",
    "destination",
    "email",
    "queue",
    "storage",
    "table",
    "topic",
    "warehouse",
];

/// How many sentences of a text are looked at for what is done.
const SENTENCES: usize = 3;

/// What the summary and the description say.
///
/// The first sentence that begins with a verb says what is done. Where the summary says it, only
/// the first sentence of the description counts beside it.
pub(crate) fn texts(facts: &OperationFacts) -> Vec<Signal> {
    let mut signals: Vec<Signal> = Vec::new();
    for (text, at) in facts.texts().zip(0..) {
        let reach = if signals.is_empty() { SENTENCES } else { 1 };
        let late = at > 0 && signals.is_empty();
        for signal in first_statement(text, reach, late) {
            if !signals.contains(&signal) {
                signals.push(signal);
            }
        }
    }
    signals
}

/// The signals of the first sentence that begins with a verb.
///
/// That an operation reads counts in full only where it is said first: after a sentence that was
/// not understood it may be about something else.
fn first_statement(text: &str, reach: usize, mut late: bool) -> Vec<Signal> {
    for sentence in sentences(&without_markup(text)).take(reach) {
        let mut signals = statement(sentence);
        if !signals.is_empty() {
            for signal in &mut signals {
                if late && signal.reads() {
                    signal.weight = Weight::Weak;
                }
            }
            return signals;
        }
        late = true;
    }
    Vec::new()
}

/// The signals of a sentence.
fn statement(sentence: &str) -> Vec<Signal> {
    let words = after_condition(sentence);
    let Some(start) = start(&words) else {
        return Vec::new();
    };
    let before = start.checked_sub(1).and_then(|at| words.get(at));
    let article = before.is_some_and(|word| ARTICLES.contains(&word.as_str()));
    let Some((first, rest)) = words.get(start..).and_then(<[String]>::split_first) else {
        return Vec::new();
    };
    let signal = |(suggests, weight, verb): (Kind, Weight, Option<Verb>)| Signal {
        source: EvidenceSource::Summary,
        found: format!("`{}`", quote(sentence)),
        suggests,
        weight,
        verb,
    };
    let Some((kind, weight, verb, form)) = head(first, rest, article) else {
        return Vec::new();
    };
    let mut signals = vec![signal((kind, weight, verb))];
    signals.extend(
        coordinated(rest, form)
            .into_iter()
            .map(|verb| signal((verb.kind, Weight::Strong, Some(verb)))),
    );
    if objects::is_upload(rest) || kind == Kind::Derive && leaves(rest) {
        signals.push(signal((Kind::Action, Weight::Weak, None)));
    }
    signals
}

/// What the first verb of a sentence says.
fn head(first: &str, rest: &[String], article: bool) -> Option<(Kind, Weight, Option<Verb>, Form)> {
    if let Some(form) = answers(first).filter(|_| !article) {
        return Some((Kind::Read, Weight::Strong, None, form));
    }
    let next = rest.first().map_or("", String::as_str);
    let (verb, form) = verb_form(first)?;
    if matches!(verb.base, "start" | "begin" | "continue") && next.ends_with("ing") {
        // `Starts returning`
        return head(next, rest.get(1..).unwrap_or_default(), false);
    }
    if QUESTIONS.contains(&verb.base) && matches!(next, "if" | "whether") {
        return Some((Kind::Derive, Weight::Strong, None, form));
    }
    if objects::derives(verb.base, rest.iter().take(8)) {
        return Some((Kind::Derive, Weight::Weak, Some(verb), form));
    }
    let weight = weight(verb, form, next, article)?;
    Some((verb.kind, weight, Some(verb), form))
}

/// Whether the word means an answer, and in which form it stands.
fn answers(word: &str) -> Option<Form> {
    bases(word)
        .into_iter()
        .find(|(base, form)| match form {
            // `Provide a name` and `Give a reason` speak to the caller
            Form::Base => ANSWERS.contains(&base.as_str()) && !matches!(word, "give" | "provide"),
            Form::ThirdPerson | Form::Gerund => ANSWERS.contains(&base.as_str()),
            Form::Past => false,
        })
        .map(|(_, form)| form)
}

/// What a verb at the beginning of a sentence counts for; nothing where it is no verb there.
fn weight(verb: Verb, form: Form, next: &str, article: bool) -> Option<Weight> {
    let plain_read = verb.reads() && verb.certainty == Certainty::Plain;
    let noun = article && form != Form::ThirdPerson && !plain_read
        || !verb.reads() && (form == Form::Gerund || objects::is_state_word(next));
    if noun || form == Form::Past {
        return None;
    }
    match verb.certainty {
        Certainty::Plain => Some(Weight::Strong),
        Certainty::Vague => Some(Weight::Weak),
        Certainty::AlsoNoun if verb.reads() || form != Form::Base => Some(Weight::Strong),
        Certainty::AlsoNoun => DETERMINERS.contains(&next).then_some(Weight::Weak),
    }
}

/// The place of the word that should be the verb.
fn start(words: &[String]) -> Option<usize> {
    let skipped = preamble(words, 0);
    let verb = |word: &String| answers(word).is_some() || verb_form(word).is_some();
    if skipped == 0 || words.get(skipped).is_some_and(verb) {
        return Some(skipped);
    }
    // `This lovely endpoint gets`
    let itself = words
        .iter()
        .take(skipped + 4)
        .rposition(|word| ITSELF.contains(&word.as_str()))?;
    Some(preamble(words, itself + 1))
}

/// The place of the first word from here on that belongs to no preamble.
fn preamble(words: &[String], from: usize) -> usize {
    from + words
        .iter()
        .skip(from)
        .take_while(|word| PREAMBLE.contains(&word.as_str()))
        .count()
}

/// The plain verbs that a conjunction puts beside the first.
///
/// `… that the user can mount or unmount` is about something else, and so is `… of create and
/// update operations`.
fn coordinated(rest: &[String], form: Form) -> Vec<Verb> {
    let clause = rest
        .iter()
        .position(|word| ASIDES.contains(&word.as_str()))
        .and_then(|end| rest.get(..end))
        .unwrap_or(rest);
    let mut found = Vec::new();
    let mut before = ["", ""];
    for word in clause {
        let [first, conjunction] = before;
        if CONJUNCTIONS.contains(&conjunction)
            && let Some((verb, second)) = verb_form(word)
            && second == form
            && verb.certainty == Certainty::Plain
            && verb_form(first).is_none_or(|(_, other)| other != form)
        {
            found.push(verb);
        }
        before = [conjunction, word];
    }
    found
}

/// Whether what is derived is put somewhere: `to an S3 bucket`.
fn leaves(rest: &[String]) -> bool {
    rest.iter()
        .skip_while(|word| !matches!(word.as_str(), "to" | "into"))
        .any(|word| DESTINATIONS.contains(&word.as_str()))
}

/// The words of a sentence without a condition at its beginning: `Once a cursor was got, use …`.
fn after_condition(sentence: &str) -> Vec<String> {
    let all = words(sentence);
    match sentence.split_once(", ") {
        Some((_, rest))
            if all
                .first()
                .is_some_and(|first| CONDITIONS.contains(&first.as_str())) =>
        {
            words(rest)
        }
        _ => all,
    }
}
