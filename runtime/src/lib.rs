//! Governed tools for AI agents: a capability boundary with roles, approval and audit.
//!
//! A [`Registry`] holds tools and says which role was granted which of them. An agent gets a
//! [`ScopedToolView`]: it lists and calls what its role was granted, and no more. Every call takes
//! one path through the same gates, whether it is typed or JSON:
//!
//! > known → granted → enabled → in the run's allow-list → arguments valid → approved →
//! > credentials → execute
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
//! Where to read on: [`RegistryBuilder`] for what a registry is made of, [`config`] for the
//! operator's file, [`Selector`] for what can be granted, [`Credentials`] for where the secrets of
//! services are, [`approval`] for calls that wait for a person. Calls that go to a service are made
//! in a Tokio runtime with time and I/O enabled.

pub mod approval;
pub mod audit;
mod call;
mod canonical;
mod clock;
pub mod config;
mod credentials;
pub mod eab;
mod error;
mod http;
pub mod linked;
mod offload;
pub mod pages;
mod pins;
pub mod private;
mod redact;
mod registry;
pub mod render;
pub mod request;
mod role;
mod schema;
mod secret;
mod selector;
pub mod system;
pub mod target;
pub mod testing;
mod tool;
mod unwind;
mod view;

pub use clock::{Clock, SystemClock};
pub use credentials::{Credentials, CredentialsError};
pub use error::{ReadinessFault, ToolError, TransportFault, Violation};
pub use linked::{ToolInput, ToolResult, ToolReturn};
pub use registry::{Registry, RegistryBuilder, RegistryError, RegistryProblem};
pub use role::RoleEnum;
pub use selector::{Selector, SelectorError};
pub use tool::{BoxFuture, Tool, ToolContext, ToolOutput};
pub use toolwright_adapter::{
    EmbeddedTools, Failure, Paged, Refusal, ToolCall, Undocumented, codec,
};
pub use toolwright_macros::{Role, tool, tools};
pub use toolwright_model as model;
pub use toolwright_model::*;
pub use view::ScopedToolView;
