//! Path templates, such as `/items/{id}:cancel`.

/// One part of a segment of a path template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplatePart<'a> {
    /// A literal part, sent unchanged.
    Literal(&'a str),
    /// The name between braces; a value takes its place.
    Placeholder(&'a str),
}

/// A character that no path contains. It stands for any value.
const ANY: char = '\u{10ffff}';

/// Returns the path of a template without its query and its fragment.
#[must_use]
pub fn path_of_template(template: &str) -> &str {
    let path = template.split('#').next().unwrap_or_default();
    path.split('?').next().unwrap_or_default()
}

/// Returns the segments of a path template, each with its parts in order. An unmatched brace is
/// part of a literal.
///
/// ```
/// use toolwright_model::{TemplatePart::{Literal, Placeholder}, template_segments};
///
/// let segments = template_segments("/items/{id}:cancel");
/// assert_eq!(segments, [vec![Literal("items")], vec![Placeholder("id"), Literal(":cancel")]]);
/// ```
#[must_use]
pub fn template_segments(template: &str) -> Vec<Vec<TemplatePart<'_>>> {
    let path = path_of_template(template);
    let segments = path.trim_start_matches('/').split('/');
    segments.map(parts_of_segment).collect()
}

fn parts_of_segment(segment: &str) -> Vec<TemplatePart<'_>> {
    let mut parts = Vec::new();
    let mut rest = segment;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else {
            break;
        };
        if !before.is_empty() {
            parts.push(TemplatePart::Literal(before));
        }
        parts.push(TemplatePart::Placeholder(name));
        rest = after;
    }
    if !rest.is_empty() || parts.is_empty() {
        parts.push(TemplatePart::Literal(rest));
    }
    parts
}

/// Checks whether a path fits a template: each placeholder takes at least one character, and none
/// takes a `/`. Case is ignored, since many routers ignore it.
///
/// ```
/// use toolwright_model::path_fits_template;
///
/// assert!(path_fits_template("/Items/7:cancel", "/items/{id}:cancel"));
/// assert!(!path_fits_template("/items/7/parts", "/items/{id}"));
/// ```
#[must_use]
pub fn path_fits_template(path: &str, template: &str) -> bool {
    let pattern = template_segments(template);
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    segments.len() == pattern.len()
        && segments
            .iter()
            .zip(&pattern)
            .all(|(segment, parts)| segment_fits(segment, parts))
}

/// Checks whether values could turn a path of one template into a path of another one that is more
/// specific, as `/items/{id}` becomes `/items/search`.
///
/// It is not so if every path of the first template is one of the second: then no value matters.
#[must_use]
pub fn values_could_reach(template: &str, other: &str) -> bool {
    let (own, others) = (template_segments(template), template_segments(other));
    own.len() == others.len()
        && !path_fits_template(&generic(&own), other)
        && own
            .iter()
            .zip(&others)
            .all(|(own, other)| segments_overlap(own, other))
}

/// The same as [`values_could_reach`], if the segment at `index` may contain `/`. The segments
/// before it are compared.
#[must_use]
pub fn values_with_separators_could_reach(template: &str, index: usize, other: &str) -> bool {
    let (own, others) = (template_segments(template), template_segments(other));
    let mut before = own.iter().zip(&others).take(index);
    others.len() >= own.len()
        && !path_fits_template(&generic(&own), other)
        && before.all(|(own, other)| segments_overlap(own, other))
}

