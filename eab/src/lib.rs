//! Services for the Extension API Bridge.
//!
//! A domain service implements [`Service`]; [`serve_http`] and [`serve_unix`] implement the
//! protocol for it, on both transports. A request is checked before the service sees it, and the
//! service's result is put into the envelope.
//!
//! The feature `reference` adds a real service, `crates`: it lints the Cargo manifests of a folder.
//! The feature `kit` adds `kit`, which checks whether a service conforms to the protocol and to its
//! document. The feature `typed` adds `Contract`, the base of the skeleton that `toolwright eab
//! scaffold` writes.

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
    Caller, ConstraintResult, Diagnostic, Location, MethodResult, Refusal, Repository, Request,
};
pub use router::{Service, router, serve_http, serve_unix};
pub use toolwright_model::eab::{ApiVersion, ErrorCode, Handshake, Readiness, Severity, Status};
