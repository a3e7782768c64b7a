//! The capability boundary: a role's view of the tools, and the one path that every call takes.
//!
//! [`tool`], [`core`] and [`view`] refer to each other: a tool may call other tools through its
//! caller's view, and a view holds the tools. [`call`] depends on all three.

pub(crate) mod answers;
mod artifact;
pub(crate) mod asking;
pub(crate) mod call;
pub(crate) mod composition;
pub(crate) mod core;
pub(crate) mod covered;
pub(crate) mod fetch;
pub(crate) mod files;
mod layers;
pub(crate) mod menu;
pub(crate) mod notices;
mod offer;
pub(crate) mod peers;
pub(crate) mod pins;
pub(crate) mod provenance;
pub(crate) mod rates;
pub(crate) mod revocation;
pub(crate) mod secrets;
pub(crate) mod shown;
pub(crate) mod tool;
pub(crate) mod tools;
pub(crate) mod view;
pub(crate) mod violations;
pub(crate) mod wait;
pub(crate) mod workspaces;
