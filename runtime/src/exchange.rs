//! Exchanges with services: the request of a call, its way over the network, and the answer
//! without secrets.

pub mod eab;
mod fetch;
pub(crate) mod http;
pub(crate) mod oauth;
pub(crate) mod redact;
pub mod request;
mod sign_in;

#[cfg(feature = "grpc")]
pub use fetch::reflect_grpc;
pub use fetch::{Fetcher, client_of_mcp};
pub use sign_in::SignInClient;
