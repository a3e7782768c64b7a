//! Depot over real HTTP: every operation, every refusal, and that the document says what it does.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what helps a test fails as the test does"
)]

mod agreement;
mod comments;
mod files;
mod items;
mod running;
mod service;
mod stock;
