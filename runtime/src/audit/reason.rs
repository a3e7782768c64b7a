//! The reasons of decisions.

use serde::Serialize;
pub use toolwright_policy::RefusalReason;

/// The reason of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// Allowed: the role has the tool, and no approval is needed.
    Granted,
    /// Allowed: a person approved this call.
    Approved,
    /// Allowed: a person approved such calls in advance.
    StandingGrant,
    /// The view was revoked.
    Revoked,
    /// The tool changes something, and the operator's switches could not be read for too long.
    StateUnreachable,
    /// The tool changes something, and too many events wait for a sink of the audit.
    AuditBacklog,
    /// The calls of the run are refused because of its violations.
    Halted,
    /// Several of the role's tools may be meant.
    Ambiguous,
    /// The tool has another category than the tool of discovery calls.
    OtherCategory,
    /// Tools call each other too deeply.
    NestedTooDeeply,
    /// The arguments do not fit the schema.
    InvalidArguments,
    /// The call needs approval, and the service cannot carry it out.
    ServiceNotReady,
    /// A person must approve this call.
    ApprovalRequired,
    /// A person must approve this call. There was a decision about it, and it was not valid.
    ApprovalInvalid,
    /// A person must approve this call, and too many calls of the role and run wait.
    ApprovalLimit,
    /// A person rejected this call.
    ApprovalRejected,
    /// The call could not be decided, so it is denied.
    Undecided,
    /// Credentials or settings of the service are missing.
    CredentialsMissing,
    /// Credentials or settings of the service cannot be used.
    CredentialsInvalid,
    /// The credentials do not belong to the origin that the call would reach.
    OriginRefused,
    /// The operator has not allowed the address that the call would reach.
    TargetRefused,
    /// The caller may use no workspace of the service.
    NoWorkspace,
    /// The call names a workspace that does not exist, or that the caller may not use.
    WorkspaceRefused,
    /// The policy refuses the call.
    #[serde(untagged)]
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    Policy(RefusalReason),
}

impl Reason {
    /// Checks whether a refusal for this reason is a violation of a scope.
    pub(crate) const fn violates_a_scope(self) -> bool {
        matches!(
            self,
            Self::WorkspaceRefused
                | Self::Policy(
                    RefusalReason::Forbidden
                        | RefusalReason::ScopeViolation
                        | RefusalReason::ScopeMissing
                        | RefusalReason::ProtectedPath
                )
        )
    }
}

impl From<RefusalReason> for Reason {
    fn from(reason: RefusalReason) -> Self {
        Self::Policy(reason)
    }
}
