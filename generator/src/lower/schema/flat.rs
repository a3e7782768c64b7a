//! Request bodies whose properties can stand for themselves.

use serde_json::{Value, json};

use super::{
    BodyEncoding, Direction, FlatObject, FlatProperty, NameHint, SchemaLowering,
    directions::left_out,
    graph::{Parts, Settled},
    kinds::Kinds,
    upload_schema,
    view::{AdditionalView, View},
};
use crate::{
    document::tree::{Data, Node},
    ir::types::{Shape, TypeId},
    parse::{dialect::Dialect, openapi::BodyKind},
};

impl<'a> SchemaLowering<'a> {
    pub(super) fn flat_object(
        &mut self,
        schema: &'a Node,
        hint: &NameHint,
        encoding: BodyEncoding<'_>,
    ) -> Option<FlatObject> {
        let settled = self.graph.settle(Parts::one(schema));
        let view = self.graph.view(&settled.parts);
        if settled.broken.is_some() || !is_plain(&view) {
            return None;
        }
        let mut properties: Vec<FlatProperty> = view
            .properties
            .iter()
            .filter_map(|(name, parts)| self.flat_property(name, parts, &view, hint, encoding))
            .collect();
        if properties.is_empty() {
            return None;
        }
        properties.extend(self.undeclared(schema, &view));
        Some(FlatObject { properties })
    }

    /// Returns the required properties without a schema.
    fn undeclared(&mut self, schema: &Node, view: &View<'a>) -> Vec<FlatProperty> {
        if view.additional == AdditionalView::Forbidden {
            return Vec::new();
        }
        let names = view.required.iter();
        let names = names.filter(|name| !view.properties.contains_key(**name));
        names
            .map(|name| FlatProperty {
                name: (*name).to_owned(),
                place: schema.place,
                required: true,
                schema: json!({}),
                ty: self.table.leaf(schema.place, Shape::Any(None)),
                file: false,
            })
            .collect()
    }

    fn flat_property(
        &mut self,
        name: &str,
        parts: &Parts<'a>,
        object: &View<'a>,
        hint: &NameHint,
        encoding: BodyEncoding<'_>,
    ) -> Option<FlatProperty> {
        let place = parts.first.node.place;
        let settled = self.graph.settle(parts.clone());
        if settled.has_flag(left_out(Direction::Request)) {
            return None;
        }
        let file = match encoding {
            BodyEncoding::Multipart(parts) => {
                let part = parts.iter().find(|(part, _)| part == name);
                let media_types = part.and_then(|(_, part)| part.content_type.as_deref());
                self.file(&settled, media_types)
            }
            BodyEncoding::Document => None,
        };
        let (schema, ty, file) = match file {
            Some((schema, ty)) => (schema, ty, true),
            None => (
                self.json(parts.clone(), Direction::Request),
                self.enqueue_settled(settled, &hint.child(name), Direction::Request),
                false,
            ),
        };
        Some(FlatProperty {
            name: name.to_owned(),
            place,
            required: object.required.contains(name),
            schema,
            ty,
            file,
        })
    }

    /// The schema and the type of a file, or of a list of files. The media types are those that the
    /// encoding of the part declares.
    fn file(
        &mut self,
        settled: &Settled<'a>,
        media_types: Option<&str>,
    ) -> Option<(Value, TypeId)> {
        let dialect = self.graph.dialect;
        let is_file =
            |view: &View<'a>| is_bytes(view) || is_untyped_file(view, media_types, dialect);
        let view = self.graph.view(&settled.parts);
        let place = settled.parts.first.node.place;
        let (mut schema, ty) = if is_file(&view) && view.kinds != Some(Kinds::ARRAY) {
            let file = self.table.leaf(place, Shape::File);
            (upload_schema(), file)
        } else {
            let items = self.graph.settle(view.items.clone()?);
            let items = self.graph.view(&items.parts);
            if !is_file(&items) {
                return None;
            }
            let file = self.table.leaf(place, Shape::File);
            self.table.cover(&items.nodes, file);
            let list = self.table.add(place, Shape::List(file));
            (json!({"type": "array", "items": upload_schema()}), list)
        };
        self.table.cover(&view.nodes, ty);
        let wrappers = settled.wrappers.iter().chain(&view.nodes);
        let mut descriptions = wrappers.filter_map(|node| node.str_at("description"));
        if let Some(description) = descriptions.next()
            && let Value::Object(schema) = &mut schema
        {
            schema.insert("description".to_owned(), description.into());
        }
        Some((schema, ty))
    }
}

/// Checks whether the values of a part are raw bytes: by its schema, or by the media type of its content.
fn is_bytes(view: &View<'_>) -> bool {
    let media_type = view.keyword("contentMediaType").and_then(Node::as_str);
    view.is_binary()
        || view.keyword("contentEncoding").is_none()
            && media_type.is_some_and(|name| BodyKind::parse(name) == BodyKind::Binary)
}

/// Checks whether a part is a file because nothing describes its values. From OpenAPI 3.1 on, the
/// default media type of a part without a type is `application/octet-stream`. A schema with a title, a
/// default or the like is that of any value.
fn is_untyped_file(view: &View<'_>, media_types: Option<&str>, dialect: Dialect) -> bool {
    let describes = |keyword: &str| {
        matches!(
            keyword,
            "$comment" | "deprecated" | "description" | "writeOnly"
        ) || keyword.starts_with("x-")
    };
    let mut media_types = media_types.into_iter().flat_map(|types| types.split(','));
    let is_binary = |name: &str| name.trim() == "*/*" || BodyKind::parse(name) == BodyKind::Binary;
    dialect == Dialect::JsonSchema
        && view.is_silent()
        && !view
            .nodes
            .iter()
            .any(|node| matches!(node.data, Data::Bool(false)))
        && view.rest.iter().all(|(keyword, _)| describes(keyword))
        && media_types.all(is_binary)
}

/// Checks whether a schema describes only an object with some properties.
fn is_plain(view: &View<'_>) -> bool {
    let constrains = |keyword: &str| {
        matches!(
            keyword,
            "not"
                | "if"
                | "oneOf"
                | "anyOf"
                | "dependentRequired"
                | "dependentSchemas"
                | "propertyNames"
        )
    };
    view.kinds_or_inferred() == Some(Kinds::OBJECT)
        && view.unions.is_empty()
        && view.parent.is_none()
        && view.listed.is_none()
        && view.patterns.is_empty()
        && !matches!(view.additional, AdditionalView::Schema(_))
        && !view.rest.iter().any(|(keyword, _)| constrains(keyword))
}
