//! Adapters that a build script generates.
//!
//! `build.rs` reads `specs/shop.yaml` and its overlay, and this crate includes the result. A change
//! to the specification takes effect with the next build. A mistake in it fails the build with an
//! error that points into the file.

include!(concat!(env!("OUT_DIR"), "/shop.rs"));
