//! What every part of the reader uses: objects, texts and schemas that have to be there.

use std::{fmt::Display, str::FromStr};

use super::Reader;
use crate::{
    diagnostic::{Code, Diagnostic},
    source::Placed,
    spec::openapi::text,
    tree::Node,
};

impl<'a> Reader<'a, '_> {
    pub(super) fn schema_at(&mut self, node: &'a Node, key: &str) -> Option<&'a Node> {
        let schema = node.get(key)?;
        self.schema(schema, &format!("`{key}`"))
    }

    /// A schema is an object, or says that anything or nothing will do.
    pub(super) fn schema(&mut self, node: &'a Node, what: &str) -> Option<&'a Node> {
        let is_schema = node.as_object().is_some() || node.as_bool().is_some();
        if !is_schema {
            self.strict.wrong_type(node, what, "a schema");
        }
        is_schema.then_some(node)
    }

    /// The object at a key that has to be there.
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

    /// A text that has to be there. What YAML takes for a number is given as it is written, so
    /// that a version `1.10` is no `1.1`.
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

    /// A text of the service that has to be there, as what it stands for.
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
        self.strict.check_keys_but_extensions(node, known);
    }
}
