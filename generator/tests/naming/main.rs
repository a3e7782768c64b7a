//! Names: what the rules make of real documents, and of anything at all.

#![cfg(test)]

mod chosen;
mod coverage;
mod document;
#[path = "../documents/mod.rs"]
mod documents;
mod grammar;
mod held_out;
mod left_out;
mod measured;
mod real;
mod stability;
