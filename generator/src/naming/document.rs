//! The second step of naming: the document decides the names of operations whose base names collide
//! or are too long.
//!
//! The decision depends on the set of operations, not on their order. All operations without a name
//! propose one at the same time, from the words that tell them apart from those with which they
//! collided before. A proposal that no other operation has becomes the name. Operations for which
//! this finds no name get one after another, in the order of their paths.

mod atoms;
mod compose;
mod nouns;
mod propose;
mod reasons;
mod search;
mod segments;
mod telling;
mod tokens;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use toolwright_model::{Kind, Method, ServiceName, ToolName};

use super::{NameHints, Naming, NamingError, name_as};
use crate::{
    governance::classify,
    language::facts::{OperationFacts, nameless},
};
use atoms::Atoms;
use compose::{Composed, Composer};
use propose::{Proposer, rank};
use telling::Group;
use tokens::Tokens;
pub(crate) use tokens::key;

/// An operation of a document, or one that the lock remembers.
#[derive(Debug)]
pub(crate) struct Subject<'a> {
    /// Its facts.
    pub(crate) facts: &'a OperationFacts,
    /// Its base name.
    pub(crate) naming: &'a Naming,
    /// The row of the governance table.
    pub(crate) kind: Kind,
    /// The name that the overlay or the lock fixes.
    pub(crate) fixed: Option<&'a ToolName>,
    /// True if the lock fixes it.
    pub(crate) pinned: bool,
    /// Other names that only this operation may have.
    pub(crate) former: &'a [ToolName],
    /// The parts of the name that the overlay sets.
    pub(crate) hints: NameHints<'a>,
}

/// The decision of a document on the name of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    /// The name, or the reason why there is none.
    pub(crate) name: Result<ToolName, NamingError>,
    /// The steps, one line each.
    pub(crate) derivation: Vec<String>,
}

/// The most rounds of proposals. Operations without a name after them are named one by one.
const ROUNDS: usize = 24;

/// Decides the names of operations whose base names collide or are too long. The decisions are in
/// the order of the subjects; `None` means that the operation keeps its fixed name or its base name.
pub(crate) fn decide(service: &ServiceName, subjects: &[Subject<'_>]) -> Vec<Option<Decision>> {
    let mut resolver = Resolver::new(service, subjects);
    for _ in 0..ROUNDS {
        if !resolver.round() {
            break;
        }
    }
    resolver.name_one_by_one();
    resolver.decisions()
}

/// Names the operations of a document. Names that are given stay.
#[must_use]
pub fn names_of(
    service: &ServiceName,
    operations: &[(OperationFacts, Option<ToolName>)],
) -> Vec<Naming> {
    let kinds = operations.iter().map(|(facts, _)| classify(facts).kind);
    let kinds: Vec<Kind> = kinds.collect();
    let hints = NameHints::default();
    let both = operations.iter().zip(&kinds);
    let namings: Vec<Naming> = both
        .map(|((facts, _), kind)| name_as(*kind, service, facts, hints))
        .collect();
    let subjects: Vec<Subject<'_>> = operations
        .iter()
        .zip(&namings)
        .zip(&kinds)
        .map(|(((facts, fixed), naming), kind)| Subject {
            facts,
            naming,
            kind: *kind,
            fixed: fixed.as_ref(),
            pinned: fixed.is_some(),
            former: &[],
            hints,
        })
        .collect();
    let decisions = decide(service, &subjects);
    let named = namings.iter().zip(operations).zip(decisions);
    named
        .map(|((naming, (_, fixed)), decision)| {
            let mut naming = naming.clone();
            if let Some(fixed) = fixed {
                naming.name = Ok(fixed.clone());
            } else if let Some(decision) = decision {
                naming.name = decision.name;
                naming.derivation.extend(decision.derivation);
            }
            naming
        })
        .collect()
}

/// The state of an operation.
#[derive(Debug, Default)]
struct State {
    /// True if its name is not known yet.
    open: bool,
    /// True if its base name collided or was too long.
    decided: bool,
    /// The last proposal.
    composed: Option<Composed>,
    /// The groups with which it collided.
    groups: Vec<usize>,
    /// The last proposal that was refused, and the number of operations that wanted it.
    refused: Option<(String, usize)>,
    /// The number of proposals that were refused again.
    extra: usize,
    /// The first operation with the same method, path and operation id.
    equal: Option<usize>,
}

struct Resolver<'a> {
    service: &'a ServiceName,
    subjects: &'a [Subject<'a>],
    states: Vec<State>,
    /// The names that are known, with their operations.
    names: HashMap<String, usize>,
    groups: Vec<Group>,
    atoms: Vec<Option<Atoms>>,
    tokens: Tokens,
}

