//! Services behind the Extension API Bridge.
//!
//! [`Service`] is what a domain service implements; [`serve_http`] and [`serve_unix`] speak the
//! protocol for it, on both transports. What a request has to hold is checked before the service
//! sees it, and what the service answers is put into the envelope.
//!
//! With the feature `reference` there is a real one, `crates`: it lints the Cargo manifests of a
//! folder. With the feature `kit` there is `kit`, which checks whether a service keeps to the
//! protocol and to its document. With the feature `typed` there is `Contract`, on which the skeleton
//! stands that `toolwright eab scaffold` writes.

#[cfg(feature = "typed")]
mod contract;
#[cfg(feature = "reference")]
pub mod crates;
#[cfg(feature = "kit")]
pub mod kit;
mod protocol;
mod router;

#[cfg(feature = "typed")]
pub use contract::{Contract, ContractError};
pub use protocol::{
    Caller, ConstraintResult, Diagnostic, Found, Location, Refusal, Repository, Request,
};
pub use router::{Service, router, serve_http, serve_unix};
pub use toolwright_model::eab::{ApiVersion, ErrorCode, Handshake, Readiness, Severity, Status};
