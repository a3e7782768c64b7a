//! The examples of a document, each with the type whose value it is.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use toolwright::{BodyShape, Bound, ToolSpec};
use toolwright_generator::{
    check::CheckedService,
    emit,
    source::Place,
    tree::{Node, unescape_step},
};
use toolwright_tests::{Extent, example};

use crate::nodes::Both;

/// An example.
pub(super) struct Found<'v> {
    /// Where it stands.
    pub(super) at: String,
    /// The pointer of the schema that it is an example of.
    pub(super) schema: String,
    /// What the document gives.
    pub(super) example: &'v Value,
    /// The type, seen from the root of the generated module.
    pub(super) rust: String,
    /// What is decoded: the example, or the arguments of a call with the example as its body. Or
    /// why there is nothing to decode.
    pub(super) value: Result<Value, &'static str>,
}

/// All examples of values that have a type: those of schemas, and those of parameters, bodies and
/// answers. Also what is said to be a default.
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
        // An example of its own, and that of what has it as its schema.
        let own = of_schema(&both, value)
            .into_iter()
            .map(|one| (both.clone(), one));
        let outer = both.field("schema").into_iter().flat_map(|schema| {
            let examples = of_owner(&both, value).into_iter();
            examples.map(move |one| (schema.clone(), one))
        });
        for (schema, (at, example)) in own.chain(outer) {
            let found = |rust: &str, value: Result<Value, &'static str>| Found {
                at: at.clone(),
                schema: schema.pointer.clone(),
                example,
                rust: rust.to_owned(),
                value,
            };
            let types = types.get(&schema.node.place).into_iter().flatten();
            // A file is more than what JSON says of it.
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

/// The examples that a schema has.
fn of_schema<'v>(schema: &Both<'v>, root: &'v Value) -> Vec<(String, &'v Value)> {
    let mut found = of_owner(schema, root);
    let default = schema.field("default");
    found.extend(default.map(|default| (default.pointer, default.value)));
    found
}

/// The examples that a node has: one, a list of them, or several with names or media types.
fn of_owner<'v>(owner: &Both<'v>, root: &'v Value) -> Vec<(String, &'v Value)> {
    let one = owner.field("example").into_iter();
    let mut found: Vec<_> = one.map(|one| (one.pointer, one.value)).collect();
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
        found.push((example.pointer, value));
    }
    found
}

/// A call whose body's fields are arguments of their own.
struct Call {
    rust: String,
    /// The arguments beside those of the body, and those of the body that it cannot do without.
    others: Map<String, Value>,
    /// The body's fields, by what they are called on the wire.
    fields: BTreeMap<String, Field>,
}

#[derive(Clone)]
struct Field {
    argument: String,
    is_file: bool,
}

impl Field {
    fn of(tool: &ToolSpec, argument: &str) -> Self {
        let schema = &tool.input_schema["properties"][argument]["properties"];
        Self {
            argument: argument.to_owned(),
            is_file: schema["content"]["contentEncoding"] == "base64",
        }
    }
}

impl Call {
    /// The arguments that send a body.
    ///
    /// # Errors
    /// When a body is none that an agent could send.
    fn arguments(&self, body: &Value) -> Result<Value, &'static str> {
        let mut arguments = self.others.clone();
        for (name, value) in body.as_object().ok_or("a body that is no object")? {
            let Some(field) = self.fields.get(name) else {
                return Err("a field that is not declared is no argument");
            };
            if field.is_file && value.is_string() {
                return Err("a file has a name and a type beside its content");
            }
            arguments.insert(field.argument.clone(), value.clone());
        }
        Ok(arguments.into())
    }
}

/// The calls whose body's fields are arguments, by the place of the body's schema.
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
                Bound::Argument(argument) => Some((field.name.clone(), Field::of(tool, argument))),
                _ => None,
            })
            .collect();
        let mut others = match example(&tool.input_schema, Extent::Least) {
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

/// The schema of the body of a tool, and what it refers to.
fn body_schemas<'v>(tool: &ToolSpec, root: &Both<'v>) -> Vec<Both<'v>> {
    let Some(operation) = at(root, &tool.origin.pointer) else {
        return Vec::new();
    };
    let media = || {
        let sent = &tool.http()?.body.as_ref()?.media_type;
        let body = resolved(root, operation.field("requestBody")?)?;
        let content = body.field("content")?;
        let (key, _) = content.node.fields().find(|(name, _)| {
            let plain = name.split(';').next().unwrap_or(name).trim();
            plain.eq_ignore_ascii_case(sent)
        })?;
        content.field(key)
    };
    let swagger = || {
        let parameters = operation.field("parameters")?.parts().into_iter();
        let mut parameters = parameters.filter_map(|parameter| resolved(root, parameter));
        parameters.find(|parameter| parameter.value["in"] == "body")
    };
    let mut schemas = Vec::new();
    let mut next = media()
        .or_else(swagger)
        .and_then(|owner| owner.field("schema"));
    while let Some(schema) = next.filter(|_| schemas.len() < 16) {
        next = schema.value["$ref"]
            .as_str()
            .and_then(|reference| at(root, reference.strip_prefix('#')?));
        schemas.push(schema);
    }
    schemas
}

/// What a node stands for after references.
fn resolved<'v>(root: &Both<'v>, mut node: Both<'v>) -> Option<Both<'v>> {
    for _ in 0..16 {
        let Some(reference) = node.value["$ref"].as_str() else {
            return Some(node);
        };
        node = at(root, reference.strip_prefix('#')?)?;
    }
    None
}

/// The node at a pointer.
fn at<'v>(root: &Both<'v>, pointer: &str) -> Option<Both<'v>> {
    pointer
        .split('/')
        .skip(1)
        .try_fold(root.clone(), |node, step| {
            node.field(&unescape_step(step))
                .or_else(|| node.parts().into_iter().nth(step.parse().ok()?))
        })
}
