//! The types of programs, from JSON Schemas.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use toolwright_schema::{Root, definition_name};

use super::{
    names::{Names, pascal},
    visible,
};

/// The greatest depth of a type. Deeper parts are unknown.
const DEEPEST: usize = 24;

/// The most values of an enumeration. One with more is its plain type.
const MOST_LITERALS: usize = 200;

/// The type of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    Unknown,
    Never,
    Null,
    Bool,
    Integer,
    Number,
    String,
    /// One of some strings, booleans or whole numbers.
    Literals(Vec<Value>),
    Array(Box<Type>),
    /// An object whose keys are not declared.
    Map(Box<Type>),
    Object(Vec<Field>),
    Union(Vec<Type>),
    /// A type of the module.
    Named(String),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) required: bool,
    pub(super) description: Option<String>,
}

/// The types of a module with their names.
#[derive(Default)]
pub(super) struct Types {
    names: Names,
    /// The name of each definition of a service, and what it is a name of: definitions of one name may differ.
    known: BTreeMap<(String, String), Vec<(Value, String)>>,
    named: Vec<(String, Type)>,
    /// The definitions whose types are not converted yet.
    pending: Vec<(String, Value)>,
}

/// The schema of a type, with what its references lead to.
#[derive(Clone, Copy)]
struct Scope<'a> {
    service: &'a str,
    root: &'a Value,
}

impl Types {
    /// Returns the type of a self-contained schema.
    pub(super) fn of_schema(&mut self, service: &str, schema: &Value) -> Type {
        let scope = Scope {
            service,
            root: schema,
        };
        let ty = self.convert(scope, schema, 0);
        // One after the other: a chain of definitions is no deep recursion.
        while let Some((name, schema)) = self.pending.pop() {
            let ty = self.convert(scope, &schema, 0);
            self.named.push((name, ty));
        }
        ty
    }

    /// Returns the named types. A name that is another name for itself is that of an unknown type.
    pub(super) fn finish(self) -> Vec<(String, Type)> {
        let mut named = self.named;
        let all: BTreeMap<String, Type> = named.iter().cloned().collect();
        for (name, ty) in &mut named {
            if is_circular(name, &all) {
                *ty = Type::Unknown;
            }
        }
        named.sort_by(|(a, _), (b, _)| a.cmp(b));
        named
    }

    fn convert(&mut self, scope: Scope<'_>, schema: &Value, depth: usize) -> Type {
        let Some(keywords) = schema.as_object() else {
            return match schema {
                Value::Bool(false) => Type::Never,
                _ => Type::Unknown,
            };
        };
        if depth > DEEPEST {
            return Type::Unknown;
        }
        if let Some(name) = definition_name(schema) {
            return self.definition(scope, name);
        }
        if let Some(value) = keywords.get("const") {
            return literals(std::slice::from_ref(value));
        }
        if let Some(values) = keywords.get("enum").and_then(Value::as_array) {
            return literals(values);
        }
        if let Some(object) = self.object(scope, schema, depth) {
            return object;
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(variants) = keywords.get(keyword).and_then(Value::as_array) {
                let variants = variants.iter();
                return union(variants.map(|one| self.convert(scope, one, depth + 1)));
            }
        }
        if let Some([only]) = keywords
            .get("allOf")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
        {
            return self.convert(scope, only, depth + 1);
        }
        match keywords.get("type") {
            Some(Value::String(kind)) => self.of_kind(scope, kind, keywords, depth),
            Some(Value::Array(kinds)) => {
                let kinds = kinds.iter().filter_map(Value::as_str);
                union(kinds.map(|kind| self.of_kind(scope, kind, keywords, depth)))
            }
            _ => Type::Unknown,
        }
    }

    fn of_kind(
        &mut self,
        scope: Scope<'_>,
        kind: &str,
        keywords: &Map<String, Value>,
        depth: usize,
    ) -> Type {
        match kind {
            "null" => Type::Null,
            "boolean" => Type::Bool,
            "integer" => Type::Integer,
            "number" => Type::Number,
            "string" => Type::String,
            "array" => {
                // The first elements of a tuple have types of their own.
                let items = keywords.get("items");
                let items = items.filter(|_| !keywords.contains_key("prefixItems"));
                let items = items.map(|items| self.convert(scope, items, depth + 1));
                Type::Array(Box::new(items.unwrap_or(Type::Unknown)))
            }
            "object" => {
                let others = keywords.get("additionalProperties");
                let others = others.filter(|_| !keywords.contains_key("patternProperties"));
                let others = others.map(|others| self.convert(scope, others, depth + 1));
                Type::Map(Box::new(others.unwrap_or(Type::Unknown)))
            }
            _ => Type::Unknown,
        }
    }

