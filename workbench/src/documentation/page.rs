//! A page and its sections.

/// The most lines of a section. A longer one is several.
const LONGEST_SECTION: usize = 80;

/// The lines of an excerpt.
const EXCERPT: usize = 8;

/// The longest line of an excerpt, in bytes.
const LONGEST_LINE: usize = 400;

/// A page of documentation.
#[derive(Debug)]
pub(super) struct Page {
    /// The path below the root of the repository.
    pub(super) path: String,
    pub(super) sections: Vec<Section>,
}

/// A part of a page, below a heading.
#[derive(Debug)]
pub(super) struct Section {
    /// The headings that lead to it, the title of the page first.
    pub(super) headings: Vec<String>,
    /// The number of its first line, from 1.
    pub(super) first_line: usize,
    lines: Vec<String>,
}

impl Page {
    /// Splits a page at its headings. A heading within a block of code is none.
    pub(super) fn new(path: String, text: &str) -> Self {
        let mut sections = vec![Section::new(Vec::new(), 1)];
        let mut headings: Vec<(usize, String)> = Vec::new();
        let mut fence = None;
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            fence = next_fence(fence, line);
            let below = lines.get(at + 1).copied().unwrap_or_default();
            let heading = fence.is_none().then(|| heading(line, below)).flatten();
            let is_long = |section: &Section| section.lines.len() >= LONGEST_SECTION;
            if let Some((level, title)) = heading {
                headings.retain(|(above, _)| *above < level);
                headings.push((level, title));
                let titles = headings.iter().map(|(_, title)| title.clone());
                sections.push(Section::new(titles.collect(), at + 1));
            } else if sections.last().is_some_and(is_long) && line.trim().is_empty() {
                let titles = headings.iter().map(|(_, title)| title.clone());
                sections.push(Section::new(titles.collect(), at + 1));
            }
            if let Some(section) = sections.last_mut() {
                section.lines.push((*line).to_owned());
            }
        }
        sections.retain(|section| section.lines.iter().any(|line| !line.trim().is_empty()));
        Self { path, sections }
    }

    /// Returns the text of a section for the index. Headings and the name of the file weigh more.
    pub(super) fn indexed(&self, section: &Section) -> String {
        let headings = section.headings.join("\n");
        let lines = section.lines.join("\n");
        format!("{}\n{headings}\n{headings}\n{lines}", self.path)
    }
}

impl Section {
    const fn new(headings: Vec<String>, first_line: usize) -> Self {
        Self {
            headings,
            first_line,
            lines: Vec::new(),
        }
    }

    pub(super) const fn last_line(&self) -> usize {
        self.first_line + self.lines.len().saturating_sub(1)
    }

    /// Returns the lines of which the score is highest, and the number of the first one.
    pub(super) fn excerpt(&self, score: impl Fn(&str) -> usize) -> (usize, String) {
        let scores: Vec<usize> = self.lines.iter().map(|line| score(line)).collect();
        let windows = scores.windows(EXCERPT.min(scores.len()).max(1));
        let sums = windows.map(|window| window.iter().sum::<usize>());
        // Of several, the first one.
        let best = sums
            .enumerate()
            .max_by_key(|(at, sum)| (*sum, usize::MAX - at));
        let start = best.map_or(0, |(at, _)| at);
        let lines = self.lines.iter().skip(start).take(EXCERPT);
        let lines: Vec<&str> = lines.map(|line| shown(line)).collect();
        (
            self.first_line + start,
            lines.join("\n").trim_end().to_owned(),
        )
    }
}

fn shown(line: &str) -> &str {
    let end = line.floor_char_boundary(LONGEST_LINE);
    line.get(..end).unwrap_or_default()
}

/// Returns the mark that ends the block of code which a line is in, or begins.
fn next_fence(fence: Option<&'static str>, line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    let mark = ["```", "~~~"]
        .into_iter()
        .find(|mark| line.starts_with(mark));
    match (fence, mark) {
        (None, mark) => mark,
        (Some(open), Some(mark)) if open == mark => None,
        (open, _) => open,
    }
}

/// Returns the level and the title of a heading: `## Title`, `== Title`, or a line that the next one underlines.
fn heading(line: &str, below: &str) -> Option<(usize, String)> {
    for mark in ['#', '='] {
        let title = line.trim_start_matches(mark);
        let level = line.len() - title.len();
        if (1..=6).contains(&level) && title.starts_with(' ') {
            let title = title.trim().trim_end_matches(mark).trim_end();
            return (!title.is_empty()).then(|| (level, title.to_owned()));
        }
    }
    let below = below.trim_end();
    let is_title = !line.trim().is_empty() && below.len() >= 3 && below.len() >= line.trim().len();
    let level = ["=", "-", "~", "^"]
        .iter()
        .position(|mark| below.trim_start_matches(mark).is_empty());
    let level = level.filter(|_| is_title)?;
    Some((level + 1, line.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_split_at_its_headings() {
        let text = "intro\n# Title\na\n```\n# code\n```\n## Part\nb\n\nOther\n-----\nc\n";
        let page = Page::new("docs/a.md".to_owned(), text);
        let found = page.sections.iter().map(|section| {
            let headings = section.headings.join(" > ");
            format!("{}-{} {headings}", section.first_line, section.last_line())
        });
        assert_eq!(
            found.collect::<Vec<_>>(),
            [
                "1-1 ",
                "2-6 Title",
                "7-9 Title > Part",
                "10-12 Title > Other"
            ]
        );
    }

    #[test]
    fn an_excerpt_begins_where_the_best_lines_are() {
        let text = (1..=30).map(|line| format!("line {line}\n"));
        let page = Page::new("a.md".to_owned(), &text.collect::<String>());
        let section = page.sections.first().unwrap();
        let (line, excerpt) = section.excerpt(|line| usize::from(line == "line 20"));
        assert_eq!(line, 13);
        assert!(excerpt.ends_with("line 20"), "{excerpt}");
        assert_eq!(section.excerpt(|_| 0).0, 1);
    }
}
