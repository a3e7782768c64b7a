//! Tables, aligned, and cut to the terminal's width in their last column.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use anstyle::Style;
use toolwright_model::text::show_invisible;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The space between two columns.
const GAP: usize = 2;

/// The narrowest last column that is worth showing.
const NARROWEST: usize = 12;

/// A table with a header.
#[derive(Debug)]
pub(crate) struct Table {
    header: Vec<Cow<'static, str>>,
    rows: Vec<Vec<Cell>>,
}

/// A cell: one line, and its style.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

/// Returns a string on one line, with its invisible characters shown.
pub(crate) fn printable(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    show_invisible(&words.join(" ")).into_owned()
}

impl Cell {
    /// A cell with a style.
    pub(crate) fn styled(text: impl AsRef<str>, style: Style) -> Self {
        Self {
            text: printable(text.as_ref()),
            style,
        }
    }

    fn width(&self) -> usize {
        self.text.width()
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::styled(text, Style::new())
    }
}

impl Table {
    /// A table with these columns.
    pub(crate) fn new(header: impl IntoIterator<Item = &'static str>) -> Self {
        Self {
            header: header.into_iter().map(Cow::Borrowed).collect(),
            rows: Vec::new(),
        }
    }

    /// A table with columns that are known when the program runs.
    pub(crate) fn titled(header: Vec<String>) -> Self {
        Self {
            header: header.into_iter().map(Cow::Owned).collect(),
            rows: Vec::new(),
        }
    }

    /// Returns the whole table without cuts.
    pub(crate) fn text(&self) -> String {
        let mut bytes = Vec::new();
        // Writing to memory does not fail.
        let _ = self.write(&mut bytes, None);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Writes the table; without a width nothing is cut.
    pub(crate) fn write(&self, out: &mut impl Write, width: Option<usize>) -> io::Result<()> {
        let widths = self.widths(width);
        let bold = Style::new().bold();
        let header: Vec<_> = self
            .header
            .iter()
            .map(|title| Cell::styled(title, bold))
            .collect();
        for row in std::iter::once(&header).chain(&self.rows) {
            write_row(out, row, &widths)?;
        }
        Ok(())
    }

    /// The width of each column. The last one takes what the others leave of `total`.
    fn widths(&self, total: Option<usize>) -> Vec<usize> {
        let mut widths: Vec<usize> = self.header.iter().map(|title| title.width()).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.width().max(*width);
            }
        }
        if let (Some(total), Some((last, others))) = (total, widths.split_last_mut()) {
            let taken: usize = others.iter().map(|width| width + GAP).sum();
            *last = total.saturating_sub(taken).max(NARROWEST).min(*last);
        }
        widths
    }
}

fn write_row(out: &mut impl Write, row: &[Cell], widths: &[usize]) -> io::Result<()> {
    let last = row.iter().rposition(|cell| !cell.text.is_empty());
    for (column, (cell, &width)) in row.iter().zip(widths).enumerate() {
        let text = cut(&cell.text, width);
        let style = cell.style;
        write!(out, "{style}{text}{style:#}")?;
        if last.is_none_or(|last| column >= last) {
            break;
        }
        write!(out, "{:1$}", "", width - text.width() + GAP)?;
    }
    writeln!(out)
}

/// Cuts a string to the width, with an ellipsis at the end.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut left = width.saturating_sub(1);
    let fits = |c: &char| {
        let wide = c.width().unwrap_or(0);
        let fits = wide <= left;
        left = left.saturating_sub(wide);
        fits
    };
    let mut short: String = text.chars().take_while(fits).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(width: Option<usize>) -> String {
        let mut table = Table::new(["TOOL", "SUMMARY"]);
        table.row(["list-a".into(), "all of\nthe \u{1b}[31mthings".into()]);
        table.row(["get-depot-item".into(), "日本語の説明".into()]);
        table.row(["x".into(), "".into()]);
        let mut out = Vec::new();
        table.write(&mut out, width).unwrap();
        anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
    }

    #[test]
    fn columns_are_aligned_and_nothing_is_cut_without_a_width() {
        assert_eq!(
            written(None),
            "TOOL            SUMMARY\n\
             list-a          all of the \\u{1b}[31mthings\n\
             get-depot-item  日本語の説明\n\
             x\n"
        );
    }

    #[test]
    fn the_last_column_is_cut_to_the_terminal() {
        let text = written(Some(29));
        assert!(text.contains("list-a          all of the \\…\n"), "{text}");
        assert!(text.contains("get-depot-item  日本語の説明\n"), "{text}");
        for line in text.lines() {
            assert!(line.width() <= 29, "{line}");
        }
    }

    #[test]
    fn a_wide_character_is_not_cut_in_half() {
        assert_eq!(cut("日本語の説明", 8), "日本語…");
    }
}
