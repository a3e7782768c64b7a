//! The facts of an operation, from which its name and its governance are derived.

use std::collections::BTreeSet;

use indexmap::IndexSet;
use toolwright_model::Location;

mod graphql;
mod secrets;
mod shared;

use crate::{
    document::{documents::Documents, tree::Node},
    language::facts::{
        AnswerFacts, AnswerShape, BodyFacts, DeclaredHints, MethodFacts, OperationFacts,
        QueryParameterFacts,
    },
    parse::openapi::{BodyKind, MediaType, ParsedOperation, Protocol, RequestBody, Response},
};

/// Words of extensions that hold scopes.
const SCOPE_WORDS: &[&str] = &["scope", "permission", "privilege"];

/// Gathers the facts of an operation.
pub(super) fn gather(operation: &ParsedOperation<'_>, documents: &Documents) -> OperationFacts {
    let mut facts = OperationFacts {
        operation_id: operation.key.operation_id.clone(),
        summary: operation.summary.clone(),
        description: operation.description.clone(),
        tags: operation.key.tags.clone(),
        query_parameters: query_parameters(operation, documents),
        body: operation
            .body
            .as_ref()
            .map(|body| body_facts(body, documents)),
        answers: operation
            .responses
            .iter()
            .map(|response| answer_facts(response, documents))
            .collect(),
        scopes: scopes(operation),
        extensions: operation
            .extensions
            .iter()
            .map(|(name, node)| ((*name).to_owned(), node.to_value()))
            .collect(),
        schemas: shared::names(operation, documents),
        ..request_facts(operation)
    };
    match &operation.protocol {
        Protocol::Http => {}
        Protocol::Eab(call) => {
            facts.eab = Some(MethodFacts {
                method: operation.key.operation_id.clone().unwrap_or_default(),
                noun: call.noun.clone(),
                effect: call.effect,
            });
        }
        Protocol::Mcp(tool) => {
            facts.hints = DeclaredHints {
                changes: tool.changes,
                destroys: tool.destroys,
            };
        }
        Protocol::Grpc(method) => facts.no_side_effects = method.no_side_effects,
        Protocol::Graphql(operation) => facts = graphql::adapt(operation, facts),
    }
    facts
}

/// The method and the path. Those of a gRPC method are the ones that its document maps it to, or else
/// its name, after that of its service if there are several.
fn request_facts(operation: &ParsedOperation<'_>) -> OperationFacts {
    let key = &operation.key;
    let Protocol::Grpc(call) = &operation.protocol else {
        return OperationFacts::new(key.method, key.path.clone());
    };
    match &call.http {
        Some((method, path)) => OperationFacts::new(*method, path.clone()),
        None => {
            let name = key.path.rsplit('/').next().unwrap_or_default();
            let path = match &call.namespace {
                Some(service) => format!("/{service}/{name}"),
                None => format!("/{name}"),
            };
            OperationFacts::new(key.method, path)
        }
    }
}

fn query_parameters(
    operation: &ParsedOperation<'_>,
    documents: &Documents,
) -> Vec<QueryParameterFacts> {
    let parameters = operation.parameters.iter();
    parameters
        .filter(|parameter| parameter.location == Location::Query)
        .map(|parameter| QueryParameterFacts {
            name: parameter.name.clone(),
            required: parameter.required,
            values: parameter
                .schema
                .map(|schema| values(schema, documents))
                .unwrap_or_default(),
        })
        .collect()
}

/// Returns the strings that a schema lists, including those of array elements.
fn values(schema: &Node, documents: &Documents) -> Vec<String> {
    let Ok(schema) = documents.resolve(schema) else {
        return Vec::new();
    };
    let items = schema.get("items");
    let items = items.and_then(|items| documents.resolve(items).ok());
    let listed = schema
        .get("enum")
        .or_else(|| items.and_then(|items| items.get("enum")));
    let texts = listed.into_iter().flat_map(Node::items);
    texts.filter_map(Node::as_str).map(str::to_owned).collect()
}

fn body_facts(body: &RequestBody<'_>, documents: &Documents) -> BodyFacts {
    let mut properties = IndexSet::new();
    let mut required = IndexSet::new();
    let mut secrets = Vec::new();
    if let Some(schema) = body
        .content
        .iter()
        .find_map(|media| media.schema.as_deref())
    {
        collect_properties(schema, documents, &mut |name, _| {
            properties.insert(name.to_owned());
        });
        required = required_properties(schema, documents);
        secrets = secrets::find(schema, documents);
    }
    BodyFacts {
        required: body.required,
        properties: properties.into_iter().collect(),
        required_properties: required.into_iter().collect(),
        secrets,
        media_types: names(&body.content),
    }
}

