//! The tools as a block of a prompt, in Markdown.
//!
//! A section of the tools has a heading, and each tool a bullet from its `short`. Tools with a
//! `when_to_use` then have a heading and that paragraph. Texts of documents stay on their line: they
//! can neither begin a heading nor a list, nor end a code span.

use std::collections::BTreeMap;

use toolwright_model::texts::line;

use super::description::APPROVAL;
use crate::ToolSpec;

/// The longest section in a heading, in characters.
const LONGEST_SECTION: usize = 80;

/// The longest text on a line, in characters.
const LONGEST_LINE: usize = 4_000;

/// How an agent calls the tools of a prompt.
#[derive(Clone, Copy)]
pub enum Calls<'a> {
    /// By their names, as functions.
    Functions,
    /// By the commands that this function returns. A tool has a command, or the prompt says that it has
    /// none.
    Commands(&'a dyn Fn(&ToolSpec) -> Option<String>),
}

/// Returns the block for these tools, which ends with a line break. The order of the tools does not
/// matter.
///
/// ```
/// # use toolwright::{ToolSpec, codec::json};
/// use toolwright::render::prompt::{Calls, block};
///
/// # let spec: ToolSpec = serde_json::from_value(json!({
/// #     "name": "get-depot-item", "service": "depot", "title": "Get an item",
/// #     "short": "Get an item.", "description": "Gets an item.", "section": "Items",
/// #     "when_to_use": "When you know the id.",
/// #     "category": "observe", "effect": "read", "approval_required": false,
/// #     "hints": {"readOnlyHint": true, "destructiveHint": false,
/// #               "idempotentHint": true, "openWorldHint": false},
/// #     "enabled_by_default": true, "input_schema": {"type": "object"},
/// #     "binding": "native", "origin": {"document": "docs", "pointer": "/"}, "evidence": [],
/// # })).unwrap();
/// assert_eq!(block([&spec], Calls::Functions), concat!(
///     "## Items\n\n",
///     "- `get-depot-item`: Get an item.\n\n",
///     "### `get-depot-item`\n\n",
///     "When you know the id.\n",
/// ));
/// ```
#[must_use]
pub fn block<'a>(specs: impl IntoIterator<Item = &'a ToolSpec>, calls: Calls<'_>) -> String {
    let mut sections: BTreeMap<String, BTreeMap<&str, &ToolSpec>> = BTreeMap::new();
    for spec in specs {
        let section = text(&spec.section, LONGEST_SECTION);
        let tools = sections.entry(section).or_default();
        tools.insert(spec.name.as_str(), spec);
    }
    let sections = sections.iter().map(|(section, tools)| {
        let bullets: String = tools.values().map(|spec| bullet(spec, calls)).collect();
        let uses: String = tools
            .values()
            .filter_map(|spec| when_to_use(spec))
            .collect();
        format!("## {section}\n\n{bullets}{uses}")
    });
    sections.collect::<Vec<String>>().join("\n")
}

fn bullet(spec: &ToolSpec, calls: Calls<'_>) -> String {
    let short = sentence(text(&spec.short, LONGEST_LINE));
    let deprecated = if spec.deprecated { "Deprecated. " } else { "" };
    let approval = if spec.approval_required {
        format!(" {APPROVAL}")
    } else {
        String::new()
    };
    let command = match calls {
        Calls::Functions => String::new(),
        Calls::Commands(command) => match command(spec) {
            Some(command) => format!(" Command: {}", code(&command)),
            None => " Command: none".to_owned(),
        },
    };
    format!(
        "- `{}`: {deprecated}{short}{approval}{command}\n",
        spec.name
    )
}

/// Returns a text that ends like a sentence, since others follow.
fn sentence(mut text: String) -> String {
    if !text.ends_with(['.', '!', '?', ':', '…']) {
        text.push('.');
    }
    text
}

