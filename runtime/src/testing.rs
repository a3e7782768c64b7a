//! Helpers for tests of tools: the view of one role, with the audit and the approvals in memory.
//!
//! ```standalone_crate
//! use toolwright::{Role, RoleEnum, ToolContext, ToolError, testing::TestView, tool};
//!
//! #[derive(RoleEnum)]
//! enum AgentRole {
//!     Quality,
//!     Transform,
//! }
//!
//! /// Counts the rows of a table.
//! #[tool(name = "count-warehouse-rows", category = observe, roles(AgentRole::Quality))]
//! async fn count_rows(_: &ToolContext, table: String) -> Result<usize, ToolError> {
//!     Ok(table.len())
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let quality = TestView::for_role(AgentRole::Quality);
//! let arguments = serde_json::json!({"table": "orders"});
//! assert_eq!(quality.call("count-warehouse-rows", arguments.clone()).await.unwrap(), 6);
//!
//! let transform = TestView::for_role(AgentRole::Transform);
//! assert!(transform.names().is_empty());
//! assert!(transform.call("count-warehouse-rows", arguments).await.is_err());
//! # }
//! ```

use std::{fmt, sync::Arc};

use serde_json::Value;
use toolwright_model::Role;

use crate::{
    approval::{ApprovalError, ApprovalStore, Decision, MemoryApprovals, Verdict},
    audit::{AuditEvent, MemoryAudit, Reason, What},
    boundary::view::ScopedToolView,
    error::ToolError,
    registry::{Registry, RegistryBuilder},
    system::{Clock, SystemClock},
};

/// The tools of one role, for tests.
///
/// Every gate decides as it does for an agent. The view differs in two ways: tools that change
/// state are switched on, and the audit and the approvals are in memory.
pub struct TestView {
    view: ScopedToolView,
    approvals: Arc<dyn ApprovalStore>,
    audit: Arc<MemoryAudit>,
}

impl TestView {
    /// Creates the view of a role over all linked tools.
    ///
    /// # Panics
    ///
    /// If the registry cannot be built; the message lists every problem. Tools that are methods
    /// need a state; use [`TestView::new`] for them.
    #[must_use]
    #[track_caller]
    pub fn for_role(role: impl Into<Role>) -> Self {
        Self::new(Registry::builder().linked_tools(), role)
    }

    /// Creates the view of a role over a registry, such as one with states.
    ///
    /// # Panics
    ///
    /// If the registry cannot be built; the message lists every problem.
    #[must_use]
    #[track_caller]
    #[expect(clippy::panic, reason = "it is only for tests, where a failure panics")]
    pub fn new(builder: RegistryBuilder, role: impl Into<Role>) -> Self {
        let audit = Arc::new(MemoryAudit::new());
        let registry = builder
            .enable("*")
            .approvals(Arc::new(MemoryApprovals::new()))
            .audit(Arc::clone(&audit))
            .build();
        match registry {
            Ok(registry) => Self {
                view: registry.for_agent(&role.into()),
                approvals: Arc::clone(registry.approvals()),
                audit,
            },
            Err(error) => panic!("there is no registry to test:\n{error}"),
        }
    }

    /// Returns the names of the role's tools, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let specs = self.view.specs();
        specs.iter().map(|spec| spec.name.to_string()).collect()
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// [`ToolError`] if the call may not pass or fails.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Value, ToolError> {
        let output = self.view.call_json(tool, arguments).await?;
        Ok(output.value)
    }

    /// Approves every waiting call, which then passes when it is repeated. Returns the number of
    /// approved calls.
    ///
    /// # Errors
    ///
    /// [`ApprovalError`] if a request expired in the meantime.
    pub async fn approve(&self) -> Result<usize, ApprovalError> {
        let now = SystemClock.now();
        let pending = self.approvals.pending(now).await?;
        let count = pending.len();
        for request in pending {
            let decision = Decision::new(Verdict::Approved, "a test", now)?;
            self.approvals.decide(request.handle, decision).await?;
        }
        Ok(count)
    }

    /// Returns the reason of the last decision, which the audit records and a caller does not
    /// receive.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        let events = self.audit.events().into_iter().rev();
        let mut reasons = events.filter_map(|event| match event.what {
            What::Decision(decision) => Some(decision.reason),
            _ => None,
        });
        reasons.next()
    }

    /// Returns the audit events so far.
    #[must_use]
    pub fn events(&self) -> Vec<AuditEvent> {
        self.audit.events()
    }

    /// Returns the view, for typed calls and for the specs of tools.
    #[must_use]
    pub const fn view(&self) -> &ScopedToolView {
        &self.view
    }
}

impl fmt::Debug for TestView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestView")
            .field("role", self.view.role())
            .field("tools", &self.names())
            .finish_non_exhaustive()
    }
}
