//! Places in a schema, as pointers for programs and as subjects of sentences.

use toolwright_model::JsonPointer;

use crate::subject::{Side, Subject};

/// A place in the schema of a tool, or in one that several share.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) pointer: String,
    root: Root,
    /// The path from the root: `filter.owner`, `[].title`.
    path: String,
}

#[derive(Clone, Debug)]
enum Root {
    Arguments,
    Result,
    Definition {
        side: Side,
        name: String,
        was: String,
    },
}

impl Place {
    pub(super) fn root(side: Side) -> Self {
        let (pointer, root) = match side {
            Side::Argument => ("/input_schema", Root::Arguments),
            Side::Result => ("/output_schema", Root::Result),
        };
        Self {
            pointer: pointer.to_owned(),
            root,
            path: String::new(),
        }
    }

    pub(super) fn definition(side: Side, was: &str, name: &str) -> Self {
        Self {
            pointer: JsonPointer::from_iter(["$defs", name]).into(),
            root: Root::Definition {
                side,
                name: name.to_owned(),
                was: was.to_owned(),
            },
            path: String::new(),
        }
    }

    /// Returns the pointer of a keyword.
    pub(super) fn below(&self, keyword: &str) -> String {
        format!("{}/{keyword}", self.pointer)
    }

    /// Returns the place of a field.
    pub(super) fn field(&self, name: &str) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        self.step(
            &format!("properties{}", JsonPointer::from_iter([name])),
            &format!("{dot}{name}"),
        )
    }

    /// Returns the place of the undeclared fields that a keyword covers.
    pub(super) fn other_fields(&self, keyword: &str) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        self.step(keyword, &format!("{dot}*"))
    }

    /// Returns the place of a list's items below a keyword.
    pub(super) fn items(&self, keyword: &str) -> Self {
        self.step(keyword, "[]")
    }

    /// Returns the place of the same value below a keyword, if any.
    pub(super) fn same(&self, keyword: &str) -> Self {
        match keyword {
            "" => self.clone(),
            keyword => self.step(keyword, ""),
        }
    }

    fn step(&self, pointer: &str, path: &str) -> Self {
        Self {
            pointer: format!("{}/{pointer}", self.pointer),
            root: self.root.clone(),
            path: format!("{}{path}", self.path),
        }
    }

    /// Returns the subject of sentences about this place.
    pub(super) fn subject(&self) -> Subject {
        let path = self.path.as_str();
        match &self.root {
            Root::Arguments if path.is_empty() => "the set of arguments".into(),
            Root::Arguments => Subject::field(Side::Argument, path),
            Root::Result if path.is_empty() => "the result".into(),
            Root::Result => Subject::field(Side::Result, path),
            Root::Definition { side, name, was } => {
                let dot = if path.is_empty() || path.starts_with('[') {
                    ""
                } else {
                    "."
                };
                let subject = Subject::field(*side, format!("{name}{dot}{path}"));
                if was == name {
                    subject
                } else {
                    subject.note(format!("`{was}` before"))
                }
            }
        }
    }
}
