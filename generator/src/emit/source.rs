//! The text of a Rust file.
//!
//! It is written in one fixed layout, since parsing and formatting what is already known took most
//! of the time of a run: one field, variant and statement a line, four spaces a level.

use std::fmt::{Display, Write};

use crate::{check::CheckedService, output::MARK};

/// The longest line that a list is put on as a whole.
const WIDTH: usize = 100;

/// The first line of every file of a service.
pub(super) fn mark(service: &CheckedService) -> String {
    marked(service, "toolwright generate")
}

/// The first line of a file that this command writes.
pub(super) fn marked(service: &CheckedService, command: &str) -> String {
    let document = &service.service().document;
    format!("{MARK} from `{document}`; `{command}` refreshes it")
}

/// A Rust file while it is written.
pub(super) struct Source {
    text: String,
    depth: usize,
}

impl Source {
    /// A file with its mark and the documentation of its module.
    pub(super) fn new(mark: &str, docs: &str) -> Self {
        let mut source = Self {
            text: format!("// {mark}.\n"),
            depth: 0,
        };
        for line in docs.lines() {
            source.comment("//!", line);
        }
        source.blank();
        source
    }

    /// The file.
    pub(super) fn finish(self) -> String {
        self.text
    }

    /// An empty line, before an item.
    pub(super) fn blank(&mut self) {
        self.text.push('\n');
    }

    /// One line.
    pub(super) fn line(&mut self, line: impl Display) {
        self.indent();
        // Writing to a text cannot fail.
        let _ = writeln!(self.text, "{line}");
    }

    /// A line that ends with an opening bracket, what is within, and the line that closes it.
    pub(super) fn block(
        &mut self,
        open: impl Display,
        within: impl FnOnce(&mut Self),
        close: &str,
    ) {
        self.line(open);
        self.within(within);
        self.line(close);
    }

    /// What is one level further in.
    pub(super) fn within(&mut self, within: impl FnOnce(&mut Self)) {
        self.depth += 1;
        within(self);
        self.depth -= 1;
    }

    /// Items between brackets: on one line where they fit, else one a line.
    pub(super) fn list<T: Display>(&mut self, open: &str, items: &[T], close: &str) {
        let start = self.text.len();
        self.indent();
        self.text.push_str(open);
        for (at, item) in items.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            // Writing to a text cannot fail.
            let _ = write!(self.text, "{comma}{item}");
        }
        self.text.push_str(close);
        if self.text.len() - start <= WIDTH {
            self.blank();
            return;
        }
        self.text.truncate(start);
        self.block(
            open,
            |source| {
                for item in items {
                    source.line(format_args!("{item},"));
                }
            },
            close,
        );
    }

    /// The documentation of an item: a text that is safe as such.
    pub(super) fn docs(&mut self, text: &str) {
        for line in text.trim().lines() {
            self.comment("///", line);
        }
    }

    fn comment(&mut self, slashes: &str, line: &str) {
        self.indent();
        self.text.push_str(slashes);
        if !line.is_empty() {
            self.text.push(' ');
        }
        // What rustc refuses in comments: a carriage return alone, and what turns the direction of
        // the text around.
        self.text.extend(line.chars().map(|c| match c {
            '\r' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => ' ',
            c => c,
        }));
        self.text.push('\n');
    }

    fn indent(&mut self) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
    }
}
