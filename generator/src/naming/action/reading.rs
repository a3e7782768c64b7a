//! Actions of methods that read: they get one item or list many.

use super::last_word;
use crate::{
    language::{
        WordList,
        facts::{AnswerShape, OperationFacts},
        is_plural, words,
    },
    naming::{noun::Number, parameter::is_id, path::Part, said::Said},
};

/// Single resources whose word is a plural.
static SINGLE_PLURALS: WordList = WordList::new(
    "analytics basics credentials defaults details insights metrics options parameters \
     preferences properties settings statistics stats terms",
);

/// Query parameters that ask for a list.
static LISTING: WordList = WordList::new("list");

/// Query parameters that ask for a part of a list.
static PAGING: WordList = WordList::new(
    "cursor limit maxresults nextpagetoken offset page pagenumber pagesize pagetoken perpage \
     resultsperpage startat startindex",
);

/// Returns the action of a method that reads.
pub(super) fn read(facts: &OperationFacts, said: &Said, last: &Part) -> (&'static str, Number) {
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

/// Checks whether a parameter at the end selects several items: `GET /items/{owner}` with a list as
/// its response.
fn lists_chosen(facts: &OperationFacts, said: &Said, last: &Part) -> bool {
    let array = shape(facts) == AnswerShape::Array;
    let listed = facts.answers_list() && said.lists();
    let foreign = last.foreign
        && (listed && !said.is_about_details()
            || of_one_id(last) && said.is_of_many(last_word(last)));
    let chosen = foreign || !last.by.is_empty() && (array || listed);
    // `GamesByDate/{date}`
    let by = last.words.iter().skip(1).any(|word| word == "by") && (array || listed);
    // `{name}` with `items.list`
    let only = last.words.is_empty() && said.id.last().is_some_and(|last| last == "list");
    chosen || by || only || said.gets_page() || has_parameter(facts, &LISTING) && said.lists()
}

/// Checks whether a parameter at the end is the identifier of another resource: `keys/{systemId}`.
pub(super) fn of_one_id(last: &Part) -> bool {
    last.foreign && is_id(&last.key.join("_"))
}

/// Checks whether the end of the path is a collection.
fn lists_all(facts: &OperationFacts, said: &Said, last: &Part) -> bool {
    let word = last_word(last);
    let answered = shape(facts);
    // the response is one object, and nothing indicates a list
    let one = answered == AnswerShape::Object && !said.lists();
    let queries = said.begins_with("query") && !last.words.iter().any(|word| word == "query");
    if last.turned && !is_plural(word) {
        return answered == AnswerShape::Array || said.lists() && !one;
    }
    let listed = said.begins_with("list") || said.parts.lists || said.is_about_collection();
    (!SINGLE_PLURALS.has(word) || listed)
        && word != "list"
        && (said.gets_page() && word != "page"
            || answered == AnswerShape::Array
            || is_plural(word) && !one
            || said.lists_many(word)
            || said.has_many(&last.words)
            || answered == AnswerShape::ObjectWithList && said.is_about_many(word)
            || word != "collection" && said.is_about_collection()
            || queries
            || has_parameter(facts, &PAGING)
                && answered != AnswerShape::Object
                && !said.id.iter().any(|said| said == word)
            || said.lists() && !matches!(answered, AnswerShape::Object | AnswerShape::Scalar)
            || said.lists() && has_parameter(facts, &LISTING))
}

/// The shape of the answer to a success.
fn shape(facts: &OperationFacts) -> AnswerShape {
    facts
        .success()
        .map_or(AnswerShape::Unknown, |answer| answer.shape)
}

/// Checks whether a query parameter has one of these names, in any spelling.
fn has_parameter(facts: &OperationFacts, names: &WordList) -> bool {
    let mut parameters = facts.query_parameters.iter();
    parameters.any(|parameter| names.has(&words(&parameter.name).concat()))
}
