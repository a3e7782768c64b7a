//! The tools for the git repository of a call.
//!
//! They run the `git` program, with fixed arguments, on a git folder of their own: see [`repository`].

mod blob;
mod branch;
mod commit;
mod diff;
mod log;
mod own_file;
mod repository;
mod run;
mod status;

pub(crate) use repository::confine_to_change;
