//! The report for a pull request. Harmless changes are folded, and vendors' words are inert.

use std::fmt::Write;

use similar::TextDiff;
use toolwright_drift::Class;
use toolwright_model::text::show_invisible;

use super::{
    Drift, Standing,
    view::{self, Block, Descriptions, DriftEntry, HIDDEN, Sentence, Tool, capitalised},
};
use crate::{output::plural, picture::DESTRUCTIVE};

pub(super) fn render(drift: &Drift) -> String {
    let mut out = String::new();
    for block in view::blocks(drift) {
        // Writing to a string does not fail.
        let _ = style_block(&block, &mut out);
    }
    out
}

fn style_block(block: &Block<'_>, out: &mut String) -> std::fmt::Result {
    match block {
        Block::Title { old, new, tools } => {
            let tools = capitalised(tools);
            writeln!(out, "## Tools: {} → {}\n\n{tools}.\n", code(old), code(new))
        }
        Block::Classes(classes) => style_classes(classes, out),
        Block::Needless(corrections) => {
            writeln!(out, "\n{}:\n", view::NEEDLESS)?;
            let mut corrections = corrections.iter();
            corrections.try_for_each(|one| writeln!(out, "- {}", inert(&show_invisible(one))))
        }
        Block::Roles(roles) => style_roles(roles, out),
        Block::Class(Class::Harmless, number) => {
            let (title, number) = (capitalised("harmless"), plural(*number, "change"));
            writeln!(out, "\n<details><summary>{title}: {number}</summary>")
        }
        Block::Class(class, _) => writeln!(out, "\n### {}", capitalised(class.word())),
        Block::Kind(kind, _) => {
            let meaning = capitalised(kind.meaning());
            writeln!(out, "\n#### `{}`\n\n{meaning}.\n", kind.word())
        }
        Block::Tools(tools) => style_tools(tools, out),
        Block::Sentences(sentences) => sentences
            .iter()
            .try_for_each(|one| style_sentence(one, out)),
        Block::EndOfClass(Class::Harmless) => writeln!(out, "\n</details>"),
        Block::EndOfClass(_) => Ok(()),
        Block::Index(entries) => style_index(entries, out),
    }
}

fn style_classes(classes: &[(Class, usize)], out: &mut String) -> std::fmt::Result {
    if classes.iter().all(|(_, number)| *number == 0) {
        return Ok(());
    }
    writeln!(out, "| class | changes | what it means |\n|---|--:|---|")?;
    for (class, number) in classes {
        let bold = if *number > 0 && *class != Class::Harmless {
            "**"
        } else {
            ""
        };
        let (word, meaning) = (class.word(), class.meaning());
        writeln!(out, "| {bold}{word}{bold} | {number} | {meaning} |")?;
    }
    Ok(())
}

fn style_roles(roles: &[Standing], out: &mut String) -> std::fmt::Result {
    let roles = view::changed_roles(roles);
    if roles.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\n| role | tools before | now | gains | loses |\n|---|--:|--:|--:|--:|"
    )?;
    for standing in roles {
        let (gains, loses) = (standing.gains.len(), standing.loses.len());
        writeln!(
            out,
            "| `{}` | {} | {} | {gains} | {loses} |",
            standing.role, standing.before, standing.after
        )?;
    }
    Ok(())
}

fn style_tools(tools: &[Tool<'_>], out: &mut String) -> std::fmt::Result {
    writeln!(
        out,
        "| tool | category | destructive | approval | operation |\n|---|---|---|---|---|"
    )?;
    for tool in tools {
        let approval = if tool.approval { "**needed**" } else { "no" };
        let destructive = match tool.destructive {
            true => format!("**{DESTRUCTIVE} yes**"),
            false => "no".to_owned(),
        };
        let operation = code(tool.operation).replace('|', "\\|");
        writeln!(
            out,
            "| `{}` | {} | {destructive} | {approval} | {operation} |",
            tool.name, tool.category
        )?;
    }
    Ok(())
}

fn style_sentence(sentence: &Sentence<'_>, out: &mut String) -> std::fmt::Result {
    let tools = view::reach(sentence.tools, |name| format!("`{name}`"));
    let hidden = match sentence.has_hidden() {
        true => format!(" — **{HIDDEN}**"),
        false => String::new(),
    };
    writeln!(out, "- {} — {tools}{hidden}", inert(&sentence.words))?;
    let Some(Descriptions { before, after, .. }) = &sentence.descriptions else {
        return Ok(());
    };
    let fence = fence(&[before, after]);
    writeln!(out, "\n  {fence}diff")?;
    let diff = TextDiff::from_lines(before.as_str(), after.as_str());
    for part in diff.iter_all_changes() {
        let (mark, line) = (part.tag(), part.value().trim_end());
        writeln!(out, "  {mark}{line}")?;
    }
    writeln!(out, "  {fence}\n")
}

fn style_index(entries: &[DriftEntry<'_>], out: &mut String) -> std::fmt::Result {
    let number = plural(entries.len(), "tool");
    writeln!(
        out,
        "\n<details><summary>Tool by tool: {number}</summary>\n"
    )?;
    writeln!(out, "| tool | class | changes |\n|---|---|---|")?;
    for DriftEntry { tool, kinds } in entries {
        let class = tool.class.word();
        writeln!(out, "| `{}` | {class} | {kinds} |", tool.name)?;
    }
    writeln!(out, "\n</details>")
}

/// Escapes mark-up, mentions and links outside of code.
fn inert(text: &str) -> String {
    let mut shown = String::new();
    let mut in_code = false;
    for c in text.chars() {
        match c {
            '`' => in_code = !in_code,
            '\n' | '\r' => {
                shown.push(' ');
                continue;
            }
            _ if in_code => {}
            '<' => {
                shown.push_str("&lt;");
                continue;
            }
            '&' => {
                shown.push_str("&amp;");
                continue;
            }
            '@' | '#' => {
                shown.push_str(&format!("&#{};", u32::from(c)));
                continue;
            }
            '*' | '_' | '[' | ']' | '|' | '\\' | '~' => shown.push('\\'),
            ':' => {
                // Prevents links.
                shown.push_str("&#58;");
                continue;
            }
            _ => {}
        }
        shown.push(c);
    }
    if in_code {
        shown.push('`');
    }
    shown
}

/// Writes code on one line.
fn code(text: &str) -> String {
    format!("`{}`", show_invisible(text).replace(['`', '\n'], " "))
}

/// Returns a fence that is longer than every fence in the strings.
fn fence(strings: &[&str]) -> String {
    let mut longest = 2;
    for string in strings {
        let runs = string.split(|c| c != '`');
        longest = runs.map(str::len).fold(longest, usize::max);
    }
    "`".repeat(longest + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vendor_markup_is_escaped() {
        assert_eq!(
            inert("default is \"<img> @all #1 [x](http://y) `a_b`\""),
            "default is \"&lt;img> &#64;all &#35;1 \\[x\\](http&#58;//y) `a_b`\""
        );
        assert_eq!(inert("an `open one"), "an `open one`");
        assert_eq!(fence(&["a ```` b", ""]), "`````");
    }
}
