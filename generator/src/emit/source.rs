//! Writing of a Rust file in the layout of prettyplease.
//!
//! Parsing and formatting large files would take most of the time of a run. The layout is applied
//! while a file is written: a line that fits stays, and `layout` breaks a longer one. A test
//! compares every emitted file with the output of prettyplease.

mod layout;

use std::{
    borrow::Cow,
    fmt::{self, Display, Write},
};

use layout::INDENT;
use toolwright_model::text::show_invisible;

use crate::{check::CheckedService, emit::output::MARK};

/// The greatest width of a struct literal on one line, without its closing brace.
const LITERAL_WIDTH: usize = 34;

/// Returns the mark of the files of a service.
pub(super) fn mark(service: &CheckedService) -> String {
    mark_line(service, "toolwright generate")
}

/// Returns the mark of a file that this command writes.
pub(super) fn mark_line(service: &CheckedService, command: &str) -> String {
    let document = show_invisible(&service.service().document).replace('\n', "\\n");
    format!("{MARK} from `{document}`; `{command}` refreshes it")
}

/// Returns the first line of a module's documentation: the mark, which rustdoc does not show.
pub(super) fn hidden_mark(mark: &str) -> String {
    format!("<!-- {} -->", mark.replace("-->", "-- >"))
}

/// Returns what follows the slashes of a comment: the line without invisible characters, some of
/// which rustc rejects.
pub(super) fn comment(line: &str) -> String {
    let mut text = String::new();
    push_comment(&mut text, line);
    text
}

fn push_comment(text: &mut String, line: &str) {
    let line = show_invisible(line.trim_end_matches(' '));
    if !line.is_empty() {
        text.push(' ');
        text.push_str(&line);
    }
}

/// A string as a Rust literal without invisible characters.
pub(super) struct Literal<'a>(pub(super) &'a str);

impl Display for Literal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match show_invisible(self.0) {
            Cow::Borrowed(plain) => write!(f, "{plain:?}"),
            // After the escapes of `Debug`, each escape of an invisible character is one of Rust's.
            Cow::Owned(_) => f.write_str(&show_invisible(&format!("{:?}", self.0))),
        }
    }
}

/// Values with a separator between each two.
pub(super) fn joined<T: Display>(
    values: impl Iterator<Item = T> + Clone,
    separator: &str,
) -> impl Display {
    fmt::from_fn(move |f| {
        for (at, value) in values.clone().enumerate() {
            let separator = if at == 0 { "" } else { separator };
            write!(f, "{separator}{value}")?;
        }
        Ok(())
    })
}

/// A Rust file while it is written.
pub(super) struct RustSource {
    text: String,
    depth: usize,
}

impl RustSource {
    /// Starts a file with its mark and the documentation of its module.
    pub(super) fn new(mark: &str, docs: &str) -> Self {
        let mut source = Self {
            text: String::new(),
            depth: 0,
        };
        source.comment("//!", &hidden_mark(mark));
        for line in docs.lines() {
            source.comment("//!", line);
        }
        source
    }

    /// Returns the content of the file.
    pub(super) fn finish(self) -> String {
        self.text
    }

    /// Writes one line, broken if it does not fit.
    pub(super) fn line(&mut self, line: impl Display) {
        self.put(line, 0, "");
    }

    /// Writes a line that ends with an opening bracket, what is within, and the closing line.
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

    /// Writes lines one level deeper.
    pub(super) fn within(&mut self, within: impl FnOnce(&mut Self)) {
        self.depth += 1;
        within(self);
        self.depth -= 1;
    }

    /// Writes an arm of a `match`, with a block if it does not fit.
    pub(super) fn arm(&mut self, pattern: impl Display, body: impl Display) {
        let start = self.text.len();
        let from = self.indent();
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{pattern} => {body}");
        if self.text.len() - from <= layout::space(self.column()) {
            self.text.push_str(",\n");
            return;
        }
        self.text.truncate(start);
        self.put(pattern, " => ".len(), " => {");
        self.within(|source| source.line(body));
        self.line("}");
    }

    /// Writes `Self { … }` between `open` and `close`, on one line if it is short.
    pub(super) fn self_literal<T: Display>(
        &mut self,
        open: &str,
        fields: impl Iterator<Item = T> + Clone,
        close: &str,
    ) {
        if fields.clone().next().is_none() {
            return self.line(format_args!("{open}Self {{}}{close}"));
        }
        let mut width = Width("Self {".len());
        let mut measured = fields.clone();
        let is_short = measured.all(|field| {
            // Counting cannot fail. Before each field and after the last there is a space.
            let _ = write!(width, "{field}, ");
            width.0 <= LITERAL_WIDTH
        });
        if is_short {
            let fields = joined(fields, ", ");
            return self.line(format_args!("{open}Self {{ {fields} }}{close}"));
        }
        self.line(format_args!("{open}Self {{"));
        self.within(|source| {
            let mut fields = fields.peekable();
            while let Some(field) = fields.next() {
                // The comma after the last field belongs to the break and has no width.
                source.put(field, usize::from(fields.peek().is_some()), ",");
            }
        });
        self.line(format_args!("}}{close}"));
    }

    /// Writes the call of a macro with names as arguments, which fill lines.
    pub(super) fn macro_call<T: Display>(&mut self, path: &str, names: &[T]) {
        let start = self.text.len();
        let from = self.indent();
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{path}!({});", joined(names.iter(), ", "));
        if self.text.len() - from <= layout::space(self.column()) {
            self.text.push('\n');
            return;
        }
        self.text.truncate(start);
        self.line(format_args!("{path}!("));
        self.within(|source| source.fill(names));
        self.line(");");
    }

    /// Writes names on as few lines as possible.
    fn fill<T: Display>(&mut self, names: &[T]) {
        let mut from = self.indent();
        for (at, name) in names.iter().enumerate() {
            let comma = if at + 1 < names.len() { "," } else { "" };
            let end = self.text.len();
            let blank = if at == 0 { "" } else { " " };
            // Writing to a string cannot fail.
            let _ = write!(self.text, "{blank}{name}{comma}");
            if at > 0 && self.text.len() - from > layout::space(self.column()) {
                self.text.truncate(end);
                self.text.push('\n');
                from = self.indent();
                let _ = write!(self.text, "{name}{comma}");
            }
        }
        self.text.push('\n');
    }

    /// Writes the documentation of an item, which must be safe Markdown.
    pub(super) fn docs(&mut self, text: &str) {
        for line in text.trim().lines() {
            self.comment("///", line);
        }
    }

    /// Writes a line, broken if it does not fit with `tail` more bytes, and what ends it.
    fn put(&mut self, line: impl Display, tail: usize, end: &str) {
        let from = self.indent();
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{line}");
        let column = self.column();
        if self.text.len() - from + tail > layout::space(column) {
            let line = self.text.split_off(from);
            layout::write_broken(&mut self.text, &line, column, tail);
        }
        self.text.push_str(end);
        self.text.push('\n');
    }

    fn comment(&mut self, slashes: &str, line: &str) {
        self.indent();
        self.text.push_str(slashes);
        push_comment(&mut self.text, line);
        self.text.push('\n');
    }

    /// Indents a line and returns the offset of its content.
    fn indent(&mut self) -> usize {
        let column = self.column();
        layout::indent(&mut self.text, column);
        self.text.len()
    }

    const fn column(&self) -> usize {
        self.depth * INDENT
    }
}

/// The number of bytes that were written.
struct Width(usize);

impl Write for Width {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}
