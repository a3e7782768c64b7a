//! The parsing stage: specifications and our own files, each part with its place.

pub mod openapi;
pub mod overlay;

pub(crate) mod strict;
