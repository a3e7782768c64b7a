//! The evidence of the request's body and of the answers.

use toolwright_model::{EvidenceSource, Kind, StatusPattern};

use super::call;
use super::signal::{Signal, SignalPlace};
use crate::language::{
    WordList,
    facts::{AnswerFacts, AnswerShape, OperationFacts},
    is_plural, singular,
    vocabulary::Verb,
    words,
};

/// Fields with which a caller selects and limits the result.
static CHOOSING: WordList = WordList::new(
    "after before count cursor fields filter filters from limit offset order order_by orderBy page pageSize pageToken page_size page_token per_page query size sort sort_by sortBy to",
);

/// Fields that contain a program in a language of the service.
static PROGRAMS: WordList =
    WordList::new("command commands mutation script sql statement statements");

/// Words of a field for where a result is written.
static TARGETS: WordList = WordList::new("bucket destination destinations sink");

/// Words of such a field for the result, and for its place.
static RESULTS: WordList = WordList::new("export gcs output result results s3 storage target");
static PLACES: WordList = WordList::new(
    "config configuration dataset dir directory folder location path prefix table uri url",
);

/// Verbs that compute an answer, or do something else in some services.
static COMPUTING: WordList =
    WordList::new("detect encode explain extract generate hash identify lint measure score");

/// Words in the name of a body's schema that make it a query.
static QUERIES: WordList =
    WordList::new("criteria criterion filter filters lookup query search searches");

/// The number of selecting fields that make a request a read.
const ENOUGH: usize = 2;

/// Returns the evidence of the body; none if the method declares a read.
pub(crate) fn body(facts: &OperationFacts) -> Vec<Signal> {
    let Some(body) = facts.body.as_ref().filter(|_| !call::is_safe(facts)) else {
        return Vec::new();
    };
    let among = |names: &WordList| -> Vec<&str> {
        body.properties
            .iter()
            .map(String::as_str)
            .filter(|name| names.has(name))
            .collect()
    };
    let (choosing, programs) = (among(&CHOOSING), among(&PROGRAMS));
    let signal = |fields: &[&str], suggests: Kind| {
        let found = format!("`{}`", fields.join("`, `"));
        Signal::new(EvidenceSource::Body, found, suggests, SignalPlace::Shape)
    };
    let reads = (choosing.len() >= ENOUGH).then(|| signal(&choosing, Kind::Read));
    let runs = (!programs.is_empty()).then(|| signal(&programs, Kind::Action));
    reads
        .or_else(|| query(facts))
        .into_iter()
        .chain(runs)
        .collect()
}

/// Returns the evidence that the body is a query, by the name of its schema. The name of the operation
/// may be in it, and then it proves no more than that. A query that is answered as it was sent, or
/// sent to where queries are kept, is stored.
fn query(facts: &OperationFacts) -> Option<Signal> {
    let schema = facts.schemas.body.as_ref()?;
    let named = words(schema);
    let word = named.iter().find(|word| QUERIES.has(word))?;
    let is_kept = facts.schemas.answer.as_ref() == Some(schema)
        || facts.path.split('/').any(|step| {
            let step = words(step);
            step.last()
                .is_some_and(|last| is_plural(last) && singular(last) == singular(word))
        });
    let id = facts.operation_id.as_deref().unwrap_or_default();
    let is_named = words(id).iter().all(|word| named.contains(word)) && !id.is_empty();
    (!is_kept && !is_named && !schema.contains(',')).then(|| {
        let found = format!("`{schema}`");
        Signal::new(EvidenceSource::Body, found, Kind::Read, SignalPlace::Shape)
    })
}

/// Returns the evidence that a derived result is written to a place that the request names.
pub(crate) fn target(facts: &OperationFacts) -> Option<Signal> {
    let body = facts.body.iter().flat_map(|body| &body.properties);
    let query = facts
        .query_parameters
        .iter()
        .map(|parameter| &parameter.name);
    let name = body.chain(query).find(|name| is_target(&words(name)))?;
    let found = format!("the result is written to `{name}`");
    Some(Signal::new(
        EvidenceSource::Body,
        found,
        Kind::Action,
        SignalPlace::Shape,
    ))
}

