//! Reads API specifications and writes typed, governed tool adapters.

pub mod build;
pub mod check;
pub mod diagnostic;
pub mod documents;
pub mod dump;
pub mod emit;
pub mod facts;
pub mod generate;
pub mod governance;
pub mod inspect;
pub mod ir;
pub mod load;
pub mod lower;
pub mod naming;
pub mod output;
pub mod passes;
pub mod reconcile;
pub mod source;
pub mod spec;
pub mod tool_spec;
pub mod tree;

mod english;
mod rust_names;
