//! The tools on real folders: what they do, and what they refuse.
#![cfg(all(test, unix))]

mod folder;
mod read;
