//! A view in which every call is granted, switched on and approved, for tests whose subject is
//! what comes behind.

use std::{path::Path, sync::Arc};

use jiff::Timestamp;
use toolwright::{
    BoxFuture, Credentials, Registry, Role, ScopedToolView, ToolSpec,
    approval::{
        Admission, ApprovalError, ApprovalHandle, ApprovalRequest, ApprovalStore, Decision, Verdict,
    },
    audit::AuditSink,
};

/// The view of a role that may call all of these tools, with the credentials of a folder.
///
/// # Panics
/// When the tools are no registry, or there is no TLS.
#[must_use]
#[expect(
    clippy::unwrap_used,
    reason = "what helps a test fails as the test does"
)]
pub fn view_of_all(
    specs: Vec<ToolSpec>,
    folder: &Path,
    audit: impl AuditSink + 'static,
) -> ScopedToolView {
    let registry = Registry::builder()
        .specs(specs)
        .grant("anybody", "*")
        .enable("*")
        .credentials(Credentials::new(folder).with_variables(|_| None))
        .approvals(Arc::new(Everything))
        .audit(audit)
        .build()
        .unwrap();
    registry.for_agent(&Role::new("anybody").unwrap())
}

/// A person who says yes to everything.
#[derive(Clone, Copy, Debug)]
struct Everything;

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
        handle: ApprovalHandle,
        _: Decision,
    ) -> BoxFuture<'_, Result<ApprovalRequest, ApprovalError>> {
        Box::pin(async move { Err(ApprovalError::NotPending(handle)) })
    }

    fn give_back(
        &self,
        _: ApprovalRequest,
        _: Decision,
    ) -> BoxFuture<'_, Result<(), ApprovalError>> {
        Box::pin(async { Ok(()) })
    }
}
