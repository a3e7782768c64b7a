//! Changes and their kinds.

use serde::{Serialize, Serializer, ser::SerializeStruct};
use serde_json::Value;
use toolwright_model::{ToolName, words};

use super::{
    predicate::{Number, Predicate},
    subject::Subject,
};

/// The consequence of a change for the users of the tools, the most dangerous first. Users notice a
/// break anyway, but not a widening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// A tool can do more than before, or has less control.
    Widening,
    /// Valid calls are now rejected, or responses no longer match the documented schema.
    Breaking,
    /// The strings that agents read changed, and nothing else. Agents obey them, and no program can
    /// decide whether they are harmless.
    Texts,
    /// None of these.
    Harmless,
}

impl Class {
    /// All of them, the most dangerous first.
    pub const ALL: [Self; 4] = [Self::Widening, Self::Breaking, Self::Texts, Self::Harmless];

    /// Returns the word for the class in reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Widening => "widening",
            Self::Breaking => "breaking",
            Self::Texts => "texts",
            Self::Harmless => "harmless",
        }
    }

    /// Describes the class in one line.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Widening => "a tool can do more than before, or has less control",
            Self::Breaking => {
                "valid calls are now rejected, or responses no longer match the documented schema"
            }
            Self::Texts => "agents read other words than before: read them, since agents obey them",
            Self::Harmless => "valid calls stay valid, and no tool can do more",
        }
    }
}

