//! Schemas as the result of the introspection query, in JSON.

use indexmap::IndexMap;

use super::model::{
    FieldDefinition, InputValue, ListedValue, Schema, TypeDefinition, TypeKind, TypeRef, Wrapper,
};
use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::Place,
    tree::Node,
};

/// The most wrappers of a type. Servers ask for at most nine.
const MOST_WRAPPERS: usize = 20;

/// Returns the schema in the result of an introspection, if a document is one.
pub(super) fn find(root: &Node) -> Option<&Node> {
    let schema = |node: &'_ Node| node.get("__schema").is_some();
    let result = if schema(root) {
        root
    } else {
        root.get("data")?
    };
    result.get("__schema")
}

/// Reads the result of an introspection. Reports every fault.
pub(super) fn read(root: &Node, diagnostics: &mut Diagnostics) -> Option<Schema> {
    let node = find(root)?;
    let mut reader = IntrospectionReader { diagnostics };
    if node.as_object().is_none() {
        reader.wrong(node, "`__schema`", "an object");
        return None;
    }
    let mut schema = Schema::new(root.place);
    schema.description = text(node, "description");
    let named = |key| node.get(key)?.str_at("name").map(str::to_owned);
    schema.query = named("queryType");
    schema.mutation = named("mutationType");
    schema.subscription = named("subscriptionType");
    let Some(types) = node.get("types").filter(|types| types.as_array().is_some()) else {
        reader.wrong(node, "`types` of `__schema`", "an array");
        return None;
    };
    for ty in types.items() {
        if let Some((name, definition)) = reader.definition(ty) {
            schema.types.entry(name).or_insert(definition);
        }
    }
    Some(schema)
}

struct IntrospectionReader<'d> {
    diagnostics: &'d mut Diagnostics,
}

impl IntrospectionReader<'_> {
    fn wrong(&mut self, node: &Node, what: &str, expected: &str) {
        let message = format!("{what} must be {expected}");
        let place = Place {
            end: node.place.end.min(node.place.start.saturating_add(1)),
            ..node.place
        };
        self.diagnostics.report(
            Diagnostic::error(Code::WrongType, place, message)
                .help("save the whole result of the introspection query"),
        );
    }

    /// Reads a type; `None` for those of the introspection itself.
    fn definition(&mut self, node: &Node) -> Option<(String, TypeDefinition)> {
        let name = self.name(node, "a type")?;
        if name.0.starts_with("__") {
            return None;
        }
        let kind = match node.str_at("kind") {
            Some("SCALAR") => TypeKind::Scalar,
            Some("OBJECT") => TypeKind::Object {
                fields: self.fields(node),
                interfaces: self.names(node, "interfaces").map(first).collect(),
            },
            Some("INTERFACE") => TypeKind::Interface {
                fields: self.fields(node),
                interfaces: self.names(node, "interfaces").map(first).collect(),
            },
            Some("UNION") => TypeKind::Union {
                members: self.names(node, "possibleTypes").collect(),
            },
            Some("ENUM") => {
                let values = self.names(node, "enumValues");
                let values = values.map(|(name, place)| ListedValue { name, place });
                TypeKind::Enum {
                    values: values.collect(),
                }
            }
            Some("INPUT_OBJECT") => TypeKind::Input {
                fields: self.input_values(node, "inputFields"),
                one_of: node.is_true("isOneOf"),
            },
            _ => {
                self.wrong(node, "the `kind` of a type", "one of the kinds of GraphQL");
                return None;
            }
        };
        let definition = TypeDefinition {
            place: name.1,
            description: text(node, "description"),
            kind,
        };
        Some((name.0, definition))
    }

    fn fields(&mut self, node: &Node) -> IndexMap<String, FieldDefinition> {
        let mut fields = IndexMap::new();
        for field in node.get("fields").into_iter().flat_map(Node::items) {
            let Some((name, place)) = self.name(field, "a field") else {
                continue;
            };
            let Some(ty) = self.type_ref(field) else {
                continue;
            };
            let definition = FieldDefinition {
                place,
                description: text(field, "description"),
                deprecated: field.is_true("isDeprecated"),
                arguments: self.input_values(field, "args"),
                ty,
            };
            fields.entry(name).or_insert(definition);
        }
        fields
    }

    fn input_values(&mut self, node: &Node, key: &str) -> IndexMap<String, InputValue> {
        let mut values = IndexMap::new();
        for value in node.get(key).into_iter().flat_map(Node::items) {
            let Some((name, place)) = self.name(value, "an argument") else {
                continue;
            };
            let Some(ty) = self.type_ref(value) else {
                continue;
            };
            // A default is a literal of GraphQL. Numbers, strings and lists of them are JSON, too.
            let default = value.str_at("defaultValue").filter(|text| *text != "null");
            let definition = InputValue {
                place,
                description: text(value, "description"),
                deprecated: value.is_true("isDeprecated"),
                ty,
                default: default.map(|text| serde_json::from_str(text).unwrap_or_default()),
            };
            values.entry(name).or_insert(definition);
        }
        values
    }

    fn type_ref(&mut self, node: &Node) -> Option<TypeRef> {
        let mut current = node.get("type");
        let mut wrappers = Vec::new();
        while let Some(ty) = current.filter(|_| wrappers.len() < MOST_WRAPPERS) {
            match ty.str_at("kind") {
                Some("NON_NULL") => wrappers.push(Wrapper::NonNull),
                Some("LIST") => wrappers.push(Wrapper::List),
                _ => {
                    let (name, place) = self.name(ty, "a type")?;
                    return Some(TypeRef {
                        name,
                        place,
                        wrappers,
                    });
                }
            }
            current = ty.get("ofType");
        }
        self.wrong(node, "the `type` of a field", "complete");
        None
    }

    /// Returns the names of the objects at a key.
    fn names<'n>(
        &mut self,
        node: &'n Node,
        key: &str,
    ) -> impl Iterator<Item = (String, Place)> + use<'n> {
        let items = node.get(key).into_iter().flat_map(Node::items);
        items.filter_map(name_of)
    }

    fn name(&mut self, node: &Node, what: &str) -> Option<(String, Place)> {
        let name = name_of(node);
        if name.is_none() {
            self.wrong(node, &format!("the `name` of {what}"), "a name of GraphQL");
        }
        name
    }
}

fn first(name: (String, Place)) -> String {
    name.0
}

fn name_of(node: &Node) -> Option<(String, Place)> {
    let name = node.get("name")?;
    let text = name.as_str().filter(|text| is_name(text))?;
    Some((text.to_owned(), name.place))
}

/// Checks whether a string is a name of GraphQL. Names become parts of the text of operations.
fn is_name(text: &str) -> bool {
    let starts = text
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    starts
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn text(node: &Node, key: &str) -> Option<String> {
    let text = node.str_at(key)?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}
