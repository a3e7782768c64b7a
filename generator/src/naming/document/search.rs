//! The search for a name among all sets of words, for operations that no comparison tells apart.
//!
//! Two paths may have the same words in another order, and the words that tell operations apart may
//! not fit. The search adds more and more further words until a name is free.

use std::iter;

use super::compose::{Composed, Composer};

/// The most further words of a name.
const MOST_WORDS: usize = 3;

/// The most names that are tried for one operation.
const MOST_NAMES: usize = 4_000;

/// Returns the first name that is free: one of the selections with as few further atoms as possible,
/// the preferred atoms first. If none is free, a word of the base name is left out.
pub(super) fn first_free(
    composer: &Composer<'_>,
    selections: &[Vec<usize>],
    is_free: impl Fn(&str) -> bool,
) -> Option<Composed> {
    let all = (0..=MOST_WORDS).flat_map(|number| {
        let selections = selections.iter();
        selections.flat_map(move |selected| {
            let others = composer.atoms.others(selected);
            let sets: Vec<_> = combinations(&others, number).take(MOST_NAMES).collect();
            sets.into_iter()
                .map(move |further| [selected.as_slice(), &further].concat())
        })
    });
    let more = all.take(MOST_NAMES);
    let more = more.filter_map(|atoms| composer.compose(&atoms));
    more.chain(composer.with_less())
        .find(|composed| is_free(&composed.name))
}

/// Returns the sets of so many items, in the order of the items.
fn combinations(items: &[usize], number: usize) -> Box<dyn Iterator<Item = Vec<usize>> + '_> {
    let Some(rest) = number.checked_sub(1) else {
        return Box::new(iter::once(Vec::new()));
    };
    let numbered = items.iter().enumerate();
    Box::new(numbered.flat_map(move |(at, first)| {
        let others = items.get(at + 1..).unwrap_or_default();
        combinations(others, rest).map(move |set| iter::once(*first).chain(set).collect())
    }))
}

#[cfg(test)]
mod tests {
    use super::combinations;

    #[test]
    fn combinations_are_in_the_order_of_the_items() {
        let pairs: Vec<_> = combinations(&[3, 1, 2], 2).collect();
        assert_eq!(pairs, [[3, 1], [3, 2], [1, 2]]);
        assert_eq!(combinations(&[3], 0).count(), 1);
        assert_eq!(combinations(&[3], 2).count(), 0);
    }
}
