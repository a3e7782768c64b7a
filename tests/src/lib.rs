//! The library of the tests that cross crates: end to end, freshness and conformance.

pub mod command;
mod everything;
mod example;
pub mod fuzz;
pub mod real;
mod recorder;
pub mod shared;
pub mod sources;
mod specs;

pub use everything::view_of_all;
pub use example::{Extent, example, examples};
pub use recorder::{Answer, Recorder};
pub use specs::{document, services};

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
