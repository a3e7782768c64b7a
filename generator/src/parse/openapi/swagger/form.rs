//! Forms of Swagger 2.0: parameters that together form the body.

use std::borrow::Cow;

use toolwright_model::{Location, PartEncoding};

use super::{
    super::{MediaType, RequestBody, media_range::BodyKind, reader::OpenApiReader},
    collection_format,
};
use crate::document::{
    source::Place,
    tree::{
        Data, Field, Fields, Node,
        nodes::{array, keyed},
    },
};

/// The keys of a parameter that are not part of its schema.
const NO_SCHEMA: &[&str] = &[
    "name",
    "in",
    "required",
    "collectionFormat",
    "allowEmptyValue",
];

impl<'a> OpenApiReader<'a, '_> {
    /// Returns the body for the fields of a form: an object with one property per field.
    pub(super) fn form_body(
        &mut self,
        fields: &[&'a Node],
        consumes: &[String],
    ) -> Option<RequestBody<'a>> {
        let place = self.first_line(fields.first()?);
        let mut properties = Fields::default();
        let mut required = Vec::new();
        let mut encoding = Vec::new();
        for node in fields {
            let name = self.required_text(node, "name", "this parameter")?;
            if node.is_true("required") {
                required.push(string(&name, node.place));
            }
            encoding.extend(field_encoding(node).map(|encoding| (name.clone(), encoding)));
            properties.insert(name, field(node.place, property(node)));
        }
        let has_file = fields.iter().any(|node| is_file(node));
        let schema = object(place, properties, required.clone());
        let content = form_types(consumes, has_file)
            .into_iter()
            .map(|name| MediaType {
                name,
                schema: Some(Cow::Owned(schema.clone())),
                item_schema: None,
                encoding: encoding.clone(),
                part_headers: Vec::new(),
            });
        Some(RequestBody {
            place,
            description: None,
            required: !required.is_empty(),
            content: content.collect(),
        })
    }
}

/// Returns the consumed media types that can encode a form. A form with a file needs a multipart
/// type.
fn form_types(consumes: &[String], has_file: bool) -> Vec<String> {
    let fits = |name: &&String| match BodyKind::parse(name) {
        BodyKind::Multipart => true,
        BodyKind::Form => !has_file,
        _ => false,
    };
    let names: Vec<String> = consumes.iter().filter(fits).cloned().collect();
    match (names.is_empty(), has_file) {
        (false, _) => names,
        (true, true) => vec!["multipart/form-data".to_owned()],
        (true, false) => vec!["application/x-www-form-urlencoded".to_owned()],
    }
}

fn is_file(node: &Node) -> bool {
    node.str_at("type") == Some("file")
}

/// Returns the parameter as a schema. A file becomes a binary string.
fn property(node: &Node) -> Node {
    let fields = node.as_object().into_iter().flatten();
    let mut schema: Fields = fields
        .filter(|(key, _)| !NO_SCHEMA.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    if is_file(node) {
        for (key, value) in [("type", "string"), ("format", "binary")] {
            let value = field(node.place, string(value, node.place));
            schema.insert(key.to_owned(), value);
        }
    }
    keyed(node.place, schema)
}

fn field_encoding(node: &Node) -> Option<PartEncoding> {
    node.get("collectionFormat")?;
    let (style, explode) = collection_format(node, Location::Query);
    Some(PartEncoding {
        style: Some(style),
        explode: Some(explode),
        ..PartEncoding::default()
    })
}

fn object(place: Place, properties: Fields, required: Vec<Node>) -> Node {
    let fields = [
        ("type", field(place, string("object", place))),
        ("properties", field(place, keyed(place, properties))),
        ("required", field(place, array(place, required))),
    ];
    let fields = fields
        .into_iter()
        .map(|(key, field)| (key.to_owned(), field));
    keyed(place, fields.collect())
}

fn field(key: Place, node: Node) -> Field {
    Field { key, node }
}

fn string(text: &str, place: Place) -> Node {
    Node {
        place,
        data: Data::String(text.to_owned()),
    }
}
