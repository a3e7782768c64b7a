//! Tests of Depot over real HTTP: every operation, every error, and agreement with the document.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test helpers panic like tests"
)]

mod agreement;
mod comments;
mod files;
mod items;
mod running;
mod service;
mod stock;
