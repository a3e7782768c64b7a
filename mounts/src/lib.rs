//! Mounted MCP servers: the tools of a server become governed tools.
//!
//! A person accepts the [definitions](Definition) of a server's tools. They are kept in a [`Document`],
//! which the generator reads like any specification, and their digests in a [`Lock`]. A [`Mount`] connects
//! to the server when a call needs it: to a program in the sandbox, or over HTTP. It compares what the
//! server lists with the lock, and switches a tool off whose definition is not the accepted one.
//!
//! Nothing that a server says reaches an agent before a person accepted it, except the results of calls.

mod answering;
mod arguments;
mod call;
mod client;
mod connect;
mod definition;
mod document;
mod limited;
mod listing;
mod lock;
mod mount;
mod question;
mod result;
mod standing;

pub use definition::{Definition, DefinitionFault, Hidden};
pub use document::{DOCUMENT_FILE, Document};
pub use listing::Listing;
pub use lock::{Acceptance, LOCK_FILE, Lock, LockError};
pub use mount::{Mount, MountError};
