//! The header `Link` (RFC 8288).

/// The target of the link to the next page.
pub(crate) fn next_of(header: &str) -> Option<String> {
    let mut rest = header;
    while let Some((_, behind)) = rest.split_once('<') {
        let (target, parameters) = behind.split_once('>')?;
        let end = parameters.find('<').unwrap_or(parameters.len());
        let own = parameters.get(..end).unwrap_or_default();
        if own.split(';').any(is_next) {
            return Some(target.to_owned());
        }
        rest = parameters;
    }
    None
}

/// Returns whether a parameter of a link is `rel` and names the next page.
fn is_next(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else {
        return false;
    };
    let value = value.trim().trim_end_matches(',').trim().trim_matches('"');
    let mut relations = value.split_ascii_whitespace();
    name.trim().eq_ignore_ascii_case("rel")
        && relations.any(|relation| relation.eq_ignore_ascii_case("next"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_found() {
        for (header, next) in [
            (
                "<https://x/?page=2>; rel=\"next\", <https://x/?page=9>; rel=\"last\"",
                Some("https://x/?page=2"),
            ),
            (
                "<https://x/?a=1,2>; rel=prev, </?page=3>; title=\"a\"; REL=\"last next\"",
                Some("/?page=3"),
            ),
            ("<https://x/>; rel=\"prev\"", None),
            ("<https://x/; rel=\"next\"", None),
            ("", None),
        ] {
            assert_eq!(next_of(header).as_deref(), next, "{header}");
        }
    }
}
