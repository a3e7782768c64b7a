//! The facts of one operation, from which names and governance are derived.
//!
//! Lowering gathers them from the operation of a document. They contain nothing about its siblings,
//! so derived results are stable: a document that gains operations changes nothing here.

use serde_json::Value;
use toolwright_model::{Effect, Method, StatusPattern};

/// The facts of an operation.
///
/// References are resolved, and the declarations of a path item for all its operations are merged
/// in.
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
    /// The OAuth scopes and permissions of the operation's own security, and those of extensions
    /// such as `x-permission`. Scopes of several alternatives are listed together.
    pub scopes: Vec<String>,
    /// The `x-` extensions of the operation, by name with the `x-`.
    pub extensions: Vec<(String, Value)>,
    /// The schemas of the request and of the answer.
    pub schemas: SchemaNames,
    /// The facts of a method, for an EAB document.
    pub eab: Option<MethodFacts>,
    /// The hints of an MCP server that make its tool more dangerous.
    pub hints: DeclaredHints,
    /// The type of the operation, for a GraphQL schema.
    pub graphql: Option<GraphqlFacts>,
    /// True if the owner declares that a call has no side effects: `idempotency_level` of gRPC.
    pub no_side_effects: bool,
}

/// The type of an operation of a GraphQL schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphqlFacts {
    /// A query.
    Query {
        /// True if its name is that of the type of its result, so that it is a noun: `order` of the type
        /// `Order`.
        names_result: bool,
    },
    /// A mutation.
    Mutation,
}

/// The hints of an MCP server about its tool. Those that make it less dangerous are no facts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeclaredHints {
    /// True if the server declares that a call changes something.
    pub changes: bool,
    /// True if the server declares that a call may destroy something.
    pub destroys: bool,
}

/// The names by which operations share schemas. An anonymous object has the names of its properties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaNames {
    /// The schema of the request body.
    pub body: Option<String>,
    /// The schema of the answer to a success.
    pub answer: Option<String>,
    /// The schema of the elements of the list that the answer is or holds.
    pub element: Option<String>,
}

/// A method of an EAB document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodFacts {
    /// The method: `extract_interfaces`.
    pub method: String,
    /// The noun of the tool's name, from the document.
    pub noun: Option<String>,
    /// The effect of a call on the service's state, from the document.
    pub effect: Option<Effect>,
}

/// A query parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryParameterFacts {
    /// The name on the wire.
    pub name: String,
    /// True if the request needs it.
    pub required: bool,
    /// The strings that its schema allows, if it lists them.
    pub values: Vec<String>,
}

/// The body of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyFacts {
    /// True if the request needs it.
    pub required: bool,
    /// The names of its top-level properties, including those of `allOf`; empty if it is not an
    /// object.
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
    /// Its description in the document.
    pub description: String,
    /// The media types that it may have; none when the answer has no body.
    pub media_types: Vec<String>,
    /// The shape of its schema.
    pub shape: AnswerShape,
}

/// The rough shape of a response's schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerShape {
    /// No body, or an empty schema.
    #[default]
    Unknown,
    /// An array.
    Array,
    /// An object that has a property whose value is an array of objects or `$ref`s: the usual
    /// page of a list.
    ObjectWithList,
    /// Any other object.
    Object,
    /// A string, a number or a boolean.
    Scalar,
}

impl OperationFacts {
    /// Creates the facts of an operation with only a method and a path.
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
            schemas: SchemaNames::default(),
            eab: None,
            hints: DeclaredHints::default(),
            graphql: None,
            no_side_effects: false,
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

    /// Checks whether the successful response is a list.
    #[must_use]
    pub(crate) fn answers_list(&self) -> bool {
        self.success().is_some_and(|answer| {
            matches!(
                answer.shape,
                AnswerShape::Array | AnswerShape::ObjectWithList
            )
        })
    }

    /// The summary and the description, in this order, without those that are absent, empty or a path.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let path = |text: &str| text.contains('/') && !text.contains(char::is_whitespace);
        [&self.summary, &self.description]
            .into_iter()
            .flatten()
            .map(|text| text.trim())
            .filter(move |text| !text.is_empty() && !path(text))
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

/// Returns the path without the names of its parameters: `/items/{}`.
pub(crate) fn nameless(path: &str) -> String {
    let mut parts = path.split('{');
    let mut nameless = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        nameless.push_str("{}");
        nameless.push_str(part.split_once('}').map_or(part, |(_, rest)| rest));
    }
    nameless
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
