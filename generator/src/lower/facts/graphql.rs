//! The facts of an operation of GraphQL: those of the request of HTTP that would do the same.
//!
//! All requests are POST to one URL, which tells nothing. A query is read like a GET of its field, and a
//! mutation like a POST.

use toolwright_model::Method;

use crate::{
    language::facts::{AnswerShape, BodyFacts, GraphqlFacts, OperationFacts, QueryParameterFacts},
    parse::graphql::{GraphqlOperation, OperationType},
};

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
    let name = &operation.name;
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
                graphql: Some(GraphqlFacts::Query),
                path_parameters: OperationFacts::new(Method::Get, path.clone()).path_parameters,
                method: Method::Get,
                path,
                ..plain
            }
        }
        OperationType::Mutation => OperationFacts {
            answers,
            graphql: Some(GraphqlFacts::Mutation),
            path: format!("/{name}"),
            ..plain
        },
    }
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
