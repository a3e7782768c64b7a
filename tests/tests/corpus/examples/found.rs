//! The examples of a document, each with the type of its value.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use toolwright::{
    ToolSpec,
    binding::{BodyShape, Bound},
};
use toolwright_generator::{check::CheckedService, emit, internals::Node, source::Place};
use toolwright_model::JsonPointer;
use toolwright_tests::{Extent, example};

use crate::nodes::Both;

/// An example.
pub(super) struct Found<'v> {
    /// The JSON pointer of the example.
    pub(super) at: String,
    /// The JSON pointer of its schema.
    pub(super) schema: String,
    /// The example's value.
    pub(super) example: &'v Value,
    /// The path of the type from the root of the generated module.
    pub(super) rust: String,
    /// The value to decode: the example, or the arguments of a call with the example as its body.
    /// An error explains why there is nothing to decode.
    pub(super) value: Result<Value, &'static str>,
}

/// Returns all examples with a type, including defaults: those in schemas, parameters, bodies and
/// responses.
pub(super) fn all<'v>(
    service: &CheckedService,
    tools: &[ToolSpec],
    tree: &'v Node,
    value: &'v Value,
) -> Vec<Found<'v>> {
    let mut types: BTreeMap<Place, BTreeSet<String>> = BTreeMap::new();
    for node in emit::typed_nodes(service) {
        types.entry(node.place).or_default().insert(node.rust);
    }
    let calls = calls(tools, &Both::root(tree, value));
    let mut all = Vec::new();
    for both in Both::root(tree, value).all() {
        // Examples in the schema itself, and examples next to a `schema` keyword.
        let own = schema_examples(&both, value)
            .into_iter()
            .map(|one| (both.clone(), one));
        let outer = both.field("schema").into_iter().flat_map(|schema| {
            let examples = owner_examples(&both, value).into_iter();
            examples.map(move |one| (schema.clone(), one))
        });
        for (schema, (at, example)) in own.chain(outer) {
            let found = |rust: &str, value: Result<Value, &'static str>| Found {
                at: at.clone(),
                schema: schema.pointer.to_string(),
                example,
                rust: rust.to_owned(),
                value,
            };
            let types = types.get(&schema.node.place).into_iter().flatten();
            // The type of a file contains more than its JSON value.
            let types =
                types.filter(|rust| !["codec::File", "codec::Download"].contains(&&***rust));
            all.extend(types.map(|rust| found(rust, Ok(example.clone()))));
            for call in calls.get(&schema.node.place).into_iter().flatten() {
                all.push(found(&call.rust, call.arguments(example)));
            }
        }
    }
    all
}

/// Returns the examples in a schema.
fn schema_examples<'v>(schema: &Both<'v>, root: &'v Value) -> Vec<(String, &'v Value)> {
    let mut found = owner_examples(schema, root);
    let default = schema.field("default");
    found.extend(default.map(|default| (default.pointer.into(), default.value)));
    found
}

/// Returns the examples of a node: a single one, a list, or a map by name or media type.
fn owner_examples<'v>(owner: &Both<'v>, root: &'v Value) -> Vec<(String, &'v Value)> {
    let one = owner.field("example").into_iter();
    let mut found: Vec<_> = one.map(|one| (one.pointer.into(), one.value)).collect();
    let Some(examples) = owner.field("examples") else {
        return found;
    };
    let is_list = examples.value.is_array();
    for example in examples.parts() {
        let target = example.value["$ref"].as_str().and_then(|reference| {
            let steps = reference.strip_prefix('#')?;
            root.pointer(&steps.replace("%20", " "))
        });
        let named = target.unwrap_or(example.value).get("value");
        let value = match is_list {
            true => example.value,
            false => named.unwrap_or(example.value),
        };
        found.push((example.pointer.into(), value));
    }
    found
}

/// A call that takes each body field as an argument.
struct Call {
    rust: String,
    /// The other required arguments, and the required fields of the body.
    others: Map<String, Value>,
    /// The body's fields by wire name.
    fields: BTreeMap<String, Field>,
}

#[derive(Clone)]
struct Field {
    argument: String,
    is_file: bool,
}

