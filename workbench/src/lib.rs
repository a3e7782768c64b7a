//! Tools for the work of an agent in a repository. Each of them is a function with
//! [`#[tool]`](toolwright::tool): roles, scopes, approval and audit apply as to any API.
//!
//! A program links the tools when it refers to this crate, and a registry takes them in with
//! `linked_tools`. No role has them by itself: profiles grant them, and set their scope parameters.
//!
//! ```
//! use toolwright_workbench as _;
//!
//! # use toolwright::{Registry, audit::MemoryAudit};
//! let registry = Registry::builder().linked_tools().audit(MemoryAudit::new()).build()?;
//! let mut names = registry.tools().map(|(spec, _)| spec.name.to_string());
//! assert!(names.any(|name| name == "read-repo-file"));
//! # Ok::<(), toolwright::registry::RegistryError>(())
//! ```
//!
//! The tools work below one folder: [`ToolContext::repository`](toolwright::ToolContext::repository).
//! `workspace` opens the files, `scope` decides about what was opened, `permitted` decides once more for the
//! sandbox in which files are changed, and the others are the tools. A program with tools that change files or run
//! programs calls `toolwright_sandbox::serve` first in `main`, as `toolwright_cli::run` does.

#![cfg(unix)]

mod beneath;
mod blocking;
mod change;
mod commands;
mod diff;
mod documentation;
mod entries;
mod files;
mod git;
#[doc(hidden)]
pub mod internals;
mod permitted;
mod programs;
mod scope;
mod text;
mod walk;
mod web;
mod workspace;