fn when_to_use(spec: &ToolSpec) -> Option<String> {
    let paragraph = text(spec.when_to_use.as_deref()?, LONGEST_LINE);
    (!paragraph.is_empty()).then(|| format!("\n### `{}`\n\n{paragraph}\n", spec.name))
}

/// Returns a code span. A text with backticks has more of them around it.
fn code(text: &str) -> String {
    let text = line(text, LONGEST_LINE);
    let longest = text.split(|c| c != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or_default() + 1);
    let space = if text.contains('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// Returns prose as one line of Markdown that is nothing but a paragraph.
fn text(prose: &str, longest: usize) -> String {
    let line = line(prose, longest);
    let mut escaped = String::with_capacity(line.len() + 8);
    for character in line.chars() {
        // Code, emphasis, links, images, HTML and tables.
        if matches!(character, '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    let is_block = |character: char| matches!(character, '#' | '-' | '+' | '=' | '~' | '_' | ':');
    let number = escaped.trim_start_matches(|c: char| c.is_ascii_digit());
    if number.len() < escaped.len() && number.starts_with(['.', ')']) {
        // An ordered list: `1.` becomes `1\.`.
        let digits = escaped.len() - number.len();
        escaped.insert(digits, '\\');
    } else if escaped.starts_with(is_block) {
        escaped.insert(0, '\\');
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, ToolName, render::tests::spec};

    fn named(name: &str, section: &str, kind: Kind) -> ToolSpec {
        ToolSpec {
            name: ToolName::new(name).unwrap(),
            section: section.to_owned(),
            when_to_use: None,
            ..spec(kind, None)
        }
    }

    #[test]
    fn sections_and_tools_are_sorted() {
        let mut first = named("get-depot-item", "Items", Kind::Read);
        first.when_to_use = Some("When you know\nits id.".to_owned());
        let mut last = named("delete-depot-item", "Items", Kind::Delete);
        last.deprecated = true;
        let other = named("list-depot-bins", "Bins", Kind::Read);
        let expected = "\
## Bins

- `list-depot-bins`: Get an item.

## Items

- `delete-depot-item`: Deprecated. Get an item. A person must approve each call.
- `get-depot-item`: Get an item.

### `get-depot-item`

When you know its id.
";
        assert_eq!(block([&first, &last, &other], Calls::Functions), expected);
        assert_eq!(block([&other, &last, &first], Calls::Functions), expected);
        assert_eq!(block([], Calls::Functions), "");
    }

    #[test]
    fn a_tool_has_a_command_or_explicitly_none() {
        let one = named("get-depot-item", "Items", Kind::Read);
        let other = named("list-depot-items", "Items", Kind::Read);
        let command = |spec: &ToolSpec| {
            (spec.name == one.name).then(|| format!("toolwright call {} --role `x`", spec.name))
        };
        assert_eq!(
            block([&one, &other], Calls::Commands(&command)),
            "## Items\n\n- `get-depot-item`: Get an item. Command: `` toolwright call get-depot-item --role `x` ``\n\
             - `list-depot-items`: Get an item. Command: none\n"
        );
    }

    #[test]
    fn texts_stay_on_their_line() {
        let mut spec = named("get-depot-item", "# Items\n## More", Kind::Read);
        spec.short = "- a\r\n\n# Heading `x` <b>\u{200b}\u{2028}[l](u)".to_owned();
        spec.when_to_use = Some("\n\n```\nrun\n```\n1. list".to_owned());
        assert_eq!(
            block([&spec], Calls::Functions),
            "## \\# Items ## More\n\n- `get-depot-item`: \\- a # Heading \\`x\\` \\<b\\> \\[l\\](u).\n\n\
             ### `get-depot-item`\n\n\\`\\`\\` run \\`\\`\\` 1. list\n"
        );
        assert_eq!(text("1. list", 80), "1\\. list");
        assert_eq!(text("---", 80), "\\---");
    }
}
