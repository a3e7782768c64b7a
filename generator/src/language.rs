//! The little English that names and governance need: words, plurals, verbs and their forms.

mod forms;
mod list;
mod number;
mod words;

pub(crate) mod facts;
pub(crate) mod standard_method;
pub(crate) mod tool_verbs;

pub(crate) mod lexicon;

pub(crate) use forms::{Form, bases};
pub(crate) use list::WordList;
pub(crate) use number::{is_plural, plural, singular};
pub(crate) use words::words;
