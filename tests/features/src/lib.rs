//! Selects the same features of each crate for the host and for the target.
//!
//! Build scripts, procedural macros and the tests of procedural macros run on the host. Cargo selects
//! the features of their dependencies apart from those of the target, and compiles a crate twice if
//! they differ: the generator, the policy and about 40 others, four minutes of CPU time. With
//! this crate in a build of the whole workspace, each crate is compiled once. `tests/once.rs` checks it, and
//! names the crates whose features are missing here.
