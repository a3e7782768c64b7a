//! Builds a tree bottom up, without recursion, from the events of a parser.

use foldhash::fast::RandomState;
use indexmap::map::Entry;

use super::{Data, Field, Fields, Node};
use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::Place,
};

/// The maximum nesting of objects and arrays.
///
/// All known specifications stay far below it. The limit keeps every walk over a tree, including
/// its drop, within the smallest thread stack.
pub(crate) const DEEPEST: usize = 256;

/// A tree under construction.
pub(super) struct Builder<'d> {
    open: Vec<Container>,
    /// The elements of all open arrays.
    items: Vec<Node>,
    /// The fields of all open objects.
    fields: Vec<(String, Field)>,
    root: Option<Node>,
    diagnostics: &'d mut Diagnostics,
}

/// An open object or array.
struct Container {
    start: Place,
    content: Content,
}

enum Content {
    Array {
        /// The number of elements of the arrays around it.
        before: usize,
    },
    Object {
        /// The number of fields of the objects around it.
        before: usize,
        /// The key of the next value.
        key: Option<(String, Place)>,
    },
}

/// The innermost open container.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// The root.
    Nothing,
    /// An array.
    Array,
    /// An object that expects a key.
    ObjectKey,
    /// An object that expects the value of a key.
    ObjectValue,
}

impl<'d> Builder<'d> {
    pub(super) const fn new(diagnostics: &'d mut Diagnostics) -> Self {
        Self {
            open: Vec::new(),
            items: Vec::new(),
            fields: Vec::new(),
            root: None,
            diagnostics,
        }
    }

    /// Returns the position of the next value.
    pub(super) fn within(&self) -> Within {
        match self.open.last().map(|container| &container.content) {
            None => Within::Nothing,
            Some(Content::Array { .. }) => Within::Array,
            Some(Content::Object { key: None, .. }) => Within::ObjectKey,
            Some(Content::Object { key: Some(_), .. }) => Within::ObjectValue,
        }
    }

    /// Returns the number of open containers.
    pub(super) const fn depth(&self) -> usize {
        self.open.len()
    }

    /// Opens an array at its first character.
    pub(super) fn open_array(&mut self, start: Place) -> Result<(), Box<Diagnostic>> {
        let before = self.items.len();
        self.open(start, Content::Array { before })
    }

    /// Opens an object at its first character.
    pub(super) fn open_object(&mut self, start: Place) -> Result<(), Box<Diagnostic>> {
        let before = self.fields.len();
        self.open(start, Content::Object { before, key: None })
    }

    /// Sets the key of the next value.
    pub(super) fn key(&mut self, text: String, place: Place) {
        if let Some(Container {
            content: Content::Object { key, .. },
            ..
        }) = self.open.last_mut()
        {
            *key = Some((text, place));
        }
    }

    /// Adds a complete value.
    pub(super) fn value(&mut self, node: Node) {
        match self.open.last_mut().map(|container| &mut container.content) {
            None => self.root = Some(node),
            Some(Content::Array { .. }) => self.items.push(node),
            Some(Content::Object { key, .. }) => {
                if let Some((text, place)) = key.take() {
                    self.fields.push((text, Field { key: place, node }));
                }
            }
        }
    }

    /// Closes the innermost container and returns it; the caller passes it to [`Builder::value`].
    /// `end` is the place of the closing token.
    pub(super) fn close(&mut self, end: Place) -> Option<Node> {
        let Container { start, content } = self.open.pop()?;
        let place = Place {
            end: end.end.max(start.end),
            ..start
        };
        let data = match content {
            Content::Array { before } => Data::Array(self.items.drain(before..).collect()),
            Content::Object { before, .. } => Data::Object(Box::new(self.object(before))),
        };
        Some(Node { place, data })
    }

    /// Returns the complete tree, or `None` if no value was added. Reports the duplicate keys of objects that a fault
    /// left open.
    pub(super) fn finish(mut self) -> Option<Node> {
        while let Some(Container { content, .. }) = self.open.pop() {
            if let Content::Object { before, .. } = content {
                self.object(before);
            }
        }
        self.root
    }

    /// Takes the fields of the innermost object. It gets the memory that it needs and no more, since a document has
    /// some ten thousand objects.
    fn object(&mut self, before: usize) -> Fields {
        let own = self.fields.drain(before..);
        let mut fields = Fields::with_capacity_and_hasher(own.len(), RandomState::default());
        for (text, field) in own {
            insert(&mut fields, text, field, self.diagnostics);
        }
        fields
    }

    fn open(&mut self, start: Place, content: Content) -> Result<(), Box<Diagnostic>> {
        if self.open.len() >= DEEPEST {
            return Err(too_deep(start));
        }
        self.open.push(Container { start, content });
        Ok(())
    }
}

/// Creates the diagnostic for a document that is nested more than [`DEEPEST`] levels.
pub(super) fn too_deep(place: Place) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(
            Code::TooDeep,
            place,
            format!("objects and arrays are nested more than {DEEPEST} levels deep"),
        )
        .help("move inner parts to definitions and refer to them with `$ref`"),
    )
}

/// Inserts a field. The last of two equal keys wins, as in most JSON and YAML parsers.
fn insert(fields: &mut Fields, text: String, field: Field, diagnostics: &mut Diagnostics) {
    match fields.entry(text) {
        Entry::Vacant(entry) => {
            entry.insert(field);
        }
        Entry::Occupied(mut entry) => {
            diagnostics.report(
                Diagnostic::warning(
                    Code::DuplicateKey,
                    field.key,
                    format!("duplicate key `{}`", entry.key()),
                )
                .label("this value is used")
                .also(entry.get().key, "this value is ignored")
                .help("remove one of the two"),
            );
            entry.insert(field);
        }
    }
}
