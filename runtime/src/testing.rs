//! For the tests of tools: what one role has of them, with the audit and the approvals in memory.
//!
//! ```standalone_crate
//! use toolwright::{Role, ToolContext, ToolError, testing::TestView, tool};
//!
//! #[derive(Role)]
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
    clock::{Clock, SystemClock},
    error::ToolError,
    registry::{Registry, RegistryBuilder},
    view::ScopedToolView,
};

/// What one role has of the tools of a program, for a test of them.
///
/// It is a view like any other: every gate decides as it does for an agent. Only that what changes
/// state is switched on, which is else for an operator to do, and that the audit and the approvals
/// are at hand.
pub struct TestView {
    view: ScopedToolView,
    approvals: Arc<dyn ApprovalStore>,
    audit: Arc<MemoryAudit>,
}

impl TestView {
    /// What the role has of all linked tools.
    ///
    /// # Panics
    /// When there is no registry of them, with everything that is wrong. Tools that are methods
    /// need a state: then it is [`TestView::of`].
    #[must_use]
    #[track_caller]
    pub fn for_role(role: impl Into<Role>) -> Self {
        Self::of(Registry::builder().linked_tools(), role)
    }

    /// What the role has of a registry, such as one with states.
    ///
    /// # Panics
    /// When there is no such registry, with everything that is wrong.
    #[must_use]
    #[track_caller]
    #[expect(clippy::panic, reason = "it is for tests, which fail by panicking")]
    pub fn of(builder: RegistryBuilder, role: impl Into<Role>) -> Self {
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

    /// The names of the tools that the role has, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let specs = self.view.specs();
        specs.iter().map(|spec| spec.name.to_string()).collect()
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// [`ToolError`] when the call may not pass and when it fails.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Value, ToolError> {
        let output = self.view.call_json(tool, arguments).await?;
        Ok(output.value)
    }

    /// Approves every call that waits for a person, so that it passes when it is made again; tells
    /// how many they were.
    ///
    /// # Errors
    /// [`ApprovalError`] when a request expired meanwhile.
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

    /// Why the last call could pass or could not, as the audit has it; a caller is not told.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        let events = self.audit.events().into_iter().rev();
        let mut reasons = events.filter_map(|event| match event.what {
            What::Decision(decision) => Some(decision.reason),
            _ => None,
        });
        reasons.next()
    }

    /// The audit so far.
    #[must_use]
    pub fn events(&self) -> Vec<AuditEvent> {
        self.audit.events()
    }

    /// The view itself, for typed calls and for what is shown of a tool.
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
