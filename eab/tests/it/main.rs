//! Domain services as their callers see them: over real sockets, right, faulty and hostile.
#![cfg(test)]

mod adapters;
mod approvals;
mod cancelled;
mod documentation;
mod envelopes;
mod fuzz;
mod handshakes;
mod hostile;
mod kit;
mod memory;
mod origins;
mod routing;
mod scaffold;
mod support;
