//! Puts the atoms of a noun together: in their order, in the right number, without repetition, and in
//! the room that the name leaves.

use std::collections::{BTreeMap, BTreeSet};

use super::abbreviations::{Clarity, clarity, is_same, shortened};
use super::noun::{END, NounAtom, NounTier, Number, Told, has_plural};
use crate::language::{
    Form, is_plural, plural, singular,
    vocabulary::{Tag, is, verb, verb_form},
};

/// Returns the atoms in their order, the last word in the right number and none repeated.
pub(crate) fn arrange(mut atoms: Vec<NounAtom>, number: Number, tool: &str) -> Vec<NounAtom> {
    atoms.sort_by_key(|atom| atom.place);
    number_last(&mut atoms, number);
    let count = atoms.len();
    drop_verb(&mut atoms, tool);
    // `country_list`
    if number == Number::Many && atoms.len() < count {
        number_last(&mut atoms, number);
    }
    drop_echoes(&mut atoms);
    drop_repeated(atoms)
}

/// Removes a parent all of whose words follow after the next step: `user` of
/// `user-region-user-flags`.
fn drop_echoes(atoms: &mut Vec<NounAtom>) {
    let all = atoms.clone();
    atoms.retain(|atom| {
        let next = atom.place.0.saturating_add(1);
        let later = |other: &&NounAtom| other.place.0 > next && other.place.0 != END;
        let later = all.iter().filter(later).flat_map(|other| &other.words);
        let later: Vec<String> = later.map(|word| singular(word)).collect();
        let own = all.iter().filter(|other| other.place.0 == atom.place.0);
        let mut own = own.flat_map(|other| &other.words);
        !own.all(|word| later.contains(&singular(word)))
    });
}

/// Puts the last word of the thing in its number; words after a preposition are as written.
fn number_last(atoms: &mut [NounAtom], number: Number) {
    let thing = |atom: &NounAtom| atom.place.0 != END;
    let end = atoms.iter().filter(|atom| thing(atom)).count();
    let place = end
        .checked_sub(1)
        .and_then(|last| atoms.get(last))
        .map(|atom| atom.place.0);
    let own = |atom: &NounAtom| Some(atom.place.0) == place;
    let start = atoms.iter().position(own).unwrap_or(end);
    let relation = atoms
        .iter()
        .take(end)
        .skip(start + 1)
        .position(|atom| atom.tier == NounTier::By);
    let at = relation.map_or(end, |relation| start + 1 + relation);
    let many = atoms
        .iter()
        .take(at)
        .skip(start)
        .flat_map(|atom| &atom.words)
        .any(|word| is_plural(word) && !is(word, Tag::Adjective));
    let word = at
        .checked_sub(1)
        .and_then(|last| atoms.get_mut(last))
        .and_then(|atom| atom.words.last_mut());
    let Some(word) = word else { return };
    match number {
        Number::One => *word = singular(word),
        Number::Many if !many && has_plural(word) => *word = plural(word),
        _ => {}
    }
}

/// Removes words that repeat the verb: a step that is the verb, and a verb that is no noun at the start
/// of the thing.
fn drop_verb(atoms: &mut Vec<NounAtom>, tool: &str) {
    // `receive` and `received-documents`
    let done = |word: &String| {
        let form = verb_form(word).filter(|(_, form)| *form == Form::Past);
        form.is_some_and(|(verb, _)| verb.tool == Some(tool))
    };
    let is_verb = |word: &String| {
        done(word)
            || word == tool
            || verb(word).is_some_and(|verb| verb.tool == Some(tool) && verb.is_plain())
    };
    let things: Vec<usize> = atoms
        .iter()
        .map(|atom| atom.place.0)
        .filter(|at| *at != END)
        .collect();
    let last = things.iter().max().copied();
    let words = |place| things.iter().filter(|at| **at == place).count();
    let repeats = |atom: &NounAtom| {
        let [word] = atom.words.as_slice() else {
            return false;
        };
        let plain = done(word) || verb(word).is_some_and(|verb| verb.is_plain());
        let leads = Some(atom.place.0) == last && atom.place.1 <= 1 && plain;
        // `lists/{id}/followers` of `list`
        let chosen = atom.chosen && is(word, Tag::State);
        !chosen && is_verb(word) && (words(atom.place.0) == 1 || leads)
    };
    if things.len() > 1
        && let Some(at) = atoms.iter().position(repeats)
    {
        atoms.remove(at);
    }
}

