//! What is known of one operation: the record that names and governance are derived from.
//!
//! Lowering fills it in from an operation of a document. It holds what the document says of this one
//! operation and nothing of its siblings, so whatever is derived from it is stable: a document
//! that gains operations changes nothing here.

use serde_json::Value;
use toolwright_model::{Effect, Method, StatusPattern};

/// What one operation says of itself.
///
/// `$ref`s are resolved, and what a path item declares for all of its operations is merged in.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationFacts {
    /// The HTTP method.
    pub method: Method,
    /// The path template as the document writes it, without the server's base path:
    /// `/projects/{id}`.
    pub path: String,
    /// The operation id.
    pub operation_id: Option<String>,
    /// The summary.
    pub summary: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// The tags, in their order.
    pub tags: Vec<String>,
    /// The names of the path parameters, in their order in the path.
    pub path_parameters: Vec<String>,
    /// The query parameters, in the document's order.
    pub query_parameters: Vec<QueryParameterFacts>,
    /// The request body; none when the operation takes none.
    pub body: Option<BodyFacts>,
    /// The answers, errors included, in the document's order.
    pub answers: Vec<AnswerFacts>,
    /// The OAuth scopes and permissions that the operation's own security names, and those of
    /// extensions such as `x-permission`. Scopes of several alternatives are listed together.
    pub scopes: Vec<String>,
    /// The `x-` extensions of the operation, by name with the `x-`.
    pub extensions: Vec<(String, Value)>,
    /// What is said of it where it is a method of an EAB document.
    pub eab: Option<MethodFacts>,
}

/// A method of an EAB document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodFacts {
    /// The method: `extract_interfaces`.
    pub method: String,
    /// The noun of the tool's name, as the document says it.
    pub noun: Option<String>,
    /// What a call does to the service's state, as the document says it.
    pub effect: Option<Effect>,
}

/// A query parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryParameterFacts {
    /// The name on the wire.
    pub name: String,
    /// Whether the request is impossible without it.
    pub required: bool,
    /// The values that its schema allows, where it lists them and they are texts.
    pub values: Vec<String>,
}

/// The body of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyFacts {
    /// Whether the request is impossible without it.
    pub required: bool,
    /// The names of its top-level properties, `allOf` parts included; none when it is no object.
    pub properties: Vec<String>,
    /// The names of those that it cannot do without.
    pub required_properties: Vec<String>,
    /// The names of the properties, at any depth, whose schemas declare them secret.
    pub secrets: Vec<String>,
    /// The media types that it may have.
    pub media_types: Vec<String>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerFacts {
    /// The statuses that it stands for.
    pub status: StatusPattern,
    /// What it means, in the document's words.
    pub description: String,
    /// The media types that it may have; none when the answer has no body.
    pub media_types: Vec<String>,
    /// What its schema describes.
    pub shape: AnswerShape,
}

/// What the schema of an answer describes, seen from afar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerShape {
    /// There is no body, or its schema says nothing.
    #[default]
    Unknown,
    /// An array.
    Array,
    /// An object that has a property whose value is an array of objects or `$ref`s: the usual
    /// page of a list.
    ObjectWithList,
    /// Any other object.
    Object,
    /// A text, a number or a truth value.
    Scalar,
}

impl OperationFacts {
    /// The facts of an operation of which no more is known than where it is.
    #[must_use]
    pub fn new(method: Method, path: impl Into<String>) -> Self {
        let path = path.into();
        Self {
            method,
            path_parameters: path_parameters(&path),
            path,
            operation_id: None,
            summary: None,
            description: None,
            tags: Vec::new(),
            query_parameters: Vec::new(),
            body: None,
            answers: Vec::new(),
            scopes: Vec::new(),
            extensions: Vec::new(),
            eab: None,
        }
    }

    /// The answer to a success: of several the one with the lowest status.
    #[must_use]
    pub fn success(&self) -> Option<&AnswerFacts> {
        self.answers
            .iter()
            .filter(|answer| answer.status.is_success())
            .min_by_key(|answer| answer.status)
    }

    /// Whether a success is answered with a list.
    #[must_use]
    pub fn answers_list(&self) -> bool {
        self.success().is_some_and(|answer| {
            matches!(
                answer.shape,
                AnswerShape::Array | AnswerShape::ObjectWithList
            )
        })
    }

    /// The summary and the description, in this order, without those that are absent or empty.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        [&self.summary, &self.description]
            .into_iter()
            .flatten()
            .map(|text| text.trim())
            .filter(|text| !text.is_empty())
    }
}

/// The names between braces in a path template, in their order.
fn path_parameters(path: &str) -> Vec<String> {
    path.split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_between_braces_are_path_parameters() {
        let facts = OperationFacts::new(Method::Get, "/a/{b}/{c}-{d}/e");
        assert_eq!(facts.path_parameters, ["b", "c", "d"]);
    }

    #[test]
    fn the_lowest_success_counts() {
        let mut facts = OperationFacts::new(Method::Post, "/a");
        for (status, shape) in [
            (StatusPattern::Exact(400), AnswerShape::Array),
            (StatusPattern::Exact(202), AnswerShape::Array),
            (StatusPattern::Exact(200), AnswerShape::Object),
        ] {
            facts.answers.push(AnswerFacts {
                status,
                description: String::new(),
                media_types: Vec::new(),
                shape,
            });
        }
        assert_eq!(facts.success().unwrap().status, StatusPattern::Exact(200));
        assert!(!facts.answers_list());
    }
}
