//! Checks that schema nodes have faithful types: traverses the schemas of each operation without
//! the generator and compares each node with its type.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use toolwright::{
    ToolSpec,
    binding::{BodyContent, BodyShape},
};
use toolwright_generator::internals::{Additional, Node, Shape, TypeId, Types};
use toolwright_model::JsonPointer;

use crate::{
    documents::Subject,
    findings::Findings,
    nodes::Both,
    walk::{At, Reader, Root, Way, has_structure, inner, type_words},
};

/// A node, identified by its address.
type Address = *const Value;

/// Checks that each node with structure has a type with the same structure.
pub(crate) fn check(subject: &Subject) -> Findings {
    let mut findings = Findings::default();
    let (Some(service), Some(reader)) = (subject.service(), Reader::new(subject)) else {
        return findings;
    };
    let service = service.service();
    let types = &service.types;
    let (Some(tree), Some(value)) = (
        subject.outcome.documents.root(service.source),
        &subject.value,
    ) else {
        return findings;
    };
    let nodes = Nodes::new(types, tree, value);
    let mut walk = Walk {
        reader,
        seen: BTreeSet::new(),
        reached: Vec::new(),
    };
    for tool in &subject.tools {
        for root in reader.roots(tool) {
            walk.root(root, tool);
        }
    }
    for (node, way) in walk.reached {
        let at = || format!("{}: {}", subject.name, nodes.pointer(node));
        match nodes.types.get(&std::ptr::from_ref(node)) {
            None if is_wrapper(node) => {}
            None => findings.fail(at(), "the generator has not visited it"),
            Some(ids) => {
                // A node that differs between directions has one type per direction.
                let faults = ids.iter().map(|id| fault(types, *id, node, way, &reader));
                let fault = faults.reduce(|one, other| one.and(other)).flatten();
                findings.check(at(), fault);
            }
        }
    }
    findings
}

/// The nodes of a document with their types.
#[derive(Default)]
struct Nodes {
    types: BTreeMap<Address, Vec<TypeId>>,
    pointers: BTreeMap<Address, JsonPointer>,
}

impl Nodes {
    /// Maps the generator's nodes, identified by position, to the parser's, identified by address.
    fn new(types: &Types, tree: &Node, value: &Value) -> Self {
        let mut by_place: BTreeMap<_, Vec<TypeId>> = BTreeMap::new();
        for (place, ty) in types.covered_nodes() {
            by_place.entry(place).or_default().push(ty);
        }
        let mut nodes = Self::default();
        for both in Both::root(tree, value).all() {
            if let Some(types) = by_place.get(&both.node.place) {
                nodes.types.insert(both.value, types.clone());
            }
            nodes.pointers.insert(both.value, both.pointer);
        }
        nodes
    }

    fn pointer(&self, node: &Value) -> &str {
        let pointer = self.pointers.get(&std::ptr::from_ref(node));
        pointer.map_or("(unknown)", JsonPointer::as_str)
    }
}

/// A traversal of the operations' schemas.
struct Walk<'v> {
    reader: Reader<'v>,
    seen: BTreeSet<(Address, Way)>,
    /// The nodes with structure, each with its direction.
    reached: Vec<(&'v Value, Way)>,
}

impl<'v> Walk<'v> {
    fn root(&mut self, root: Root<'v>, tool: &ToolSpec) {
        let Some(http) = tool.http() else { return };
        let body = http.body.as_ref();
        match root.at {
            At::Parameter(place, name) => {
                let is_sent = http
                    .parameters
                    .iter()
                    .any(|parameter| parameter.name == name && parameter.location.word() == place);
                if is_sent {
                    self.node(root.schema, root.way);
                }
            }
            // The fields of a plain object body are separate arguments.
            At::Body if matches!(body.map(|body| &body.shape), Some(BodyShape::Fields(_))) => {
                for part in self.reader.parts(root.schema) {
                    for (_, property) in part["properties"].as_object().into_iter().flatten() {
                        self.node(property, root.way);
                    }
                }
            }
            At::Body if !body.is_some_and(|body| is_structured(body.content)) => {}
            At::Field(_) | At::Body | At::Answer => self.node(root.schema, root.way),
        }
    }

    /// Traverses a schema and everything it reaches.
    fn node(&mut self, schema: &'v Value, way: Way) {
        let mut open = vec![schema];
        while let Some(schema) = open.pop() {
            if self.reader.is_left_out(schema, way) || !self.seen.insert((schema, way)) {
                continue;
            }
            open.extend(self.reader.target(schema));
            if self.reader.is_only_reference(schema) {
                continue;
            }
            if has_structure(schema) {
                self.reached.push((schema, way));
            }
            for keyword in ["properties", "patternProperties"] {
                let fields = inner(schema, keyword).and_then(Value::as_object);
                open.extend(fields.into_iter().flatten().map(|(_, schema)| schema));
            }
            for keyword in ["allOf", "oneOf", "anyOf"] {
                open.extend(schema[keyword].as_array().into_iter().flatten());
            }
            let prefix = inner(schema, "prefixItems").and_then(Value::as_array);
            open.extend(prefix.into_iter().flatten());
            for keyword in ["items", "additionalProperties"] {
                open.extend(inner(schema, keyword));
            }
        }
    }
}

