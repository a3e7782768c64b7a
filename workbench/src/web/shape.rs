//! The shape of HTML: whether it can be read with little time and memory.
//!
//! The library that reads HTML follows its rules for pages with errors, and some of these multiply a small page: an
//! end tag that closes nothing leaves its element open, and each text after an unclosed `<b>` opens it again. The
//! scan counts what these rules would build, and rather more than less.

/// The most elements within each other. Pages of people have fewer.
const DEEPEST: usize = 512;

/// The most elements that are opened again, in all.
const MOST_REOPENED: usize = 500_000;

/// The most equal elements that are opened again by one text.
const MOST_EQUAL: usize = 3;

/// The most rows of tables, times the cells that span rows.
const MOST_SPANNED: usize = 250_000;

/// The elements of a table around a text.
const WITHIN_TABLE: usize = 4;

/// Elements that are there once, without content, or whose end another element implies.
const UNCOUNTED: [&str; 31] = [
    "area", "base", "body", "br", "caption", "col", "colgroup", "dd", "dt", "embed", "frameset",
    "head", "hr", "html", "img", "input", "li", "link", "meta", "option", "p", "param", "track",
    "source", "tbody", "td", "tfoot", "th", "thead", "tr", "wbr",
];

/// Elements that are opened again for a text after the end of what was around them.
const FORMATTING: [&str; 14] = [
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
];

/// Elements whose end tag also closes what is open within them.
const BLOCKS: [&str; 32] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "details",
    "dir",
    "div",
    "dl",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "listing",
    "main",
    "menu",
    "nav",
    "ol",
    "pre",
    "section",
    "summary",
    "ul",
    "search",
    "table",
];

/// Elements out of which no end tag of another element leads.
const WALLS: [&str; 11] = [
    "applet",
    "button",
    "form",
    "foreignobject",
    "marquee",
    "math",
    "object",
    "select",
    "svg",
    "table",
    "template",
];

/// Checks HTML. The error states what it has too much of.
pub(super) fn check(html: &str) -> Result<(), &'static str> {
    let mut shape = Shape::default();
    for piece in html.split('<').skip(1) {
        match piece.strip_prefix('/') {
            Some(end) => shape.end(&name_of(end)),
            None if piece.starts_with(|c: char| c.is_ascii_alphabetic()) => shape.start(piece),
            None => {}
        }
        shape.is_readable()?;
    }
    Ok(())
}

/// Returns the name at the start of a tag, in lower case.
fn name_of(tag: &str) -> String {
    let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/');
    let name = tag.split(is_end).next().unwrap_or_default();
    name.to_ascii_lowercase()
}

/// What is open at a place of a page.
#[derive(Default)]
struct Shape<'p> {
    open: Vec<String>,
    tables: usize,
    /// The tags of formatting elements without an end.
    unclosed: Vec<&'p str>,
    reopened: usize,
    rows: usize,
    spans: usize,
}

impl<'p> Shape<'p> {
    fn start(&mut self, piece: &'p str) {
        let name = name_of(piece);
        self.rows += usize::from(name == "tr");
        self.spans += usize::from(piece.to_ascii_lowercase().contains("rowspan"));
        let is_foreign = |open: &String| matches!(open.as_str(), "svg" | "math");
        if UNCOUNTED.contains(&name.as_str()) && !self.open.iter().any(is_foreign) {
            return;
        }
        if FORMATTING.contains(&name.as_str()) {
            self.note_unclosed(&name, piece);
        }
        self.tables += usize::from(name == "table");
        self.open.push(name);
    }

    /// Notes a formatting element. A link ends the one before it, and of equal elements few are opened again.
    fn note_unclosed(&mut self, name: &str, piece: &'p str) {
        let tag = piece.split('>').next().unwrap_or_default();
        let (tag, most) = match name {
            "a" => ("a", 1),
            _ => (tag, MOST_EQUAL),
        };
        if self.unclosed.iter().filter(|open| **open == tag).count() < most {
            self.unclosed.push(tag);
        }
    }

    fn end(&mut self, name: &str) {
        if FORMATTING.contains(&name) && self.open.last().is_some_and(|open| open == name) {
            let last = self.unclosed.iter().rposition(|tag| name_of(tag) == name);
            last.map(|at| self.unclosed.remove(at));
        }
        let is_block = BLOCKS.contains(&name);
        let may_close = |open: &&String| {
            let is_inner = match is_block {
                true => !WALLS.contains(&open.as_str()),
                false => !is_special(open),
            };
            open.as_str() != name && is_inner
        };
        let above = self.open.iter().rev().take_while(may_close).count();
        let at = self.open.len().checked_sub(above + 1);
        let Some(at) = at.filter(|at| self.open.get(*at).is_some_and(|open| open == name)) else {
            return;
        };
        self.tables -= usize::from(name == "table");
        self.open.truncate(at);
    }

    fn is_readable(&mut self) -> Result<(), &'static str> {
        self.reopened += self.unclosed.len();
        let tables = self.tables.saturating_mul(WITHIN_TABLE);
        if self.open.len() + self.unclosed.len() + tables > DEEPEST {
            return Err("has too many elements within each other");
        }
        if self.reopened > MOST_REOPENED {
            return Err("has too many elements without an end");
        }
        if self.rows.saturating_mul(self.spans) > MOST_SPANNED {
            return Err("has too many cells that span rows");
        }
        Ok(())
    }
}

/// Checks whether an element stays open at the end tag of an inline element around it.
fn is_special(name: &str) -> bool {
    BLOCKS.contains(&name)
        || WALLS.contains(&name)
        || UNCOUNTED.contains(&name)
        || matches!(
            name,
            "dialog" | "iframe" | "noscript" | "textarea" | "title" | "style" | "script" | "xmp"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_multiply_are_refused() {
        let formatting: String = (0..200).map(|n| format!("<b id={n}>")).collect();
        for (page, problem) in [
            ("<div>".repeat(600), "within each other"),
            ("<div></span>".repeat(600), "within each other"),
            ("<ul><li></p>".repeat(600), "within each other"),
            ("<x-y><div></x-y>".repeat(600), "within each other"),
            ("<body><div></body>".repeat(600), "within each other"),
            ("<table><td></div>".repeat(200), "within each other"),
            (
                format!("<svg>{}", "<option>".repeat(600)),
                "within each other",
            ),
            (
                format!("<div>{formatting}</div>{}", "<div>x</div>".repeat(20_000)),
                "without an end",
            ),
            ("<tr><td rowspan=1000>x".repeat(1_000), "span rows"),
        ] {
            let refused = check(&page).unwrap_err();
            let start = page.get(..20).unwrap_or_default();
            assert!(refused.contains(problem), "{start}: {refused}");
        }
    }

    #[test]
    fn pages_of_people_are_read_with_their_errors() {
        for page in [
            "<p>a<p>b<li>c<br>".repeat(10_000),
            "<div><a name=x>a</div>".repeat(10_000),
            "<table><tr><td><font size=2>a<td>b</table>".repeat(5_000),
            "<div><span>a</div>".repeat(5_000),
            "<b>a</b> <i>b</i> <a href=x>c</a>".repeat(10_000),
            "if a < b && b <= c".repeat(100),
        ] {
            let start = page.get(..20).unwrap_or_default();
            assert_eq!(check(&page), Ok(()), "{start}");
        }
    }
}
