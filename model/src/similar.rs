//! "A similar name exists": the one suggestion rule of all diagnostics.

/// Returns the candidate that is most similar to `text`, if it is close enough to be a typo.
///
/// The Levenshtein distance in characters must be at most a third of the longer string. If several
/// candidates are equally close, the first one is returned.
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
            (strsim::levenshtein(text, candidate), limit, candidate)
        })
        .filter(|(distance, limit, _)| distance <= limit)
        .min_by_key(|(distance, _, _)| *distance)
        .map(|(_, _, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_candidate_is_found() {
        for (text, candidates, expected) in [
            ("kitten", ["sitten", "mitts"], Some("sitten")),
            ("kitten", ["sitting", "mitts"], None),
            ("größe", ["grosse", "gross"], None),
            ("größe", ["gross", "gröse"], Some("gröse")),
            ("ab", ["ac", "a"], None),
            ("abc", ["abd", "abe"], Some("abd")),
            ("", ["", "a"], Some("")),
        ] {
            assert_eq!(most_similar(text, candidates), expected, "{text}");
        }
    }
}
