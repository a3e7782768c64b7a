//! The tools on real folders: what they do, and what they refuse.
#![cfg(test)]
#![cfg(unix)]

mod changes;
mod folder;
mod found;
mod paths;
mod race;
mod read;
