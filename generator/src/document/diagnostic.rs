//! Diagnostics as data. [`render`](super::render) formats them.

use toolwright_model::words;

use crate::document::{fix::Fix, source::Place};

/// A report to the user from any stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable code, such as `unresolved-reference`.
    pub code: Code,
    /// The severity.
    pub severity: Severity,
    /// One sentence in lower case, without a final stop. Quoted input is in backticks.
    pub message: String,
    /// The primary place, with a short label that may be empty.
    pub primary: Label,
    /// Other places that explain the diagnostic.
    pub secondary: Vec<Label>,
    /// The reasons.
    pub notes: Vec<String>,
    /// The fixes, in words.
    pub help: Vec<String>,
    /// The line of the overlay that settles it. The help contains the same line.
    pub fix: Option<Fix>,
}

words! {
    /// The severity of a diagnostic.
    Severity {
        /// Nothing is generated for the document, or for the run.
        Error = "error",
        /// A part was left out or read leniently.
        Warning = "warning",
    }
}

/// A place with a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub place: Place,
    /// A few words; may be empty for a primary place.
    pub text: String,
}

/// The diagnostics of one run.
///
/// Stages report and continue; only the check stops a run.
#[derive(Debug, Default)]
pub struct Diagnostics {
    all: Vec<Diagnostic>,
}

impl Diagnostic {
    /// Creates an error at a place.
    #[must_use]
    pub fn error(code: Code, place: Place, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, place, message.into())
    }

    /// Creates a warning at a place.
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
            fix: None,
        }
    }

    /// Labels the primary place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Adds a secondary place.
    #[must_use]
    pub fn also(mut self, place: Place, text: impl Into<String>) -> Self {
        self.secondary.push(Label {
            place,
            text: text.into(),
        });
        self
    }

    /// Adds a reason.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds the line of the overlay that settles it, also to the help.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Self {
        self.help.push(fix.help());
        self.fix = Some(fix);
        self
    }

    /// Adds a fix in words.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }
}

impl Diagnostics {
    /// Adds a diagnostic.
    pub fn report(&mut self, diagnostic: impl Into<Diagnostic>) {
        self.all.push(diagnostic.into());
    }

    /// Adds all diagnostics of another collection.
    pub fn append(&mut self, other: Self) {
        self.all.extend(other.all);
    }

    /// Removes those that explain why the operation at a place is left out.
    pub(crate) fn forget(&mut self, operation: Place) {
        let explains = |label: &Label| label.place == operation;
        self.all.retain(|one| !one.secondary.iter().any(explains));
    }

    /// Returns the number of diagnostics.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.all.len()
    }

    /// Checks whether there are no diagnostics.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the diagnostics after the first `count`.
    pub fn since(&mut self, count: usize) -> &mut [Diagnostic] {
        self.all.get_mut(count..).unwrap_or_default()
    }

    /// Checks whether any diagnostic is an error.
    #[must_use]
    pub(crate) fn has_errors(&self) -> bool {
        self.all
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Returns all diagnostics without duplicates, sorted by place.
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

words! {
    /// The stable code of a kind of diagnostic.
    Code {
        /// The file cannot be read.
        Unreadable = "unreadable",
        /// The file is neither JSON nor YAML.
        Syntax = "syntax",
        /// A file of Protocol Buffers is not valid.
        InvalidProto = "invalid-proto",
        /// The file is not UTF-8 text.
        NotUtf8 = "not-utf-8",
        /// The file is empty.
        Empty = "empty",
        /// The document is nested too deeply.
        TooDeep = "too-deep",
        /// The aliases of a YAML file expand beyond the memory limit.
        AliasExpansion = "alias-expansion",
        /// An object contains a key twice.
        DuplicateKey = "duplicate-key",
        /// The document is not a supported kind of document.
        NotASpecification = "not-a-specification",
        /// The document declares an unsupported version.
        UnsupportedVersion = "unsupported-version",
        /// A value does not have the type that the specification requires.
        WrongType = "wrong-type",
        /// A required part is missing.
        Missing = "missing",
        /// The target of a `$ref` does not exist.
        UnresolvedReference = "unresolved-reference",
        /// A `$ref` refers to itself.
        CircularReference = "circular-reference",
        /// A value is not one of the allowed values.
        UnknownValue = "unknown-value",
        /// A path and its parameters contradict each other.
        PathParameter = "path-parameter",
        /// Two parameters of an operation have the same name and location.
        DuplicateParameter = "duplicate-parameter",
        /// A parameter would control the request itself, so it is not an argument.
        ReservedParameter = "reserved-parameter",
        /// The method is not supported, so the operation does not become a tool.
        MethodNotOffered = "method-not-offered",
        /// The rules do not yield a name for a tool.
        Unnameable = "unnameable",
        /// Two tools have the same name.
        NameCollision = "name-collision",
        /// A path item or an overlay contains an unknown key.
        UnknownKey = "unknown-key",
        /// An overlay entry matches nothing.
        UnmatchedOverlay = "unmatched-overlay",
        /// An overlay contradicts itself.
        ContradictoryOverlay = "contradictory-overlay",
        /// A correction of the overlay changes nothing, since the document is already correct.
        NeedlessCorrection = "needless-correction",
        /// A lock contradicts itself.
        ContradictoryLock = "contradictory-lock",
        /// The overlay renames a tool that is in the lock.
        RenamedTool = "renamed-tool",
        /// The governance of a tool is weaker than in the lock.
        LoweredGovernance = "lowered-governance",
        /// An overlay lowers the governance without a reason.
        ReasonMissing = "reason-missing",
        /// The governance of a tool contradicts itself.
        ContradictoryGovernance = "contradictory-governance",
        /// An untrusted document declares the governance of its tools.
        UntrustedExtension = "untrusted-extension",
        /// A security requirement names an undeclared scheme.
        UnknownSecurityScheme = "unknown-security-scheme",
        /// A schema cannot be represented faithfully.
        UntypedSchema = "untyped-schema",
        /// A number cannot be represented exactly.
        InexactNumber = "inexact-number",
        /// A name or a value in a request contains invisible characters.
        InvisibleCharacters = "invisible-characters",
        /// A regular expression cannot be matched in linear time, so it is not checked.
        UnusablePattern = "unusable-pattern",
    }
}
