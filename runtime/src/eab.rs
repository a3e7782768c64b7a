//! Domain services behind the Extension API Bridge (EAB).
//!
//! A tool of such a service is a method: `POST /api/v1/<method>`, over HTTP or over a Unix socket.
//! Which of the two, and where, the operator says; the model never does. Before the first call the
//! service is asked what it is ([`Handshake`](toolwright_model::eab::Handshake)), and again after
//! an error and after a while. The agent gives `params`; everything else of the request's envelope
//! is filled in from the view's [`RunContext`].
//!
//! An answer that does not keep to the tool's output schema is refused, with the place at fault.

mod client;
mod context;
mod endpoint;
mod envelope;
mod handshake;
mod session;

pub use client::{Client, Reply};
pub use context::{Repository, RunContext};
pub use endpoint::Endpoint;
pub(crate) use endpoint::{PlannedMethod, plan};
pub use envelope::{Caller, Fault, Outcome, Request, read_outcome};
pub use handshake::read_handshake;
pub(crate) use session::{MethodCall, Sessions};
