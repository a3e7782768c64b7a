//! Names from atoms: joined, abbreviated, and without the words that are not needed.

use std::{cmp::Reverse, collections::BTreeSet};

use toolwright_model::{MAX_TOOL_NAME, ServiceName};

use super::{
    atoms::{Atom, AtomSlot, Atoms, Tier},
    nouns::OWN,
};
use crate::{
    language::singular,
    naming::{
        abbreviations::shortened,
        fit::loss_of_short,
        noun::{END, NounTier, WordRank},
    },
};

/// A name, and how it differs from the base name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Composed {
    /// The name.
    pub(super) name: String,
    /// The atoms, by their positions.
    pub(super) atoms: Vec<usize>,
    /// The words that were abbreviated.
    pub(super) abbreviated: Vec<String>,
    /// The loss of meaning of the words that are left out or abbreviated.
    pub(super) loss: usize,
}

/// What becomes of a parent that a key repeats: `room` of `room-sessions-by-room`. It is left out after all
/// other words are chosen, so that words with little meaning do not take its place.
#[derive(Clone, Copy)]
enum Repeated {
    Kept,
    LeftOut,
}

/// Composes the names of an operation.
pub(super) struct Composer<'a> {
    pub(super) service: &'a ServiceName,
    pub(super) verb: &'a str,
    pub(super) atoms: &'a Atoms,
}

