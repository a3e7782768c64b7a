//! Puts the atoms of a noun together: in their order, in the right number, without repetition, and in
//! the room that the name leaves.

use super::noun::{Atom, END, Number, Tier, has_plural};
use crate::language::{
    is_plural, plural, singular,
    vocabulary::{Tag, is, verb},
};

/// Returns the atoms in their order, the last word in the right number and none repeated.
pub(crate) fn arrange(mut atoms: Vec<Atom>, number: Number, tool: &str) -> Vec<Atom> {
    atoms.sort_by_key(|atom| atom.place);
    number_last(&mut atoms, number);
    drop_verb(&mut atoms, tool);
    drop_repeated(atoms)
}

/// Puts the last word of the thing in its number; words after a preposition are as written.
fn number_last(atoms: &mut [Atom], number: Number) {
    let thing = |atom: &Atom| atom.place.0 != END;
    let end = atoms.iter().filter(|atom| thing(atom)).count();
    let place = end
        .checked_sub(1)
        .and_then(|last| atoms.get(last))
        .map(|atom| atom.place.0);
    let own = |atom: &Atom| Some(atom.place.0) == place;
    let start = atoms.iter().position(own).unwrap_or(end);
    let relation = atoms.iter().take(end).skip(start + 1).position(|atom| {
        atom.words
            .first()
            .is_some_and(|word| is(word, Tag::Preposition))
    });
    let at = relation.map_or(end, |relation| start + 1 + relation);
    let many = atoms
        .iter()
        .take(at)
        .skip(start)
        .flat_map(|atom| &atom.words)
        .any(|word| is_plural(word));
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

/// Removes words that repeat the verb: a step that is the verb, and a basic verb at the start of the
/// thing.
fn drop_verb(atoms: &mut Vec<Atom>, tool: &str) {
    let is_verb = |word: &String| {
        word == tool || verb(word).is_some_and(|verb| verb.tool == Some(tool) && verb.is_plain())
    };
    let things: Vec<usize> = atoms
        .iter()
        .map(|atom| atom.place.0)
        .filter(|at| *at != END)
        .collect();
    let last = things.iter().max().copied();
    let words = |place| things.iter().filter(|at| **at == place).count();
    let repeats = |atom: &Atom| {
        let [word] = atom.words.as_slice() else {
            return false;
        };
        let leads = Some(atom.place.0) == last && atom.place.1 <= 1 && is(tool, Tag::Basic);
        is_verb(word) && (words(atom.place.0) == 1 || leads)
    };
    if things.len() > 1
        && let Some(at) = atoms.iter().position(repeats)
    {
        atoms.remove(at);
    }
}

/// Removes the words of a step that the next begins with, and those that the one before ends with:
/// `project` and `project-members`, `access-rules` and `rule`. The things of one item keep their name:
/// `group-groups`.
fn drop_repeated(atoms: Vec<Atom>) -> Vec<Atom> {
    let mut kept: Vec<Vec<Atom>> = Vec::new();
    for step in atoms.chunk_by(|a, b| a.place.0 == b.place.0) {
        let mut step = step.to_vec();
        let (before, words) = (
            kept.last().map_or_else(Vec::new, |step| words_of(step)),
            words_of(&step),
        );
        let chosen = kept
            .last()
            .and_then(|step| step.first())
            .is_some_and(|atom| matches!(atom.tier, Tier::Nearest | Tier::Chosen));
        let equal = before.len() == words.len() && chosen;
        let suffix = step.first().is_some_and(|atom| atom.place.0 == END);
        if suffix || equal || before.is_empty() {
        } else if before.len() <= words.len() && same(&before, &words) {
            kept.pop();
        } else if let Some(end) = before.len().checked_sub(words.len())
            && same(before.get(end..).unwrap_or_default(), &words)
        {
            let mut whole = kept.pop().unwrap_or_default();
            truncate(&mut whole, end);
            whole.append(&mut step);
            step = whole;
        }
        kept.push(step);
    }
    kept.concat()
}

/// Checks whether words begin with others, in singular or plural.
fn same(others: &[String], words: &[String]) -> bool {
    let mut pairs = others.iter().zip(words);
    pairs.all(|(a, b)| singular(a) == singular(b))
}

/// Returns the words of a step.
fn words_of(step: &[Atom]) -> Vec<String> {
    step.iter().flat_map(|atom| atom.words.clone()).collect()
}

/// Keeps so many words of a step.
fn truncate(step: &mut Vec<Atom>, mut count: usize) {
    for atom in step.iter_mut() {
        atom.words.truncate(count);
        count -= atom.words.len();
    }
    step.retain(|atom| !atom.words.is_empty());
}

/// Returns the atoms that fit in so many characters, by their tiers. The thing always stays.
pub(crate) fn fit(atoms: &[Atom], room: usize) -> Vec<Atom> {
    let mut order: Vec<usize> = (0..atoms.len()).collect();
    order.sort_by_key(|at| atoms.get(*at).map(|atom| (atom.tier, atom.distance)));
    let mut kept: Vec<usize> = Vec::new();
    let mut left_out = false;
    for at in order {
        let Some(atom) = atoms.get(at) else { continue };
        // a word has no meaning without those after it in its step
        let next = atoms
            .get(at + 1)
            .filter(|next| (next.place.0, next.tier) == (atom.place.0, atom.tier));
        let leans = next.is_some() && !kept.contains(&(at + 1));
        if leans || left_out && matches!(atom.tier, Tier::Chosen | Tier::Other) {
            continue;
        }
        kept.push(at);
        let length: usize = kept
            .iter()
            .filter_map(|at| atoms.get(*at))
            .map(length)
            .sum();
        if length > room + 1 && atom.tier != Tier::Thing {
            kept.pop();
            left_out |= matches!(atom.tier, Tier::Chosen | Tier::Nearest);
        }
    }
    kept.sort_unstable();
    kept.iter()
        .filter_map(|at| atoms.get(*at).cloned())
        .collect()
}

/// Returns the characters of an atom, with a hyphen after each word.
fn length(atom: &Atom) -> usize {
    atom.words.iter().map(|word| word.len() + 1).sum()
}
