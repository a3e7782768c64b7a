//! Domain services as their callers see them: over real sockets, right, faulty and hostile.
#![cfg(test)]

mod adapters;
mod documentation;
mod envelopes;
mod handshakes;
mod hostile;
mod kit;
mod scaffold;
mod support;
