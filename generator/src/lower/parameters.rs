//! Parameters: arguments, and how they are written into a request.

use serde_json::{Value, json};
use toolwright_model::{
    Bound, Location, Parameter as Binding, ReservedFor, Scheme, SecurityRequirement, Serialization,
    Style, reserved_header,
};

use super::{
    arguments::{Arguments, Sent, Slot, SlotDecision, rank},
    headers::is_same,
    schema::{Direction, NameHint, SchemaLowering},
    security::Security,
};
use crate::{
    document::{documents::Documents, tree::Node},
    ir::types::Shape,
    parse::openapi::{Parameter, bare_name},
};

/// Headers that the executor and the credentials set, in addition to those of the transfer.
const NO_PARAMETERS: &[&str] = &["accept", "authorization", "host"];

/// The parts of an operation's requests that neither an argument nor a pin sets.
pub(super) struct SetElsewhere {
    /// The credentials.
    pub(super) security: Security,
    /// The headers that the overlay adds.
    pub(super) headers: Vec<Binding>,
}

/// Lowers the parameters of an operation. They stay in the document's order, but path parameters
/// claim their names first.
pub(super) fn lower<'a>(
    parameters: &'a [Parameter<'_>],
    elsewhere: &SetElsewhere,
    hint: &NameHint,
    arguments: &mut Arguments<'_>,
    documents: &Documents,
    schemas: &mut SchemaLowering<'a>,
) -> Vec<Binding> {
    let mut sent: Vec<(usize, &Parameter<'_>)> = parameters
        .iter()
        .enumerate()
        .filter(|(_, parameter)| !elsewhere.sets(parameter))
        .collect();
    sent.sort_by_key(|(_, parameter)| rank(parameter.location));
    let mut bindings: Vec<(usize, Binding)> = sent
        .into_iter()
        .filter_map(|(index, parameter)| {
            let place = parameter.location.word();
            let binding = lower_one(parameter, place, hint, arguments, documents, schemas)?;
            Some((index, binding))
        })
        .collect();
    bindings.sort_by_key(|(index, _)| *index);
    let bindings = bindings.into_iter().map(|(_, binding)| binding);
    bindings.chain(elsewhere.headers.iter().cloned()).collect()
}

/// Splits a path: a query in it becomes fixed parameters, and a fragment, which is never sent, is
/// dropped.
pub(super) fn split_path(path: &str) -> (String, Vec<Binding>) {
    let (path, _) = split_outside_braces(path, '#');
    let (path, query) = split_outside_braces(path, '?');
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let fixed = pairs.filter(|pair| !pair.contains('{')).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Binding {
            name: name.to_owned(),
            location: Location::Query,
            value: Bound::Fixed(json!(value)),
            required: true,
            separators: None,
            serialization: Serialization::Style {
                style: Style::Form,
                explode: true,
                allow_reserved: false,
            },
        }
    });
    let slash = if path.starts_with('/') { "" } else { "/" };
    let path = with_bare_names(path);
    (format!("{slash}{path}"), fixed.collect())
}

/// Splits a path at the first mark outside braces.
fn split_outside_braces(path: &str, mark: char) -> (&str, &str) {
    let mut depth = 0usize;
    for (at, character) in path.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if character == mark && depth == 0 => {
                let behind = path.get(at + mark.len_utf8()..).unwrap_or_default();
                return (path.get(..at).unwrap_or(path), behind);
            }
            _ => {}
        }
    }
    (path, "")
}

/// The path with nothing but names between its braces.
fn with_bare_names(path: &str) -> String {
    let mut parts = path.split('{');
    let mut bare = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('}') {
            Some((text, rest)) => bare.push_str(&format!("{{{}}}{rest}", bare_name(text))),
            None => bare.push_str(&format!("{{{part}")),
        }
    }
    bare
}

