//! The fewest atoms that tell an operation apart from others.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    atoms::{Atom, Atoms, Tier, short},
    tokens::Token,
};

/// Operations that would have the same name.
#[derive(Debug)]
pub(super) struct Group {
    members: Vec<usize>,
    /// The members whose names do not change.
    fixed: Vec<usize>,
    /// The members that have a token.
    having: BTreeMap<Token, Vec<usize>>,
}

impl Group {
    /// Indexes the members by their tokens.
    pub(super) fn new<'a>(
        members: Vec<usize>,
        fixed: Vec<usize>,
        atoms: impl Fn(usize) -> &'a Atoms,
    ) -> Self {
        let mut having: BTreeMap<Token, Vec<usize>> = BTreeMap::new();
        for member in &members {
            for token in atoms(*member).tokens() {
                having.entry(token).or_default().push(*member);
            }
        }
        Self {
            members,
            fixed,
            having,
        }
    }

    fn having(&self, token: Token) -> &[usize] {
        self.having.get(&token).map_or(&[], Vec::as_slice)
    }

    /// Checks whether all members have a token.
    fn all_have(&self, token: Token) -> bool {
        self.having(token).len() == self.members.len()
    }
}

/// The way to select atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordChoice {
    /// All telling words of a segment together.
    Segments,
    /// Single words, the fewest.
    Words,
    /// Single words, the fewest characters.
    Characters,
}

/// Selects the atoms of an operation that tell it apart from the others of its groups, as far as it
/// has such atoms. Operations that have all of its atoms and more are not excluded: they are told
/// apart by what they have more.
pub(super) fn select<'a>(
    own: usize,
    groups: &[&Group],
    choice: WordChoice,
    atoms: impl Fn(usize) -> &'a Atoms,
) -> Vec<usize> {
    let all = &atoms(own).all;
    let mut alive = Alive {
        own,
        groups,
        left: None,
        atoms: &atoms,
    };
    let mut selected = Vec::new();
    for tiers in tiers(choice) {
        let mut units = units(all, groups, choice, tiers);
        loop {
            let counted = units.iter().enumerate();
            let counted = counted.map(|(at, unit)| {
                let left = alive.after(unit, all);
                (rank(left, unit, all, choice), left, at)
            });
            let Some((_, left, at)) = counted.min() else {
                break;
            };
            if alive.count() == 0 || left >= alive.count() {
                break;
            }
            let unit = units.remove(at);
            alive.keep(&unit, all);
            selected.extend(unit);
        }
        alive.leave_to_others(tiers);
        if alive.count() == 0 {
            return selected;
        }
    }
    selected
}

/// Returns the groups of tiers, in the order in which they are used up.
fn tiers(choice: WordChoice) -> &'static [&'static [Tier]] {
    match choice {
        WordChoice::Segments | WordChoice::Words => &[
            &[Tier::Base],
            &[Tier::Path],
            &[Tier::Parameter],
            &[Tier::Rest],
            &[Tier::Version],
            &[Tier::Spelling],
            &[Tier::Method],
            &[Tier::ParameterName],
            &[Tier::Id],
            &[Tier::Query],
            &[Tier::Synonym],
            &[Tier::Repeated],
            &[Tier::Slash],
        ],
        WordChoice::Characters => &[
            &[
                Tier::Base,
                Tier::Path,
                Tier::Parameter,
                Tier::Rest,
                Tier::Version,
                Tier::Spelling,
            ],
            &[Tier::Method, Tier::ParameterName],
            &[Tier::Id],
            &[Tier::Query, Tier::Slash, Tier::Synonym],
            &[Tier::Repeated],
        ],
    }
}

/// Returns the sets of atoms that are selected together.
fn units(all: &[Atom], groups: &[&Group], choice: WordChoice, tiers: &[Tier]) -> Vec<Vec<usize>> {
    let mut by_segment: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (at, atom) in all.iter().enumerate() {
        let shared = groups.iter().all(|group| group.all_have(atom.token));
        if tiers.contains(&atom.tier) && !shared {
            let alone = if choice == WordChoice::Segments {
                0
            } else {
                at
            };
            let key = (atom.segment, alone);
            by_segment.entry(key).or_default().push(at);
        }
    }
    by_segment.into_values().collect()
}

