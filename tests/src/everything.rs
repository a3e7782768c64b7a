//! A view with every call granted, enabled and approved, for tests of the later steps.

use std::{path::Path, sync::Arc};

use jiff::Timestamp;
use toolwright::{
    Credentials, Registry, Role, ScopedToolView, ToolSpec,
    approval::{
        Admission, ApprovalError, ApprovalHandle, ApprovalId, ApprovalRequest, ApprovalStore,
        BoxFuture, Decision, FoundRequest, Verdict,
    },
    audit::AuditSink,
};

/// Returns the view of a role that may call all of the tools, with the credentials of a folder.
///
/// # Panics
/// If the registry is invalid or TLS is unavailable.
#[must_use]
#[expect(clippy::unwrap_used, reason = "test helpers panic like tests")]
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

/// An approval store that approves every request.
#[derive(Clone, Copy, Debug)]
struct Everything;

impl ApprovalStore for Everything {
    fn admit(&self, request: ApprovalRequest) -> BoxFuture<'_, Result<Admission, ApprovalError>> {
        Box::pin(async move {
            let decision = Decision::new(Verdict::Approved, "somebody", request.requested)?;
            Ok(Admission::Approved(request, decision))
        })
    }

    fn find(&self, _: ApprovalId) -> BoxFuture<'_, Result<Option<FoundRequest>, ApprovalError>> {
        Box::pin(async { Ok(None) })
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
