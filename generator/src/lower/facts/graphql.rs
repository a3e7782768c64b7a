//! The facts of an operation of GraphQL: those of the request of HTTP that would do the same.
//!
//! All requests are POST to one URL, which tells nothing. A query is read like a GET of its field, and a
//! mutation like a POST.

use toolwright_model::Method;

use crate::{
    language::{
        capitalised,
        facts::{AnswerShape, BodyFacts, GraphqlFacts, OperationFacts, QueryParameterFacts},
        plural,
        vocabulary::{Verb, verb},
        words,
    },
    parse::graphql::{GraphqlOperation, OperationType},
};

/// Words of types around the things that a field is about.
const WRAPPERS: &[&str] = &["connection", "countable", "list", "page", "result", "type"];

/// Verbs that are things at the start of a name with another verb: `checkoutLinesAdd`.
const THINGS: &[&str] = &["checkout"];

/// Arguments that select one item.
const KEYS: &[&str] = &["id", "key", "slug", "number", "name", "iid"];

/// Replaces what HTTP would tell.
pub(super) fn adapt(operation: &GraphqlOperation, plain: OperationFacts) -> OperationFacts {
    let body = plain.body.clone().unwrap_or_default();
    let shape = match operation.is_list {
        true => AnswerShape::Array,
        false => AnswerShape::Object,
    };
    let mut answers = plain.answers.clone();
    for answer in &mut answers {
        answer.shape = shape;
    }
    let is_mutation = operation.ty == OperationType::Mutation;
    let name = &verb_first(&operation.name, is_mutation);
    let operation_id = Some(name.clone());
    match operation.ty {
        OperationType::Query => {
            let path = match key(&body).filter(|_| !operation.is_list) {
                Some(key) => format!("/{name}/{{{key}}}"),
                None => format!("/{name}"),
            };
            OperationFacts {
                query_parameters: parameters(&body),
                body: None,
                answers,
                graphql: Some(GraphqlFacts::Query {
                    names_result: names_result(operation),
                }),
                path_parameters: OperationFacts::new(Method::Get, path.clone()).path_parameters,
                method: Method::Get,
                path,
                operation_id,
                ..plain
            }
        }
        OperationType::Mutation => OperationFacts {
            answers,
            graphql: Some(GraphqlFacts::Mutation),
            path: format!("/{name}"),
            operation_id,
            ..plain
        },
    }
}

/// Returns a name with its verb first: `createIssue` for `issueCreate`, and `setIssueDueDate` for
/// `issueSetDueDate`. Other names stay as they are.
fn verb_first(name: &str, is_mutation: bool) -> String {
    let mut words = words(name);
    let at = |index: usize| words.get(index).and_then(|word| verb_of(word));
    let last = words.len().saturating_sub(1);
    let first = at(0);
    let start = words.first().map_or("", String::as_str);
    let is_thing = THINGS.contains(&start);
    let is_told = first.is_some_and(|verb| verb.is_plain()) && !is_thing;
    let may_be_noun = first.is_none() && !is_formed(start);
    let ends = at(last).filter(|verb| verb.is_plain() || may_be_noun);
    let position = if is_told || last == 0 {
        None
    } else if ends.is_some_and(|verb| is_mutation || verb.reads() && verb.is_plain()) {
        Some(last)
    } else if is_mutation {
        (1..last).find(|index| at(*index).is_some_and(|verb| verb.is_plain()))
    } else {
        None
    };
    let Some(position) = position else {
        return name.to_owned();
    };
    let verb = words.remove(position);
    let nouns = words.iter().map(|word| capitalised(word));
    std::iter::once(verb).chain(nouns).collect()
}

/// Checks whether a word that is not in the vocabulary has the form of a verb: `minimize`, `rerequest`.
fn is_formed(word: &str) -> bool {
    let ends = ["ize", "ise", "ify"].iter().any(|end| word.ends_with(end));
    let rest = word.strip_prefix("un").or_else(|| word.strip_prefix("re"));
    ends || rest.is_some_and(|rest| verb_of(rest).is_some())
}

/// Checks whether the name of a query begins with that of the type of its result.
fn names_result(operation: &GraphqlOperation) -> bool {
    let Some(result) = &operation.result else {
        return false;
    };
    let mut result = words(result);
    while result
        .last()
        .is_some_and(|last| WRAPPERS.contains(&last.as_str()))
    {
        result.pop();
    }
    let name = words(&operation.name);
    let is_same = |(one, other): (&String, &String)| one == other || *one == plural(other);
    !result.is_empty() && name.len() >= result.len() && name.iter().zip(&result).all(is_same)
}

/// Returns the verb that a word is, in its base form.
fn verb_of(word: &str) -> Option<Verb> {
    verb(word).filter(|verb| verb.base == word)
}

/// Returns the required argument that selects one item.
fn key(body: &BodyFacts) -> Option<&String> {
    let mut required = body.required_properties.iter();
    required.find(|name| KEYS.contains(&name.as_str()) || name.ends_with("Id"))
}

fn parameters(body: &BodyFacts) -> Vec<QueryParameterFacts> {
    let names = body.properties.iter();
    names
        .map(|name| QueryParameterFacts {
            name: name.clone(),
            required: body.required_properties.contains(name),
            values: Vec::new(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_may_be_called_as_its_result() {
        for (name, result, expected) in [
            ("order", "Order", true),
            ("draftOrders", "DraftOrderConnection", true),
            ("orderByToken", "Order", true),
            ("rateLimit", "RateLimit", true),
            ("order", "Receipt", false),
            ("refundAll", "RefundResult", true),
            ("generateToken", "Token", false),
        ] {
            let operation = GraphqlOperation {
                ty: OperationType::Query,
                name: name.to_owned(),
                text: String::new(),
                result: Some(result.to_owned()),
                is_list: false,
            };
            assert_eq!(names_result(&operation), expected, "{name}: {result}");
        }
    }

    #[test]
    fn the_verb_of_a_mutation_comes_first() {
        for (name, expected) in [
            ("issueCreate", "createIssue"),
            ("customerAccessTokenDelete", "deleteCustomerAccessToken"),
            ("issueAddLabel", "addIssueLabel"),
            ("createIssue", "createIssue"),
            ("minimizeComment", "minimizeComment"),
            ("unminimizeComment", "unminimizeComment"),
            ("catalogExport", "exportCatalog"),
            ("checkoutLinesAdd", "addCheckoutLines"),
            ("createProjectStatusUpdate", "createProjectStatusUpdate"),
            ("requestReviews", "requestReviews"),
            ("sync", "sync"),
        ] {
            assert_eq!(verb_first(name, true), expected);
        }
        for name in ["issues", "codeOfConduct", "viewer", "latestUpdate"] {
            assert_eq!(verb_first(name, false), name);
        }
    }
}
