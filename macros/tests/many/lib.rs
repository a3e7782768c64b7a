//! A crate of many tools. Five packages have this source, and each its own tools.

#![forbid(unsafe_code)]

/// The role of all of them.
#[derive(toolwright::RoleEnum)]
enum AgentRole {
    Reader,
}

include!(concat!(env!("OUT_DIR"), "/tools.rs"));
