//! Categories, effects, hints, and the table that derives them from a kind of operation.

use crate::words::words;

words! {
    /// The governance category of a tool.
    Category {
        /// Reads.
        Observe = "observe",
        /// Derives a result from existing data and changes nothing in the service.
        Report = "report",
        /// Changes state.
        Execute = "execute",
        /// Takes part in an approval.
        Approve = "approve",
    }
}

words! {
    /// The effect of a call on the service's state.
    Effect {
        /// Changes nothing.
        Read = "read",
        /// Adds something new.
        Create = "create",
        /// Changes something that exists.
        Update = "update",
        /// Removes something.
        Delete = "delete",
        /// Adds a comment or a note to something.
        Annotate = "annotate",
        /// Changes state in any other way.
        Action = "action",
    }
}

words! {
    /// The kind of an operation: a row of the governance table.
    ///
    /// It is finer than [`Effect`], because the table distinguishes two kinds of read and two kinds
    /// of update. The order is from the least to the most dangerous.
    Kind {
        /// List, get, search.
        Read = "read",
        /// Analyse, simulate, export asynchronously.
        Derive = "derive",
        /// Add a comment or an annotation.
        Annotate = "annotate",
        /// Change something and overwrite nothing: a transition, an addition to a set.
        Transition = "transition",
        /// Change something by replacing values, as PUT and PATCH do.
        Overwrite = "overwrite",
        /// Create something.
        Create = "create",
        /// Any other action, or anything uncertain.
        Action = "action",
        /// Delete or archive.
        Delete = "delete",
    }
}

impl Category {
    /// Checks whether a tool of this category may do less than one of the other.
    #[must_use]
    pub const fn is_below(self, other: Self) -> bool {
        self.rank() < other.rank()
    }

    const fn rank(self) -> u8 {
        match self {
            Self::Observe => 0,
            Self::Report => 1,
            Self::Execute | Self::Approve => 2,
        }
    }
}

impl Effect {
    /// Checks whether a call with this effect does less than one with the other.
    #[must_use]
    pub const fn is_below(self, other: Self) -> bool {
        self.rank() < other.rank()
    }

    const fn rank(self) -> u8 {
        match self {
            Self::Read => 0,
            Self::Annotate => 1,
            Self::Update => 2,
            Self::Create => 3,
            Self::Action => 4,
            Self::Delete => 5,
        }
    }
}

/// The four MCP tool annotations; all of them are always emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Hints {
    /// The tool changes nothing.
    #[cfg_attr(feature = "serde", serde(rename = "readOnlyHint"))]
    pub read_only: bool,
    /// The tool may destroy or overwrite something; false means that updates are only additive.
    #[cfg_attr(feature = "serde", serde(rename = "destructiveHint"))]
    pub destructive: bool,
    /// A second call with the same arguments has no further effect.
    #[cfg_attr(feature = "serde", serde(rename = "idempotentHint"))]
    pub idempotent: bool,
    /// The tool reaches something outside of the program; true for every external service.
    #[cfg_attr(feature = "serde", serde(rename = "openWorldHint"))]
    pub open_world: bool,
}

/// The governance of one tool according to the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Governance {
    /// The category.
    pub category: Category,
    /// The effect of a call on the service's state.
    pub effect: Effect,
    /// True if a person must approve each call.
    pub approval_required: bool,
    /// The MCP annotations.
    pub hints: Hints,
    /// True if the tool is on unless the operator configures it otherwise. Only reads are on.
    pub enabled_by_default: bool,
}

impl Governance {
    /// The governance table.
    ///
    /// `idempotent` is the HTTP definition for the method: true for GET, HEAD, OPTIONS, PUT and
    /// DELETE. A kind that changes nothing is idempotent with any method.
    ///
    /// | kind | category | effect | approval | read-only | destructive |
    /// |---|---|---|---|---|---|
    /// | read | observe | read | no | yes | no |
    /// | derive | report | read | no | yes | no |
    /// | annotate | execute | annotate | no | no | no |
    /// | transition | execute | update | no | no | no |
    /// | overwrite | execute | update | no | no | yes |
    /// | create | execute | create | yes | no | no |
    /// | action | execute | action | yes | no | yes |
    /// | delete | execute | delete | yes | no | yes |
    #[must_use]
    pub const fn of(kind: Kind, idempotent: bool) -> Self {
        use Category::{Execute, Observe, Report};
        let (category, effect, approval_required, destructive) = match kind {
            Kind::Read => (Observe, Effect::Read, false, false),
            Kind::Derive => (Report, Effect::Read, false, false),
            Kind::Annotate => (Execute, Effect::Annotate, false, false),
            Kind::Transition => (Execute, Effect::Update, false, false),
            Kind::Overwrite => (Execute, Effect::Update, false, true),
            Kind::Create => (Execute, Effect::Create, true, false),
            Kind::Action => (Execute, Effect::Action, true, true),
            Kind::Delete => (Execute, Effect::Delete, true, true),
        };
        let read_only = matches!(effect, Effect::Read);
        Self {
            category,
            effect,
            approval_required,
            hints: Hints {
                read_only,
                destructive,
                idempotent: matches!(kind, Kind::Read) || idempotent,
                open_world: true,
            },
            enabled_by_default: read_only,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_reads_are_read_only_and_on_by_default() {
        for &kind in Kind::ALL {
            let row = Governance::of(kind, false);
            let reads = matches!(kind, Kind::Read | Kind::Derive);
            assert_eq!(row.hints.read_only, reads, "{kind}");
            assert_eq!(row.enabled_by_default, reads, "{kind}");
            assert_eq!(row.category == Category::Execute, !reads, "{kind}");
            assert!(!(row.hints.read_only && row.hints.destructive), "{kind}");
            assert!(row.hints.open_world, "{kind}");
        }
    }

    #[test]
    fn what_creates_deletes_or_is_uncertain_waits_for_a_person() {
        let waits: Vec<_> = Kind::ALL
            .iter()
            .filter(|&&kind| Governance::of(kind, false).approval_required)
            .collect();
        assert_eq!(waits, [&Kind::Create, &Kind::Action, &Kind::Delete]);
    }

    #[test]
    fn words_are_read_back() {
        for &category in Category::ALL {
            assert_eq!(Category::from_word(category.word()), Some(category));
            #[cfg(feature = "serde")]
            assert_eq!(serde_json::to_value(category).unwrap(), category.word());
        }
    }
}