/// Removes the words of a step that the next begins with, and those that the one before ends with:
/// `project` and `project-members`, `access-rules` and `rule`, `virtual-dns` and `dns-analytics`. The
/// things of one item keep their name: `group-groups`.
fn drop_repeated(atoms: Vec<NounAtom>) -> Vec<NounAtom> {
    let mut kept: Vec<Vec<NounAtom>> = Vec::new();
    for step in atoms.chunk_by(|a, b| a.place.0 == b.place.0) {
        let mut step = step.to_vec();
        if let Some(mut before) = kept.pop() {
            let count = words_of(&before).len();
            let left = left_of(&before, &step);
            truncate(&mut before, left);
            let whole = left > 0 && left + words_of(&step).len() == count;
            if whole {
                before.append(&mut step);
            }
            kept.extend((!before.is_empty()).then_some(before));
        }
        kept.extend((!step.is_empty()).then_some(step));
    }
    kept.concat()
}

/// Returns how many words of a step the next one leaves.
fn left_of(before: &[NounAtom], step: &[NounAtom]) -> usize {
    let (first, words) = (words_of(before), words_of(step));
    let count = first.len();
    let chosen = before.first().is_some_and(|atom| atom.chosen);
    let suffix = step.first().is_some_and(|atom| atom.place.0 == END);
    if suffix || chosen && count == words.len() && same(&first, &words) {
        return count;
    }
    let ends = |length: usize| {
        first
            .get(count - length..)
            .is_some_and(|end| same(end, &words))
    };
    if count <= words.len() && ends(count) {
        0
    } else if words.len() < count && ends(words.len()) {
        count - words.len()
    } else if words.len() > 1 && count > 0 && ends(1) {
        count - 1
    } else {
        count
    }
}

/// Checks whether words begin with others, in singular or plural.
fn same(others: &[String], words: &[String]) -> bool {
    let mut pairs = others.iter().zip(words);
    pairs.all(|(a, b)| is_same(&singular(a), &singular(b)))
}

/// Returns the words of atoms.
pub(crate) fn words_of(atoms: &[NounAtom]) -> Vec<String> {
    atoms.iter().flat_map(|atom| atom.words.clone()).collect()
}

/// Keeps so many words of a step.
fn truncate(step: &mut Vec<NounAtom>, mut count: usize) {
    for atom in step.iter_mut() {
        atom.words.truncate(count);
        count -= atom.words.len();
    }
    step.retain(|atom| !atom.words.is_empty());
}

/// The words of a noun that fit its name.
pub(crate) struct Fitted {
    /// The words, none of them abbreviated.
    pub(crate) words: Vec<String>,
    /// The noun, with abbreviations as far as they are needed.
    pub(crate) noun: String,
}

/// The fewest words of a relation: a preposition and a noun.
const PAIR: usize = 2;

/// The loss of meaning of a word of the thing: more than that of all abbreviations.
const THING: usize = 30;

/// Shortens a noun to so many characters. Words are left out in the order of their tiers, and those that
/// stay are abbreviated, so that as little meaning as possible is lost. The thing's last word always stays.
pub(crate) fn fit(atoms: &[NounAtom], room: usize) -> Fitted {
    let mut shortening = Shortening::new(atoms);
    let mut best: Option<(usize, Fitted)> = None;
    loop {
        let (words, lost) = (shortening.words(), shortening.lost());
        let whole = || words.iter().map(|word| (*word).to_owned()).collect();
        let found = shortened(&words, room).map(|(noun, abbreviated)| {
            let short = words
                .iter()
                .filter(|word| abbreviated.iter().any(|it| it == *word));
            let guessed: usize = short.map(|word| loss_of_short(word)).sum();
            (lost + guessed, noun)
        });
        if let Some((loss, noun)) = found
            && best.as_ref().is_none_or(|(least, _)| loss < *least)
        {
            let (words, noun) = (whole(), noun.join("-"));
            best = Some((loss, Fitted { words, noun }));
        }
        let enough = best.as_ref().is_some_and(|(least, _)| *least <= lost);
        let words = whole();
        if enough || !shortening.leave_out() {
            let noun = words.join("-");
            return best.map_or(Fitted { words, noun }, |(_, fitted)| fitted);
        }
    }
}

