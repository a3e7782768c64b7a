//! Names: what the rules make of real documents, and of anything at all.

#![cfg(test)]

mod coverage;
mod document;
#[path = "../documents/mod.rs"]
mod documents;
mod grammar;
mod measured;
mod real;
mod stability;
