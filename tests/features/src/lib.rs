//! Selects the same features of each crate for the host and for the target.
//!
//! Build scripts, procedural macros and the tests of procedural macros run on the host. Cargo selects
//! the features of their dependencies apart from those of the target, and compiles a crate twice if
//! they differ: the generator, the policy and about 40 others, two minutes of CPU time. With
//! this crate in a build of the whole workspace, each crate is compiled once.
//!
//! `cargo test --workspace --no-run --unit-graph -Z unstable-options` lists the units of a build.
