//! Evidence of the whole document, for operations whose own names and texts prove nothing.
//!
//! A POST that answers the page that a GET answers lists what the GET lists. If its body holds the
//! query parameters of that GET, it is the same query.

use std::collections::BTreeMap;

use toolwright_model::{EvidenceSource, Kind, Method};

use super::signal::{Signal, SignalPlace};
use crate::language::facts::{AnswerShape, OperationFacts, nameless};

/// The least properties of a body that make it the query of a GET.
const ENOUGH: usize = 2;

/// What the operations of a document answer.
#[derive(Debug, Default)]
pub(crate) struct Outline<'a> {
    /// The GETs that answer pages, by the names of the pages.
    pages: BTreeMap<&'a str, Vec<&'a OperationFacts>>,
    /// True if the document describes the content of most answers.
    pub(crate) has_content: bool,
}

impl<'a> Outline<'a> {
    /// Collects the pages of a document.
    pub(crate) fn new(operations: &'a [OperationFacts]) -> Self {
        let mut pages: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        let gets = operations
            .iter()
            .filter(|facts| facts.method == Method::Get);
        for facts in gets {
            if let Some(page) = page(facts) {
                pages.entry(page).or_default().push(facts);
            }
        }
        let with_content = operations.iter().filter(|facts| has_content(facts)).count();
        Self {
            pages,
            has_content: with_content * 2 > operations.len(),
        }
    }

    /// Returns the evidence that a POST reads.
    pub(crate) fn evidence(&self, facts: &OperationFacts) -> Vec<Signal> {
        let gets = page(facts).and_then(|page| self.pages.get(page));
        let Some(gets) = gets.filter(|_| facts.method == Method::Post) else {
            return Vec::new();
        };
        let path = nameless(&facts.path);
        let pair = gets.iter().find(|get| nameless(&get.path) == path);
        let queries = gets.iter().find(|get| holds_query(facts, get));
        let shown = pair.or(queries).or(gets.first());
        let answer = shown.map(|get| {
            let found = format!("it answers the page of `GET {}`", get.path);
            Signal::new(
                EvidenceSource::Document,
                found,
                Kind::Read,
                SignalPlace::Shared,
            )
        });
        let query = queries.map(|get| {
            let found = format!("it holds the query of `GET {}`", get.path);
            Signal::new(EvidenceSource::Body, found, Kind::Read, SignalPlace::Shape)
        });
        answer.into_iter().chain(query).collect()
    }
}

fn has_content(facts: &OperationFacts) -> bool {
    let mut answers = facts.answers.iter();
    answers.any(|answer| answer.status.is_success() && !answer.media_types.is_empty())
}

/// Returns the name of the page that an operation answers.
fn page(facts: &OperationFacts) -> Option<&str> {
    let success = facts.success()?;
    let is_page = success.shape == AnswerShape::ObjectWithList;
    facts.schemas.answer.as_deref().filter(|_| is_page)
}

/// Checks whether the properties of a body are query parameters of a GET.
fn holds_query(facts: &OperationFacts, get: &OperationFacts) -> bool {
    let Some(body) = &facts.body else {
        return false;
    };
    let is_parameter = |name: &&String| {
        let mut parameters = get.query_parameters.iter();
        parameters.any(|parameter| parameter.name == **name)
    };
    let held = body.properties.iter().filter(is_parameter).count();
    held >= ENOUGH && held * 2 >= body.properties.len()
}
