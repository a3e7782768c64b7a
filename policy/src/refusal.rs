//! Refusals, with the rule that decided.

use std::fmt;

use serde::Serialize;

/// The reason of a refusal, with the rule that decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The reason.
    pub reason: RefusalReason,
    /// The rule: a scope parameter such as `allowed_urls`, or the name of a variable.
    pub rule: Option<String>,
    /// The place of the rule.
    pub place: Option<String>,
}

/// The reason of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefusalReason {
    /// There is no such tool.
    UnknownTool,
    /// The role was not granted the tool.
    NotGranted,
    /// The tool is off.
    Disabled,
    /// The definition of the tool is not the one that a person accepted.
    DefinitionChanged,
    /// The tool is outside of the run's allow-list.
    NotInAllowList,
    /// A `forbid` matches.
    Forbidden,
    /// The call does not fit the scope.
    ScopeViolation,
    /// The tool requires a scope parameter that is not set, or the role has no scope for the tool.
    ScopeMissing,
    /// The call would write to a protected path.
    ProtectedPath,
    /// A scope refers to a variable that cannot be inserted.
    VariableMissing,
    /// A rate has no call left.
    RateExceeded,
    /// The machine lacks layers of the sandbox that the role requires for such a call.
    SandboxUnavailable,
}

impl Refusal {
    pub(crate) const fn new(reason: RefusalReason) -> Self {
        Self {
            reason,
            rule: None,
            place: None,
        }
    }

    pub(crate) fn by(reason: RefusalReason, rule: impl Into<String>, place: &str) -> Self {
        Self {
            reason,
            rule: Some(rule.into()),
            place: Some(place.to_owned()),
        }
    }

    /// Returns the rule with its place, for an operator; none if no rule refused.
    #[must_use]
    pub fn rule_at_its_place(&self) -> Option<String> {
        let rule = self.rule.as_ref()?;
        Some(match &self.place {
            Some(place) => format!("{rule} ({place})"),
            None => rule.clone(),
        })
    }
}

impl RefusalReason {
    /// Returns the stable code of the reason.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::UnknownTool => "unknown_tool",
            Self::NotGranted => "not_granted",
            Self::Disabled => "disabled",
            Self::DefinitionChanged => "definition_changed",
            Self::NotInAllowList => "not_in_allow_list",
            Self::Forbidden => "forbidden",
            Self::ScopeViolation => "scope_violation",
            Self::ScopeMissing => "scope_missing",
            Self::ProtectedPath => "protected_path",
            Self::VariableMissing => "variable_missing",
            Self::RateExceeded => "rate_exceeded",
            Self::SandboxUnavailable => "sandbox_unavailable",
        }
    }

    /// Checks whether the tool is not offered, whatever the arguments are.
    #[must_use]
    pub const fn is_of_the_offer(self) -> bool {
        matches!(
            self,
            Self::UnknownTool
                | Self::NotGranted
                | Self::Disabled
                | Self::DefinitionChanged
                | Self::NotInAllowList
        )
    }

    /// Writes the reason in words. `rule` is the rule of the refusal, or empty.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn write(self, f: &mut fmt::Formatter<'_>, rule: &str) -> fmt::Result {
        match self {
            Self::UnknownTool => f.write_str("there is no such tool"),
            Self::NotGranted => f.write_str("the role is not granted the tool"),
            Self::Disabled => f.write_str("the tool is off"),
            Self::DefinitionChanged => {
                f.write_str("its definition is not the one that a person accepted")
            }
            Self::NotInAllowList => f.write_str("the tool is outside of the run's allow-list"),
            Self::Forbidden => f.write_str("such a call is forbidden"),
            Self::ScopeViolation => write!(f, "it does not fit `{rule}`"),
            Self::ScopeMissing if rule.is_empty() => {
                f.write_str("the role has no scope for the tool")
            }
            Self::ScopeMissing => write!(f, "`{rule}` is not set"),
            Self::ProtectedPath => write!(f, "`{rule}` is a protected path"),
            Self::VariableMissing => write!(f, "the variable `{rule}` cannot be inserted"),
            Self::RateExceeded => f.write_str("too many calls; try again later"),
            Self::SandboxUnavailable => write!(
                f,
                "this machine cannot confine it as the role requires ({rule}); the operator finds out more with `toolwright sandbox check`"
            ),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = self.rule.as_deref().unwrap_or_default();
        self.reason.write(f, rule)?;
        match &self.place {
            Some(place) => write!(f, " ({place})"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_its_rule_and_its_place() {
        let scope = Refusal::by(RefusalReason::ScopeViolation, "rate", "policy.toml:3");
        assert_eq!(scope.to_string(), "it does not fit `rate` (policy.toml:3)");
        let mut missing = Refusal::new(RefusalReason::ScopeMissing);
        assert_eq!(missing.to_string(), "the role has no scope for the tool");
        missing.rule = Some("allowed_paths".to_owned());
        assert_eq!(missing.to_string(), "`allowed_paths` is not set");
    }

    #[test]
    fn only_a_refusal_of_the_offer_does_not_depend_on_the_arguments() {
        use RefusalReason::{
            DefinitionChanged, Disabled, Forbidden, NotGranted, NotInAllowList, ProtectedPath,
            RateExceeded, SandboxUnavailable, ScopeMissing, ScopeViolation, UnknownTool,
            VariableMissing,
        };
        let offer = [
            UnknownTool,
            NotGranted,
            Disabled,
            DefinitionChanged,
            NotInAllowList,
        ];
        let call = [
            Forbidden,
            ScopeViolation,
            ScopeMissing,
            ProtectedPath,
            VariableMissing,
            RateExceeded,
            SandboxUnavailable,
        ];
        assert!(offer.iter().all(|reason| reason.is_of_the_offer()));
        assert!(!call.iter().any(|reason| reason.is_of_the_offer()));
    }
}
