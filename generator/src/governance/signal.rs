//! A piece of evidence with its weight, before anything is decided.

use toolwright_model::{Evidence, EvidenceSource, Kind};

use crate::language::lexicon::{Certainty, Verb};

/// The weight of a piece of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// It agrees with others or not, and decides nothing by itself.
    Weak,
    /// It counts by itself.
    Strong,
}

/// A right that the result gives to its holder: a credential, an upload URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Power {
    /// It may be there already.
    Given,
    /// The description issues it: `Get a token`, not `Get the token`.
    Made,
}

/// A piece of evidence with its weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signal {
    /// The source of the evidence.
    pub(crate) source: EvidenceSource,
    /// The quoted evidence.
    pub(crate) found: String,
    /// The kind of operation that it speaks for.
    pub(crate) suggests: Kind,
    /// The weight.
    pub(crate) weight: Weight,
    /// The verb, if it is one.
    pub(crate) verb: Option<Verb>,
    /// True for a name that ends in a plural, which is more likely an object than a verb.
    pub(crate) of_many: bool,
    /// True if the text describes it as a side effect.
    pub(crate) beside: bool,
    /// The power that the result gives, if any.
    pub(crate) power: Option<Power>,
    /// True for a verb that is the whole name.
    pub(crate) is_whole: bool,
    /// True for a name or an answer about a state: `getTidyConfiguration`, `Returns statistics`.
    pub(crate) of_state: bool,
    /// True for a path segment that is a command: `/users/delete`.
    pub(crate) is_command: bool,
}

impl Signal {
    /// Creates a piece of evidence that is not a verb.
    pub(crate) fn new(
        source: EvidenceSource,
        found: impl Into<String>,
        suggests: Kind,
        weight: Weight,
    ) -> Self {
        Self {
            source,
            found: found.into(),
            suggests,
            weight,
            verb: None,
            of_many: false,
            beside: false,
            power: None,
            is_whole: false,
            of_state: false,
            is_command: false,
        }
    }

    /// Checks whether it indicates an operation that changes nothing.
    pub(crate) fn reads(&self) -> bool {
        self.suggests <= Kind::Derive
    }

    /// Checks whether it is decisive on its own.
    pub(crate) fn is_strong(&self) -> bool {
        self.weight == Weight::Strong
    }

    /// Checks whether it is a word of the path or of the operation id.
    pub(crate) fn is_name(&self) -> bool {
        matches!(
            self.source,
            EvidenceSource::Path | EvidenceSource::OperationId
        )
    }

    /// Checks whether it is this verb.
    pub(crate) fn is_verb(&self, base: &str) -> bool {
        self.verb.is_some_and(|verb| verb.base == base)
    }

    /// Checks whether it is a verb that is also a common noun.
    pub(crate) fn may_be_noun(&self) -> bool {
        self.verb
            .is_some_and(|verb| verb.certainty == Certainty::AlsoNoun)
    }

    /// Checks whether it is a verb that has this meaning only in some services.
    pub(crate) fn is_vague(&self) -> bool {
        self.verb
            .is_some_and(|verb| verb.certainty == Certainty::Vague)
    }

    /// The evidence, with whether it decided.
    pub(crate) fn into_evidence(self, decided: bool) -> Evidence {
        Evidence {
            source: self.source,
            found: self.found,
            suggests: self.suggests,
            decided,
        }
    }
}
