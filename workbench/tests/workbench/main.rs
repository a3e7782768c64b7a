//! The tools on real folders: what they do, and what they refuse.
#![cfg(test)]
#![cfg(unix)]

mod folder;
mod read;
