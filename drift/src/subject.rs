//! The subjects of changes: arguments, parts of results, and other named things.

/// The subject of a change, with its words in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A thing with a name of its own: "the request path".
    Thing(String),
    /// An argument or a part of the result.
    Field(Field),
}

/// An argument or a part of the result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Field {
    /// The direction of its value.
    pub side: Side,
    /// Its path in the schema: `filter.owner`.
    pub path: String,
    /// Notes after the path, such as its type.
    notes: Vec<String>,
}

/// The direction of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// To the service.
    Argument,
    /// From the service.
    Result,
}

impl Subject {
    /// Creates the subject for a field.
    pub(super) fn field(side: Side, path: impl Into<String>) -> Self {
        Self::Field(Field {
            side,
            path: path.into(),
            notes: Vec::new(),
        })
    }

    /// Adds a note in parentheses to a field.
    #[must_use]
    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        if let Self::Field(field) = &mut self {
            field.notes.push(note.into());
        }
        self
    }

    /// Returns a part of the subject, such as its description, as a subject.
    pub(super) fn part(&self, part: &str) -> Self {
        Self::Thing(format!("the {part} of {}", self.words()))
    }

    /// Returns the beginning of a sentence about the subject.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Thing(name) => name.clone(),
            Self::Field(field) => format!("{} {}", field.side.word(), field.words()),
        }
    }
}

impl From<&str> for Subject {
    fn from(name: &str) -> Self {
        Self::Thing(name.to_owned())
    }
}

impl From<String> for Subject {
    fn from(name: String) -> Self {
        Self::Thing(name)
    }
}

impl Field {
    /// Returns the path as code, and the notes.
    pub(super) fn words(&self) -> String {
        let mut words = format!("`{}`", self.path);
        for note in &self.notes {
            words.push_str(&format!(" ({note})"));
        }
        words
    }
}

impl Side {
    /// Returns the noun for one field of this side.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Argument => "argument",
            Self::Result => "result",
        }
    }
}
