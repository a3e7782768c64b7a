//! Says of each tool what it is, for people and for agents.

use toolwright_model::texts::DEPRECATED;
use toolwright_model::{
    ServiceName,
    texts::{bounded, prose},
};

use crate::{
    ir::{LoweredOperation, ToolTexts},
    language::capitalised,
};

/// The longest title, in characters.
const LONGEST_TITLE: usize = 60;

/// The longest single line, in characters.
const LONGEST_SHORT: usize = 160;

/// The longest description, in characters. A description is part of the context of every agent that
/// receives the tool.
const LONGEST_DESCRIPTION: usize = 2000;

/// Returns the descriptions of an operation: those of its overlay, or else of its document, or else
/// from its name.
pub(super) fn texts(service: &ServiceName, operation: &LoweredOperation) -> ToolTexts {
    let curation = &operation.curation;
    let summary = plain(operation.facts.summary.as_deref());
    let description = plain(operation.facts.description.as_deref());
    let fallback = || fallback(service, operation);
    let short = [&summary, &description]
        .into_iter()
        .find(|text| !text.is_empty())
        .map_or_else(fallback, |text| first_sentence(text));
    let description = curation.description.clone().unwrap_or_else(|| {
        let whole = join_texts(&summary, &description);
        let whole = if whole.is_empty() { fallback() } else { whole };
        bounded(&whole, LONGEST_DESCRIPTION)
    });
    ToolTexts {
        title: curation
            .title
            .clone()
            .unwrap_or_else(|| title(&summary).unwrap_or_else(fallback)),
        description: if operation.deprecated {
            format!("{DEPRECATED}\n\n{description}")
        } else {
            description
        },
        short: curation
            .short
            .clone()
            .unwrap_or_else(|| bounded(&short, LONGEST_SHORT)),
        when_to_use: curation.when_to_use.clone(),
        section: curation
            .section
            .clone()
            .or_else(|| operation.facts.tags.first().cloned())
            .unwrap_or_else(|| service.to_string()),
    }
}

/// Returns the summary as a title, if it is short enough.
fn title(summary: &str) -> Option<String> {
    let title = summary.trim_end_matches('.');
    let fits = !title.is_empty() && title.chars().count() <= LONGEST_TITLE && !title.contains('\n');
    fits.then(|| capitalised(title))
}

/// Summary and description, unless the one only repeats the other.
fn join_texts(summary: &str, description: &str) -> String {
    let repeats = |a: &str, b: &str| {
        let a = a.trim_end_matches('.').to_lowercase();
        b.to_lowercase().starts_with(&a)
    };
    if repeats(summary, description) {
        description.to_owned()
    } else if description.is_empty() || repeats(description, summary) {
        summary.to_owned()
    } else {
        format!("{}.\n\n{description}", summary.trim_end_matches('.'))
    }
}

/// Describes an operation without a description by the words of its name.
fn fallback(service: &ServiceName, operation: &LoweredOperation) -> String {
    let Ok(name) = &operation.name else {
        return format!("{} {}", operation.method, operation.path);
    };
    let words = name
        .as_str()
        .split('-')
        .filter(|word| *word != service.as_str());
    capitalised(&words.collect::<Vec<_>>().join(" "))
}

/// Returns the first sentence, or the first line.
fn first_sentence(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let end = line
        .match_indices(['.', '!', '?'])
        .map(|(at, mark)| at + mark.len())
        .find(|end| ends_sentence(line, *end));
    line.get(..end.unwrap_or(line.len()))
        .unwrap_or(line)
        .trim()
        .to_owned()
}

/// Checks whether a full stop ends a sentence: a space follows, but no lower-case letter, and it
/// does not end an abbreviation such as `e.g.`.
fn ends_sentence(line: &str, end: usize) -> bool {
    let (before, behind) = line.split_at_checked(end).unwrap_or((line, ""));
    let word = before.rsplit(' ').next().unwrap_or_default();
    let is_abbreviation = word.trim_end_matches('.').contains('.');
    let mut behind = behind.chars();
    match behind.next() {
        None => true,
        Some(' ') => !is_abbreviation && behind.next().is_none_or(|next| !next.is_lowercase()),
        Some(_) => false,
    }
}

/// Removes invisible characters, and white space around the prose and at the ends of its lines.
fn plain(text: Option<&str>) -> String {
    let text = prose(text.unwrap_or_default(), usize::MAX);
    let lines = text.trim().lines();
    lines.map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_at_its_full_stop() {
        for (text, sentence) in [
            ("Lists items. And more.", "Lists items."),
            (
                "Lists items, e.g. Bolts of 1.5 mm",
                "Lists items, e.g. Bolts of 1.5 mm",
            ),
            ("First line\nsecond", "First line"),
            ("See v1.2 of it. Then go.", "See v1.2 of it."),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), sentence);
        }
    }

    #[test]
    fn a_repeated_sentence_is_removed() {
        assert_eq!(
            join_texts("List items.", "List items of a shop."),
            "List items of a shop."
        );
        assert_eq!(join_texts("List items", ""), "List items");
        assert_eq!(join_texts("", "Lists."), "Lists.");
        assert_eq!(
            join_texts("List items", "Needs a key."),
            "List items.\n\nNeeds a key."
        );
    }
}
