//! The record of a tamper-evident audit.
//!
//! An audit is a sequence of events, each one line of JSON. Every line contains the hash of the line
//! before it ([`mod@line`]), so an event cannot be removed, changed, reordered or inserted without a trace.
//! A [`Head`] next to the file states the last event, so the end cannot be cut off, and signed
//! [`Statement`]s let the holder of the public key verify a copy.
//!
//! The file with the latest events has the name that the operator gave it. Full files are closed
//! [segments](segment) next to it, compressed in blocks, each with an [index].
//!
//! A sink is a further destination of the events, such as a database. A [`Tail`] reads the events for it,
//! and a [`Cursor`] states how far it has received them.
//!
//! This crate defines the formats and reads them. The runtime of Toolwright writes the file.
//! `docs/audit.md` describes the guarantees.

mod cursor;
mod entry;
#[cfg(feature = "gzip")]
mod gzip;
mod hash;
mod head;
pub mod index;
mod key;
pub mod line;
#[cfg(any(test, not(feature = "gzip")))]
mod no_gzip;
pub mod pack;
pub mod search;
pub mod segment;
mod statement;
mod tail;
pub mod usage;
pub mod verify;

#[cfg(not(feature = "gzip"))]
use no_gzip as gzip;

pub use cursor::{Cursor, last_event};
pub use entry::Entry;
pub use hash::Hash;
pub use head::{Head, HeadFault};
pub use key::{AuditKey, KeyFault, PublicKey};
pub use statement::{Signed, Statement, StatementFault, read_statements};
pub use tail::{Tail, TailEvent};
