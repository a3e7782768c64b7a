//! "A similar name exists": the one suggestion rule of all diagnostics.

/// The candidate that is most similar to `text`, if one is close enough to be a slip.
///
/// Close enough is an edit distance of at most a third of the longer text. Of several equally
/// close candidates the first in their order is taken.
///
/// ```
/// use toolwright_model::most_similar;
///
/// assert_eq!(most_similar("suport", ["support", "sales"]), Some("support"));
/// assert_eq!(most_similar("xyz", ["support", "sales"]), None);
/// ```
pub fn most_similar<'a>(
    text: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let length = text.chars().count();
    candidates
        .into_iter()
        .map(|candidate| {
            let limit = length.max(candidate.chars().count()) / 3;
            (distance(text, candidate), limit, candidate)
        })
        .filter(|(distance, limit, _)| distance <= limit)
        .min_by_key(|(distance, _, _)| *distance)
        .map(|(_, _, candidate)| candidate)
}

/// The Levenshtein distance in characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, y) in row.iter_mut().skip(1).zip(&b) {
            let best = (diagonal + usize::from(x != *y))
                .min(left + 1)
                .min(*cell + 1);
            diagonal = *cell;
            *cell = best;
            left = best;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_counts_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
