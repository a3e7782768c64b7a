//! Diagnostics: data first; rendering is elsewhere.

pub mod render;

use crate::source::Place;

/// What a stage has to say to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable code, such as `unresolved-reference`.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence, lower-case, no final stop, user text in backticks.
    pub message: String,
    /// Where it is, with a label of a few words that may be empty.
    pub primary: Label,
    /// Other places that explain it.
    pub secondary: Vec<Label>,
    /// Why.
    pub notes: Vec<String>,
    /// The fix.
    pub help: Vec<String>,
}

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing is generated for the document, or for the run.
    Error,
    /// Something was left out or read leniently.
    Warning,
}

impl Severity {
    /// The word that stands for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// A place and what to say of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub place: Place,
    /// A few words; may be empty for a primary place.
    pub text: String,
}

/// The diagnostics of one run.
///
/// Stages report and go on; the check is the only gate.
#[derive(Debug, Default)]
pub struct Diagnostics {
    all: Vec<Diagnostic>,
}

impl Diagnostic {
    /// An error at a place.
    #[must_use]
    pub fn error(code: Code, place: Place, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, place, message.into())
    }

    /// A warning at a place.
    #[must_use]
    pub fn warning(code: Code, place: Place, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, place, message.into())
    }

    fn new(severity: Severity, code: Code, place: Place, message: String) -> Self {
        Self {
            code,
            severity,
            message,
            primary: Label {
                place,
                text: String::new(),
            },
            secondary: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
        }
    }

    /// Says a few words at the primary place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Points at another place.
    #[must_use]
    pub fn also(mut self, place: Place, text: impl Into<String>) -> Self {
        self.secondary.push(Label {
            place,
            text: text.into(),
        });
        self
    }

    /// Says why.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// States the fix.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }
}

impl Diagnostics {
    /// Keeps a diagnostic.
    pub fn report(&mut self, diagnostic: impl Into<Diagnostic>) {
        self.all.push(diagnostic.into());
    }

    /// Keeps all diagnostics of another collection.
    pub fn append(&mut self, other: Self) {
        self.all.extend(other.all);
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Those that were kept after the first `count`.
    pub fn since(&mut self, count: usize) -> &mut [Diagnostic] {
        self.all.get_mut(count..).unwrap_or_default()
    }

    /// Whether any of them is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.all
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// All of them by place, each once.
    #[must_use]
    pub fn sorted(mut self) -> Vec<Diagnostic> {
        self.all.sort_by(|a, b| {
            (a.primary.place, a.severity, a.code, &a.message).cmp(&(
                b.primary.place,
                b.severity,
                b.code,
                &b.message,
            ))
        });
        self.all.dedup();
        self.all
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(diagnostics: I) -> Self {
        Self {
            all: diagnostics.into_iter().collect(),
        }
    }
}

impl From<Box<Diagnostic>> for Diagnostic {
    fn from(boxed: Box<Diagnostic>) -> Self {
        *boxed
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $word:literal),+ $(,)?) => {
        /// The stable code of a kind of diagnostic.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $($(#[$doc])* $variant),+ }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word that stands for it: `unresolved-reference`.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}

codes! {
    /// The file cannot be read.
    Unreadable = "unreadable",
    /// The file is neither JSON nor YAML.
    Syntax = "syntax",
    /// The file is not UTF-8 text.
    NotUtf8 = "not-utf-8",
    /// The file is empty.
    Empty = "empty",
    /// The document is nested too deeply.
    TooDeep = "too-deep",
    /// The aliases of a YAML file stand for more than can be kept in memory.
    AliasExpansion = "alias-expansion",
    /// A key stands twice in one object.
    DuplicateKey = "duplicate-key",
    /// The document is not of a kind that can be read.
    NotASpecification = "not-a-specification",
    /// The document declares a version that cannot be read.
    UnsupportedVersion = "unsupported-version",
    /// A value is not of the type that the specification wants there.
    WrongType = "wrong-type",
    /// Something that has to be there is not.
    Missing = "missing",
    /// A `$ref` points to nothing.
    UnresolvedReference = "unresolved-reference",
    /// A `$ref` leads back to itself.
    CircularReference = "circular-reference",
    /// A value is not one of those that are allowed.
    UnknownValue = "unknown-value",
    /// A path and its parameters contradict each other.
    PathParameter = "path-parameter",
    /// Two parameters of an operation have the same name and location.
    DuplicateParameter = "duplicate-parameter",
    /// A parameter would decide about the request itself, so that no argument sets it.
    ReservedParameter = "reserved-parameter",
    /// No tool offers operations of this method.
    MethodNotOffered = "method-not-offered",
    /// A tool cannot be named by the rules.
    Unnameable = "unnameable",
    /// Two tools have the same name.
    NameCollision = "name-collision",
    /// A path item or an overlay has a key that is not known.
    UnknownKey = "unknown-key",
    /// An overlay entry matches nothing.
    UnmatchedOverlay = "unmatched-overlay",
    /// What an overlay says contradicts itself.
    ContradictoryOverlay = "contradictory-overlay",
    /// A lock contradicts itself.
    ContradictoryLock = "contradictory-lock",
    /// The overlay gives a tool another name than the lock holds.
    RenamedTool = "renamed-tool",
    /// A tool is less governed than the lock holds.
    LoweredGovernance = "lowered-governance",
    /// An overlay lowers the governance and gives no reason.
    ReasonMissing = "reason-missing",
    /// The governance of a tool contradicts itself.
    ContradictoryGovernance = "contradictory-governance",
    /// A document that is not trusted says how its tools are to be governed.
    UntrustedExtension = "untrusted-extension",
    /// A security scheme is used that is not declared.
    UnknownSecurityScheme = "unknown-security-scheme",
    /// A schema cannot be represented faithfully.
    UntypedSchema = "untyped-schema",
    /// A number is too large to be held exactly.
    InexactNumber = "inexact-number",
    /// A name or a value that is sent has characters that cannot be seen.
    InvisibleCharacters = "invisible-characters",
    /// A regular expression cannot be matched in linear time, so no value is held against it.
    UnusablePattern = "unusable-pattern",
}
