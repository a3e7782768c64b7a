//! The schemas of messages and enums, in the JSON mapping of Protocol Buffers.

use std::collections::{BTreeMap, BTreeSet};

use prost_reflect::{
    Cardinality, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor, OneofDescriptor,
};
use serde_json::{Value, json};

use super::{known, options, places::Places};
use crate::document::{
    source::Place,
    tree::{
        Data, Field, Fields, Node,
        nodes::{array, boolean, keyed, text, value},
    },
};

/// The key of the tree that has the schemas of messages and enums.
pub(super) const TYPES: &str = "$defs";

/// The messages and the enums that methods reach, by full name.
#[derive(Debug, Default)]
pub(super) struct Reached {
    pub(super) messages: BTreeMap<String, MessageDescriptor>,
    pub(super) enums: BTreeMap<String, EnumDescriptor>,
}

impl Reached {
    /// Adds a message with all that it contains.
    pub(super) fn add(&mut self, message: MessageDescriptor) {
        let mut open = vec![message];
        while let Some(message) = open.pop() {
            if self.messages.contains_key(message.full_name()) {
                continue;
            }
            for field in message.fields() {
                match field.kind() {
                    Kind::Message(inner) => open.push(inner),
                    Kind::Enum(inner) => {
                        self.enums.insert(inner.full_name().to_owned(), inner);
                    }
                    _ => {}
                }
            }
            self.messages
                .insert(message.full_name().to_owned(), message);
        }
    }
}

/// Writes schemas.
pub(super) struct Schemas<'p> {
    places: &'p Places,
    /// The names of the schemas, by the full names of their types.
    names: BTreeMap<String, String>,
    /// The messages that results contain.
    results: BTreeSet<String>,
}

impl<'p> Schemas<'p> {
    /// Names the schemas: without the package if no other type has the same name.
    pub(super) fn new(reached: &Reached, results: &Reached, places: &'p Places) -> Self {
        let messages = reached.messages.values();
        let messages = messages.map(|message| (message.full_name(), message.package_name()));
        let enums = reached.enums.values();
        let enums = enums.map(|one| {
            let file = one.parent_file();
            (one.full_name(), file.package_name().to_owned())
        });
        let messages = messages.map(|(name, package)| (name, package.to_owned()));
        let all: Vec<(&str, String)> = messages.chain(enums).collect();
        let mut short: BTreeMap<String, usize> = BTreeMap::new();
        for (name, package) in &all {
            *short.entry(without_package(name, package)).or_default() += 1;
        }
        let names = all.iter().map(|(name, package)| {
            let own = without_package(name, package);
            let unique = short.get(&own) == Some(&1);
            (
                (*name).to_owned(),
                if unique { own } else { (*name).to_owned() },
            )
        });
        Self {
            places,
            names: names.collect(),
            results: results.messages.keys().cloned().collect(),
        }
    }

    /// Returns a reference to the schema of a message.
    pub(super) fn message(&self, message: &MessageDescriptor, place: Place) -> Node {
        match known::schema_of(message.full_name()) {
            Some(schema) => value(place, &schema),
            None => self.reference(message.full_name(), place),
        }
    }

    /// Returns the schema of a request: its fields are the arguments. It has the required fields even if
    /// results contain the same message.
    pub(super) fn request(&self, message: &MessageDescriptor, place: Place) -> Node {
        let required = |field: FieldDescriptor| options::behavior(&field).required;
        let own = self.results.contains(message.full_name());
        if own && message.fields().any(required) {
            return self.schema_of_message(message, true);
        }
        self.message(message, place)
    }

    /// Returns the schemas of all messages and enums.
    pub(super) fn all(&self, reached: &Reached) -> Fields {
        let mut all = Fields::default();
        for message in reached.messages.values() {
            if message.is_map_entry() || known::schema_of(message.full_name()).is_some() {
                continue;
            }
            let required = !self.results.contains(message.full_name());
            let node = self.schema_of_message(message, required);
            self.insert(&mut all, message.full_name(), node);
        }
        for one in reached.enums.values() {
            let node = self.schema_of_enum(one);
            self.insert(&mut all, one.full_name(), node);
        }
        all
    }

    fn insert(&self, all: &mut Fields, name: &str, node: Node) {
        let key = node.place;
        if let Some(name) = self.names.get(name) {
            all.insert(name.clone(), Field { key, node });
        }
    }

    fn reference(&self, name: &str, place: Place) -> Node {
        let name = self.names.get(name).map_or(name, String::as_str);
        value(place, &json!({"$ref": format!("#/{TYPES}/{name}")}))
    }

    fn schema_of_message(&self, message: &MessageDescriptor, with_required: bool) -> Node {
        let file = message.parent_file();
        let place = self
            .places
            .place(&file, message.path(), message.full_name());
        let mut properties = Fields::default();
        let mut required = Vec::new();
        for field in message.fields() {
            let place = self.places.place(&file, field.path(), field.full_name());
            let behavior = options::behavior(&field);
            let declared = field.cardinality() == Cardinality::Required;
            if declared || with_required && behavior.required {
                required.push(text(place, field.json_name()));
            }
            let node = self.property(&field, behavior, place);
            properties.insert(field.json_name().to_owned(), Field { key: place, node });
        }
        let mut schema = object(&json!({"type": "object"}), place);
        set(&mut schema, "description", self.description(message, place));
        set(&mut schema, "properties", Some(keyed(place, properties)));
        if !required.is_empty() {
            set(&mut schema, "required", Some(array(place, required)));
        }
        set(
            &mut schema,
            "additionalProperties",
            Some(boolean(place, false)),
        );
        set(
            &mut schema,
            "deprecated",
            is_deprecated(message).then(|| boolean(place, true)),
        );
        keyed(place, schema)
    }

