//! The measured servers of this program.

pub(crate) mod bare;
pub(crate) mod ours;
