//! Custom tools: what a file becomes, and each fault with its place.
#![cfg(test)]

mod commands;
mod folder;
mod requests;
mod schema;
mod sequences;
mod support;
