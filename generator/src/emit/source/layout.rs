//! The layout of prettyplease for lines that are longer than the width.
//!
//! A group in brackets stays on its line if it fits, up to the next possible break after it.
//! Otherwise each of its items has a line of its own. A chain of calls is broken before each dot.
//! Widths are counted in bytes.

/// The column at which a line should end.
const MARGIN: usize = 89;

/// The least space of a line, however deeply it is indented.
const LEAST_SPACE: usize = 60;

/// The spaces of one level.
const STEP: &str = "    ";

/// The width of one level.
pub(super) const INDENT: usize = STEP.len();

/// Appends the spaces before a column, which belongs to a level.
pub(super) fn indent(text: &mut String, column: usize) {
    for _ in 0..column / INDENT {
        text.push_str(STEP);
    }
}

/// Returns the space of a line after its indentation.
pub(super) const fn space(indent: usize) -> usize {
    let space = MARGIN.saturating_sub(indent);
    if space < LEAST_SPACE {
        LEAST_SPACE
    } else {
        space
    }
}

/// Appends a line that does not fit to its indentation and breaks it. `tail` is the length of the
/// code between the line and the next break.
pub(super) fn write_broken(text: &mut String, line: &str, indent: usize, tail: usize) {
    let space = space(indent);
    let mut writer = Writer { text, space };
    match line.split_once(" for ") {
        Some((head, tail)) if line.starts_with("impl ") => {
            writer.word(head);
            writer.new_line(indent);
            writer.word("for ");
            writer.word(tail);
        }
        _ => writer.write_operand(line, indent, tail),
    }
}

/// The output and the remaining space of its last line.
struct Writer<'t> {
    text: &'t mut String,
    space: usize,
}

impl Writer<'_> {
    fn word(&mut self, word: &str) {
        self.text.push_str(word);
        self.space = self.space.saturating_sub(word.len());
    }

    fn new_line(&mut self, indent: usize) {
        self.text.push('\n');
        self::indent(self.text, indent);
        self.space = space(indent);
    }

    /// Writes an expression, a type or a statement, and breaks its chain of calls if it is too
    /// long.
    fn write_operand(&mut self, operand: &str, indent: usize, tail: usize) {
        if operand.len() + tail <= self.space {
            return self.word(operand);
        }
        let mut rest = operand;
        let mut column = indent;
        while let Some((link, next)) = split_link(rest) {
            self.write_groups(link, column, 0);
            column = indent + INDENT;
            self.new_line(column);
            rest = next;
        }
        self.write_groups(rest, column, tail);
    }

    /// Writes code with groups in brackets, and breaks each group that does not fit.
    fn write_groups(&mut self, text: &str, indent: usize, tail: usize) {
        let mut rest = text;
        while let Some((before, group, after)) = split_group(rest) {
            self.word(before);
            if group.is_empty() || group.len() + after.len() + tail <= self.space {
                self.word(group);
            } else {
                self.write_items(group, indent);
            }
            rest = after;
        }
        self.word(rest);
    }

    /// Writes the items of a group, each on its line.
    fn write_items(&mut self, items: &str, indent: usize) {
        let column = indent + INDENT;
        let mut rest = Some(items);
        while let Some(items) = rest.map(str::trim_start).filter(|items| !items.is_empty()) {
            let comma = outermost(items).find(|(_, byte)| *byte == b',');
            let (item, next) = match comma.and_then(|(at, _)| items.split_at_checked(at)) {
                Some((item, next)) => (item, next.strip_prefix(',')),
                None => (items, None),
            };
            self.new_line(column);
            // The comma after the last item belongs to the break and has no width.
            self.write_operand(item, column, usize::from(next.is_some()));
            self.text.push(',');
            rest = next;
        }
        self.new_line(indent);
    }
}

/// Splits a chain of calls before its first dot that neither starts it nor follows a word as short
/// as an indentation, such as `self`.
fn split_link(chain: &str) -> Option<(&str, &str)> {
    let (dot, _) = outermost(chain).find(|(at, byte)| *byte == b'.' && *at > INDENT)?;
    chain.split_at_checked(dot)
}

/// Splits code after its first bracket and before the matching one.
fn split_group(text: &str) -> Option<(&str, &str, &str)> {
    let mut brackets = outermost(text).filter(|(_, byte)| !matches!(byte, b',' | b'.'));
    let ((open, _), (close, _)) = (brackets.next()?, brackets.next()?);
    let (before, after) = text.split_at_checked(close)?;
    let (before, group) = before.split_at_checked(open + 1)?;
    Some((before, group, after))
}

/// Returns the commas, the dots and the brackets that are within no other brackets and no literal.
fn outermost(text: &str) -> impl Iterator<Item = (usize, u8)> {
    let (mut depth, mut in_literal, mut escaped, mut before) = (0_usize, false, false, 0);
    text.bytes().enumerate().filter(move |&(_, byte)| {
        let previous = std::mem::replace(&mut before, byte);
        if in_literal {
            in_literal = byte != b'"' || escaped;
            escaped = byte == b'\\' && !escaped;
            return false;
        }
        match byte {
            b'"' => {
                in_literal = true;
                false
            }
            b'(' | b'[' | b'<' => {
                depth += 1;
                depth == 1
            }
            // Arrows close nothing.
            b'>' if matches!(previous, b'-' | b'=') => false,
            b')' | b']' | b'>' => {
                depth = depth.saturating_sub(1);
                depth == 0
            }
            b',' | b'.' => depth == 0,
            _ => false,
        }
    })
}
