//! The console over HTTP, without a browser: who gets in, what is decided, and what the pages show.
#![cfg(test)]

mod browser;
mod entry;
mod hostile;
#[expect(dead_code, reason = "the tests of access tokens use more of it")]
#[path = "../../../mcp/tests/oauth/issuer.rs"]
mod issuer;
mod openid;
mod pages;
mod speed;
mod switches;
mod waiting;
mod world;
