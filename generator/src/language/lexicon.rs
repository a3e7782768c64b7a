//! The verbs of the vocabulary, as governance names them.

pub(crate) use super::vocabulary::{Certainty, Verb, is_past, verb, verb_form};