fn answer_facts(response: &Response<'_>, documents: &Documents) -> AnswerFacts {
    let json = response
        .content
        .iter()
        .find(|media| BodyKind::parse(&media.name) == BodyKind::Json);
    let schema = json.and_then(|media| media.schema.as_deref());
    AnswerFacts {
        status: response.status,
        description: response.description.clone(),
        media_types: names(&response.content),
        shape: schema.map_or(AnswerShape::Unknown, |schema| shape(schema, documents)),
    }
}

fn names(content: &[MediaType<'_>]) -> Vec<String> {
    content.iter().map(|media| media.name.clone()).collect()
}

fn shape(schema: &Node, documents: &Documents) -> AnswerShape {
    let Ok(schema) = documents.resolve(schema) else {
        return AnswerShape::Unknown;
    };
    if schema.get("items").is_some() || has_type(schema, "array") {
        return AnswerShape::Array;
    }
    let mut has_property = false;
    let mut has_list = false;
    collect_properties(schema, documents, &mut |_, property| {
        has_property = true;
        has_list |= is_list(property, documents);
    });
    if has_list {
        AnswerShape::ObjectWithList
    } else if has_property || has_type(schema, "object") {
        AnswerShape::Object
    } else if ["string", "number", "integer", "boolean"]
        .iter()
        .any(|word| has_type(schema, word))
    {
        AnswerShape::Scalar
    } else {
        AnswerShape::Unknown
    }
}

/// Checks whether a property is an array of objects.
fn is_list(property: &Node, documents: &Documents) -> bool {
    let Ok(property) = documents.resolve(property) else {
        return false;
    };
    let Some(items) = property.get("items") else {
        return false;
    };
    items.get("$ref").is_some()
        || items.get("properties").is_some()
        || items.get("allOf").is_some()
        || has_type(items, "object")
}

/// The names of the properties that an object cannot do without.
fn required_properties(schema: &Node, documents: &Documents) -> IndexSet<String> {
    let mut required = IndexSet::new();
    each_part(schema, documents, &mut |part| {
        let names = part.get("required").into_iter().flat_map(Node::items);
        required.extend(names.filter_map(Node::as_str).map(ToOwned::to_owned));
    });
    required
}

/// Gives the properties of an object and of the parts of its `allOf`, each part once.
pub(super) fn collect_properties<'a>(
    schema: &'a Node,
    documents: &'a Documents,
    give: &mut impl FnMut(&'a str, &'a Node),
) {
    each_part(schema, documents, &mut |part| {
        for (name, property) in part.get("properties").into_iter().flat_map(Node::fields) {
            give(name, property);
        }
    });
}

/// Gives a schema and the parts of its `allOf`, each once.
fn each_part<'a>(schema: &'a Node, documents: &'a Documents, give: &mut impl FnMut(&'a Node)) {
    let mut seen = BTreeSet::new();
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        let Ok(schema) = documents.resolve(schema) else {
            continue;
        };
        if !seen.insert(std::ptr::from_ref(schema)) {
            continue;
        }
        give(schema);
        let parts = schema.get("allOf").and_then(Node::as_array);
        open.extend(parts.unwrap_or_default().iter().rev());
    }
}

fn has_type(schema: &Node, word: &str) -> bool {
    schema.get("type").is_some_and(|ty| {
        ty.as_str() == Some(word) || ty.items().any(|item| item.as_str() == Some(word))
    })
}

/// Returns the scopes of the operation's own security requirements and of its extensions, each
/// once. Requirements for all operations are no evidence for one.
fn scopes(operation: &ParsedOperation<'_>) -> Vec<String> {
    let own = operation.has_own_security;
    let required = operation.security.iter().flatten().filter(|_| own);
    let mut scopes: Vec<String> = required.flat_map(|part| part.scopes.clone()).collect();
    for (name, node) in &operation.extensions {
        if SCOPE_WORDS
            .iter()
            .any(|word| name.to_lowercase().contains(word))
        {
            let texts = node.as_str().into_iter();
            let texts = texts.chain(node.items().filter_map(Node::as_str));
            scopes.extend(texts.map(str::to_owned));
        }
    }
    let mut seen = BTreeSet::new();
    scopes.retain(|scope| seen.insert(scope.clone()));
    scopes
}