/// Lowers a parameter that is sent. `place` distinguishes its argument from another of the same
/// name.
pub(super) fn lower_one<'a>(
    parameter: &Parameter<'a>,
    place: &str,
    hint: &NameHint,
    arguments: &mut Arguments<'_>,
    documents: &Documents,
    schemas: &mut SchemaLowering<'a>,
) -> Option<Binding> {
    let slot = slot_of(parameter);
    let separators = arguments.separators(&slot);
    let value = match arguments.decide(&slot, || default(parameter, documents)) {
        SlotDecision::Argument => arguments.add(lower_schema(parameter, hint, schemas), place),
        SlotDecision::Pinned(value) => value,
        SlotDecision::Hidden => return None,
    };
    Some(Binding {
        name: parameter.name.clone(),
        location: parameter.location,
        value,
        required: parameter.required,
        separators,
        serialization: parameter.serialization.clone(),
    })
}

/// Returns the parameter as something that is sent.
pub(super) fn slot_of<'s>(parameter: &'s Parameter<'_>) -> Slot<'s> {
    Slot {
        place: parameter.place,
        wire: &parameter.name,
        location: parameter.location.word(),
        required: parameter.required,
    }
}

/// The value that a parameter has where none is sent.
fn default(parameter: &Parameter<'_>, documents: &Documents) -> Option<Value> {
    let schema = documents.resolve(parameter.schema?).ok()?;
    schema.get("default").map(Node::to_value)
}

fn lower_schema<'a>(
    parameter: &Parameter<'a>,
    hint: &NameHint,
    schemas: &mut SchemaLowering<'a>,
) -> Sent {
    let (mut schema, ty) = match parameter.schema {
        Some(schema) => (
            schemas.json_schema(schema, Direction::Request),
            schemas.type_of(schema, &hint.child(&parameter.name), Direction::Request),
        ),
        None => (
            json!({"type": "string"}),
            schemas.leaf(parameter.place, Shape::String),
        ),
    };
    describe(&mut schema, parameter.description.as_deref());
    Sent {
        place: parameter.place,
        wire: parameter.name.clone(),
        required: parameter.required,
        schema,
        ty,
    }
}

/// Adds a description to a schema. The description of the parameter is more specific for the agent
/// than that of a type that several may share.
pub(super) fn describe(schema: &mut Value, description: Option<&str>) {
    let description = description.map(str::trim).filter(|text| !text.is_empty());
    if let (Some(schema), Some(text)) = (schema.as_object_mut(), description) {
        schema.insert("description".to_owned(), json!(text));
    }
}

impl SetElsewhere {
    /// Checks whether the executor, the credentials or the overlay set the parameter, so the agent
    /// need not.
    pub(super) fn sets(&self, parameter: &Parameter<'_>) -> bool {
        let name = parameter.name.to_ascii_lowercase();
        let is_header = parameter.location == Location::Header;
        let is_key = |requirement: &SecurityRequirement| match &requirement.kind {
            Scheme::ApiKey {
                location,
                name: key,
                ..
            } => *location == parameter.location && key.eq_ignore_ascii_case(&name),
            _ => false,
        };
        let is_own = |name: &str| {
            NO_PARAMETERS.contains(&name) || reserved_header(name) == Some(ReservedFor::Transfer)
        };
        let mut added = self.headers.iter();
        let is_added = added.any(|header| is_same(&header.name, &name));
        (is_header && (is_own(&name) || is_added)) || self.security.iter().flatten().any(is_key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_in_the_path_is_fixed() {
        let (path, fixed) = split_path("/a/{b}?restype=service&comp=list#x");
        assert_eq!(path, "/a/{b}");
        let names: Vec<_> = fixed.iter().map(|binding| binding.name.as_str()).collect();
        assert_eq!(names, ["restype", "comp"]);
        assert_eq!(split_path("a").0, "/a");
        assert_eq!(split_path("/{.a}/b{c*}/{#e}/{d").0, "/{a}/b{c}/{e}/{d");
    }
}
