//! The kinds of change, and what is told of each.

use serde::Serialize;
use serde_json::Value;
use toolwright_model::ToolName;

/// What a change means for those who use the tools; the order is from the most dangerous on. What
/// breaks shows by itself, what widens does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// A tool can do more than before, or is held less than before.
    Widening,
    /// A call that was right is no longer, or an answer is no longer what it was said to be.
    Breaking,
    /// Neither.
    Harmless,
}

impl Class {
    /// All of them, the most dangerous first.
    pub const ALL: [Self; 3] = [Self::Widening, Self::Breaking, Self::Harmless];

    /// The word that stands for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Widening => "widening",
            Self::Breaking => "breaking",
            Self::Harmless => "harmless",
        }
    }

    /// What it means, in one line.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Widening => "a tool can do more than before, or is held less than before",
            Self::Breaking => {
                "a call that was right is no longer, or an answer is no longer what it was said to be"
            }
            Self::Harmless => "what was right stays right, and no tool can do more",
        }
    }
}

macro_rules! kinds {
    ($($class:ident { $($variant:ident = $word:literal, $meaning:literal;)+ })+) => {
        /// What changed. The order is that of a report: the most dangerous first.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub enum ChangeKind {
            $($(#[doc = $meaning] #[serde(rename = $word)] $variant,)+)+
        }

        impl ChangeKind {
            /// All of them, the most dangerous first.
            pub const ALL: &'static [Self] = &[$($(Self::$variant,)+)+];

            /// The word that stands for it.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $($(Self::$variant => $word,)+)+ }
            }

            /// What it says, in one line.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $($(Self::$variant => $meaning,)+)+ }
            }

            /// Its class.
            #[must_use]
            pub const fn class(self) -> Class {
                match self { $($(Self::$variant)|+ => Class::$class,)+ }
            }
        }
    };
}

kinds! {
    Widening {
        ApprovalLost = "approval-lost", "no person approves a call any more";
        CategoryChanged = "category-changed", "the category is another: up, the tool does more; down, more roles may call it with less control";
        EffectRaised = "effect-raised", "a call does something more dangerous to the service's state";
        HintWeakened = "hint-weakened", "a hint warns of less than before, so that clients ask less";
        HintHardened = "hint-hardened", "a hint warns of more than before: the tool may do what it could not";
        OnByDefault = "on-by-default", "the tool is on where the operator has said nothing";
        PinLost = "pin-lost", "a value that was fixed is now the caller's to choose";
        PinChanged = "pin-changed", "a fixed value is another";
        HostChanged = "host-changed", "requests, and the credentials with them, go to another scheme, host or port";
        AuthenticationDropped = "authentication-dropped", "a call no longer has to prove who makes it";
        ScopeAdded = "scope-added", "the credential has to have a further OAuth scope";
        ArtifactTypeAdded = "artifact-type-added", "the service takes a further type of artifact, so that calls for it are routed to the tool";
        SectionChanged = "section-changed", "the tool stands in another section, by which roles may be granted it";
        ToolAdded = "tool-added", "a tool is new";
    }
    Breaking {
        ToolRemoved = "tool-removed", "the tool is gone";
        ToolRenamed = "tool-renamed", "the same operation is a tool of another name";
        OffByDefault = "off-by-default", "the tool is off where the operator has said nothing";
        ApprovalAdded = "approval-added", "a person has to approve each call";
        AuthenticationAdded = "authentication-added", "a call has to prove who makes it, and did not have to";
        AuthenticationChanged = "authentication-changed", "a call proves who makes it in another way";
        MethodChanged = "method-changed", "the request has another HTTP method";
        PathChanged = "path-changed", "the request goes to another path";
        BasePathChanged = "base-path-changed", "all paths of the service are below another one";
        RequestChanged = "request-changed", "arguments stand elsewhere in the request, or are written in another way";
        ApiVersionRaised = "api-version-raised", "the service has to speak a later version of its API, or another major one";
        TimeoutShortened = "timeout-shortened", "a call may take less time than before";
        ArtifactTypeRemoved = "artifact-type-removed", "the service no longer takes a type of artifact, so that calls for it are not routed to the tool";
        InterfaceTypeRemoved = "interface-type-removed", "the service no longer knows a type of interface";
        RequiredArgumentAdded = "required-argument-added", "an argument is new, and no call is right without it";
        ArgumentRemoved = "argument-removed", "an argument is gone";
        ArgumentRequired = "argument-required", "an argument could be left out and no longer can";
        ArgumentTypeChanged = "argument-type-changed", "an argument no longer takes all types of value that it took";
        ArgumentEnumNarrowed = "argument-enum-narrowed", "an argument no longer takes some of its values";
        ArgumentConstraintTightened = "argument-constraint-tightened", "a bound of an argument takes less than before";
        DefaultChanged = "default-changed", "a call without the argument does something else";
        ArgumentsChanged = "arguments-changed", "the arguments differ; the manifest does not say in what";
        ResultRemoved = "result-removed", "a field of the result is gone";
        ResultOptional = "result-optional", "a field of the result may be missing";
        ResultTypeChanged = "result-type-changed", "a result may be of a type that it was not";
        ResultEnumWidened = "result-enum-widened", "a result may have values that it did not have";
        ResultConstraintLoosened = "result-constraint-loosened", "a result may be beyond a bound that it kept";
        AnswerChanged = "answer-changed", "a successful answer has another media type, and is read in another way";
        PagesChanged = "pages-changed", "the next page of a list is asked for in another way, or no longer can be";
        ResultChanged = "result-changed", "the result differs; the manifest does not say in what";
    }
    Harmless {
        DescriptionChanged = "description-changed", "what an agent reads is another text: read it, since an agent obeys it";
        ReasonChanged = "reason-changed", "the reason for a lower class is another text, or new, or gone";
        EffectLowered = "effect-lowered", "a call does something less dangerous to the service's state";
        AuthenticationOffered = "authentication-offered", "a call may prove who makes it in a further way";
        ScopeRemoved = "scope-removed", "the credential no longer needs an OAuth scope";
        Deprecated = "deprecated", "the service's owner now advises against the tool, or against an argument";
        Undeprecated = "undeprecated", "the service's owner no longer advises against it";
        ApiVersionLowered = "api-version-lowered", "an earlier version of the service's API will do";
        TimeoutLengthened = "timeout-lengthened", "a call may take more time than before";
        InterfaceTypeAdded = "interface-type-added", "the service knows a further type of interface";
        ArgumentAdded = "argument-added", "an argument is new and may be left out";
        ArgumentOptional = "argument-optional", "an argument may be left out now";
        ArgumentTypeWidened = "argument-type-widened", "an argument takes more types of value than before";
        ArgumentEnumWidened = "argument-enum-widened", "an argument takes more values than before";
        ArgumentConstraintLoosened = "argument-constraint-loosened", "a bound of an argument takes more than before";
        ResultAdded = "result-added", "a field of the result is new";
        ResultRequired = "result-required", "a field of the result is always there now";
        ResultTypeNarrowed = "result-type-narrowed", "a result is of fewer types than before";
        ResultEnumNarrowed = "result-enum-narrowed", "a result has fewer values than before";
        ResultConstraintTightened = "result-constraint-tightened", "a result keeps a tighter bound";
        PagesAdded = "pages-added", "it is known now how the next page of a list is asked for";
    }
}

