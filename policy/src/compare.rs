//! The differences between two policies: what each role gains and loses.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use toolwright_model::{Role, ToolName};

use crate::snapshot::{CompiledForbid, ScopedGrant, Snapshot};

/// What a role gains and loses by a new policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RoleChange {
    /// The role.
    pub role: Role,
    /// The tools that it is newly offered.
    pub gains: BTreeSet<ToolName>,
    /// The tools that it is no longer offered.
    pub loses: BTreeSet<ToolName>,
    /// The limits that changed, of tools that it is offered before and after.
    pub limits: BTreeMap<ToolName, LimitChange>,
}

/// The limits of a tool before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LimitChange {
    /// The limits that are gone. A call must fit one of the grants, with all limits of it.
    pub before: BTreeSet<String>,
    /// The limits that are new.
    pub after: BTreeSet<String>,
}

impl Snapshot {
    /// Returns what each role gains and loses by a new policy. Roles without a change are left out.
    #[must_use]
    pub fn changes_to(&self, new: &Self) -> Vec<RoleChange> {
        let roles: BTreeSet<&Role> = self.roles().chain(new.roles()).collect();
        let changes = roles.into_iter().map(|role| self.change_of(role, new));
        changes.filter(|change| !change.is_empty()).collect()
    }

    fn change_of(&self, role: &Role, new: &Self) -> RoleChange {
        let (before, after) = (self.offered(role), new.offered(role));
        let kept = before.intersection(&after);
        let limits = kept.filter_map(|tool| {
            let (old, new) = (self.limits_of(role, tool), new.limits_of(role, tool));
            (old != new).then(|| {
                let change = LimitChange {
                    before: old.difference(&new).cloned().collect(),
                    after: new.difference(&old).cloned().collect(),
                };
                ((*tool).clone(), change)
            })
        });
        RoleChange {
            role: role.clone(),
            limits: limits.collect(),
            gains: after.difference(&before).copied().cloned().collect(),
            loses: before.difference(&after).copied().cloned().collect(),
        }
    }

    /// Returns the limits of a role's calls of a tool, one line for each grant and each forbidden kind
    /// of call.
    #[must_use]
    pub fn limits_of(&self, role: &Role, tool: &ToolName) -> BTreeSet<String> {
        let grants = self.limits.grants_of(role, tool.as_str());
        let forbids = self.limits.forbids.iter();
        let forbids = forbids.filter(|forbid| forbid.withheld.concerns(role, tool.as_str()));
        grants
            .map(|grant| grant.describe())
            .chain(forbids.map(CompiledForbid::describe))
            .collect()
    }
}

impl RoleChange {
    fn is_empty(&self) -> bool {
        self.gains.is_empty() && self.loses.is_empty() && self.limits.is_empty()
    }
}

impl ScopedGrant<'_> {
    /// Returns the limits of the grant in one line.
    fn describe(self) -> String {
        let rules = self.rules.iter().flat_map(|rule| rule.describe_written());
        let limits: Vec<_> = rules
            .map(|parameter| {
                format!(
                    "{} = [{}]",
                    parameter.parameter,
                    parameter.values.join(", ")
                )
            })
            .collect();
        if limits.is_empty() {
            return "any call".to_owned();
        }
        limits.join("; ")
    }
}

impl CompiledForbid {
    fn describe(&self) -> String {
        let conditions = self.when.iter().map(|(name, rule)| {
            let values = rule
                .written
                .describe(&|template| Ok(vec![template.as_str().to_owned()]));
            format!("{name} = [{}]", values.unwrap_or_default().join(", "))
        });
        let conditions: Vec<_> = conditions.collect();
        format!("forbidden: {}", conditions.join("; "))
    }
}