macro_rules! kinds {
    ($($class:ident { $($variant:ident = $word:literal, $meaning:literal;)+ })+) => {
        words! {
            /// A kind of change, in the order of a report: the most dangerous first.
            ChangeKind { $($(#[doc = $meaning] $variant = $word,)+)+ }
        }

        impl ChangeKind {
            /// Describes the kind in one line.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $($(Self::$variant => $meaning,)+)+ }
            }

            /// Returns the class of the kind.
            #[must_use]
            pub const fn class(self) -> Class {
                match self { $($(Self::$variant)|+ => Class::$class,)+ }
            }
        }
    };
}

kinds! {
    Widening {
        ApprovalLost = "approval-lost", "calls no longer wait for a person's approval";
        CategoryChanged = "category-changed", "the category changed: up, the tool does more; down, more roles may call it with less control";
        EffectRaised = "effect-raised", "a call does something more dangerous to the service's state";
        HintWeakened = "hint-weakened", "a hint warns of less than before, so clients ask less often";
        HintHardened = "hint-hardened", "a hint warns of more than before: the tool may have new effects";
        OnByDefault = "on-by-default", "the tool is now on unless the operator switches it off";
        PinLost = "pin-lost", "a fixed value is now the caller's choice";
        PinChanged = "pin-changed", "a fixed value changed";
        HostChanged = "host-changed", "requests, and the credentials with them, go to another scheme, host or port";
        AuthenticationDropped = "authentication-dropped", "a call no longer needs authentication";
        ScopeAdded = "scope-added", "the credential needs another OAuth scope";
        ArtifactTypeAdded = "artifact-type-added", "the service accepts another type of artifact, and calls for it are routed to the tool";
        SectionChanged = "section-changed", "the tool is in another section, which may change the roles that are granted it";
        OperationChanged = "operation-changed", "the GraphQL operation has another field, argument or directive, so it may do something else";
        ToolAdded = "tool-added", "a tool is new";
    }
    Breaking {
        ToolRemoved = "tool-removed", "the tool is gone";
        ToolRenamed = "tool-renamed", "the same operation has another tool name";
        OffByDefault = "off-by-default", "the tool is now off unless the operator switches it on";
        ApprovalAdded = "approval-added", "each call now waits for a person's approval";
        AuthenticationAdded = "authentication-added", "a call now needs authentication";
        AuthenticationChanged = "authentication-changed", "a call needs another form of authentication";
        MethodChanged = "method-changed", "the request has another HTTP method";
        PathChanged = "path-changed", "the request goes to another path";
        BasePathChanged = "base-path-changed", "the base path of the service changed";
        RequestChanged = "request-changed", "arguments are in another part of the request, or in another format";
        StreamingChanged = "streaming-changed", "a gRPC method answers with a stream in place of one message, or the other way round";
        WireNumberChanged = "wire-number-changed", "a field of a gRPC message, or a value of an enum, has another number";
        WireNumberReused = "wire-number-reused", "a new field of a gRPC message has the number of one that is gone";
        WireTypeChanged = "wire-type-changed", "a field of a gRPC message has another type on the wire";
        WireCardinalityChanged = "wire-cardinality-changed", "a field of a gRPC message is repeated in place of single, or the other way round";
        ApiVersionRaised = "api-version-raised", "the service must have a later version of its API, or another major one";
        TimeoutShortened = "timeout-shortened", "a call may take less time than before";
        ArtifactTypeRemoved = "artifact-type-removed", "the service no longer accepts a type of artifact, and calls for it are not routed to the tool";
        InterfaceTypeRemoved = "interface-type-removed", "the service no longer knows a type of interface";
        RequiredArgumentAdded = "required-argument-added", "a new argument is required";
        ArgumentRemoved = "argument-removed", "an argument is gone";
        ArgumentRequired = "argument-required", "an optional argument is now required";
        ArgumentTypeChanged = "argument-type-changed", "an argument no longer accepts all types of values that it accepted";
        ArgumentEnumNarrowed = "argument-enum-narrowed", "an argument no longer accepts some of its values";
        ArgumentConstraintTightened = "argument-constraint-tightened", "an argument has a tighter bound than before";
        DefaultChanged = "default-changed", "a call without the argument has another effect";
        ArgumentsChanged = "arguments-changed", "the arguments differ; the manifest has no details";
        ResultRemoved = "result-removed", "a field of the result is gone";
        ResultOptional = "result-optional", "a field of the result may be missing";
        ResultTypeChanged = "result-type-changed", "a result may have a new type";
        ResultEnumWidened = "result-enum-widened", "a result may have new values";
        ResultConstraintLoosened = "result-constraint-loosened", "a result may exceed its previous bound";
        AnswerChanged = "answer-changed", "a successful answer has another media type, and is parsed differently";
        PagesChanged = "pages-changed", "the next page of a list is requested in another way, or can no longer be requested";
        ResultChanged = "result-changed", "the result differs; the manifest has no details";
    }
    Texts {
        DescriptionChanged = "description-changed", "a description for agents changed: read it, since agents obey it";
    }
    Harmless {
        ReasonChanged = "reason-changed", "the reason for a lower class was added, changed or removed";
        EffectLowered = "effect-lowered", "a call does something less dangerous to the service's state";
        AuthenticationOffered = "authentication-offered", "a call may use a further form of authentication";
        ScopeRemoved = "scope-removed", "the credential no longer needs an OAuth scope";
        Deprecated = "deprecated", "the service's owner now advises against the tool, or against an argument";
        Undeprecated = "undeprecated", "the service's owner no longer advises against it";
        ApiVersionLowered = "api-version-lowered", "an earlier version of the service's API is enough";
        TimeoutLengthened = "timeout-lengthened", "a call may take more time than before";
        InterfaceTypeAdded = "interface-type-added", "the service knows a further type of interface";
        ArgumentAdded = "argument-added", "a new argument is optional";
        ArgumentOptional = "argument-optional", "an argument is now optional";
        ArgumentTypeWidened = "argument-type-widened", "an argument accepts more types of values than before";
        ArgumentEnumWidened = "argument-enum-widened", "an argument accepts more values than before";
        ArgumentConstraintLoosened = "argument-constraint-loosened", "an argument has a looser bound than before";
        SelectionChanged = "selection-changed", "the GraphQL operation selects other fields of the same results";
        ResultAdded = "result-added", "a field of the result is new";
        ResultRequired = "result-required", "a field of the result is now always present";
        ResultTypeNarrowed = "result-type-narrowed", "a result has fewer types than before";
        ResultEnumNarrowed = "result-enum-narrowed", "a result has fewer values than before";
        ResultConstraintTightened = "result-constraint-tightened", "a result has a tighter bound";
        PagesAdded = "pages-added", "the next page of a list can now be requested";
    }
}

impl ChangeKind {
    /// Checks whether the change affects a description, which a report shows in full.
    #[must_use]
    pub const fn is_text(self) -> bool {
        matches!(self, Self::DescriptionChanged | Self::ReasonChanged)
    }

    /// Checks whether the change affects the type of a value.
    pub(super) const fn is_type(self) -> bool {
        matches!(
            self,
            Self::ArgumentTypeChanged
                | Self::ArgumentTypeWidened
                | Self::ResultTypeChanged
                | Self::ResultTypeNarrowed
        )
    }
}

/// One change and the tools that it reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The kind, which also decides the class.
    pub kind: ChangeKind,
    /// The thing that changed.
    pub subject: Subject,
    /// The statement about the subject.
    pub predicate: Predicate,
    /// The place as a JSON pointer into the record of each tool, or below `/$defs` for a schema
    /// that several tools share.
    pub place: String,
    /// The state in the old specification.
    pub before: State,
    /// The state in the new specification.
    pub after: State,
    /// The affected tools, by their current names, in order.
    pub tools: Vec<ToolName>,
}

/// The state of a subject on one side: a JSON value, and its words in a sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    value: Value,
    words: String,
}