/// Returns the loss of meaning of an abbreviated word.
pub(crate) fn loss_of_short(word: &str) -> usize {
    match clarity(word) {
        Clarity::Common => 0,
        Clarity::Clear => 2,
        Clarity::Unclear => 5,
    }
}

/// A noun that loses its words one by one.
struct Shortening {
    atoms: Vec<NounAtom>,
    /// The atoms in the order in which they stay.
    order: Vec<usize>,
    kept: BTreeSet<usize>,
    /// The number of words at each place.
    counts: BTreeMap<usize, usize>,
}

impl Shortening {
    fn new(atoms: &[NounAtom]) -> Self {
        let mut order: Vec<usize> = (0..atoms.len()).collect();
        order.sort_by_key(|at| atoms.get(*at).map(|atom| (atom.tier, atom.distance)));
        Self {
            kept: order.iter().copied().collect(),
            atoms: atoms.to_vec(),
            order,
            counts: counts(atoms.iter()),
        }
    }

    /// Returns the loss of meaning: a parent counts once, whether it lost one word or all, and only if the summary
    /// has it. The nearest one always counts if the thing has one word, as in `gateway-certificate`, or if only a
    /// part of it is left, as in `insurance-policy` of `life-insurance-policy`.
    fn lost(&self) -> usize {
        let left = counts(self.kept.iter().filter_map(|at| self.atoms.get(*at)));
        let of_thing = |atom: &NounAtom| atom.tier == NounTier::OfThing;
        let general = !self.atoms.iter().any(of_thing);
        let losses = self.counts.iter().map(|(place, count)| {
            let missing = count - left.get(place).copied().unwrap_or_default();
            let own = |atom: &&NounAtom| atom.place.0 == *place && atom.tier != NounTier::Hollow;
            let mut atoms = self.atoms.iter().filter(own);
            let Some(first) = atoms.next().filter(|_| missing > 0) else {
                return 0;
            };
            match first.tier {
                NounTier::Hollow | NounTier::Other | NounTier::Chosen => 0,
                NounTier::Near if missing < *count => 5,
                NounTier::Near if general || first.told == Told::Alone => 4,
                NounTier::Near | NounTier::Between if first.told == Told::Yes => 3,
                NounTier::Near | NounTier::Between => 0,
                NounTier::By | NounTier::OfThing | NounTier::Thing => THING * missing,
            }
        });
        losses.sum()
    }

    /// Returns the words that are left.
    fn words(&self) -> Vec<&str> {
        let atoms = self.kept.iter().filter_map(|at| self.atoms.get(*at));
        let words = atoms.flat_map(|atom| &atom.words);
        words.map(String::as_str).collect()
    }

    /// Leaves out a word or more. Returns false if only the thing's last word is left.
    fn leave_out(&mut self) -> bool {
        let Some(at) = self.order.pop() else {
            return false;
        };
        let thing = |atom: &NounAtom| atom.tier == NounTier::Thing;
        if self.atoms.get(at).is_some_and(thing) {
            return false;
        }
        match self
            .atoms
            .get_mut(at)
            .filter(|atom| atom.words.len() > PAIR)
        {
            // `contract-billing-rule`: `billing-rule`
            Some(parent) if parent.tier != NounTier::By => {
                parent.words.remove(0);
                self.order.push(at);
            }
            // `by-zip-code-and-date`: `by-date`
            Some(relation) => {
                let count = relation.words.len();
                relation
                    .words
                    .retain(|word| !is(word, Tag::Conjunction) && word != "and");
                if relation.words.len() == count {
                    relation.words.drain(1..count - 1);
                }
                self.order.push(at);
            }
            None => drop(self.kept.remove(&at)),
        }
        true
    }
}

/// Returns the number of words at each place that have a meaning.
fn counts<'a>(atoms: impl Iterator<Item = &'a NounAtom>) -> BTreeMap<usize, usize> {
    let mut counts = BTreeMap::new();
    for atom in atoms.filter(|atom| atom.tier != NounTier::Hollow) {
        *counts.entry(atom.place.0).or_default() += atom.words.len();
    }
    counts
}