impl Composer<'_> {
    /// Returns the name with the selected atoms and as many words of the whole noun as fit. Words are left out
    /// in the order of their ranks, and others are abbreviated, so that as little meaning as possible is lost.
    pub(super) fn compose(&self, selected: &[usize]) -> Option<Composed> {
        let all = &self.atoms.all;
        let own = self.own(selected);
        let mut kept: Vec<bool> = (0..all.len())
            .map(|at| own.get(at) == Some(&true) || selected.contains(&at))
            .collect();
        let spelled = selected.iter().filter_map(|at| match all.get(*at)?.slot {
            AtomSlot::Spelling(of) => Some(of),
            _ => None,
        });
        for of in spelled {
            leave_out_or_keep(&mut kept, of, true);
        }
        let droppable = self.droppable(selected, &own);
        let mut best: Option<Composed> = None;
        let mut parts = droppable.chunk_by(|a, b| self.stay_together(*a, *b));
        loop {
            let lost = self.lost(&kept, &own);
            if let Some(mut composed) = self.fit(&kept, Repeated::Kept) {
                composed.loss += lost;
                if best.as_ref().is_none_or(|best| composed.loss < best.loss) {
                    best = Some(composed);
                }
            }
            if best.as_ref().is_some_and(|best| best.loss <= lost) {
                break;
            }
            let Some(words) = parts.next() else { break };
            for at in words {
                leave_out_or_keep(&mut kept, *at, false);
            }
        }
        Some(self.fill(&droppable, &own, best?))
    }

    /// Checks whether two words stay or go together: those of a relation, and of a parent that is not the nearest.
    fn stay_together(&self, a: usize, b: usize) -> bool {
        let rank = |at: usize| self.atoms.all.get(at).map(|atom| atom.rank);
        let parts = [
            NounTier::Thing,
            NounTier::OfThing,
            NounTier::Near,
            NounTier::Between,
        ];
        rank(a) == rank(b) && rank(a).is_some_and(|rank| !parts.contains(&rank.tier))
    }

    /// Marks the words that the name should have: those of the base name, and the others of steps of which it has
    /// a word.
    fn own(&self, selected: &[usize]) -> Vec<bool> {
        let all = &self.atoms.all;
        let in_name = |(at, atom): &(usize, &Atom)| {
            is_own(atom) && (atom.tier == Tier::Base || selected.contains(at))
        };
        let places: BTreeSet<usize> = all
            .iter()
            .enumerate()
            .filter(in_name)
            .map(|(_, atom)| atom.rank.place)
            .collect();
        all.iter()
            .map(|atom| is_own(atom) && places.contains(&atom.rank.place))
            .collect()
    }

    /// Returns the words that may be left out, in this order.
    fn droppable(&self, selected: &[usize], own: &[bool]) -> Vec<usize> {
        let all = &self.atoms.all;
        let own = |at: &usize| own.get(*at) == Some(&true) && !selected.contains(at);
        let head = |at: &usize| {
            let thing = all
                .get(*at)
                .is_some_and(|atom| atom.rank.tier == NounTier::Thing);
            !thing || !selected.is_empty()
        };
        let mut droppable: Vec<usize> = (0..all.len()).filter(own).filter(head).collect();
        let rank = |at: &usize| all.get(*at).map(|atom| atom.rank);
        // `per-instance-configs`, but not `by-date`
        let relation = |rank: WordRank| rank.tier == NounTier::By && rank.place != END;
        let part = |at: &usize| {
            let chosen = selected.iter().any(|other| rank(other) == rank(at));
            chosen && rank(at).is_some_and(relation)
        };
        droppable.retain(|at| !part(at));
        droppable.sort_by_key(|at| {
            let rank = rank(at);
            // the parameter of the nearest parent often tells operations apart
            let order = rank.map(|rank| match rank.tier {
                NounTier::Near => NounTier::Between,
                NounTier::Between => NounTier::Near,
                tier => tier,
            });
            (
                rank.is_some_and(relation),
                Reverse(order),
                Reverse(rank),
                *at,
            )
        });
        droppable
    }

    /// Returns the loss of meaning of the words that are left out. A parent of which only the first words stay
    /// misleads: `company` of `company-webhook`.
    fn lost(&self, kept: &[bool], own: &[bool]) -> usize {
        const CUT: usize = 6;
        let all = &self.atoms.all;
        let own = || {
            let own = all.iter().zip(kept).zip(own).filter(|(_, own)| **own);
            own.map(|(word, _)| word)
        };
        let mut lost = 0;
        for (at, (atom, kept)) in own().enumerate() {
            if *kept {
                continue;
            }
            let same = |(other, _): &(&Atom, &bool)| other.rank.place == atom.rank.place;
            let first = own().take(at).filter(same);
            let later = own().skip(at + 1).filter(same).last();
            let last = later.is_none();
            lost += match atom.rank.tier {
                NounTier::Hollow => 0,
                NounTier::Between | NounTier::Near => 6,
                NounTier::Other | NounTier::Chosen if later.is_some_and(|(_, kept)| *kept) => 5,
                NounTier::Other | NounTier::Chosen => usize::from(last),
                NounTier::By if atom.rank.place == END => 20,
                NounTier::By | NounTier::OfThing => 30,
                NounTier::Thing => 60,
            };
            let cut = last && atom.rank.tier != NounTier::Hollow;
            if cut && first.into_iter().any(|(_, kept)| *kept) {
                lost += CUT;
            }
        }
        lost
    }

    /// Takes words back that still fit without further abbreviations, the nearest to the thing first:
    /// `billing-rule` of `contract-billing-rule`.
    fn fill(&self, droppable: &[usize], own: &[bool], mut composed: Composed) -> Composed {
        let mut kept: Vec<bool> = (0..self.atoms.all.len())
            .map(|at| composed.atoms.contains(&at))
            .collect();
        if let Some(mut shorter) = self.fit(&kept, Repeated::LeftOut) {
            shorter.loss += self.lost(&kept, own);
            composed = shorter;
        }
        for words in droppable.chunk_by(|a, b| self.stay_together(*a, *b)).rev() {
            if words.iter().all(|at| kept.get(*at) == Some(&false)) {
                for at in words {
                    leave_out_or_keep(&mut kept, *at, true);
                }
                let lost = self.lost(&kept, own);
                let fuller = self.fit(&kept, Repeated::LeftOut);
                match fuller.filter(|it| it.loss + lost < composed.loss) {
                    Some(mut fuller) => {
                        fuller.loss += lost;
                        composed = fuller;
                    }
                    None => {
                        for at in words {
                            leave_out_or_keep(&mut kept, *at, false);
                        }
                    }
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
            self.fit(&kept, Repeated::Kept)
        })
    }

    /// Returns the name of the kept atoms if it is short enough, with as few abbreviations as
    /// possible.
    fn fit(&self, kept: &[bool], repeated: Repeated) -> Option<Composed> {
        let mut verb = self.verb;
        let all = &self.atoms.all;
        let atoms: Vec<usize> = (0..all.len())
            .filter(|at| kept.get(*at) == Some(&true))
            .collect();
        let mut words: Vec<&str> = Vec::new();
        let (mut slot, mut by) = (AtomSlot::Noun, "");
        let keys = match repeated {
            Repeated::Kept => Vec::new(),
            Repeated::LeftOut => self.keys(kept),
        };
        let told = |at: &&usize| keys.is_empty() || !self.is_in_key(**at, &keys, kept);
        for atom in atoms.iter().filter(told).filter_map(|at| all.get(*at)) {
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
        let (words, abbreviated) = shortened(&words, room)?;
        let name = format!("{verb}-{}-{}", self.service, words.join("-"));
        let loss = abbreviated.iter().map(|word| loss_of_short(word)).sum();
        (!words.is_empty()).then_some(Composed {
            name,
            atoms,
            abbreviated,
            loss,
        })
    }

    /// Returns the keys that are added to the name, in the singular.
    fn keys(&self, kept: &[bool]) -> Vec<String> {
        let by = self.atoms.all.iter().zip(kept);
        let by = by.filter(|(atom, kept)| **kept && atom.slot == AtomSlot::By);
        by.map(|(key, _)| singular(&key.text)).collect()
    }

    /// Checks whether a word is part of a parent that a key repeats: `room` of `room-sessions-by-room`.
    fn is_in_key(&self, at: usize, keys: &[String], kept: &[bool]) -> bool {
        const THING: [NounTier; 3] = [NounTier::Thing, NounTier::OfThing, NounTier::By];
        let all = &self.atoms.all;
        let parent = |atom: &&Atom| is_own(atom) && !THING.contains(&atom.rank.tier);
        let Some(atom) = all.get(at).filter(parent) else {
            return false;
        };
        let words = all.iter().zip(kept);
        let words = words
            .filter(|(other, kept)| **kept && is_own(other) && other.rank.place == atom.rank.place);
        let words: Vec<String> = words.map(|(word, _)| singular(&word.text)).collect();
        keys.contains(&words.join("-"))
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

/// Checks whether an atom is a word of the whole noun.
fn is_own(atom: &Atom) -> bool {
    atom.slot == AtomSlot::Noun && matches!(atom.tier, Tier::Base | Tier::Path)
}
