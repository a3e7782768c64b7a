//! A piece of evidence with its weight, before anything is decided.

use toolwright_model::{Evidence, EvidenceSource, Kind};

use crate::english::lexicon::{Certainty, Verb};

/// How much a piece of evidence counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// It agrees with others or not, and decides nothing by itself.
    Weak,
    /// It counts by itself.
    Strong,
}

/// That what is asked for lets its holder do something: a credential, a place to upload to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Power {
    /// It may be there already.
    Given,
    /// It is said that it is made: `Get a token`, not `Get the token`.
    Made,
}

/// A piece of evidence with its weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signal {
    /// Where it was found.
    pub(crate) source: EvidenceSource,
    /// What was found, quoted.
    pub(crate) found: String,
    /// The kind of operation that it speaks for.
    pub(crate) suggests: Kind,
    /// How much it counts.
    pub(crate) weight: Weight,
    /// The verb, where it is one.
    pub(crate) verb: Option<Verb>,
    /// Whether it is a name that ends in a plural, which is rather a thing than what is done.
    pub(crate) of_many: bool,
    /// Whether it is said to be done beside what was said before.
    pub(crate) beside: bool,
    /// The power that is given by what is asked for, where it is one.
    pub(crate) power: Option<Power>,
    /// Whether it is a verb that stands alone in its name.
    pub(crate) is_whole: bool,
    /// Whether it is a name that ends in the state of something: `getTidyConfiguration`.
    pub(crate) of_state: bool,
    /// Whether it is a step of a path that is a command: `/users/delete`.
    pub(crate) is_command: bool,
}

impl Signal {
    /// A piece of evidence that is no verb.
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

    /// Whether it speaks for an operation that changes nothing.
    pub(crate) fn reads(&self) -> bool {
        self.suggests <= Kind::Derive
    }

    /// Whether it counts by itself.
    pub(crate) fn is_strong(&self) -> bool {
        self.weight == Weight::Strong
    }

    /// Whether it is a word of the path or of the operation id.
    pub(crate) fn is_name(&self) -> bool {
        matches!(
            self.source,
            EvidenceSource::Path | EvidenceSource::OperationId
        )
    }

    /// Whether it is this verb.
    pub(crate) fn is_verb(&self, base: &str) -> bool {
        self.verb.is_some_and(|verb| verb.base == base)
    }

    /// Whether it is a verb that is also a common noun.
    pub(crate) fn may_be_noun(&self) -> bool {
        self.verb
            .is_some_and(|verb| verb.certainty == Certainty::AlsoNoun)
    }

    /// Whether it is a verb that means this in some services only.
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