    /// Returns the object of a schema with properties; of those of `allOf` all together. None if the schema is
    /// another one, or has variants.
    fn object(&mut self, scope: Scope<'_>, schema: &Value, depth: usize) -> Option<Type> {
        let is_object = |kind: Option<&Value>| match kind {
            Some(Value::String(kind)) => kind == "object",
            Some(Value::Array(_)) => false,
            _ => true,
        };
        if !is_object(schema.get("type")) {
            return self.nullable(scope, schema, depth);
        }
        let parts = Root::new(scope.root).parts(schema);
        let is_union = |part: &&Value| part.get("anyOf").is_some() || part.get("oneOf").is_some();
        if parts.iter().any(is_union) || !parts.iter().all(|part| is_object(part.get("type"))) {
            return None;
        }
        let required: BTreeSet<&str> = parts
            .iter()
            .filter_map(|part| part.get("required")?.as_array())
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut fields: Vec<Field> = Vec::new();
        let mut seen = BTreeSet::new();
        let properties = parts
            .iter()
            .filter_map(|part| part.get("properties")?.as_object());
        for (name, property) in properties.flatten() {
            if seen.insert(name) {
                let description = property.get("description").and_then(Value::as_str);
                let description = description.map(visible);
                let description = description.filter(|text| !text.is_empty());
                fields.push(Field {
                    name: name.clone(),
                    ty: self.convert(scope, property, depth + 1),
                    required: required.contains(name.as_str()),
                    description,
                });
            }
        }
        (!fields.is_empty()).then_some(Type::Object(fields))
    }

    /// Returns the type of an object that may be null.
    fn nullable(&mut self, scope: Scope<'_>, schema: &Value, depth: usize) -> Option<Type> {
        let kinds = schema.get("type")?.as_array()?;
        let is_nullable = kinds.len() == 2
            && kinds.iter().any(|kind| kind == "object")
            && kinds.iter().any(|kind| kind == "null");
        if !is_nullable {
            return None;
        }
        let mut object = schema.clone();
        object
            .as_object_mut()?
            .insert("type".to_owned(), "object".into());
        let object = self.object(scope, &object, depth)?;
        Some(union([object, Type::Null].into_iter()))
    }

    /// Returns the named type of a definition.
    fn definition(&mut self, scope: Scope<'_>, name: &str) -> Type {
        let Some(schema) = scope.root.get("$defs").and_then(|all| all.get(name)) else {
            return Type::Unknown;
        };
        let key = (scope.service.to_owned(), name.to_owned());
        let known = self.known.entry(key).or_default();
        if let Some((_, name)) = known.iter().find(|(known, _)| known == schema) {
            return Type::Named(name.clone());
        }
        let wanted = format!("{}{}", pascal(scope.service), pascal(name));
        let own = self.names.take(&wanted);
        known.push((schema.clone(), own.clone()));
        self.pending.push((own.clone(), schema.clone()));
        Type::Named(own)
    }
}

/// Checks whether a name is another name for itself, not through an object or an array.
fn is_circular(name: &str, all: &BTreeMap<String, Type>) -> bool {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&Type> = all.get(name).into_iter().collect();
    while let Some(ty) = open.pop() {
        match ty {
            Type::Named(other) if other == name => return true,
            Type::Named(other) if seen.insert(other) => open.extend(all.get(other)),
            Type::Union(variants) => open.extend(variants),
            _ => {}
        }
    }
    false
}

fn union(variants: impl Iterator<Item = Type>) -> Type {
    let mut flat: Vec<Type> = Vec::new();
    let mut add = |ty| {
        if !flat.contains(&ty) {
            flat.push(ty);
        }
    };
    for variant in variants {
        match variant {
            Type::Never => {}
            Type::Union(inner) => inner.into_iter().for_each(&mut add),
            other => add(other),
        }
    }
    if flat.contains(&Type::Unknown) {
        return Type::Unknown;
    }
    match flat.len() {
        0 => Type::Never,
        1 => flat.remove(0),
        _ => Type::Union(flat),
    }
}

fn literals(values: &[Value]) -> Type {
    let mut exact = Vec::new();
    let mut plain = Vec::new();
    for value in values {
        match value {
            Value::Null => plain.push(Type::Null),
            Value::Number(number) if !number.is_i64() => plain.push(Type::Number),
            Value::Array(_) | Value::Object(_) => plain.push(Type::Unknown),
            other if !exact.contains(other) => exact.push(other.clone()),
            _ => {}
        }
    }
    if exact.len() > MOST_LITERALS {
        plain.extend(exact.drain(..).map(|value| match value {
            Value::String(_) => Type::String,
            Value::Bool(_) => Type::Bool,
            _ => Type::Integer,
        }));
    }
    let exact = (!exact.is_empty()).then_some(Type::Literals(exact));
    union(exact.into_iter().chain(plain))
}