impl<'a> Resolver<'a> {
    /// Settles all fixed names and all base names that only one operation has.
    fn new(service: &'a ServiceName, subjects: &'a [Subject<'a>]) -> Self {
        let mut resolver = Self {
            service,
            subjects,
            states: subjects.iter().map(|_| State::default()).collect(),
            names: HashMap::new(),
            groups: Vec::new(),
            atoms: subjects.iter().map(|_| None).collect(),
            tokens: Tokens::default(),
        };
        for (at, subject) in subjects.iter().enumerate() {
            for name in subject.fixed.into_iter().chain(subject.former) {
                resolver.names.insert(key(name.as_str()), at);
            }
        }
        resolver.find_equal();
        let mut wanted: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, subject) in subjects.iter().enumerate() {
            let open = match &subject.naming.name {
                Ok(_) => true,
                Err(error) => matches!(error, NamingError::TooLong { .. }),
            };
            let fixed = subject.fixed.is_some() || subject.hints.noun.is_some();
            if fixed || !open || resolver.is_equal(at) {
                continue;
            }
            match &subject.naming.name {
                Ok(name) => wanted.entry(key(name.as_str())).or_default().push(at),
                Err(_) => resolver.open(at),
            }
        }
        let pinned = resolver.pinned_bases();
        resolver.settle(wanted, &pinned);
        resolver
    }

    fn open(&mut self, at: usize) {
        if let Some(state) = self.states.get_mut(at) {
            (state.open, state.decided) = (true, true);
        }
    }

    fn is_equal(&self, at: usize) -> bool {
        self.states
            .get(at)
            .is_some_and(|state| state.equal.is_some())
    }

    /// Finds operations that are equal in every respect. All of them get the name of the first, which
    /// the check reports.
    fn find_equal(&mut self) {
        let mut known: BTreeMap<(Method, String, &str), Vec<usize>> = BTreeMap::new();
        for (at, subject) in self.subjects.iter().enumerate() {
            let id = subject.facts.operation_id.as_deref().unwrap_or_default();
            let template = nameless(&subject.facts.path);
            known
                .entry((subject.facts.method, template, id))
                .or_default()
                .push(at);
        }
        for mut equal in known.into_values().filter(|equal| equal.len() > 1) {
            let rank = |at: &usize| {
                let subject = self.subjects.get(*at);
                subject.map(|subject| (subject.fixed.is_none(), &subject.facts.path))
            };
            equal.sort_by_key(rank);
            let Some((first, others)) = equal.split_first() else {
                continue;
            };
            for other in others {
                let shares = self.shares_name(*first, *other);
                if let Some(state) = self.states.get_mut(*other).filter(|_| shares) {
                    state.equal = Some(*first);
                }
            }
        }
    }

    /// Checks whether an operation gets the name of one that is equal.
    fn shares_name(&self, first: usize, other: usize) -> bool {
        let (Some(first), Some(other)) = (self.subjects.get(first), self.subjects.get(other))
        else {
            return false;
        };
        let fixed = first
            .fixed
            .is_none_or(|name| other.naming.name.as_ref() == Ok(name));
        other.fixed.is_none() && fixed
    }

    /// Returns the operations without a name.
    fn unnamed(&self) -> Vec<usize> {
        let states = self.states.iter().enumerate();
        let open = states.filter(|(_, state)| state.open);
        open.map(|(at, _)| at).collect()
    }

    /// Proposes a name for each operation that has none. Returns false if there is none without.
    fn round(&mut self) -> bool {
        let open = self.unnamed();
        let mut wanted: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for at in &open {
            self.collect_atoms(*at);
            let proposal = self.propose(*at);
            let Some(state) = self.states.get_mut(*at) else {
                continue;
            };
            match proposal {
                Some(proposal) => {
                    wanted.entry(key(&proposal.name)).or_default().push(*at);
                    state.composed = Some(proposal);
                }
                None => state.extra += 1,
            }
        }
        self.settle(wanted, &BTreeMap::new());
        !open.is_empty()
    }

