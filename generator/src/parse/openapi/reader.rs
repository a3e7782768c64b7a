//! Helpers for all parts of the reader: resolving, reporting and reading strings.

use std::sync::Arc;

use indexmap::IndexMap;
use toolwright_model::{Scheme, SecurityRequirement};

use super::Server;
use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics, Severity},
    documents::Documents,
    source::{Place, Sources},
    tree::{Data, Node},
};

/// Reads the nodes of one document.
///
/// The methods are next to the record that they read. A method that returns `None` has reported the
/// reason.
pub(super) struct OpenApiReader<'a, 'd> {
    pub(super) documents: &'a Documents,
    sources: &'a Sources,
    diagnostics: &'d mut Diagnostics,
}

/// The document-wide defaults for operations.
#[derive(Debug)]
pub(super) struct Inherited<'a> {
    pub(super) servers: Arc<[Server]>,
    pub(super) schemes: Schemes,
    pub(super) security: Vec<Vec<SecurityRequirement>>,
    pub(super) flavour: Flavour<'a>,
}

/// The security schemes of a document by name. A scheme with errors is `None`; its error was
/// reported.
pub(crate) type Schemes = IndexMap<String, Option<Scheme>>;

/// The syntax of parameters, bodies and responses.
#[derive(Debug)]
pub(super) enum Flavour<'a> {
    /// The syntax of OpenAPI 3.
    OpenApi,
    /// The syntax of Swagger 2.0, with the default media types for operations without their own.
    Swagger {
        consumes: Option<&'a Node>,
        produces: Option<&'a Node>,
    },
}

impl<'a, 'd> OpenApiReader<'a, 'd> {
    pub(super) const fn new(
        documents: &'a Documents,
        sources: &'a Sources,
        diagnostics: &'d mut Diagnostics,
    ) -> Self {
        Self {
            documents,
            sources,
            diagnostics,
        }
    }

    /// Reports a fault as a warning. A faulty node in a readable document excludes its operation,
    /// not the service.
    pub(super) fn report(&mut self, diagnostic: impl Into<Diagnostic>) {
        let mut diagnostic = diagnostic.into();
        diagnostic.severity = Severity::Warning;
        self.diagnostics.report(diagnostic);
    }

    /// Returns the number of diagnostics so far, for [`OpenApiReader::blame`].
    pub(super) const fn report_count(&self) -> usize {
        self.diagnostics.len()
    }

    /// Adds to all diagnostics since `since` that the operation is left out.
    pub(super) fn blame(&mut self, since: usize, operation: Place) {
        for diagnostic in self.diagnostics.since(since) {
            *diagnostic = diagnostic
                .clone()
                .also(operation, "so this operation is left out");
        }
    }

    /// Labels the diagnostics since `since` with their consequence, unless they have a label.
    pub(super) fn consequence(&mut self, since: usize, text: &str) {
        for diagnostic in self.diagnostics.since(since) {
            if diagnostic.primary.text.is_empty() {
                text.clone_into(&mut diagnostic.primary.text);
            }
        }
    }

    /// Returns the node, or the target of its `$ref`.
    pub(super) fn resolve(&mut self, node: &'a Node) -> Option<&'a Node> {
        match self.documents.resolve(node) {
            Ok(node) => Some(node),
            Err(diagnostic) => {
                self.report(diagnostic);
                None
            }
        }
    }

    /// Returns the node, or the target of its `$ref`, if it is an object.
    pub(super) fn object(&mut self, node: &'a Node, what: &str) -> Option<&'a Node> {
        let node = self.resolve(node)?;
        if node.as_object().is_some() {
            return Some(node);
        }
        self.wrong_type(node, what, "an object");
        None
    }

    /// Returns the description of a node. A description next to the `$ref` takes precedence over
    /// the target's.
    pub(super) fn description(&self, reference: &Node, target: &Node) -> Option<String> {
        self.text_at(reference, "description")
            .or_else(|| self.text_at(target, "description"))
    }

    /// Returns the elements of an array.
    pub(super) fn array(&mut self, node: &'a Node, what: &str) -> Option<&'a [Node]> {
        let items = node.as_array();
        if items.is_none() {
            self.wrong_type(node, what, "an array");
        }
        items
    }

    pub(super) fn wrong_type(&mut self, node: &Node, what: &str, expected: &str) {
        let found = node.kind();
        let place = self.first_line(node);
        self.report(Diagnostic::error(
            Code::WrongType,
            place,
            format!("expected {what} to be {expected}, found {found}"),
        ));
    }

    /// Returns the span of a node, limited to its first line.
    pub(super) fn first_line(&self, node: &Node) -> Place {
        self.sources.first_line(node.place)
    }

    /// Returns the string at a key of an object. A number or boolean is returned in its source
    /// form.
    pub(super) fn text_at(&self, node: &Node, key: &str) -> Option<String> {
        text(node.get(key)?, self.sources)
    }

    /// Returns the strings of the array at a key. Other elements are ignored.
    pub(super) fn texts_at(&self, node: &Node, key: &str) -> Vec<String> {
        node.get(key)
            .into_iter()
            .flat_map(Node::items)
            .filter_map(|item| text(item, self.sources))
            .collect()
    }

    /// Reports a missing required key.
    pub(super) fn missing(&mut self, node: &Node, key: &str, what: &str) {
        let place = self.first_line(node);
        self.report(
            Diagnostic::error(Code::Missing, place, format!("{what} has no `{key}`"))
                .help(format!("add `{key}`")),
        );
    }

    /// Returns the string at a required key.
    pub(super) fn required_text(&mut self, node: &Node, key: &str, what: &str) -> Option<String> {
        match node.get(key) {
            None => {
                self.missing(node, key, what);
                None
            }
            Some(value) => {
                let text = text(value, self.sources);
                if text.is_none() {
                    self.wrong_type(value, &format!("`{key}`"), "a string");
                }
                text
            }
        }
    }
}

/// Returns a scalar as a string. A YAML number or boolean keeps its source form, so version `1.10`
/// is not read as `1.1`.
pub(crate) fn text(node: &Node, sources: &Sources) -> Option<String> {
    match &node.data {
        Data::String(text) => Some(text.clone()),
        Data::Number(_) | Data::Bool(_) => sources.text(node.place).map(str::to_owned),
        Data::Null | Data::Array(_) | Data::Object(_) => None,
    }
}
