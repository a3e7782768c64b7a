//! Depot over real HTTP: every operation, every refusal, and that the document says what it does.

mod agreement;
mod comments;
mod files;
mod items;
mod running;
mod service;
mod stock;
