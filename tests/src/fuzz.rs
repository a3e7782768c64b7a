//! The fuzz targets. `fuzz/` runs them under libFuzzer, and `tests/fuzz.rs` on a stable compiler.
//!
//! A target is a function of bytes that panics if an invariant does not hold.

mod answer;
mod bytes;
mod document;
mod request;

pub use answer::answer;
use bytes::Bytes;
pub use document::document;
pub use request::request;

/// A fuzz target.
pub type Target = fn(&[u8]);

/// The targets by name. Each has a corpus in the folder `fuzz/corpus/NAME`.
pub const TARGETS: &[(&str, Target)] = &[
    ("answer", answer),
    ("document", document),
    ("request", request),
];