impl Change {
    /// Creates a change that reaches no tools yet.
    pub(super) fn new(
        kind: ChangeKind,
        place: impl Into<String>,
        subject: impl Into<Subject>,
        predicate: Predicate,
    ) -> Self {
        Self {
            kind,
            subject: subject.into(),
            predicate,
            place: place.into(),
            before: State::default(),
            after: State::default(),
            tools: Vec::new(),
        }
    }

    pub(super) fn before(mut self, state: State) -> Self {
        self.before = state;
        self
    }

    pub(super) fn after(mut self, state: State) -> Self {
        self.after = state;
        self
    }

    /// Returns the class of the change.
    #[must_use]
    pub const fn class(&self) -> Class {
        self.kind.class()
    }

    /// Describes the change in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("{} {}", self.subject.words(), self.phrase(Number::One))
    }

    /// Describes the change and others that [`Self::agrees_with`] it in one sentence.
    #[must_use]
    pub fn sentence_with(&self, others: &[&Self]) -> String {
        let Subject::Field(first) = &self.subject else {
            return self.sentence();
        };
        if others.is_empty() {
            return self.sentence();
        }
        let mut names = vec![first.words()];
        names.extend(others.iter().filter_map(|other| match &other.subject {
            Subject::Field(field) => Some(field.words()),
            Subject::Thing(_) => None,
        }));
        let (side, names) = (first.side.word(), names.join(", "));
        format!("{side}s {names} {}", self.phrase(Number::Many))
    }

    /// Checks whether one sentence can describe both changes: they state the same about fields of
    /// the same side and tools.
    #[must_use]
    pub fn agrees_with(&self, other: &Self) -> bool {
        let (Subject::Field(field), Subject::Field(other_field)) = (&self.subject, &other.subject)
        else {
            return false;
        };
        !self.kind.is_text()
            && self.kind == other.kind
            && field.side == other_field.side
            && self.tools == other.tools
            && self.phrase(Number::Many) == other.phrase(Number::Many)
    }

    fn phrase(&self, number: Number) -> String {
        let (before, after) = (&self.before.words, &self.after.words);
        self.predicate.phrase(number, before, after)
    }
}

impl Serialize for Change {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Change", 9)?;
        fields.serialize_field("kind", &self.kind)?;
        fields.serialize_field("class", &self.class())?;
        fields.serialize_field("says", &self.sentence())?;
        fields.serialize_field("subject", &self.subject.words())?;
        fields.serialize_field("predicate", &self.predicate)?;
        fields.serialize_field("place", &self.place)?;
        fields.serialize_field("before", &self.before.value)?;
        fields.serialize_field("after", &self.after.value)?;
        fields.serialize_field("tools", &self.tools)?;
        fields.end()
    }
}

impl State {
    /// Creates a state that a sentence shows without quotes.
    pub(super) fn plain(value: impl Serialize) -> Self {
        let value = to_json(value);
        let words = unquoted(&value);
        Self { value, words }
    }

    /// Creates a state that a sentence shows as code.
    pub(super) fn code(value: impl Serialize) -> Self {
        let value = to_json(value);
        let words = format!("`{}`", unquoted(&value));
        Self { value, words }
    }

    /// Creates a state with words of its own in a sentence.
    pub(super) fn described(value: impl Serialize, words: impl Into<String>) -> Self {
        Self {
            value: to_json(value),
            words: words.into(),
        }
    }

    /// Returns the value; null if there is none.
    #[must_use]
    pub const fn value(&self) -> &Value {
        &self.value
    }
}

/// Returns a string without quotes, and other values as JSON.
pub(super) fn unquoted(value: &Value) -> String {
    match value {
        Value::String(string) => string.clone(),
        other => other.to_string(),
    }
}

fn to_json(value: impl Serialize) -> Value {
    // Every compared value consists of strings, numbers and lists, so it has a JSON form.
    serde_json::to_value(value).unwrap_or_default()
}
