//! The parsing stage: specifications and overlays, each part with its place.

pub mod openapi;
pub mod overlay;
