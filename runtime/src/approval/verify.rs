//! The check whether a stored decision lets a call pass. It does not depend on a store.

use std::fmt;

use jiff::{SignedDuration, Timestamp};

use super::{ApprovalRequest, Approver, Decision, Verdict};

/// The tolerated difference between the clocks of two machines.
pub(super) const CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(1);

/// The reason why a decision does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unverified {
    /// The request that was decided on is another one than the call makes now.
    AnotherRequest,
    /// The policy of the role has changed since the request was made.
    AnotherPolicy,
    /// The decision is not signed.
    NotSigned,
    /// No approver's key made the signature for this request and this decision.
    Signature,
    /// The person may not approve calls of the tool, or not in this run.
    NotAnApprover,
    /// The verdict is not the one under which the store holds the decision.
    Verdict,
    /// The request or the decision has expired.
    Expired,
    /// The times of the request and of the decision contradict each other.
    Times,
}

/// Checks the decision about a stored request against the current call.
///
/// `call` is the request just made from the call itself: its times come from the clock and the
/// policy, its digest from the planned request. `approvers` are those whose decisions count; none if
/// the decision never left this process.
///
/// # Errors
/// [`Unverified`] with the first rule that is broken.
pub fn verify(
    held: &ApprovalRequest,
    decision: &Decision,
    call: &ApprovalRequest,
    approvers: Option<&[Approver]>,
) -> Result<(), Unverified> {
    if held.digest() != call.digest() {
        return Err(Unverified::AnotherRequest);
    }
    if !held.has_policy_of(call) {
        return Err(Unverified::AnotherPolicy);
    }
    let signer = match approvers {
        Some(approvers) => signer(held, decision, approvers)?.name.as_deref(),
        None => Some(decision.person.as_str()),
    };
    check_person(held, decision, signer)?;
    check_times(held, decision, call)
}

/// Returns the approver who signed the decision.
fn signer<'a>(
    held: &ApprovalRequest,
    decision: &Decision,
    approvers: &'a [Approver],
) -> Result<&'a Approver, Unverified> {
    let signature = decision.signature.as_ref().ok_or(Unverified::NotSigned)?;
    let text = decision.signed_text(held);
    let mut approvers = approvers.iter();
    let signer = approvers.find(|approver| approver.key.has_signed(&text, signature));
    signer.ok_or(Unverified::Signature)
}

/// Checks that the person is the one that the operator knows by the key, and may approve the call.
/// Every approver may reject it.
pub(super) fn check_person(
    held: &ApprovalRequest,
    decision: &Decision,
    signer: Option<&str>,
) -> Result<(), Unverified> {
    if signer.is_some_and(|name| name != decision.person) {
        return Err(Unverified::NotAnApprover);
    }
    match &held.shown.approvers {
        Some(allowed) if decision.verdict == Verdict::Approved => {
            let is_allowed = signer.is_some_and(|name| allowed.iter().any(|one| one == name));
            is_allowed.then_some(()).ok_or(Unverified::NotAnApprover)
        }
        _ => Ok(()),
    }
}

/// Checks the times. A request may have waited in a place where others can write, so its expiry
/// counts only as far as the policy of now would have allowed it at the time of the decision.
fn check_times(
    held: &ApprovalRequest,
    decision: &Decision,
    call: &ApprovalRequest,
) -> Result<(), Unverified> {
    let now: Timestamp = call.requested;
    let lifetime = call.requested.duration_until(call.expires);
    if !held.is_live(now) || decision.time.duration_until(now) >= lifetime {
        return Err(Unverified::Expired);
    }
    let decided_ahead = now.duration_until(decision.time) > CLOCK_SKEW;
    let decided_before = decision.time.duration_until(held.requested) > CLOCK_SKEW;
    if decided_ahead || decided_before || decision.time >= held.expires {
        return Err(Unverified::Times);
    }
    Ok(())
}

impl fmt::Display for Unverified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AnotherRequest => "the decision is about another request",
            Self::AnotherPolicy => "the policy of the role has changed since the request",
            Self::NotSigned => "the decision is not signed",
            Self::Signature => "the decision is not signed by a key of an approver",
            Self::NotAnApprover => "the person may not approve this call",
            Self::Verdict => "the decision is stored under another verdict",
            Self::Expired => "the request or the decision has expired",
            Self::Times => "the times of the request and of the decision contradict each other",
        })
    }
}

impl std::error::Error for Unverified {}