    /// Returns the base names of operations that the lock gives another name. A new operation with
    /// such a base name gets further words as they did.
    fn pinned_bases(&self) -> BTreeMap<String, Vec<usize>> {
        let mut bases: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, subject) in self.subjects.iter().enumerate() {
            if let Ok(base) = &subject.naming.name
                && subject.pinned
                && subject.fixed != Some(base)
            {
                bases.entry(key(base.as_str())).or_default().push(at);
            }
        }
        bases
    }

    /// Gives each name that only one operation wants to it. The others collide, also with the given
    /// operations of the same base name.
    fn settle(
        &mut self,
        wanted: BTreeMap<String, Vec<usize>>,
        bases: &BTreeMap<String, Vec<usize>>,
    ) {
        for (name, mut operations) in wanted {
            let owner = self.names.get(&name).copied();
            let based = bases.get(&name).map_or(&[][..], Vec::as_slice);
            if let ([only], None, []) = (operations.as_slice(), owner, based) {
                if let Some(state) = self.states.get_mut(*only) {
                    state.open = false;
                }
                self.names.insert(name, *only);
                continue;
            }
            let moving = operations.len();
            let fixed: Vec<usize> = owner
                .into_iter()
                .chain(based.iter().copied().filter(|at| Some(*at) != owner))
                .collect();
            operations.extend(&fixed);
            for at in &operations {
                self.collect_atoms(*at);
            }
            let group = self.groups.len();
            for at in operations.iter().take(moving) {
                self.open(*at);
                if let Some(state) = self.states.get_mut(*at) {
                    let refused = Some((name.clone(), operations.len()));
                    if state.refused == refused {
                        state.extra += 1;
                    } else {
                        state.groups.push(group);
                        state.refused = refused;
                    }
                }
            }
            let none = Atoms::default();
            let atoms = |at: usize| self.atoms.get(at).and_then(Option::as_ref).unwrap_or(&none);
            self.groups.push(Group::new(operations, fixed, atoms));
        }
    }

    fn collect_atoms(&mut self, at: usize) {
        if let (Some(subject), Some(atoms)) = (self.subjects.get(at), self.atoms.get_mut(at)) {
            atoms.get_or_insert_with(|| {
                let mut atoms = Atoms::new(
                    subject.facts,
                    subject.naming,
                    subject.kind,
                    &mut self.tokens,
                );
                if subject.hints.verb.is_some() {
                    atoms.keep_verb();
                }
                if let Some(name) = subject.fixed {
                    atoms.add_name(name, &mut self.tokens);
                }
                atoms
            });
        }
    }

    /// Names the operations that the rounds left, in the order of their paths: each gets the first
    /// name that is free.
    fn name_one_by_one(&mut self) {
        let mut open = self.unnamed();
        open.sort_by_cached_key(|at| self.subjects.get(*at).map(|subject| rank(subject.facts)));
        for at in open {
            self.collect_atoms(at);
            let found = self.proposer(at).and_then(|proposer| {
                let is_free = |name: &str| !self.names.contains_key(&key(name));
                search::first_free(&proposer.composer, &proposer.selections(), is_free)
            });
            if let (Some(composed), Some(state)) = (found, self.states.get_mut(at)) {
                self.names.insert(key(&composed.name), at);
                state.open = false;
                state.composed = Some(composed);
            }
        }
    }

    /// Returns the best name of an operation in comparison with all others with which it collided.
    fn propose(&self, at: usize) -> Option<Composed> {
        self.proposer(at)?.best(self.states.get(at)?.extra)
    }

    fn proposer(&self, at: usize) -> Option<Proposer<'_>> {
        let (state, subject) = (self.states.get(at)?, self.subjects.get(at)?);
        let groups = state.groups.iter();
        Some(Proposer {
            at,
            groups: groups.filter_map(|at| self.groups.get(*at)).collect(),
            composer: Composer {
                service: self.service,
                verb: &subject.naming.verb,
                atoms: self.atoms.get(at)?.as_ref()?,
            },
            atoms: &self.atoms,
        })
    }

    /// Returns the reason why no name was found. If the base name is fixed for another operation, the
    /// operation keeps it, and the check reports the owner.
    fn refusal(&self, subject: &Subject<'_>) -> Result<ToolName, NamingError> {
        let base = subject.naming.name.clone()?;
        let owner = self.names.get(&key(base.as_str()));
        let owner = owner.and_then(|owner| self.subjects.get(*owner));
        let owned =
            owner.is_some_and(|owner| owner.fixed == Some(&base) || owner.former.contains(&base));
        let name = base.to_string();
        if owned {
            Ok(base)
        } else {
            Err(NamingError::Indistinct { name })
        }
    }

    fn decisions(self) -> Vec<Option<Decision>> {
        let causes = reasons::Causes::new(self.subjects);
        let decision = |at: usize| {
            let (state, subject) = (self.states.get(at)?, self.subjects.get(at)?);
            if !state.decided {
                return None;
            }
            let composed = state.composed.as_ref();
            let composed = composed.filter(|_| !state.open);
            let name = composed.and_then(|composed| ToolName::new(composed.name.clone()).ok());
            let name = name.map_or_else(|| self.refusal(subject), Ok);
            let atoms = self.atoms.get(at)?.as_ref()?;
            let mut derivation = vec![causes.reason(at)];
            if let Some(composed) = composed {
                derivation.extend(reasons::steps(atoms, composed, subject.naming));
            }
            Some(Decision { name, derivation })
        };
        let all: Vec<_> = (0..self.states.len()).map(decision).collect();
        let equal = self.states.iter().enumerate();
        equal
            .map(|(at, state)| {
                let decided = all.get(state.equal.unwrap_or(at));
                decided.cloned().flatten()
            })
            .collect()
    }
}
