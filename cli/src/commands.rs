//! The commands, one file each: its arguments, and what it does.

pub(crate) mod explain;
pub(crate) mod list;
pub(crate) mod show;
