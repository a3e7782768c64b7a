//! Helpers for all parts of the reader: required objects, strings and schemas.

use std::{fmt::Display, str::FromStr};

use toolwright_model::settings::Reader as _;

use super::EabReader;
use crate::{
    document::{
        diagnostic::{Code, Diagnostic},
        source::Placed,
        tree::Node,
    },
    parse::openapi::text,
};

impl<'a> EabReader<'a, '_> {
    pub(super) fn schema_at(&mut self, node: &'a Node, key: &str) -> Option<&'a Node> {
        let schema = node.get(key)?;
        self.schema(schema, &format!("`{key}`"))
    }

    /// Returns the node if it can be a schema: an object or a boolean.
    pub(super) fn schema(&mut self, node: &'a Node, what: &str) -> Option<&'a Node> {
        let is_schema = node.as_object().is_some() || node.as_bool().is_some();
        if !is_schema {
            self.strict.wrong_type(node, what, "a schema");
        }
        is_schema.then_some(node)
    }

    /// Returns the object at a required key.
    pub(super) fn section(&mut self, root: &'a Node, key: &str) -> Option<&'a Node> {
        match root.get(key) {
            Some(node) => self.object(node, &format!("`{key}`")),
            None => {
                self.missing(root, key, "this document");
                None
            }
        }
    }

    pub(super) fn object(&mut self, node: &'a Node, what: &str) -> Option<&'a Node> {
        if node.as_object().is_none() {
            self.strict.wrong_type(node, what, "an object");
            return None;
        }
        Some(node)
    }

    /// Returns the string at a required key. A YAML number keeps its source form, so version `1.10`
    /// is not read as `1.1`.
    pub(super) fn required_text(
        &mut self,
        node: &Node,
        key: &str,
        what: &str,
    ) -> Option<Placed<String>> {
        let Some(value) = node.get(key) else {
            self.missing(node, key, what);
            return None;
        };
        match text(value, self.sources) {
            Some(text) if value.as_str().is_none() && value.as_bool().is_none() => Some(Placed {
                value: text,
                place: value.place,
            }),
            _ => self.strict.placed_text(node, key),
        }
    }

    /// Parses the string at a required key of the service.
    pub(super) fn required<T: FromStr<Err: Display>>(
        &mut self,
        node: &Node,
        key: &str,
    ) -> Option<Placed<T>> {
        let text = self.required_text(node, key, "`service`")?;
        self.strict.parsed(&text.value, text.place)
    }

    pub(super) fn missing(&mut self, node: &Node, key: &str, what: &str) {
        let place = self.sources.first_line(node.place);
        let fault = Diagnostic::error(Code::Missing, place, format!("{what} has no `{key}`"));
        self.strict.report(fault.help(format!("add `{key}`")));
    }

    pub(super) fn check_keys(&mut self, node: &Node, known: &[&str]) {
        let is_extension = |key: &str| key.starts_with("x-");
        self.strict.check_keys_unless(node, known, is_extension);
    }
}
