//! Governed tools for AI agents: a capability boundary with roles, approval and audit.

pub mod approval;
pub mod audit;
mod call;
mod canonical;
mod clock;
pub mod codec;
pub mod config;
mod credentials;
mod error;
mod http;
pub mod linked;
mod pins;
mod registry;
pub mod render;
pub mod request;
mod role;
mod schema;
mod secret;
mod selector;
mod tool;
mod typed;
mod view;

pub use clock::{Clock, SystemClock};
pub use credentials::{Credentials, CredentialsError};
pub use error::{ToolError, TransportFault, Violation};
pub use linked::{ToolInput, ToolResult, ToolReturn};
pub use registry::{Registry, RegistryBuilder, RegistryError, RegistryProblem};
pub use role::RoleEnum;
pub use selector::{Selector, SelectorError};
pub use tool::{BoxFuture, Tool, ToolContext, ToolOutput};
pub use toolwright_macros::{Role, tool};
pub use toolwright_model as model;
pub use toolwright_model::*;
pub use typed::{EmbeddedTools, ToolCall};
pub use view::ScopedToolView;