/// Checks whether a name ends in the place of a result: `outputConfig`, `bucket`, `destinationUri`.
fn is_target(words: &[String]) -> bool {
    match words {
        [.., kind, last] if PLACES.has(last) => RESULTS.has(kind) || TARGETS.has(kind),
        [.., last] => TARGETS.has(last),
        [] => false,
    }
}

/// Returns the evidence that a POST computes its answer from its body: a name and a description have the
/// same verb, the path selects no item, and the answer has a content that is not what was sent.
pub(crate) fn computed(facts: &OperationFacts, signals: &[Signal]) -> Option<Signal> {
    let derives = |signal: &&Signal| {
        let computes = |verb: Verb| COMPUTING.has(verb.base);
        signal.suggests == Kind::Derive && signal.verb.is_some_and(computes)
    };
    let told = signals.iter().filter(derives).find(|told| {
        let named = |name: &&Signal| name.is_name() && name.verb == told.verb;
        !told.is_name() && signals.iter().filter(derives).any(|name| named(&name))
    })?;
    let mut answers = facts
        .answers
        .iter()
        .filter(|answer| answer.status.is_success());
    let content = |answer: &AnswerFacts| {
        answer.status == StatusPattern::Exact(200)
            && !answer.media_types.is_empty()
            && matches!(
                answer.shape,
                AnswerShape::Object | AnswerShape::ObjectWithList | AnswerShape::Array
            )
    };
    let answered = facts.success().is_some() && answers.all(content);
    let body = facts.body.is_some() && facts.schemas.body != facts.schemas.answer;
    (answered && body && facts.path_parameters.is_empty()).then(|| {
        let found = format!("computed from the request, as {} tells", told.found);
        Signal::new(
            EvidenceSource::Answer,
            found,
            Kind::Derive,
            SignalPlace::Computed,
        )
    })
}

/// Returns the evidence that nothing is answered, so that nothing was derived for the caller.
pub(crate) fn no_content(facts: &OperationFacts) -> Option<Signal> {
    let successes: Vec<_> = facts
        .answers
        .iter()
        .filter(|answer| answer.status.is_success())
        .collect();
    let nothing =
        !successes.is_empty() && successes.iter().all(|answer| answer.media_types.is_empty());
    nothing.then(|| {
        let found = "no content";
        Signal::new(
            EvidenceSource::Answer,
            found,
            Kind::Action,
            SignalPlace::Shape,
        )
    })
}

/// Returns the evidence of the responses; none if the method declares a read.
pub(crate) fn answers(facts: &OperationFacts) -> Option<Signal> {
    if call::is_safe(facts) {
        return None;
    }
    let statuses: Vec<u16> = facts.answers.iter().filter_map(success).collect();
    let nothing = !statuses.is_empty() && statuses.iter().all(|status| matches!(status, 204 | 205));
    let (found, suggests, place) = if facts.answers_list() {
        ("a list", Kind::Read, SignalPlace::Shape)
    } else if nothing {
        ("`204`", Kind::Action, SignalPlace::Shape)
    } else if is_only_accepted(facts) {
        ("`202` and no more", Kind::Action, SignalPlace::Shape)
    } else if statuses.contains(&201) {
        ("`201`", Kind::Create, SignalPlace::Created)
    } else {
        return None;
    };
    Some(Signal::new(EvidenceSource::Answer, found, suggests, place))
}

/// Checks whether the only response is that the request was accepted.
fn is_only_accepted(facts: &OperationFacts) -> bool {
    let mut successes = facts
        .answers
        .iter()
        .filter(|answer| answer.status.is_success());
    let accepted = facts
        .answers
        .iter()
        .any(|answer| answer.status == StatusPattern::Exact(202));
    accepted && successes.all(|answer| answer.media_types.is_empty())
}

/// The status of an answer to a success.
fn success(answer: &AnswerFacts) -> Option<u16> {
    match answer.status {
        StatusPattern::Exact(status @ 200..300) => Some(status),
        _ => None,
    }
}
