//! Schemas for agents: JSON Schema 2020-12 for any dialect of the document.
//!
//! `allOf` is merged, so an agent sees one object. Keywords for the service's owner (`xml`,
//! `externalDocs`, extensions) are left out; the values that a discriminator maps are part of the
//! variants.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Map, Value, json};

use super::{
    Direction, SchemaLowering,
    directions::left_out,
    graph::{Key, Parts, Settled, is_null},
    keywords,
    kinds::Kinds,
    scalars,
    shapes::word,
    view::{AdditionalView, View},
    work::Owner,
};
use crate::document::{
    source::Place,
    tree::{Data, Node},
};

/// The prefix of references to definitions.
const PREFIX: &str = toolwright_schema::Definitions::PREFIX;

/// The greatest nesting of unnamed schemas; deeper ones become definitions. Each level is up to
/// three levels of JSON, of which readers of the records accept 128.
const DEEPEST: usize = 32;

/// The state of the definitions while they are created.
#[derive(Debug, Default)]
pub(super) struct Definitions<'a> {
    names: BTreeMap<(Key, Option<Direction>), String>,
    taken: BTreeSet<String>,
    /// The next number of a name.
    next: BTreeMap<String, usize>,
    queue: VecDeque<(String, &'a Node, Direction)>,
    /// True if a referenced schema is written at each use.
    repeated: BTreeMap<Key, bool>,
    /// The regular expressions that were written, with their places in the document.
    pub(super) patterns: BTreeSet<(String, Place)>,
    /// The schemas that are being written, outermost first.
    open: Vec<Vec<(Key, bool)>>,
}

