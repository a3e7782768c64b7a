//! The proposals for the name of an operation.

use toolwright_model::Method;

use super::{
    atoms::Atoms,
    compose::{Composed, Composer},
    telling::{Group, WordChoice, select},
};
use crate::language::facts::{OperationFacts, nameless};

/// Proposes names for an operation.
pub(super) struct Proposer<'r> {
    pub(super) at: usize,
    /// The groups with which it collided.
    pub(super) groups: Vec<&'r Group>,
    pub(super) composer: Composer<'r>,
    /// The atoms of all operations.
    pub(super) atoms: &'r [Option<Atoms>],
}

impl Proposer<'_> {
    /// Selects the atoms that tell the operation apart from the others of its groups.
    fn select(&self, choice: WordChoice) -> Vec<usize> {
        let none = Atoms::default();
        let atoms = |at: usize| self.atoms.get(at).and_then(Option::as_ref).unwrap_or(&none);
        select(self.at, &self.groups, choice, atoms)
    }

    /// Returns the selections of all choices, and the empty one.
    pub(super) fn selections(&self) -> [Vec<usize>; 4] {
        [
            self.select(WordChoice::Segments),
            self.select(WordChoice::Words),
            self.select(WordChoice::Characters),
            Vec::new(),
        ]
    }

    /// Returns the name with whole segments or with single words, whichever loses less. If neither fits, the words
    /// are chosen that have the fewest characters. `extra` further atoms are added.
    pub(super) fn best(&self, extra: usize) -> Option<Composed> {
        let composed = |choice| {
            let mut selected = self.select(choice);
            selected.extend(self.composer.atoms.further(&selected, extra));
            self.composer.compose(&selected)
        };
        let choices = [WordChoice::Segments, WordChoice::Words].into_iter();
        let best = choices.filter_map(composed).min_by_key(|it| it.loss);
        best.or_else(|| composed(WordChoice::Characters))
    }
}

/// The order in which operations are named one by one. It does not depend on the file.
pub(super) fn rank(facts: &OperationFacts) -> (String, String, Method, Option<String>) {
    let template = nameless(&facts.path);
    (
        template,
        facts.path.clone(),
        facts.method,
        facts.operation_id.clone(),
    )
}
