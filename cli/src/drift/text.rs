//! The report for a terminal.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use similar::ChangeTag;
use toolwright_drift::Class;
use toolwright_model::text::show_invisible;

use super::{
    Drift, Standing,
    view::{self, Block, Descriptions, HIDDEN, Sentence, Tool},
};
use crate::{
    output::{Cell, Table, plural},
    picture::DESTRUCTIVE,
};

pub(super) fn render(drift: &Drift) -> String {
    let mut out = String::new();
    for block in view::blocks(drift) {
        // Writing to a string does not fail.
        let _ = style_block(&block, &mut out);
    }
    out
}

fn style_block(block: &Block<'_>, out: &mut String) -> std::fmt::Result {
    let bold = Style::new().bold();
    match block {
        Block::Title { old, new, tools } => {
            let (old, new) = (show_invisible(old), show_invisible(new));
            writeln!(out, "{bold}{old} → {new}{bold:#}\n{tools}")
        }
        Block::Classes(classes) => {
            for (class, number) in classes.iter().filter(|(_, number)| *number > 0) {
                let (style, word) = (style(*class), class.word());
                let number = plural(*number, "change");
                writeln!(out, "{style}{word:<8}{style:#}  {number}")?;
            }
            Ok(())
        }
        Block::Needless(corrections) => {
            writeln!(out, "\n{}", view::NEEDLESS)?;
            let mut corrections = corrections.iter();
            corrections.try_for_each(|one| writeln!(out, "  {}", show_invisible(one)))
        }
        Block::Roles(roles) => style_roles(roles, out),
        Block::Class(class, _) => {
            let style = style(*class).bold();
            let title = class.word().to_uppercase();
            writeln!(out, "\n{style}{title}{style:#}: {}", class.meaning())
        }
        Block::Kind(kind, number) => {
            let (word, meaning) = (kind.word(), kind.meaning());
            writeln!(out, "\n  {bold}{word}{bold:#} ({number}): {meaning}")
        }
        Block::Tools(tools) => style_tools(tools, out),
        Block::Sentences(sentences) => sentences
            .iter()
            .try_for_each(|one| style_sentence(one, out)),
        Block::EndOfClass(_) | Block::Index(_) => Ok(()),
    }
}

fn style_roles(roles: &[Standing], out: &mut String) -> std::fmt::Result {
    let roles = view::changed_roles(roles);
    if roles.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(["ROLE", "BEFORE", "NOW", "GAINS", "LOSES"]);
    for standing in roles {
        table.row([
            standing.role.as_str().into(),
            standing.before.to_string().into(),
            standing.after.to_string().into(),
            standing.gains.len().to_string().into(),
            standing.loses.len().to_string().into(),
        ]);
    }
    writeln!(out, "\nWhat roles may call")?;
    write_table(&table, "  ", out)
}

fn style_tools(tools: &[Tool<'_>], out: &mut String) -> std::fmt::Result {
    let mut table = Table::new(["TOOL", "CATEGORY", "DESTRUCTIVE", "APPROVAL", "OPERATION"]);
    for tool in tools {
        table.row([
            tool.name.as_str().into(),
            tool.category.into(),
            if tool.destructive {
                let red = AnsiColor::Red.on_default().bold();
                Cell::styled(format!("{DESTRUCTIVE} yes"), red)
            } else {
                "no".into()
            },
            if tool.approval { "needed" } else { "no" }.into(),
            tool.operation.into(),
        ]);
    }
    write_table(&table, "    ", out)
}

fn write_table(table: &Table, indent: &str, out: &mut String) -> std::fmt::Result {
    let text = table.text();
    let mut lines = text.lines();
    lines.try_for_each(|line| writeln!(out, "{indent}{line}"))
}

fn style_sentence(sentence: &Sentence<'_>, out: &mut String) -> std::fmt::Result {
    let dimmed = Style::new().dimmed();
    let tools = view::reach(sentence.tools, ToString::to_string);
    writeln!(out, "    {}", sentence.words)?;
    writeln!(out, "      {dimmed}{tools}{dimmed:#}")?;
    if sentence.has_hidden() {
        let red = AnsiColor::Red.on_default().bold();
        writeln!(out, "      {red}{HIDDEN}{red:#}")?;
    }
    let descriptions = sentence.descriptions.as_ref();
    descriptions.map_or(Ok(()), |descriptions| style_descriptions(descriptions, out))
}

fn style_descriptions(descriptions: &Descriptions, out: &mut String) -> std::fmt::Result {
    let Some(words) = descriptions.words() else {
        let (red, green) = (AnsiColor::Red.on_default(), AnsiColor::Green.on_default());
        write_lines(out, '-', red, &descriptions.before)?;
        return write_lines(out, '+', green, &descriptions.after);
    };
    let marked = words.into_iter().map(|(tag, part)| match tag {
        ChangeTag::Equal => part,
        ChangeTag::Delete => format!("[-{part}-]"),
        ChangeTag::Insert => format!("{{+{part}+}}"),
    });
    write_lines(out, '|', Style::new(), &marked.collect::<String>())
}

/// Writes each line after a mark.
fn write_lines(out: &mut String, mark: char, style: Style, text: &str) -> std::fmt::Result {
    let mut lines = text.lines().map(str::trim_end);
    lines.try_for_each(|line| writeln!(out, "      {style}{mark} {line}{style:#}"))
}

const fn style(class: Class) -> Style {
    match class {
        Class::Widening => AnsiColor::Magenta.on_default(),
        Class::Breaking => AnsiColor::Red.on_default(),
        Class::Texts => AnsiColor::Yellow.on_default(),
        Class::Harmless => AnsiColor::Green.on_default(),
    }
}
