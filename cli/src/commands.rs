//! The commands, one file each: its arguments, and what it does.

pub(crate) mod approvals;
pub(crate) mod call;
#[cfg(feature = "generator")]
pub(crate) mod check;
#[cfg(feature = "generator")]
pub(crate) mod diff;
#[cfg(feature = "generator")]
pub(crate) mod dump;
#[cfg(feature = "generator")]
pub(crate) mod eab;
pub(crate) mod explain;
pub(crate) mod export;
#[cfg(feature = "generator")]
pub(crate) mod generate;
#[cfg(feature = "generator")]
pub(crate) mod inspect;
pub(crate) mod list;
pub(crate) mod matrix;
pub(crate) mod policy;
#[cfg(feature = "generator")]
pub(crate) mod review;
pub(crate) mod show;
pub(crate) mod state;
pub(crate) mod tools;
pub(crate) mod trust;
