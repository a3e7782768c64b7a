//! Domain services on the Extension API Bridge (EAB).
//!
//! A tool of such a service is a method: `POST /api/v1/<method>`, over HTTP or over a Unix socket.
//! The operator configures the transport and the address; the model never does. The service is
//! asked for its [`Handshake`](toolwright_model::eab::Handshake) before the first call, after an
//! error, and when the last one has expired. The agent gives `params`; the rest of the request's
//! envelope is filled in from the view's [`RunContext`].
//!
//! An answer that does not keep to the tool's output schema is refused, with the place at fault.

mod client;
mod context;
mod endpoint;
mod envelope;
mod handshake;
mod session;

pub use crate::config::Repository;
pub use client::{Client, Reply};
pub use context::RunContext;
pub use endpoint::Endpoint;
pub(crate) use endpoint::{PlannedMethod, plan};
pub use envelope::{Caller, Fault, Outcome, Request, read_outcome};
pub use handshake::read_handshake;
pub(crate) use session::{MethodCall, Sessions};