impl Definitions<'_> {
    /// A name of its own: the name itself, or with a number after it.
    fn claim(&mut self, plain: String) -> String {
        if self.taken.insert(plain.clone()) {
            return plain;
        }
        let next = self.next.entry(plain.clone()).or_insert(2);
        loop {
            let name = format!("{plain}{next}");
            *next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

impl<'a> SchemaLowering<'a> {
    /// The schema of merged parts. Definitions that it refers to are in the queue.
    pub(super) fn json(&mut self, parts: Parts<'a>, direction: Direction) -> Value {
        if self.graph.work.is_spent() {
            self.graph.report_spent(parts.first.node);
            return Value::Object(Map::new());
        }
        self.graph.work.spend(1);
        let settled = self.graph.settle(parts);
        let mut schema = if settled.broken.is_some() {
            Map::new()
        } else if let Some(node) = self.referred(&settled) {
            let name = self.definition(node, direction);
            let reference = json!({"$ref": format!("{PREFIX}{name}")});
            if settled.nullable {
                object(json!({"anyOf": [reference, {"type": "null"}]}))
            } else {
                object(reference)
            }
        } else {
            self.inline(&settled.parts, settled.nullable, direction)
        };
        for wrapper in &settled.wrappers {
            // The outermost has precedence.
            for (keyword, value) in keywords::annotations(wrapper) {
                schema.entry(keyword).or_insert(value);
            }
        }
        self.prefer_outer(&settled, &mut schema);
        Value::Object(schema)
    }

    /// Writes the definitions that are in the queue.
    pub(super) fn drain_definitions(&mut self) {
        while let Some((name, node, direction)) = self.defining.queue.pop_front() {
            self.graph.work.restart(Owner::Json(Key::from_node(node)));
            let schema = self.inline(&Parts::one(node), false, direction);
            self.definitions.insert(name, Value::Object(schema));
        }
    }

    /// Gives the annotations of a wrapper precedence over those of its schema.
    fn prefer_outer(&mut self, settled: &Settled<'a>, schema: &mut Map<String, Value>) {
        for wrapper in settled.wrappers.iter().rev() {
            for (keyword, value) in keywords::annotations(wrapper) {
                schema.insert(keyword.to_owned(), value);
            }
        }
    }

    /// The schema, when it is to be referred to rather than repeated.
    fn referred(&mut self, settled: &Settled<'a>) -> Option<&'a Node> {
        let node = settled.parts.single()?;
        let last = settled.wrappers.last();
        let by_reference = last.is_some_and(|wrapper| wrapper.get("$ref").is_some());
        if self.graph.name(node).is_none() && !by_reference {
            return None;
        }
        let key = Key::from_node(node);
        if let Some(repeated) = self.defining.repeated.get(&key) {
            return (!repeated).then_some(node);
        }
        let view = self.graph.view(&settled.parts);
        let repeated = view.is_silent() || scalars::plain(&view).is_some();
        self.defining.repeated.insert(key, repeated);
        (!repeated).then_some(node)
    }

    fn definition(&mut self, node: &'a Node, direction: Direction) -> String {
        let partial = self.graph.is_partial(&Parts::one(node), direction);
        let key = (Key::from_node(node), partial.then_some(direction));
        if let Some(name) = self.defining.names.get(&key) {
            return name.clone();
        }
        let mut words = match self.graph.name(node) {
            Some(name) => name.to_owned(),
            None => self.pointer_words(node),
        };
        if partial && direction == Direction::Request {
            words.push_str("Input");
        }
        let plain: String = words
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || "_.-".contains(c) {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        let name = self.defining.claim(plain);
        self.defining.names.insert(key, name.clone());
        self.defining
            .queue
            .push_back((name.clone(), node, direction));
        name
    }

    /// Writes a schema at its use. One that contains itself becomes a definition.
    fn inline(
        &mut self,
        parts: &Parts<'a>,
        nullable: bool,
        direction: Direction,
    ) -> Map<String, Value> {
        let key = parts.keys();
        let too_deep = self.defining.open.len() >= DEEPEST;
        if (too_deep || self.defining.open.contains(&key))
            && let Some(node) = parts.single()
        {
            let name = self.definition(node, direction);
            return object(json!({"$ref": format!("{PREFIX}{name}")}));
        }
        if too_deep {
            return Map::new();
        }
        self.defining.open.push(key);
        let mut view = self.graph.view(parts);
        view.nullable |= nullable;
        let schema = self.written(&view, direction);
        self.defining.open.pop();
        schema
    }

    fn written(&mut self, view: &View<'a>, direction: Direction) -> Map<String, Value> {
        if let [
            Node {
                data: Data::Bool(false),
                ..
            },
        ] = view.nodes.as_slice()
        {
            return object(json!({"not": {}}));
        }
        if let Some(parent) = view.parent {
            return self.written_parent(view, parent, direction);
        }
        let mut schema = Map::new();
        if let Some(types) = types(view) {
            schema.insert("type".to_owned(), types);
        }
        for (keyword, value) in keywords::annotations_of(view) {
            schema.insert(keyword.to_owned(), value);
        }
        if let Some(values) = listed(view) {
            schema.insert("enum".to_owned(), values);
        }
        self.write_object(view, direction, &mut schema);
        self.write_array(view, direction, &mut schema);
        let mut conflicts = self.write_unions(view, direction, &mut schema);
        conflicts.extend(self.write_rest(view, direction, &mut schema));
        if !conflicts.is_empty() {
            schema.insert("allOf".to_owned(), conflicts.into());
        }
        schema
    }

    /// Any of the subtypes, or the schema itself.
    fn written_parent(
        &mut self,
        view: &View<'a>,
        parent: &'a Node,
        direction: Direction,
    ) -> Map<String, Value> {
        let subtypes = self.graph.variants_of_parent(parent).into_iter();
        let mut any_of: Vec<Value> = subtypes
            .map(|node| self.json(Parts::one(node), direction))
            .collect();
        let mut own = view.clone();
        own.parent = None;
        any_of.push(Value::Object(self.written(&own, direction)));
        object(json!({"anyOf": any_of}))
    }

    fn write_object(
        &mut self,
        view: &View<'a>,
        direction: Direction,
        schema: &mut Map<String, Value>,
    ) {
        let mut left = BTreeSet::new();
        let mut properties = Map::new();
        for (name, parts) in &view.properties {
            if self
                .graph
                .settle(parts.clone())
                .has_flag(left_out(direction))
            {
                left.insert(*name);
                continue;
            }
            properties.insert((*name).to_owned(), self.json(parts.clone(), direction));
        }
        if !properties.is_empty() {
            schema.insert("properties".to_owned(), Value::Object(properties));
        }
        let required = view.required.iter().filter(|name| !left.contains(*name));
        let required: Vec<&str> = required.copied().collect();
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into());
        }
        let additional = match view.additional {
            AdditionalView::Unsaid => None,
            AdditionalView::Any => Some(Value::Bool(true)),
            AdditionalView::Forbidden => Some(Value::Bool(false)),
            AdditionalView::Schema(node) => Some(self.json(Parts::one(node.0), direction)),
        };
        schema.extend(additional.map(|value| ("additionalProperties".to_owned(), value)));
        if !view.patterns.is_empty() {
            let patterns = view.patterns.iter().map(|(pattern, node)| {
                let place = ((*pattern).to_owned(), node.place);
                self.defining.patterns.insert(place);
                (
                    (*pattern).to_owned(),
                    self.json(Parts::one(node), direction),
                )
            });
            let patterns: Map<_, _> = patterns.collect();
            schema.insert("patternProperties".to_owned(), Value::Object(patterns));
        }
    }

    fn write_array(
        &mut self,
        view: &View<'a>,
        direction: Direction,
        schema: &mut Map<String, Value>,
    ) {
        if let Some(prefix) = &view.prefix {
            let prefix = prefix.iter();
            let prefix: Vec<Value> = prefix
                .map(|node| self.json(Parts::one(node), direction))
                .collect();
            if !prefix.is_empty() {
                schema.insert("prefixItems".to_owned(), prefix.into());
            }
            let closed = ["items", "additionalItems"]
                .into_iter()
                .any(|word| view.keyword(word).and_then(Node::as_bool) == Some(false));
            if closed {
                schema.insert("items".to_owned(), Value::Bool(false));
            }
        }
        if let Some(items) = &view.items {
            let items = self.json(items.clone(), direction);
            schema.insert("items".to_owned(), items);
        }
    }

    /// Writes the unions, and returns those that do not fit.
    fn write_unions(
        &mut self,
        view: &View<'a>,
        direction: Direction,
        schema: &mut Map<String, Value>,
    ) -> Vec<Value> {
        let mut conflicts = Vec::new();
        for union in &view.unions {
            let variants = union.variants.iter();
            let mut variants: Vec<Value> = variants
                .map(|node| {
                    let schema = self.json(Parts::one(node), direction);
                    self.told_apart(view, node, schema)
                })
                .collect();
            if view.nullable {
                variants.push(json!({"type": "null"}));
            }
            // If variants exclude each other, `anyOf` and `oneOf` are equal; if they overlap, as
            // integers and numbers do, documents mean `anyOf`.
            if schema.contains_key("anyOf") {
                conflicts.push(json!({"anyOf": variants}));
            } else {
                schema.insert("anyOf".to_owned(), variants.into());
            }
        }
        conflicts
    }

    /// Writes all other keywords, and returns those that occur twice.
    fn write_rest(
        &mut self,
        view: &View<'a>,
        direction: Direction,
        schema: &mut Map<String, Value>,
    ) -> Vec<Value> {
        let mut conflicts = Vec::new();
        for (keyword, node) in &view.rest {
            let written = if let Data::Bool(fits) = node.data
                && keywords::holds_schema(keyword)
            {
                Some(((*keyword).to_owned(), Value::Bool(fits)))
            } else if keywords::holds_schema(keyword) {
                Some((
                    (*keyword).to_owned(),
                    self.json(Parts::one(node), direction),
                ))
            } else if matches!(*keyword, "oneOf" | "anyOf") {
                let variants = node
                    .items()
                    .map(|node| self.json(Parts::one(node), direction));
                Some(((*keyword).to_owned(), variants.collect()))
            } else if *keyword == "dependentSchemas" {
                let schemas = node
                    .fields()
                    .map(|(name, node)| (name.to_owned(), self.json(Parts::one(node), direction)));
                Some(((*keyword).to_owned(), Value::Object(schemas.collect())))
            } else {
                keywords::constraint(view, keyword, node)
            };
            let Some((keyword, value)) = written else {
                continue;
            };
            if let ("pattern", Some(pattern)) = (keyword.as_str(), value.as_str()) {
                let pattern = (pattern.to_owned(), node.place);
                self.defining.patterns.insert(pattern);
            }
            match schema.get(&keyword) {
                None => {
                    schema.insert(keyword, value);
                }
                Some(said) if *said == value => {}
                Some(_) => conflicts.push(json!({keyword: value})),
            }
        }
        conflicts
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// The `type` of a schema: a word, or several.
fn types(view: &View<'_>) -> Option<Value> {
    let described = view.describes_objects().then_some(Kinds::OBJECT);
    let Some(kinds) = view.kinds.or(described) else {
        let only_null = view.unions.is_empty() && view.nodes.iter().any(|node| is_null(node));
        return only_null.then(|| Value::from("null"));
    };
    let mut words: Vec<&str> = kinds.each().map(|(_, word)| word).collect();
    if view.nullable {
        words.push("null");
    }
    Some(match words.as_slice() {
        [word] => Value::from(*word),
        _ => Value::from(words),
    })
}

/// The `enum` of a schema; none when no listed value is of its type.
fn listed(view: &View<'_>) -> Option<Value> {
    let listed = view.listed.as_ref()?;
    if listed.iter().any(|node| !keywords::is_shallow(node)) {
        return None;
    }
    let mut values: Vec<Value> = Vec::new();
    let mut seen = BTreeSet::new();
    for node in listed {
        let value = if view.kinds == Some(Kinds::STRING) {
            word(node).map(Value::String)
        } else {
            let kind = super::shapes::kind_of(node);
            let fits = view
                .kinds
                .is_none_or(|kinds| kinds.and(kind) != Kinds::NONE);
            fits.then(|| node.to_value())
        };
        values.extend(value.filter(|value| seen.insert(value.to_string())));
    }
    if values.is_empty() {
        return None;
    }
    if view.nullable {
        values.push(Value::Null);
    }
    Some(values.into())
}