    fn description(&self, message: &MessageDescriptor, place: Place) -> Option<Node> {
        let comment = self
            .places
            .comment(&message.parent_file(), message.path())?;
        Some(text(place, comment))
    }

    fn property(&self, field: &FieldDescriptor, behavior: options::Behavior, place: Place) -> Node {
        let one = |kind: &Kind| self.value(kind, place);
        let node = if let Some((_, value)) = map_entry(field) {
            let mut schema = object(&json!({"type": "object"}), place);
            set(
                &mut schema,
                "additionalProperties",
                Some(one(&value.kind())),
            );
            keyed(place, schema)
        } else if field.is_list() {
            let mut schema = object(&json!({"type": "array"}), place);
            set(&mut schema, "items", Some(one(&field.kind())));
            keyed(place, schema)
        } else {
            one(&field.kind())
        };
        let Data::Object(mut schema) = node.data else {
            return node;
        };
        if let Some(description) = self.field_description(field, &schema) {
            set(&mut schema, "description", Some(text(place, description)));
        }
        let options = field.field_descriptor_proto().options.as_ref();
        let deprecated = options.is_some_and(|options| options.deprecated == Some(true));
        for (key, holds) in [
            ("readOnly", behavior.output_only),
            ("writeOnly", behavior.input_only),
            ("deprecated", deprecated),
        ] {
            set(&mut schema, key, holds.then(|| boolean(place, true)));
        }
        keyed(place, *schema)
    }

    /// Returns the comment of a field, the description of its well-known type, and the other fields of its
    /// oneof.
    fn field_description(&self, field: &FieldDescriptor, schema: &Fields) -> Option<String> {
        let comment = self.places.comment(&field.parent_file(), field.path());
        let known = schema
            .get("description")
            .and_then(|known| known.node.as_str());
        let oneof = field
            .containing_oneof()
            .filter(|oneof| !oneof.is_synthetic());
        let parts = [comment, known.map(str::to_owned), oneof.map(alternatives)];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    }

    fn value(&self, kind: &Kind, place: Place) -> Node {
        let schema = match kind {
            Kind::Bool => json!({"type": "boolean"}),
            Kind::String => json!({"type": "string"}),
            Kind::Bytes => known::bytes(),
            Kind::Float | Kind::Double => json!({"type": "number"}),
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => known::int32(),
            Kind::Uint32 | Kind::Fixed32 => known::uint32(),
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => known::int64(),
            Kind::Uint64 | Kind::Fixed64 => known::uint64(),
            Kind::Message(message) => return self.message(message, place),
            Kind::Enum(one) if one.full_name() == "google.protobuf.NullValue" => known::null(),
            Kind::Enum(one) => return self.reference(one.full_name(), place),
        };
        value(place, &schema)
    }

    fn schema_of_enum(&self, one: &EnumDescriptor) -> Node {
        let file = one.parent_file();
        let place = self.places.place(&file, one.path(), one.full_name());
        let mut lines: Vec<String> = self.places.comment(&file, one.path()).into_iter().collect();
        let mut values = Vec::new();
        for value in one.values() {
            let place = self.places.place(&file, value.path(), value.full_name());
            values.push(text(place, value.name()));
            if let Some(comment) = self.places.comment(&file, value.path()) {
                let comment: Vec<&str> = comment.split_whitespace().collect();
                lines.push(format!("`{}`: {}", value.name(), comment.join(" ")));
            }
        }
        let mut schema = object(&json!({"type": "string"}), place);
        let description = (!lines.is_empty()).then(|| text(place, lines.join("\n\n")));
        set(&mut schema, "description", description);
        set(&mut schema, "enum", Some(array(place, values)));
        keyed(place, schema)
    }
}

/// Returns the key and the value of a map's entries.
fn map_entry(field: &FieldDescriptor) -> Option<(FieldDescriptor, FieldDescriptor)> {
    let kind = field.kind();
    let entry = kind.as_message().filter(|_| field.is_map())?;
    Some((entry.map_entry_key_field(), entry.map_entry_value_field()))
}

fn alternatives(oneof: OneofDescriptor) -> String {
    let fields = oneof
        .fields()
        .map(|field| format!("`{}`", field.json_name()));
    format!(
        "Set at most one of {}.",
        fields.collect::<Vec<_>>().join(", ")
    )
}

fn is_deprecated(message: &MessageDescriptor) -> bool {
    let options = message.descriptor_proto().options.as_ref();
    options.is_some_and(|options| options.deprecated == Some(true))
}

fn without_package(name: &str, package: &str) -> String {
    let rest = name.strip_prefix(package);
    let rest = rest.and_then(|rest| rest.strip_prefix('.'));
    rest.filter(|_| !package.is_empty())
        .unwrap_or(name)
        .to_owned()
}

/// Returns the fields of an object.
pub(super) fn object(json: &Value, place: Place) -> Fields {
    match value(place, json).data {
        Data::Object(fields) => *fields,
        _ => Fields::default(),
    }
}

/// Sets a key, if there is a value for it.
pub(super) fn set(fields: &mut Fields, key: &str, node: Option<Node>) {
    if let Some(node) = node {
        fields.insert(key.to_owned(), field(node));
    }
}

const fn field(node: Node) -> Field {
    let key = node.place;
    Field { key, node }
}
