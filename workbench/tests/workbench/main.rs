//! The tools on real folders: what they do, and what they refuse.
#![cfg(test)]
#![cfg(unix)]

mod changes;
mod documentation;
mod folder;
mod found;
mod git;
mod hostile;
mod paths;
mod pipeline;
mod race;
mod read;
mod web;
