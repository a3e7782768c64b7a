//! Reads API specifications and writes typed, governed tool adapters.

pub mod facts;
pub mod governance;
pub mod naming;