/// Returns true if a body is more than a string or bytes.
const fn is_structured(content: BodyContent) -> bool {
    !matches!(content, BodyContent::Text | BodyContent::Binary)
}

/// Returns true if a node only wraps another one.
fn is_wrapper(node: &Value) -> bool {
    let has_one = |keyword| {
        let variants = node[keyword].as_array().into_iter().flatten();
        variants.filter(|variant| variant["type"] != "null").count() == 1
    };
    node.get("$ref").is_some() || ["allOf", "oneOf", "anyOf"].into_iter().any(has_one)
}

/// Returns the reason why a type does not match a node.
fn fault(types: &Types, id: TypeId, node: &Value, way: Way, reader: &Reader<'_>) -> Option<String> {
    let mut shape = types.shape(id)?;
    while let Shape::Nullable(inner) | Shape::Secret(inner) = shape {
        shape = types.shape(*inner)?;
    }
    match shape {
        Shape::Any(Some(reason)) => return Some(reason.clone()),
        Shape::Any(None) => return Some("it is any value without a reason".to_owned()),
        Shape::Union(_) => return None,
        _ => {}
    }
    let words = type_words(node);
    if !words.is_empty() && !words.iter().any(|word| is_of_type(shape, word)) {
        return Some(format!(
            "{} is typed as {}",
            words.join(" or "),
            word(shape)
        ));
    }
    fault_of_parts(types, shape, node, way, reader)
}

/// Returns the parts of a node that its type lacks.
fn fault_of_parts<'v>(
    types: &Types,
    shape: &Shape,
    node: &'v Value,
    way: Way,
    reader: &Reader<'v>,
) -> Option<String> {
    let properties = inner(node, "properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        let has = match shape {
            Shape::Object(object) => object.fields.iter().any(|field| field.wire_name == *name),
            _ => false,
        };
        if !has && !reader.is_left_out_wholly(schema, way) {
            return Some(format!("a property is missing in {}", word(shape)));
        }
    }
    let has_structure =
        |schema: Option<&Value>| schema.is_some_and(|schema| reader.has_structure(schema));
    let any = |id: TypeId| matches!(types.shape(id), Some(Shape::Any(None)));
    let patterns = inner(node, "patternProperties").and_then(Value::as_object);
    let pattern = patterns.and_then(|patterns| patterns.values().next());
    let additional = inner(node, "additionalProperties");
    if has_structure(additional) || has_structure(pattern) {
        let is_typed = match shape {
            Shape::Map(ty) => !any(*ty),
            Shape::Object(object) => matches!(object.additional, Additional::Typed(_)),
            _ => false,
        };
        if !is_typed {
            return Some("the type of its additional properties is lost".to_owned());
        }
    }
    if let (true, Shape::List(ty)) = (has_structure(inner(node, "items")), shape) {
        return any(*ty).then(|| "the type of its elements is lost".to_owned());
    }
    None
}

fn is_of_type(shape: &Shape, word: &str) -> bool {
    match word {
        "string" | "file" => matches!(
            shape,
            Shape::String
                | Shape::Formatted(_)
                | Shape::Enum(_)
                | Shape::Bytes
                | Shape::File
                | Shape::Download
        ),
        "integer" => matches!(shape, Shape::Integer | Shape::Unsigned | Shape::Number),
        "number" => matches!(shape, Shape::Number | Shape::Integer | Shape::Unsigned),
        "boolean" => matches!(shape, Shape::Bool),
        "array" => matches!(shape, Shape::List(_) | Shape::Tuple(_)),
        "object" => matches!(shape, Shape::Object(_) | Shape::Map(_)),
        _ => true,
    }
}

fn word(shape: &Shape) -> &'static str {
    match shape {
        Shape::Any(_) => "any value",
        Shape::Null => "null",
        Shape::Bool => "a boolean",
        Shape::Integer | Shape::Unsigned => "an integer",
        Shape::Number => "a number",
        Shape::String => "a string",
        Shape::Formatted(_) => "a value of a format",
        Shape::Bytes | Shape::File | Shape::Download => "bytes",
        Shape::List(_) | Shape::Tuple(_) => "a list",
        Shape::Map(_) => "a map",
        Shape::Nullable(_) => "something or null",
        Shape::Secret(_) => "a secret",
        Shape::Object(_) => "an object",
        Shape::Enum(_) => "a string enum",
        Shape::Union(_) => "one of several types",
    }
}
