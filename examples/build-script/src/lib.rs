//! An example of adapters that a build script generates.
//!
//! `build.rs` reads `specs/shop.yaml` and its overlay; what it writes is included here. Change the
//! specification and the adapters follow with the next build; a mistake in it is an error of the
//! build that points into the file.

include!(concat!(env!("OUT_DIR"), "/shop.rs"));
