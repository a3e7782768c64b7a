//! A piece of evidence with its place, before anything is decided.

use toolwright_model::{Evidence, EvidenceSource, Kind};

use crate::language::vocabulary::{Certainty, Verb};

/// The place of a piece of evidence: where it was found, and how certain it is there. The place
/// decides the [weight](super::weights).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignalPlace {
    /// HTTP declares it.
    Method,
    /// HTTP leaves it open: POST, or a path that calls by name.
    Open,
    /// A name with a word that can only be this verb.
    Sure,
    /// A name that repeats the method: `get` of a GET.
    Repeated,
    /// A name that reads the state of something: `getTidyConfiguration`.
    State,
    /// A name with a verb and a plural at its end, which is more likely an object than a call.
    Objects,
    /// A name that is one word, a verb and a noun.
    Whole,
    /// A name in which a word may be a verb or a noun.
    Within,
    /// A name with a verb that has this meaning only in some services.
    Vague,
    /// A path segment that is a command: `/users/delete`.
    Command,
    /// A name for a right: a credential, an upload URL.
    Power,
    /// A name for a right that is issued when it is asked for.
    Issued,
    /// A sentence that gives such a right.
    Given,
    /// A sentence that makes such a right: `Get a token`, not `Get the token`.
    Made,
    /// A sentence that hands out a credential or a way in.
    Secret,
    /// A sentence that begins with a verb.
    Said,
    /// A sentence that begins with a word that can only be a verb.
    Plainly,
    /// A sentence that generates something, which may be its answer.
    Generated,
    /// A sentence that reads, of an operation without a verb in its names.
    Alone,
    /// A sentence with the vague verb of the name, which proves no more than the name.
    Again,
    /// A sentence in which a word may be a verb, or one after others.
    Loosely,
    /// A sentence that describes a side effect.
    SideEffect,
    /// The form of a request or of an answer.
    Shape,
    /// An answer that is computed from the request.
    Computed,
    /// An answer with the status 201, which some services send for everything.
    Created,
    /// An answer that another operation gives too.
    Shared,
    /// A permission that is required.
    Required,
    /// One of several permissions, of which some only read.
    Either,
    /// A declaration by an extension.
    Declared,
}

/// A piece of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signal {
    /// The source.
    pub(crate) source: EvidenceSource,
    /// The quoted evidence.
    pub(crate) found: String,
    /// The kind of operation that it speaks for.
    pub(crate) suggests: Kind,
    /// The place.
    pub(crate) place: SignalPlace,
    /// The verb, if it is one.
    pub(crate) verb: Option<Verb>,
    /// True for a description of the state of something: `Returns statistics`.
    pub(crate) of_state: bool,
    /// True for a sentence that begins with a verb in the form that speaks to the caller.
    pub(crate) imperative: bool,
}

impl Signal {
    /// Creates a piece of evidence that is not a verb.
    pub(crate) fn new(
        source: EvidenceSource,
        found: impl Into<String>,
        suggests: Kind,
        place: SignalPlace,
    ) -> Self {
        Self {
            source,
            found: found.into(),
            suggests,
            place,
            verb: None,
            of_state: false,
            imperative: false,
        }
    }

    /// Checks whether it indicates an operation that changes nothing.
    pub(crate) fn reads(&self) -> bool {
        self.suggests <= Kind::Derive
    }

    /// Checks whether it is a word of the path or of the operation id.
    pub(crate) fn is_name(&self) -> bool {
        matches!(
            self.source,
            EvidenceSource::Path | EvidenceSource::OperationId
        )
    }

    /// Checks whether it is a verb that has this meaning only in some services.
    pub(crate) fn is_vague(&self) -> bool {
        self.verb
            .is_some_and(|verb| verb.certainty == Certainty::Vague)
    }

    /// Checks whether it is a verb that overwrites.
    pub(crate) fn is_verb_of_overwriting(&self) -> bool {
        self.suggests == Kind::Overwrite && self.verb.is_some()
    }

    /// The evidence, with its weight and whether it decided.
    pub(crate) fn into_evidence(self, weight: u8, decided: bool) -> Evidence {
        Evidence {
            source: self.source,
            found: self.found,
            suggests: self.suggests,
            weight,
            decided,
        }
    }
}
