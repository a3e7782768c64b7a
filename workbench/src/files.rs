//! The tools for the files of a repository.

mod create;
mod delete;
mod edit;
mod find;
mod list;
mod read;
mod search;
mod write;
