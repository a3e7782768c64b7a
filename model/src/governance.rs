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

impl Kind {
    /// Returns the kind of a tool with this category and this effect.
    ///
    /// Two kinds have the effect `read`, and the category distinguishes them. Two kinds have the
    /// effect `update`: one that `overwrites` values, and one that does not.
    #[must_use]
    pub const fn from_parts(category: Category, effect: Effect, overwrites: bool) -> Self {
        match effect {
            Effect::Read if matches!(category, Category::Report) => Self::Derive,
            Effect::Read => Self::Read,
            Effect::Annotate => Self::Annotate,
            Effect::Update if overwrites => Self::Overwrite,
            Effect::Update => Self::Transition,
            Effect::Create => Self::Create,
            Effect::Action => Self::Action,
            Effect::Delete => Self::Delete,
        }
    }

    /// Returns the category of the tools of this kind that take no part in an approval.
    #[must_use]
    pub const fn category(self) -> Category {
        match self {
            Self::Read => Category::Observe,
            Self::Derive => Category::Report,
            _ => Category::Execute,
        }
    }

    /// Returns the effect of a call.
    #[must_use]
    pub const fn effect(self) -> Effect {
        match self {
            Self::Read | Self::Derive => Effect::Read,
            Self::Annotate => Effect::Annotate,
            Self::Transition | Self::Overwrite => Effect::Update,
            Self::Create => Effect::Create,
            Self::Action => Effect::Action,
            Self::Delete => Effect::Delete,
        }
    }
}

impl Category {
    /// Checks whether a tool of this category may do less than one of the other.
    #[must_use]
    pub fn is_below(self, other: Self) -> bool {
        self.least_dangerous() < other.least_dangerous()
    }

    const fn least_dangerous(self) -> Kind {
        match self {
            Self::Observe => Kind::Read,
            Self::Report => Kind::Derive,
            Self::Execute | Self::Approve => Kind::Annotate,
        }
    }
}

impl Effect {
    /// Checks whether a call with this effect does less than one with the other.
    #[must_use]
    pub fn is_below(self, other: Self) -> bool {
        let least_dangerous = |effect| Kind::from_parts(Category::Observe, effect, false);
        least_dangerous(self) < least_dangerous(other)
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

/// The governance of one tool: a row of the table, changed by an overlay or by the tool's author.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Governance {
    /// The row of the table. The category and the effect follow from it.
    pub kind: Kind,
    /// True if the tool takes part in an approval. Its category is [`Category::Approve`].
    pub approves: bool,
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
    pub const fn from_kind(kind: Kind, idempotent: bool) -> Self {
        let (approval_required, destructive) = match kind {
            Kind::Read | Kind::Derive | Kind::Annotate | Kind::Transition => (false, false),
            Kind::Overwrite => (false, true),
            Kind::Create => (true, false),
            Kind::Action | Kind::Delete => (true, true),
        };
        let read_only = matches!(kind.effect(), Effect::Read);
        Self {
            kind,
            approves: false,
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

    /// Returns the governance that a record states in words. The kind follows from them.
    #[must_use]
    pub const fn from_record(
        category: Category,
        effect: Effect,
        approval_required: bool,
        hints: Hints,
        enabled_by_default: bool,
    ) -> Self {
        Self {
            kind: Kind::from_parts(category, effect, hints.destructive),
            approves: matches!(category, Category::Approve),
            approval_required,
            hints,
            enabled_by_default,
        }
    }

    /// Returns the category.
    #[must_use]
    pub const fn category(&self) -> Category {
        if self.approves {
            Category::Approve
        } else {
            self.kind.category()
        }
    }

    /// Returns the effect of a call on the service's state.
    #[must_use]
    pub const fn effect(&self) -> Effect {
        self.kind.effect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_reads_are_read_only_and_on_by_default() {
        for &kind in Kind::ALL {
            let row = Governance::from_kind(kind, false);
            let reads = matches!(kind, Kind::Read | Kind::Derive);
            assert_eq!(row.hints.read_only, reads, "{kind}");
            assert_eq!(row.enabled_by_default, reads, "{kind}");
            assert_eq!(row.category() == Category::Execute, !reads, "{kind}");
            assert!(!(row.hints.read_only && row.hints.destructive), "{kind}");
            assert!(row.hints.open_world, "{kind}");
        }
    }

    #[test]
    fn creates_deletes_and_uncertain_calls_require_approval() {
        let waits: Vec<_> = Kind::ALL
            .iter()
            .filter(|&&kind| Governance::from_kind(kind, false).approval_required)
            .collect();
        assert_eq!(waits, [&Kind::Create, &Kind::Action, &Kind::Delete]);
    }

    #[test]
    fn a_kind_follows_from_category_effect_and_whether_a_call_overwrites() {
        for &kind in Kind::ALL {
            let row = Governance::from_kind(kind, false);
            let again = Kind::from_parts(row.category(), row.effect(), row.hints.destructive);
            assert_eq!(again, kind);
        }
    }

    #[test]
    fn categories_and_effects_have_the_order_of_their_kinds() {
        let categories = [Category::Observe, Category::Report, Category::Execute];
        assert!(categories.is_sorted_by(|a, b| a.is_below(*b)));
        assert!(!Category::Execute.is_below(Category::Approve));
        assert!(!Category::Approve.is_below(Category::Execute));
        let effects = [
            Effect::Read,
            Effect::Annotate,
            Effect::Update,
            Effect::Create,
            Effect::Action,
            Effect::Delete,
        ];
        assert!(effects.is_sorted_by(|a, b| a.is_below(*b)));
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