/// The rank of a unit: lower ranks are selected first. Of equal ones the nearest to the end.
fn rank(left: usize, unit: &[usize], all: &[Atom], choice: WordChoice) -> (usize, usize, usize) {
    let atoms = unit.iter().filter_map(|at| all.get(*at));
    let last = unit.last().copied().unwrap_or_default();
    match choice {
        WordChoice::Segments | WordChoice::Words => (left, unit.len(), usize::MAX - last),
        WordChoice::Characters => {
            let free = |atom: &&Atom| atom.tier != Tier::Base;
            let length = atoms.filter(free).map(|atom| short(&atom.text).len() + 1);
            (
                left.saturating_mul(2 + length.sum::<usize>()),
                0,
                usize::MAX - last,
            )
        }
    }
}

/// So many others are not compared one by one.
const MANY: usize = 2_000;

/// The others that are not told apart yet.
struct Alive<'g, F> {
    own: usize,
    groups: &'g [&'g Group],
    /// None while all members of all groups are left.
    left: Option<BTreeSet<usize>>,
    atoms: &'g F,
}

impl<'a, F: Fn(usize) -> &'a Atoms> Alive<'_, F> {
    /// Counts the others.
    fn count(&self) -> usize {
        match &self.left {
            Some(left) => left.len(),
            None => self
                .groups
                .iter()
                .map(|group| group.members.len().saturating_sub(1))
                .sum(),
        }
    }

    /// Counts the others that would be left after a unit was selected, or more.
    fn after(&self, unit: &[usize], all: &[Atom]) -> usize {
        let tokens = || {
            unit.iter()
                .filter_map(|at| all.get(*at))
                .map(|atom| atom.token)
        };
        match &self.left {
            Some(left) => left
                .iter()
                .filter(|other| self.has_all(**other, tokens()))
                .count(),
            None => {
                let left = self.groups.iter().map(|group| {
                    let counts = tokens().map(|token| group.having(token).len());
                    counts.min().unwrap_or_default().saturating_sub(1)
                });
                left.sum()
            }
        }
    }

    /// Leaves out those that have an atom of these tiers which the operation does not have, since they
    /// will get it. Those whose names are fixed do not.
    fn leave_to_others(&mut self, tiers: &[Tier]) {
        if self.count() > MANY {
            return;
        }
        let left = self.left.take().unwrap_or_else(|| {
            let members = self.groups.iter().flat_map(|group| &group.members);
            members
                .copied()
                .filter(|other| *other != self.own)
                .collect()
        });
        let own = (self.atoms)(self.own);
        let is_fixed = |at: usize| self.groups.iter().any(|group| group.fixed.contains(&at));
        let differs = |at: usize| (self.atoms)(at).differs(tiers, own);
        let left = left.into_iter().filter(|at| is_fixed(*at) || !differs(*at));
        self.left = Some(left.collect());
    }

    fn has_all(&self, other: usize, mut tokens: impl Iterator<Item = Token>) -> bool {
        tokens.all(|token| (self.atoms)(other).has(token))
    }

    /// Leaves those that have all atoms of the unit.
    fn keep(&mut self, unit: &[usize], all: &[Atom]) {
        let tokens = || {
            unit.iter()
                .filter_map(|at| all.get(*at))
                .map(|atom| atom.token)
        };
        let left = match self.left.take() {
            Some(left) => left,
            None => {
                let lists = self.groups.iter().filter_map(|group| {
                    let lists = tokens().map(|token| group.having(token));
                    lists.min_by_key(|list| list.len())
                });
                lists
                    .flatten()
                    .copied()
                    .filter(|other| *other != self.own)
                    .collect()
            }
        };
        let left = left
            .into_iter()
            .filter(|other| self.has_all(*other, tokens()));
        self.left = Some(left.collect());
    }
}
