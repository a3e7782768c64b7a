//! The report for a terminal.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use similar::ChangeTag;
use toolwright_generator::drift::{ChangeKind, Class};

use super::{
    Drift,
    words::{self, Group, Said, Texts, Whole},
};
use crate::output::{Table, plural};

pub(super) fn render(drift: &Drift) -> String {
    let mut out = String::new();
    // Writing to a text does not fail.
    let _ = write_all(drift, &mut out);
    out
}

fn write_all(drift: &Drift, out: &mut String) -> std::fmt::Result {
    let bold = Style::new().bold();
    let report = &drift.report;
    writeln!(out, "{bold}{} → {}{bold:#}", drift.old, drift.new)?;
    writeln!(out, "{}", words::tools(&report.totals))?;
    if report.is_empty() {
        return Ok(());
    }
    for class in Class::ALL {
        let number = words::number(report, class);
        if number > 0 {
            let style = style(class);
            writeln!(
                out,
                "{style}{:<8}{style:#}  {}",
                class.word(),
                plural(number, "change")
            )?;
        }
    }
    roles(drift, out)?;
    for class in Class::ALL {
        let groups = words::groups(report, class);
        if groups.is_empty() {
            continue;
        }
        let style = style(class).bold();
        let title = class.word().to_uppercase();
        writeln!(out, "\n{style}{title}{style:#}: {}", class.meaning())?;
        for of_kind in &groups {
            group(of_kind, out)?;
        }
    }
    Ok(())
}

fn roles(drift: &Drift, out: &mut String) -> std::fmt::Result {
    let moved =
        |standing: &&super::Standing| !standing.gains.is_empty() || !standing.loses.is_empty();
    let standings: Vec<_> = drift.roles.iter().filter(moved).collect();
    if standings.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(["ROLE", "BEFORE", "NOW", "GAINS", "LOSES"]);
    for standing in standings {
        table.row([
            standing.role.as_str().into(),
            standing.before.to_string().into(),
            standing.after.to_string().into(),
            standing.gains.len().to_string().into(),
            standing.loses.len().to_string().into(),
        ]);
    }
    writeln!(out, "\nWhat roles may call")?;
    push_table(&table, out);
    Ok(())
}

fn push_table(table: &Table, out: &mut String) {
    for line in table.text().lines() {
        out.push_str("  ");
        out.push_str(line);
        out.push('\n');
    }
}

const fn style(class: Class) -> Style {
    match class {
        Class::Widening => AnsiColor::Magenta.on_default(),
        Class::Breaking => AnsiColor::Red.on_default(),
        Class::Harmless => AnsiColor::Green.on_default(),
    }
}

fn group(group: &Group<'_>, out: &mut String) -> std::fmt::Result {
    let bold = Style::new().bold();
    let number = group.changes.len();
    let kind = group.kind;
    writeln!(
        out,
        "\n  {bold}{}{bold:#} ({number}): {}",
        kind.word(),
        kind.meaning()
    )?;
    if matches!(kind, ChangeKind::ToolAdded | ChangeKind::ToolRemoved) {
        let mut table = Table::new(["TOOL", "CATEGORY", "APPROVAL", "OPERATION"]);
        for change in &group.changes {
            let whole = Whole::of(change);
            for name in &change.tools {
                table.row([
                    name.as_str().into(),
                    whole.category.into(),
                    if whole.approval { "needed" } else { "no" }.into(),
                    whole.operation.into(),
                ]);
            }
        }
        let mut lines = String::new();
        push_table(&table, &mut lines);
        for line in lines.lines() {
            writeln!(out, "  {line}")?;
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
    let dimmed = Style::new().dimmed();
    let says = &said.says;
    let (named, rest) = words::named(&change.tools);
    let named: Vec<&str> = named.iter().map(|name| name.as_str()).collect();
    let others = if rest > 0 {
        format!(" and {rest} more")
    } else {
        String::new()
    };
    writeln!(out, "    {says}")?;
    writeln!(out, "      {dimmed}{}{others}{dimmed:#}", named.join(", "))?;
    match words::texts(change) {
        None => Ok(()),
        Some(Texts::Whole { before, after }) => {
            lines(out, '-', AnsiColor::Red.on_default(), &before)?;
            lines(out, '+', AnsiColor::Green.on_default(), &after)
        }
        Some(Texts::Words(parts)) => {
            let mut text = String::new();
            for (tag, part) in parts {
                match tag {
                    ChangeTag::Equal => text.push_str(&part),
                    ChangeTag::Delete => text.push_str(&format!("[-{part}-]")),
                    ChangeTag::Insert => text.push_str(&format!("{{+{part}+}}")),
                }
            }
            lines(out, '|', Style::new(), &text)
        }
    }
}

/// A text of several lines, in full, each line with a mark before it.
fn lines(out: &mut String, mark: char, style: Style, text: &str) -> std::fmt::Result {
    for line in text.lines() {
        let line = line.trim_end();
        writeln!(out, "      {style}{mark} {line}{style:#}")?;
    }
    Ok(())
}
