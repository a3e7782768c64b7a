//! A rule of names: its sentence, its examples, and what it does.

use super::{context::Context, noun::NounAtom, verb::VerbChoice};
use crate::language::reading::{PathReading, Step};

/// The noun of an operation, before it is put into words.
pub(crate) struct RuleSubject<'a> {
    /// The operation.
    pub(crate) context: &'a Context<'a>,
    /// The verb, and the resource.
    pub(crate) choice: &'a VerbChoice,
}

/// A rule of names.
pub(crate) struct Rule {
    /// Its name, for the figures of the tests.
    pub(crate) id: &'static str,
    /// The rule as a sentence of the page.
    #[cfg_attr(not(test), expect(dead_code, reason = "the page is made from it"))]
    pub(crate) says: &'static str,
    /// Operations and their names: method, path, operation id; the summary; the name.
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests are made from it"))]
    pub(crate) examples: &'static [(&'static str, &'static str, &'static str)],
    /// What it does.
    pub(crate) apply: Apply,
}

/// What a rule does.
#[derive(Clone, Copy)]
pub(crate) enum Apply {
    /// It belongs to the reading of the path, and this returns whether the path shows it.
    Path(fn(&PathReading) -> bool),
    /// It changes the steps of the path, and returns whether it did.
    Shape(fn(&Context<'_>, &mut Vec<Step>) -> bool),
    /// It chooses the verb. The first rule that does decides.
    Verb(fn(&Context<'_>, &[Step]) -> Option<VerbChoice>),
    /// It changes the steps of the verb, and returns whether it did.
    Choice(fn(&Context<'_>, &mut VerbChoice) -> bool),
    /// It adds atoms to the noun.
    Noun(fn(&RuleSubject<'_>) -> Vec<NounAtom>),
    /// It marks atoms that the base name leaves out, and returns whether it did.
    Leave(fn(&RuleSubject<'_>, &mut [NounAtom]) -> bool),
}
