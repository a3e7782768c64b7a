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
    document::tree::Node,
    ir::types::{Shape, TypeId},
};

impl<'a> SchemaLowering<'a> {
    pub(super) fn flat_object(
        &mut self,
        schema: &'a Node,
        hint: &NameHint,
        encoding: BodyEncoding,
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
        encoding: BodyEncoding,
    ) -> Option<FlatProperty> {
        let place = parts.first.node.place;
        let settled = self.graph.settle(parts.clone());
        if settled.has_flag(left_out(Direction::Request)) {
            return None;
        }
        let file = match encoding {
            BodyEncoding::Multipart => self.file(&settled),
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

    /// The schema and the type of a file, or of a list of files.
    fn file(&mut self, settled: &Settled<'a>) -> Option<(Value, TypeId)> {
        let view = self.graph.view(&settled.parts);
        let place = settled.parts.first.node.place;
        let (mut schema, ty) = if view.is_binary() && view.kinds != Some(Kinds::ARRAY) {
            let file = self.table.leaf(place, Shape::File);
            (upload_schema(), file)
        } else {
            let items = self.graph.settle(view.items.clone()?);
            let items = self.graph.view(&items.parts);
            if !items.is_binary() {
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
