//! The documentation of the function: the agent's description of the tool.

use quote::ToTokens;
use syn::{Attribute, Expr, Lit, Meta};

use crate::problems::{Problem, Problems};

/// The most characters of the first paragraph: it is shown as one line.
const MAX_SHORT: usize = 200;

/// The heading, in lower case, of the section that becomes `when_to_use`.
const WHEN_TO_USE: &str = "when to use";

/// The documentation, in the parts of a `ToolSpec`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Documentation {
    /// The first paragraph, as one line.
    pub(super) short: String,
    /// The paragraphs before the first heading.
    pub(super) description: String,
    /// The section `# When to use`. The other sections are for the readers of the code.
    pub(super) when_to_use: Option<String>,
}

/// Reads the `doc` attributes of a function.
pub(super) fn read(
    attributes: &[Attribute],
    function: &impl ToTokens,
    problems: &mut Problems,
) -> Option<Documentation> {
    let text = problems.keep(text_of(attributes))?;
    let documentation = Documentation::of_text(&text);
    let place = attributes.iter().find(|attribute| is_doc(attribute));
    check(&documentation, place, function, problems);
    Some(documentation)
}

fn check(
    documentation: &Documentation,
    place: Option<&Attribute>,
    function: &impl ToTokens,
    problems: &mut Problems,
) {
    let Documentation {
        short, when_to_use, ..
    } = documentation;
    if short.is_empty() {
        problems.add(
            Problem::on(function, "the tool has no description")
                .note("agents read the function's documentation as the tool's description")
                .help("add a doc comment such as `/// Lists the tables.` above the function"),
        );
    }
    if short.chars().count() > MAX_SHORT {
        problems.add(
            Problem::on(
                place,
                format!(
                    "the first paragraph has {} characters, but at most {MAX_SHORT} are allowed",
                    short.chars().count()
                ),
            )
            .note("lists of tools show the first paragraph on one line")
            .help("describe the call in one phrase, then add an empty `///` line and the rest"),
        );
    }
    if when_to_use.as_deref() == Some("") {
        problems.add(
            Problem::on(place, "the section `# When to use` is empty")
                .note("agents see this section next to the description")
                .help("describe when to prefer this tool over another, or remove the heading"),
        );
    }
}

impl Documentation {
    fn of_text(text: &str) -> Self {
        let mut section = Section::Description;
        let mut description = Vec::new();
        let mut when_to_use: Option<Vec<&str>> = None;
        let mut in_code = false;
        for line in unindented(text) {
            in_code ^= line.starts_with("```");
            if let Some(heading) = line.strip_prefix("# ").filter(|_| !in_code) {
                section = Section::of_heading(heading);
                if section == Section::WhenToUse {
                    when_to_use.get_or_insert_default();
                }
                continue;
            }
            match section {
                Section::Description => description.push(line),
                Section::WhenToUse => when_to_use.get_or_insert_default().push(line),
                Section::Other => {}
            }
        }
        let first_paragraph = description
            .iter()
            .skip_while(|line| line.is_empty())
            .take_while(|line| !line.is_empty());
        let short = first_paragraph.copied().collect::<Vec<_>>().join(" ");
        Self {
            description: end_first_paragraph(&trimmed(&description)),
            short,
            when_to_use: when_to_use.as_deref().map(trimmed),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Description,
    WhenToUse,
    Other,
}

impl Section {
    fn of_heading(heading: &str) -> Self {
        if heading.trim().eq_ignore_ascii_case(WHEN_TO_USE) {
            Self::WhenToUse
        } else {
            Self::Other
        }
    }
}

fn is_doc(attribute: &Attribute) -> bool {
    attribute.path().is_ident("doc")
}

/// Joins the strings of the `doc` attributes, one per line.
pub(super) fn text_of(attributes: &[Attribute]) -> Result<String, Problem> {
    let mut text = String::new();
    for attribute in attributes.iter().filter(|attribute| is_doc(attribute)) {
        let Meta::NameValue(doc) = &attribute.meta else {
            continue;
        };
        match &doc.value {
            Expr::Lit(literal) if let Lit::Str(line) = &literal.lit => {
                text.push_str(&line.value());
                text.push('\n');
            }
            other => {
                return Err(Problem::on(
                    other,
                    "the documentation of a tool must be a string literal",
                )
                .note("`#[tool]` reads the documentation before other macros are expanded")
                .help("write the documentation as `/// …`"));
            }
        }
    }
    Ok(text)
}

/// Removes the indentation of the lines.
pub(super) fn plain(text: &str) -> String {
    trimmed(&unindented(text).collect::<Vec<_>>())
}

/// The lines without the indentation that all of them have.
fn unindented(text: &str) -> impl Iterator<Item = &str> {
    let indentation = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let common = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(indentation)
        .min()
        .unwrap_or_default();
    text.lines()
        .map(move |line| line.get(common..).unwrap_or_default().trim_end())
}

/// Ends the first paragraph with a full stop if more follows, like the records of generated tools.
fn end_first_paragraph(description: &str) -> String {
    match description.split_once("\n\n") {
        Some((first, rest)) if first.ends_with(char::is_alphanumeric) => {
            format!("{first}.\n\n{rest}")
        }
        _ => description.to_owned(),
    }
}

fn trimmed(lines: &[&str]) -> String {
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_paragraph_is_one_line_and_the_rest_is_kept_as_it_is() {
        let read =
            Documentation::of_text(" Checks a change,\n and nothing else.\n\n - a\n   - b\n");
        assert_eq!(read.short, "Checks a change, and nothing else.");
        assert_eq!(
            read.description,
            "Checks a change,\nand nothing else.\n\n- a\n  - b"
        );
        assert_eq!(read.when_to_use, None);
    }

    #[test]
    fn sections_are_separated_and_code_has_none() {
        let read = Documentation::of_text(
            " Checks.\n\n ```\n # not a heading\n ```\n # Errors\n For readers of the code.\n # When to Use\n\n Before `apply`.\n",
        );
        assert_eq!(read.description, "Checks.\n\n```\n# not a heading\n```");
        assert_eq!(read.when_to_use.as_deref(), Some("Before `apply`."));
    }

    #[test]
    fn the_first_of_several_paragraphs_ends_with_a_full_stop() {
        let description = |text| Documentation::of_text(text).description;
        assert_eq!(
            description(" Get an item\n\n More.\n"),
            "Get an item.\n\nMore."
        );
        assert_eq!(description(" Get an item\n"), "Get an item");
        assert_eq!(
            description(" Is it there?\n\n More.\n"),
            "Is it there?\n\nMore."
        );
    }

    #[test]
    fn empty_documentation_is_not_a_description() {
        assert_eq!(Documentation::of_text("").short, "");
        assert_eq!(
            Documentation::of_text(" # When to use\n")
                .when_to_use
                .as_deref(),
            Some("")
        );
    }
}
