//! The approval of every call, for tests whose subject is another gate.

use jiff::Timestamp;
use toolwright::{
    BoxFuture,
    approval::{
        Admission, ApprovalError, ApprovalId, ApprovalRequest, ApprovalStore, Decision, Verdict,
    },
};

/// A person who says yes to everything.
#[derive(Clone, Copy, Debug)]
pub struct Everything;

impl ApprovalStore for Everything {
    fn admit(&self, request: ApprovalRequest) -> BoxFuture<'_, Result<Admission, ApprovalError>> {
        Box::pin(async move {
            let decision = Decision::new(Verdict::Approved, "somebody", request.requested)?;
            Ok(Admission::Approved(request, decision))
        })
    }

    fn pending(&self, _: Timestamp) -> BoxFuture<'_, Result<Vec<ApprovalRequest>, ApprovalError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn decide(
        &self,
        id: ApprovalId,
        _: Decision,
    ) -> BoxFuture<'_, Result<ApprovalRequest, ApprovalError>> {
        Box::pin(async move { Err(ApprovalError::NotPending(id)) })
    }
}
