//! Names from atoms: joined, abbreviated, and without the words that are not needed.

use toolwright_model::{MAX_TOOL_NAME, ServiceName};

use super::{
    atoms::{Atom, AtomSlot, Atoms, Tier},
    nouns::OWN,
};
use crate::naming::{
    abbreviations::{Abbreviates, shortened},
    noun::describes,
};

/// The words of the base name that may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drops {
    /// None.
    None,
    /// Those of the parents.
    Parents,
    /// All.
    All,
}

/// A name, and how it differs from the base name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Composed {
    /// The name.
    pub(super) name: String,
    /// The atoms, by their positions.
    pub(super) atoms: Vec<usize>,
    /// The words that were abbreviated.
    pub(super) abbreviated: Vec<String>,
}

/// Composes the names of an operation.
pub(super) struct Composer<'a> {
    pub(super) service: &'a ServiceName,
    pub(super) verb: &'a str,
    pub(super) atoms: &'a Atoms,
}

impl Composer<'_> {
    /// Returns the base name with the selected atoms. If it is too long, words that all operations
    /// with the same parents have are left out, and others are abbreviated. With `drops`, words
    /// of the base name are left out too, from the first.
    pub(super) fn compose(&self, selected: &[usize], drops: Drops) -> Option<Composed> {
        let all = &self.atoms.all;
        let is_base = |atom: &Atom| atom.tier == Tier::Base;
        let head = all.iter().rposition(|atom| {
            is_base(atom) && atom.slot == AtomSlot::Noun && !atom.text.starts_with("by-")
        });
        let segments = all
            .iter()
            .filter(|atom| is_base(atom) && atom.slot == AtomSlot::Noun);
        let segments = segments.map(|atom| atom.segment);
        let end = segments.filter(|segment| *segment < OWN).max();
        let mut kept: Vec<bool> = all
            .iter()
            .enumerate()
            .map(|(at, atom)| is_base(atom) || selected.contains(&at))
            .collect();
        let spelled = selected.iter().filter_map(|at| match all.get(*at)?.slot {
            AtomSlot::Spelling(of) => Some(of),
            _ => None,
        });
        for of in spelled {
            leave_out_or_keep(&mut kept, of, true);
        }
        if let Some(composed) = self.fit(&kept, Abbreviates::Common) {
            return Some(composed);
        }
        let free = |at: &usize| {
            all.get(*at).is_some_and(is_base) && !selected.contains(at) && Some(*at) != head
        };
        for at in (0..all.len()).filter(free) {
            if all
                .get(at)
                .is_some_and(|atom| atom.implied && Some(atom.segment) != end)
            {
                leave_out_or_keep(&mut kept, at, false);
                if let Some(composed) = self.fit(&kept, Abbreviates::Common) {
                    return Some(composed);
                }
            }
        }
        if let Some(composed) = self.fit(&kept, Abbreviates::All) {
            return Some(composed);
        }
        let last = head.filter(|head| !selected.contains(head) && !selected.is_empty());
        let parent = |at: &usize| {
            let segment = all.get(*at).map(|atom| atom.segment);
            segment.is_some_and(|segment| segment < OWN && Some(segment) != end)
        };
        let droppable: Vec<usize> = match drops {
            Drops::None => Vec::new(),
            Drops::Parents => (0..all.len()).filter(free).filter(parent).collect(),
            Drops::All => (0..all.len()).filter(free).chain(last).collect(),
        };
        self.leave_out(&mut kept, &droppable, drops)
    }

    /// Leaves out words until the name fits: a parent as a whole, but for what only describes it.
    fn leave_out(&self, kept: &mut [bool], droppable: &[usize], drops: Drops) -> Option<Composed> {
        let all = &self.atoms.all;
        let whole = |a: &usize, b: &usize| {
            let segment = |at: &usize| all.get(*at).map(|atom| atom.segment);
            let first = all.get(*a).is_some_and(|atom| describes(&atom.text));
            drops == Drops::Parents && segment(a) == segment(b) && !first
        };
        let mut parts = droppable.chunk_by(whole);
        let composed = parts.find_map(|words| {
            for at in words {
                leave_out_or_keep(kept, *at, false);
            }
            self.fit(kept, Abbreviates::All)
        })?;
        Some(self.fill(kept, droppable, composed))
    }

    /// Takes words back that still fit without further abbreviations, the nearest to the end first:
    /// `billing-rule` of `contract-billing-rule`.
    fn fill(&self, kept: &mut [bool], droppable: &[usize], mut composed: Composed) -> Composed {
        for at in droppable.iter().rev() {
            if kept.get(*at) == Some(&false) {
                leave_out_or_keep(kept, *at, true);
                let fuller = self.fit(kept, Abbreviates::All);
                match fuller.filter(|it| it.abbreviated.len() <= composed.abbreviated.len()) {
                    Some(fuller) => composed = fuller,
                    None => leave_out_or_keep(kept, *at, false),
                }
            }
        }
        composed
    }

    /// Returns the names with one word of the base name less, those that are not of the path first.
    pub(super) fn with_less(&self) -> impl Iterator<Item = Composed> {
        let all = &self.atoms.all;
        let base: Vec<bool> = all.iter().map(|atom| atom.tier == Tier::Base).collect();
        let mut nouns: Vec<usize> = (0..all.len())
            .filter(|at| base.get(*at) == Some(&true))
            .collect();
        nouns.sort_by_key(|at| all.get(*at).is_some_and(|atom| atom.segment < OWN));
        nouns.into_iter().filter_map(move |at| {
            let mut kept = base.clone();
            leave_out_or_keep(&mut kept, at, false);
            self.fit(&kept, Abbreviates::All)
        })
    }

    /// Returns the name of the kept atoms if it is short enough, with as few abbreviations as
    /// possible.
    fn fit(&self, kept: &[bool], abbreviates: Abbreviates) -> Option<Composed> {
        let mut verb = self.verb;
        let all = &self.atoms.all;
        let atoms: Vec<usize> = (0..all.len())
            .filter(|at| kept.get(*at) == Some(&true))
            .collect();
        let mut words: Vec<&str> = Vec::new();
        let (mut slot, mut by) = (AtomSlot::Noun, "");
        for atom in atoms.iter().filter_map(|at| all.get(*at)) {
            let preposition = match atom.slot {
                AtomSlot::By => "by",
                AtomSlot::With => "with",
                AtomSlot::Using => "using",
                _ => "",
            };
            match atom.slot {
                AtomSlot::Verb => verb = &atom.text,
                AtomSlot::Spelling(_) => {}
                // the thing that a parameter selects, and its name
                AtomSlot::By if by == atom.text => {}
                _ => {
                    if atom.slot == AtomSlot::By {
                        by = &atom.text;
                    }
                    let begins = atom.slot != slot && !preposition.is_empty();
                    words.extend(begins.then_some(preposition));
                    slot = atom.slot;
                    words.extend(self.spelling(atom, kept).split('-'));
                }
            }
        }
        let room = MAX_TOOL_NAME.checked_sub(verb.len() + self.service.as_str().len() + 2)?;
        let (words, abbreviated) = shortened(&words, room, abbreviates)?;
        let name = format!("{verb}-{}-{}", self.service, words.join("-"));
        (!words.is_empty()).then_some(Composed {
            name,
            atoms,
            abbreviated,
        })
    }

    /// Returns the text of an atom, or the spelling of the path if that is selected.
    fn spelling<'s>(&'s self, atom: &'s Atom, kept: &[bool]) -> &'s str {
        let all = self.atoms.all.iter().zip(kept);
        let mut spellings = all.filter_map(|(other, kept)| match other.slot {
            AtomSlot::Spelling(of) if *kept => Some((of, other)),
            _ => None,
        });
        let found = spellings.find(|(of, _)| {
            let replaced = self.atoms.all.get(*of);
            replaced.is_some_and(|replaced| replaced.token == atom.token)
        });
        found.map_or(&atom.text, |(_, other)| &other.text)
    }
}

fn leave_out_or_keep(kept: &mut [bool], at: usize, keep: bool) {
    if let Some(kept) = kept.get_mut(at) {
        *kept = keep;
    }
}
