//! Governed tools for AI agents: a capability boundary with roles, approval and audit.
//!
//! A [`Registry`] holds tools and the grants of each role. An agent gets a [`ScopedToolView`]: it
//! lists and calls the tools of its role's grants, and no more. Every call takes one path through
//! the same gates, whether it is typed or JSON:
//!
//! > known → granted → enabled → in the run's allow-list → arguments valid → within the scope →
//! > approved → credentials → execute
//!
//! The default is deny, an error while deciding is a denial, and nothing is done before the
//! decision is in the [`audit`].
//!
//! ```
//! use std::sync::Arc;
//!
//! use toolwright::{Registry, Role, Tool, ToolError, ToolSpec, audit::MemoryAudit, codec::json};
//!
//! # fn spec() -> ToolSpec {
//! #     serde_json::from_value(json!({
//! #         "name": "count-depot-items", "service": "depot", "title": "Count items",
//! #         "short": "Counts items.", "description": "Counts items.", "section": "Items",
//! #         "category": "observe", "effect": "read", "approval_required": false,
//! #         "hints": {"readOnlyHint": true, "destructiveHint": false,
//! #                   "idempotentHint": true, "openWorldHint": false},
//! #         "enabled_by_default": true,
//! #         "input_schema": {"type": "object", "properties": {"shelf": {"type": "string"}}},
//! #         "binding": "native", "origin": {"document": "docs", "pointer": "/"}, "evidence": [],
//! #     }))
//! #     .unwrap()
//! # }
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! let audit = Arc::new(MemoryAudit::new());
//! let registry = Registry::builder()
//!     .tool(Tool::native(spec(), |_context, _arguments| async { Ok(json!(7)) }))
//!     .grant("reader", "service:depot category:observe")
//!     .audit(Arc::clone(&audit))
//!     .build()?;
//!
//! let reader = registry.for_agent(&Role::new("reader")?);
//! let output = reader.call_json("count-depot-items", json!({"shelf": "A"})).await?;
//! assert_eq!(output.value, 7);
//!
//! let stranger = registry.for_agent(&Role::new("stranger")?);
//! let refused = stranger.call_json("count-depot-items", json!({})).await.unwrap_err();
//! assert!(matches!(refused, ToolError::ToolNotPermitted { .. }));
//! assert_eq!(audit.events().len(), 3, "two of the call that passed, one of the refused");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Read on at [`RegistryBuilder`] for the parts of a registry, [`config`] for the operator's file,
//! [`Selector`] for what can be granted, [`Credentials`] for the sources of secrets, [`approval`]
//! for calls that wait for a person. Calls of a service are made in a Tokio runtime with time and
//! I/O enabled.
//!
//! Two crates are part of this API and are re-exported, so that a program uses the same versions:
//! [`jiff`] for points in time, and [`Stream`] of `futures-core` for [`pages`]. A new major version of
//! either is a new major version of this crate.

pub mod approval;
pub mod audit;
pub mod availability;
pub mod binding;
mod boundary;
mod canonical;
pub mod config;
pub mod credentials;
mod cut;
pub mod discovery;
mod done;
pub mod error;
mod exchange;
pub mod files;
pub mod linked;
pub mod notify;
mod output;
pub mod pages;
pub mod private;
mod progress;
pub mod registry;
pub mod render;
mod schema;
mod secret;
pub mod socket;
mod sources;
mod statement;
pub mod system;
pub mod target;
pub mod testing;
mod verdict;
mod workspace;

pub use boundary::{
    asking::{Asker, Asking},
    call::{access::ServiceAccess, approve::PlannedStep, explain::Explanation, plan::CallPlan},
    composition::Composition,
    fetch::Page,
    tool::{LackingLayers, Tool, ToolContext},
    view::ScopedToolView,
    wait::Waited,
};
pub use credentials::{CredentialPart, CredentialRequest, Credentials, Login};
pub use error::ToolError;
#[cfg(feature = "grpc")]
pub use exchange::reflect_grpc;
pub use exchange::{Fetcher, SignInClient, client_of_mcp, eab, request};
pub use futures_core::Stream;
pub use jiff;
pub use linked::RoleEnum;
pub use output::ToolOutput;
pub use progress::{Direction, Printing, Progress};
pub use registry::{Registry, RegistryBuilder};
pub use secret::Secret;
pub use statement::{Statement, StatementError};
pub use toolwright_adapter::{
    EmbeddedTools, Failure, Paged, Refusal, ToolCall, Undocumented, codec,
};
pub use toolwright_macros::{RoleEnum, tool, tools};
pub use toolwright_model::{
    Category, Effect, Kind, Role, ServiceName, TokenName, ToolName, ToolSpec, WorkspaceName,
};
pub use toolwright_policy::{self as policy, Selector};
pub use workspace::ServiceWorkspace;

/// The example of the page for programs is a test.
#[cfg(doctest)]
#[doc = include_str!("../../docs/embedding.md")]
struct Embedding;

/// The example of the page about requests is a test.
#[cfg(doctest)]
#[doc = include_str!("../../docs/executor.md")]
struct Executing;