impl ChangeKind {
    /// Whether the change is one of text, which is to be shown in full.
    #[must_use]
    pub const fn is_text(self) -> bool {
        matches!(self, Self::DescriptionChanged | Self::ReasonChanged)
    }

    /// Whether the change is one of the type of a value.
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

/// One change, and the tools that it reaches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// What changed.
    pub kind: ChangeKind,
    /// What it means for those who use the tools.
    pub class: Class,
    /// The change in one sentence.
    pub says: String,
    /// How the sentence begins, where it is one of an argument or of a part of the result: the
    /// same may be said of others.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// Where it is, as a JSON pointer into the record of each tool; below `/$defs` where a schema
    /// that several tools share has changed.
    pub place: String,
    /// What was there; null for nothing.
    pub before: Value,
    /// What is there; null for nothing.
    pub after: Value,
    /// The tools that it reaches, by the names that they have now.
    pub tools: Vec<ToolName>,
}

/// A change as one comparison finds it, before it is known which tools it reaches.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) kind: ChangeKind,
    pub(super) place: String,
    pub(super) says: String,
    pub(super) subject: String,
    pub(super) before: Value,
    pub(super) after: Value,
}

impl Found {
    pub(super) fn new(kind: ChangeKind, place: impl Into<String>) -> Self {
        Self {
            kind,
            place: place.into(),
            says: kind.meaning().to_owned(),
            subject: String::new(),
            before: Value::Null,
            after: Value::Null,
        }
    }

    pub(super) fn before(mut self, value: Value) -> Self {
        self.before = value;
        self
    }

    pub(super) fn after(mut self, value: Value) -> Self {
        self.after = value;
        self
    }

    pub(super) fn says(mut self, text: impl Into<String>) -> Self {
        self.says = text.into();
        self
    }

    /// A sentence that begins with what it is about.
    pub(super) fn of(mut self, subject: String, predicate: &str) -> Self {
        self.says = format!("{subject} {predicate}");
        self.subject = subject;
        self
    }
}

/// A value as a report shows it.
pub(super) trait Shown {
    fn shown(self) -> Value;
}

impl<T: Serialize> Shown for T {
    fn shown(self) -> Value {
        // What is compared is made of words, numbers and lists: all of it has a JSON form.
        serde_json::to_value(self).unwrap_or_default()
    }
}