impl Field {
    fn new(tool: &ToolSpec, argument: &str) -> Self {
        let schema = &tool.input_schema.whole()["properties"][argument]["properties"];
        Self {
            argument: argument.to_owned(),
            is_file: schema["content"]["contentEncoding"] == "base64",
        }
    }
}

impl Call {
    /// Returns the arguments that send a body.
    ///
    /// # Errors
    /// If no arguments can send the body.
    fn arguments(&self, body: &Value) -> Result<Value, &'static str> {
        let mut arguments = self.others.clone();
        for (name, value) in body.as_object().ok_or("a body that is not an object")? {
            let Some(field) = self.fields.get(name) else {
                return Err("an undeclared field has no argument");
            };
            if field.is_file && value.is_string() {
                return Err("a file argument also needs a name and a type");
            }
            arguments.insert(field.argument.clone(), value.clone());
        }
        Ok(arguments.into())
    }
}

/// Returns the calls that take body fields as arguments, keyed by the place of the body's schema.
fn calls(tools: &[ToolSpec], root: &Both<'_>) -> BTreeMap<Place, Vec<Call>> {
    let mut calls: BTreeMap<Place, Vec<Call>> = BTreeMap::new();
    for tool in tools {
        let Some(body) = tool.http().and_then(|http| http.body.as_ref()) else {
            continue;
        };
        let BodyShape::Fields(fields) = &body.shape else {
            continue;
        };
        let fields: BTreeMap<String, Field> = fields
            .iter()
            .filter_map(|field| match &field.value {
                Bound::Argument(argument) => Some((field.name.clone(), Field::new(tool, argument))),
                _ => None,
            })
            .collect();
        let mut others = match example(tool.input_schema.whole(), Extent::Least) {
            Value::Object(others) => others,
            _ => Map::new(),
        };
        others.retain(|name, _| !fields.values().any(|field| field.argument == *name));
        for schema in body_schemas(tool, root) {
            calls.entry(schema.node.place).or_default().push(Call {
                rust: emit::call_name(&tool.name),
                others: others.clone(),
                fields: fields.clone(),
            });
        }
    }
    calls
}

/// Returns the body schema of a tool with its references.
fn body_schemas<'v>(tool: &ToolSpec, root: &Both<'v>) -> Vec<Both<'v>> {
    let Some(operation) = node_at(root, &tool.origin.pointer) else {
        return Vec::new();
    };
    let media = || {
        let sent = &tool.http()?.body.as_ref()?.media_type;
        let body = resolve(root, operation.field("requestBody")?)?;
        let content = body.field("content")?;
        let (key, _) = content.node.fields().find(|(name, _)| {
            let plain = name.split(';').next().unwrap_or(name).trim();
            plain.eq_ignore_ascii_case(sent)
        })?;
        content.field(key)
    };
    let swagger = || {
        let parameters = operation.field("parameters")?.parts().into_iter();
        let mut parameters = parameters.filter_map(|parameter| resolve(root, parameter));
        parameters.find(|parameter| parameter.value["in"] == "body")
    };
    let mut schemas = Vec::new();
    let mut next = media()
        .or_else(swagger)
        .and_then(|owner| owner.field("schema"));
    while let Some(schema) = next.filter(|_| schemas.len() < 16) {
        next = schema.value["$ref"]
            .as_str()
            .and_then(|reference| node_at(root, reference.strip_prefix('#')?));
        schemas.push(schema);
    }
    schemas
}

/// Follows the references of a node.
fn resolve<'v>(root: &Both<'v>, mut node: Both<'v>) -> Option<Both<'v>> {
    for _ in 0..16 {
        let Some(reference) = node.value["$ref"].as_str() else {
            return Some(node);
        };
        node = node_at(root, reference.strip_prefix('#')?)?;
    }
    None
}

/// Returns the node at a pointer.
fn node_at<'v>(root: &Both<'v>, pointer: &str) -> Option<Both<'v>> {
    JsonPointer::steps_of(pointer)?.try_fold(root.clone(), |node, step| {
        node.field(&step)
            .or_else(|| node.parts().into_iter().nth(step.parse().ok()?))
    })
}
