//! The explanation of a decision.

use std::collections::BTreeMap;

use toolwright_model::{MAX_TOOL_NAME, ToolName};

use super::{
    Subject,
    atoms::{Atom, AtomSlot, Atoms, Tier, short},
    compose::Composed,
};
use crate::naming::{Naming, NamingError};

/// The operations with each base name.
pub(super) struct Causes<'a> {
    subjects: &'a [Subject<'a>],
    by_name: BTreeMap<&'a ToolName, Vec<usize>>,
}

impl<'a> Causes<'a> {
    pub(super) fn new(subjects: &'a [Subject<'a>]) -> Self {
        let mut by_name: BTreeMap<&ToolName, Vec<usize>> = BTreeMap::new();
        for (at, subject) in subjects.iter().enumerate() {
            let base = subject.naming.name.as_ref().ok();
            let mut names: Vec<&ToolName> = base.into_iter().chain(subject.fixed).collect();
            names.dedup();
            for name in names {
                by_name.entry(name).or_default().push(at);
            }
        }
        Self { subjects, by_name }
    }

    /// Returns the reason why the base name of an operation does not suffice.
    pub(super) fn reason(&self, at: usize) -> String {
        let naming = self.subjects.get(at).map(|subject| subject.naming);
        let name = match naming.map(|naming| &naming.name) {
            Some(Ok(name)) => name,
            Some(Err(NamingError::TooLong { name })) => {
                return format!(
                    "the document decides: `{name}` has {} characters, {MAX_TOOL_NAME} are allowed",
                    name.len()
                );
            }
            Some(Err(error)) => return error.to_string(),
            None => return String::new(),
        };
        let others = self.by_name.get(name).into_iter().flatten();
        let others = others.filter(|other| **other != at);
        let others = others.filter_map(|other| self.subjects.get(*other));
        let others = others.map(|other| format!("{} {}", other.facts.method, other.facts.path));
        match (others.clone().min(), others.count()) {
            (Some(only), 1) => {
                format!("the document decides: `{name}` is also the name of `{only}`")
            }
            (Some(first), count) => format!(
                "the document decides: `{name}` is also the name of `{first}` and {} more",
                count - 1
            ),
            (None, _) => format!("the document decides: `{name}` belongs to another operation"),
        }
    }
}

/// Returns the steps from the base name to the name.
pub(super) fn steps(atoms: &Atoms, composed: &Composed, naming: &Naming) -> Vec<String> {
    let mut steps = Vec::new();
    let has = |at: &usize| composed.atoms.contains(at);
    for at in &composed.atoms {
        if let Some(atom) = atoms.all.get(*at).filter(|atom| atom.tier != Tier::Base) {
            steps.push(added(atom, naming));
        }
    }
    let dropped = atoms.all.iter().enumerate();
    let dropped = dropped.filter(|(at, atom)| atom.tier == Tier::Base && !has(at));
    let dropped: Vec<_> = dropped
        .map(|(_, atom)| format!("`{}`", atom.text))
        .collect();
    if !dropped.is_empty() {
        let words = dropped.join(", ");
        steps.push(format!(
            "{words} is left out: the other words tell the operation apart"
        ));
    }
    for word in &composed.abbreviated {
        steps.push(format!("`{word}` is abbreviated to `{}`", short(word)));
    }
    if steps.is_empty() {
        steps.push("it keeps the base name: the others have further words".to_owned());
    }
    steps
}

/// Returns the step that adds an atom.
fn added(atom: &Atom, naming: &Naming) -> String {
    let text = &atom.text;
    match (atom.slot, atom.tier) {
        (AtomSlot::Verb, _) => {
            format!("the verb is `{text}` and not `{}`: the method", naming.verb)
        }
        (AtomSlot::Manner, _) => format!("`{text}` is added: the request has a body"),
        (AtomSlot::Using, _) => format!("`using-{text}` is added: the method"),
        (AtomSlot::By, _) => format!("`by-{text}` is added: the parameter of the path"),
        (AtomSlot::With, Tier::Slash) => {
            "`with-slash` is added: the path ends in a slash".to_owned()
        }
        (AtomSlot::With, _) => format!("`with-{text}` is added: a query parameter"),
        (AtomSlot::Spelling(_), _) => format!("`{text}` is spelt as in the path"),
        (AtomSlot::Version, _) => format!("`{text}` is added: the version"),
        (AtomSlot::Noun, Tier::Id) => format!("`{text}` is added: a word of the operation id"),
        (AtomSlot::Noun, _) => format!("`{text}` is added: a word of the path"),
    }
}
