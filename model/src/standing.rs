//! The standing of a skill, and the moves between standings.

use crate::words::words;

words! {
    /// The standing of a skill: how far people trust it.
    Standing {
        /// Written, by a person or from the audit, and read by nobody else.
        Proposed = "proposed",
        /// A person has read it and found it correct.
        Reviewed = "reviewed",
        /// Agents can run it.
        Active = "active",
        /// Agents can still run it, with a warning.
        Deprecated = "deprecated",
        /// Nobody can run it any more.
        Retired = "retired",
    }
}

impl Standing {
    /// Returns whether a person may move a skill from this standing to another.
    ///
    /// | from | to |
    /// |---|---|
    /// | proposed | reviewed |
    /// | reviewed | active, proposed, retired |
    /// | active | deprecated, retired |
    /// | deprecated | active, retired |
    /// | retired | – |
    #[must_use]
    pub const fn can_become(self, to: Self) -> bool {
        matches!(
            (self, to),
            (Self::Proposed, Self::Reviewed)
                | (
                    Self::Reviewed,
                    Self::Active | Self::Proposed | Self::Retired
                )
                | (Self::Active, Self::Deprecated | Self::Retired)
                | (Self::Deprecated, Self::Active | Self::Retired)
        )
    }

    /// Returns whether agents can run a skill of this standing.
    #[must_use]
    pub const fn is_runnable(self) -> bool {
        matches!(self, Self::Active | Self::Deprecated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_moves_of_the_table_are_allowed() {
        let allowed: Vec<String> = Standing::ALL
            .iter()
            .flat_map(|from| Standing::ALL.iter().map(move |to| (*from, *to)))
            .filter(|(from, to)| from.can_become(*to))
            .map(|(from, to)| format!("{from} → {to}"))
            .collect();
        assert_eq!(
            allowed,
            [
                "proposed → reviewed",
                "reviewed → proposed",
                "reviewed → active",
                "reviewed → retired",
                "active → deprecated",
                "active → retired",
                "deprecated → active",
                "deprecated → retired",
            ]
        );
    }
}
