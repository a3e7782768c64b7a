//! The report for a pull request. What is harmless is folded, what vendors write is inert.

use std::fmt::Write;

use toolwright_generator::drift::{ChangeKind, Class};

use super::{
    Drift,
    words::{self, Group, Said, Whole},
};
use crate::output::plural;

pub(super) fn render(drift: &Drift) -> String {
    let mut out = String::new();
    // Writing to a text does not fail.
    let _ = write_all(drift, &mut out);
    out
}

fn write_all(drift: &Drift, out: &mut String) -> std::fmt::Result {
    let report = &drift.report;
    writeln!(
        out,
        "## Tools: {} → {}\n",
        code(&drift.old),
        code(&drift.new)
    )?;
    writeln!(
        out,
        "{}.\n",
        words::capitalised(&words::tools(&report.totals))
    )?;
    if report.is_empty() {
        return Ok(());
    }
    writeln!(out, "| class | changes | what it means |\n|---|--:|---|")?;
    for class in Class::ALL {
        let number = words::number(report, class);
        let (word, meaning) = (class.word(), class.meaning());
        let word = if number > 0 && class != Class::Harmless {
            format!("**{word}**")
        } else {
            word.to_owned()
        };
        writeln!(out, "| {word} | {number} | {meaning} |")?;
    }
    roles(drift, out)?;
    for class in Class::ALL {
        let groups = words::groups(report, class);
        if groups.is_empty() {
            continue;
        }
        let title = words::capitalised(class.word());
        let folded = class == Class::Harmless;
        if folded {
            let number = plural(words::number(report, class), "change");
            writeln!(out, "\n<details><summary>{title}: {number}</summary>")?;
        } else {
            writeln!(out, "\n### {title}")?;
        }
        for of_kind in &groups {
            group(of_kind, out)?;
        }
        if folded {
            writeln!(out, "\n</details>")?;
        }
    }
    tools(drift, out)
}

fn roles(drift: &Drift, out: &mut String) -> std::fmt::Result {
    let mut moved = drift
        .roles
        .iter()
        .filter(|standing| !standing.gains.is_empty() || !standing.loses.is_empty())
        .peekable();
    if moved.peek().is_none() {
        return Ok(());
    }
    writeln!(
        out,
        "\n| role | tools before | now | gains | loses |\n|---|--:|--:|--:|--:|"
    )?;
    for standing in moved {
        writeln!(
            out,
            "| `{}` | {} | {} | {} | {} |",
            standing.role,
            standing.before,
            standing.after,
            standing.gains.len(),
            standing.loses.len()
        )?;
    }
    Ok(())
}

fn group(group: &Group<'_>, out: &mut String) -> std::fmt::Result {
    let kind = group.kind;
    writeln!(
        out,
        "\n#### `{}`\n\n{}.\n",
        kind.word(),
        words::capitalised(kind.meaning())
    )?;
    if matches!(kind, ChangeKind::ToolAdded | ChangeKind::ToolRemoved) {
        writeln!(
            out,
            "| tool | category | approval | operation |\n|---|---|---|---|"
        )?;
        for change in &group.changes {
            let whole = Whole::of(change);
            let approval = if whole.approval { "**needed**" } else { "no" };
            for name in &change.tools {
                let operation = code(whole.operation).replace('|', "\\|");
                writeln!(
                    out,
                    "| `{name}` | {} | {approval} | {operation} |",
                    whole.category
                )?;
            }
        }
        return Ok(());
    }
    for said in group.said() {
        one(&said, out)?;
    }
    Ok(())
}

fn one(said: &Said<'_>, out: &mut String) -> std::fmt::Result {
    let change = said.change;
    let (named, rest) = words::named(&change.tools);
    let named: Vec<String> = named.iter().map(|name| format!("`{name}`")).collect();
    let others = if rest > 0 {
        format!(" and {rest} more")
    } else {
        String::new()
    };
    writeln!(
        out,
        "- {} — {}{others}",
        inert(&said.says),
        named.join(", ")
    )?;
    if words::texts(change).is_some() {
        let (before, after) = (words::text(&change.before), words::text(&change.after));
        let fence = fence(&[&before, &after]);
        writeln!(out, "\n  {fence}diff")?;
        for part in
            similar::TextDiff::from_lines(before.as_str(), after.as_str()).iter_all_changes()
        {
            let mark = part.tag().to_string();
            writeln!(out, "  {mark}{}", part.value().trim_end())?;
        }
        writeln!(out, "  {fence}\n")?;
    }
    Ok(())
}

/// What became of each tool.
fn tools(drift: &Drift, out: &mut String) -> std::fmt::Result {
    let report = &drift.report;
    let number = plural(report.tools.len(), "tool");
    writeln!(
        out,
        "\n<details><summary>Tool by tool: {number}</summary>\n"
    )?;
    writeln!(out, "| tool | class | changes |\n|---|---|---|")?;
    for tool in &report.tools {
        let kinds = words::kinds(report, tool);
        writeln!(
            out,
            "| `{}` | {} | {} |",
            tool.name,
            tool.class.word(),
            kinds
        )?;
    }
    writeln!(out, "\n</details>")
}

/// A sentence that is shown and not obeyed: no mark-up, no mention, no link but in code.
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
                // No address becomes a link.
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

/// A text as code on one line.
fn code(text: &str) -> String {
    format!("`{}`", words::visible(text).replace(['`', '\n'], " "))
}

/// A fence that none of the texts closes.
fn fence(texts: &[&str]) -> String {
    let mut longest = 2;
    for text in texts {
        let runs = text.split(|c| c != '`');
        longest = runs.map(str::len).fold(longest, usize::max);
    }
    "`".repeat(longest + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_vendor_writes_is_inert() {
        assert_eq!(
            inert("default is \"<img> @all #1 [x](http://y) `a_b`\""),
            "default is \"&lt;img> &#64;all &#35;1 \\[x\\](http&#58;//y) `a_b`\""
        );
        assert_eq!(inert("an `open one"), "an `open one`");
        assert_eq!(fence(&["a ```` b", ""]), "`````");
    }
}