/// Returns a path of the template with a value that no literal equals.
fn generic(segments: &[Vec<TemplatePart<'_>>]) -> String {
    let segments = segments.iter().map(|parts| text_of(parts));
    segments.collect::<Vec<_>>().join("/")
}

fn text_of(parts: &[TemplatePart<'_>]) -> String {
    let mut text = String::new();
    for part in parts {
        match part {
            TemplatePart::Literal(literal) => text.push_str(literal),
            TemplatePart::Placeholder(_) => text.push(ANY),
        }
    }
    text
}

/// Checks whether one string may match both segments. For two segments with placeholders, only the
/// beginning and the end are compared.
#[must_use]
pub fn segments_overlap(one: &[TemplatePart<'_>], other: &[TemplatePart<'_>]) -> bool {
    match (one, other) {
        ([TemplatePart::Literal(text)], pattern) | (pattern, [TemplatePart::Literal(text)]) => {
            segment_fits(text, pattern)
        }
        _ => {
            let ends = |parts: &[TemplatePart<'_>]| {
                let text = text_of(parts).to_lowercase();
                let (start, _) = text.split_once(ANY).unwrap_or_default();
                let (_, end) = text.rsplit_once(ANY).unwrap_or_default();
                (start.to_owned(), end.to_owned())
            };
            let ((start, end), (start_2, end_2)) = (ends(one), ends(other));
            (start.starts_with(&start_2) || start_2.starts_with(&start))
                && (end.ends_with(&end_2) || end_2.ends_with(&end))
        }
    }
}

/// Checks whether a path segment matches the parts of a template segment.
fn segment_fits(segment: &str, parts: &[TemplatePart<'_>]) -> bool {
    let text: Vec<char> = segment.to_lowercase().chars().collect();
    // The numbers of characters that the parts so far may have taken.
    let mut ends = vec![false; text.len() + 1];
    ends.splice(..1, [true]);
    for part in parts {
        ends = match part {
            TemplatePart::Literal(literal) => after_literal(&text, &ends, literal),
            TemplatePart::Placeholder(_) => after_value(&ends),
        };
    }
    ends.last().copied().unwrap_or_default()
}

fn after_literal(text: &[char], ends: &[bool], literal: &str) -> Vec<bool> {
    let literal: Vec<char> = literal.to_lowercase().chars().collect();
    let reaches = |end: usize| {
        let start = end.checked_sub(literal.len())?;
        let is_start = ends.get(start).copied().unwrap_or_default();
        Some(is_start && text.get(start..end)? == literal)
    };
    (0..ends.len())
        .map(|end| reaches(end).unwrap_or_default())
        .collect()
}

fn after_value(ends: &[bool]) -> Vec<bool> {
    let mut reached = false;
    let mut after = vec![false];
    for end in ends.iter().take(ends.len().saturating_sub(1)) {
        reached |= end;
        after.push(reached);
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_fit_templates_segment_by_segment() {
        for (path, template) in [
            ("/", "/"),
            ("/items/7", "/items/{id}"),
            ("/ITEMS/7", "items/{id}"),
            ("/items/7-8", "/items/{a}-{b}"),
            ("/items/7-8-9", "/items/{a}-{b}"),
            ("/items/aaa", "/items/{a}a"),
            ("/items/v7.json", "/items/v{a}.json?x=1#y"),
            ("/items/", "/items/"),
        ] {
            assert!(path_fits_template(path, template), "{path} {template}");
        }
        for (path, template) in [
            ("/items", "/items/{id}"),
            ("/items/", "/items/{id}"),
            ("/items/7/8", "/items/{id}"),
            ("/items/7-", "/items/{a}-{b}"),
            ("/items/a", "/items/{a}a"),
            ("/items/7", "/{kind}/7/{more}"),
        ] {
            assert!(!path_fits_template(path, template), "{path} {template}");
        }
    }

    #[test]
    fn overlapping_templates_are_found() {
        for (template, other) in [
            ("/items/{id}", "/items/search"),
            ("/items/{id}", "/items/{id}:cancel"),
            ("/items/{id}", "/items/@{name}"),
            ("/{a}/{b}", "/items/{b}"),
            ("/{a}/{b}", "/items/search"),
            ("/items/{id}.{format}", "/items/all.json"),
            ("/x/{a}/list", "/x/mine/{b}"),
        ] {
            assert!(values_could_reach(template, other), "{template} {other}");
        }
        for (other, reaches) in [
            ("/files/{path}/history", true),
            ("/{kind}/{path}/history", true),
            ("/files/new", true),
            ("/files", false),
            ("/files/{path}", false),
            ("/items/{path}/history", false),
        ] {
            let found = values_with_separators_could_reach("/files/{path}", 1, other);
            assert_eq!(found, reaches, "{other}");
        }
        for (template, other) in [
            ("/items/{id}", "/items/{name}"),
            ("/items/search", "/items/{id}"),
            ("/items/{id}", "/{kind}/{id}"),
            ("/items/{id}", "/parts/search"),
            ("/items/{id}", "/items/{id}/parts"),
            ("/items/{id}:cancel", "/items/{id}:delete"),
            ("/items/{id}:cancel", "/items/{id}"),
            ("/items/{a}.{b}", "/items/{a}"),
        ] {
            assert!(!values_could_reach(template, other), "{template} {other}");
        }
    }
}
