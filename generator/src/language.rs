//! The English that names and governance need: a vocabulary, a grammar, and the reading of an operation.
//!
//! [`reading`] reads an operation's path, operation id and summary once. Names and governance
//! interpret that reading; neither splits a string again.

mod forms;
mod list;
mod number;
mod words;

pub(crate) mod clause;
pub(crate) mod facts;
pub(crate) mod prose;
pub(crate) mod reading;
pub(crate) mod standard_method;
pub(crate) mod vocabulary;

pub(crate) use forms::{Form, bases};
pub(crate) use list::WordList;
pub(crate) use number::{is_plural, plural, singular};
pub(crate) use words::{capitalised, words};
