//! What every part of the reader uses: resolving, reporting, and texts.

use std::sync::Arc;

use indexmap::IndexMap;
use toolwright_model::{Scheme, SecurityRequirement};

use super::Server;
use crate::{
    diagnostic::{Code, Diagnostic, Diagnostics, Severity},
    documents::Documents,
    source::{Place, Sources},
    tree::{Data, Node},
};

/// Reads the nodes of one document.
///
/// Its methods are in the files of the parts that they read. One that gives `None` has reported
/// why.
pub(super) struct Reader<'a, 'd> {
    pub(super) documents: &'a Documents,
    sources: &'a Sources,
    diagnostics: &'d mut Diagnostics,
}

/// What a document says for all of its operations.
#[derive(Debug)]
pub(super) struct Inherited<'a> {
    pub(super) servers: Arc<[Server]>,
    pub(super) schemes: Schemes,
    pub(super) security: Vec<Vec<SecurityRequirement>>,
    pub(super) flavour: Flavour<'a>,
}

/// The security schemes of a document by name; none for one that is broken, which was reported.
pub(super) type Schemes = IndexMap<String, Option<Scheme>>;

/// How the document writes parameters, bodies and answers.
#[derive(Debug)]
pub(super) enum Flavour<'a> {
    /// As OpenAPI 3 does.
    OpenApi,
    /// As Swagger 2.0 does; these media types hold where an operation says nothing.
    Swagger {
        consumes: Option<&'a Node>,
        produces: Option<&'a Node>,
    },
}

impl<'a, 'd> Reader<'a, 'd> {
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

    /// Reports a fault. Nothing in a document that can be read at all is worse than a warning: a
    /// broken node costs its operation, not the service.
    pub(super) fn report(&mut self, diagnostic: impl Into<Diagnostic>) {
        let mut diagnostic = diagnostic.into();
        diagnostic.severity = Severity::Warning;
        self.diagnostics.report(diagnostic);
    }

    /// How much was reported so far, for [`Reader::blame`].
    pub(super) const fn reported(&self) -> usize {
        self.diagnostics.len()
    }

    /// Says of everything that was reported since that it cost an operation.
    pub(super) fn blame(&mut self, since: usize, operation: Place) {
        for diagnostic in self.diagnostics.since(since) {
            *diagnostic = diagnostic
                .clone()
                .also(operation, "so this operation is left out");
        }
    }

    /// Says of everything that was reported since what came of it.
    pub(super) fn consequence(&mut self, since: usize, text: &str) {
        for diagnostic in self.diagnostics.since(since) {
            if diagnostic.primary.text.is_empty() {
                text.clone_into(&mut diagnostic.primary.text);
            }
        }
    }

    /// The node, or what its `$ref` leads to.
    pub(super) fn resolve(&mut self, node: &'a Node) -> Option<&'a Node> {
        match self.documents.resolve(node) {
            Ok(node) => Some(node),
            Err(diagnostic) => {
                self.report(diagnostic);
                None
            }
        }
    }

    /// The node, or what its `$ref` leads to, if that is an object.
    pub(super) fn object(&mut self, node: &'a Node, what: &str) -> Option<&'a Node> {
        let node = self.resolve(node)?;
        if node.as_object().is_some() {
            return Some(node);
        }
        self.wrong_type(node, what, "an object");
        None
    }

    /// The description of what a node is or refers to. One that stands beside the `$ref` wins.
    pub(super) fn description(&self, reference: &Node, target: &Node) -> Option<String> {
        self.text_at(reference, "description")
            .or_else(|| self.text_at(target, "description"))
    }

    /// The elements of an array.
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
            format!("{what} has to be {expected}, this is {found}"),
        ));
    }

    /// The place of a node, but not beyond its first line.
    pub(super) fn first_line(&self, node: &Node) -> Place {
        self.sources.first_line(node.place)
    }

    /// The text at a key of an object, also where it is written as a number or a boolean.
    pub(super) fn text_at(&self, node: &Node, key: &str) -> Option<String> {
        text(node.get(key)?, self.sources)
    }

    /// The texts of an array at a key; those that are none are passed over.
    pub(super) fn texts_at(&self, node: &Node, key: &str) -> Vec<String> {
        node.get(key)
            .into_iter()
            .flat_map(Node::items)
            .filter_map(|item| text(item, self.sources))
            .collect()
    }

    /// Reports that a key that has to be there is not.
    pub(super) fn missing(&mut self, node: &Node, key: &str, what: &str) {
        let place = self.first_line(node);
        self.report(
            Diagnostic::error(Code::Missing, place, format!("{what} has no `{key}`"))
                .help(format!("add `{key}`")),
        );
    }

    /// The text at a key that has to be there.
    pub(super) fn required_text(&mut self, node: &Node, key: &str, what: &str) -> Option<String> {
        match node.get(key) {
            None => {
                self.missing(node, key, what);
                None
            }
            Some(value) => {
                let text = text(value, self.sources);
                if text.is_none() {
                    self.wrong_type(value, &format!("`{key}`"), "a text");
                }
                text
            }
        }
    }
}

/// The text of a scalar. What YAML takes for a number or a boolean is given as it is written, so
/// that a version `1.10` is no `1.1`.
pub(crate) fn text(node: &Node, sources: &Sources) -> Option<String> {
    match &node.data {
        Data::String(text) => Some(text.clone()),
        Data::Number(_) | Data::Bool(_) => sources.text(node.place).map(str::to_owned),
        Data::Null | Data::Array(_) | Data::Object(_) => None,
    }
}
