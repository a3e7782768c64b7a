//! Measures the language of the comments and of the documentation.
//!
//! The marks are phrases that the Rust standard library, serde and Cedar rarely use. Any of them
//! can be right in one sentence. Many of them make a text foreign to its readers.
#![cfg(test)]

use regex::{Match, Regex};
use toolwright_tests::sources::{files, is_case};

/// The most marks per 1,000 words of a crate's comments, or of all pages.
const MOST_MARKS: f64 = 10.0;

/// The most comments per 1,000 words that open with a relative clause or a preposition.
const MOST_OPENINGS: f64 = 2.0;

/// Crates with fewer words of comments than this are measured together with the others only.
const FEWEST_WORDS: usize = 500;

/// The name of the mark that counts as an opening.
const OPENING: &str = "opening";

/// A phrase, which does not count if the word after it is one of the exceptions.
struct Mark {
    name: &'static str,
    pattern: &'static str,
    exceptions: &'static [&'static str],
}

const fn mark(name: &'static str, pattern: &'static str) -> Mark {
    Mark {
        name,
        pattern,
        exceptions: &[],
    }
}

const MARKS: &[Mark] = &[
    Mark {
        name: "is no X",
        pattern: r"\b(?:is|are|was|were|be|becomes) no (?<next>\w+)",
        exceptions: &[
            "longer",
            "more",
            "such",
            "one",
            "way",
            "need",
            "guarantee",
            "other",
            "effect",
            "point",
            "fixed",
            "limit",
        ],
    },
    Mark {
        name: "stands",
        pattern: r"\b(?:stands?|stood|standing) (?<next>\w*)",
        exceptions: &["alone", "up", "out", "for"],
    },
    mark("says", r"\b(says?|said|tells?|told)\b"),
    mark(
        "of which",
        r"\b(of|by|in|from|to|with|beside|behind) (which|what|whom)\b",
    ),
    mark(
        "where",
        r"\b[Ww]here (it|there|that|the|a|an|this|nothing|they|one|no|its|several|both|what|all|these|he|somebody|nobody)\b",
    ),
    mark("behind", r"\b(behind|beside)\b"),
    mark("has to", r"\b(has|have|had) to\b"),
    mark("text", r"\btexts?\b"),
    mark("those of", r"\b(those|that) of\b"),
    mark(
        "as it is",
        r"\bas (it|they) (is|are|stand|stands|was|were)\b",
    ),
    mark("so that", r"\bso that\b"),
    mark(
        "whoever",
        r"\b(mends?|mended|nought|anew|whoever|whatever|whichever|somebody|nobody|thereby|wherein)\b",
    ),
    mark(
        OPENING,
        r"^(What|Whether|Whoever|Of|By|In|That|How|Where|Why|All that)\b",
    ),
];

/// The words and marks of a set of comments or pages.
#[derive(Default)]
struct Count {
    words: usize,
    marks: usize,
    openings: usize,
    places: Vec<String>,
}

impl Count {
    fn add(&mut self, place: &str, line: &str, marks: &[(&Mark, Regex)]) {
        self.words += line.split_whitespace().count();
        for (mark, pattern) in marks {
            let counts = |next: Option<Match<'_>>| {
                next.is_none_or(|next| !mark.exceptions.contains(&next.as_str()))
            };
            let found = pattern.captures_iter(line);
            let found = found.filter(|found| counts(found.name("next"))).count();
            self.marks += found;
            if mark.name == OPENING {
                self.openings += found;
            }
            if found > 0 {
                self.places.push(format!("{place}: {}: {line}", mark.name));
            }
        }
    }

    fn add_all(&mut self, other: &Self) {
        self.words += other.words;
        self.marks += other.marks;
        self.openings += other.openings;
    }

    fn is_plain(&self) -> bool {
        per_thousand(self.marks, self.words) < MOST_MARKS
            && per_thousand(self.openings, self.words) <= MOST_OPENINGS
    }

    fn report(&self, name: &str) -> String {
        format!(
            "{name}: {:.2} marks and {:.2} openings per 1,000 of {} words",
            per_thousand(self.marks, self.words),
            per_thousand(self.openings, self.words),
            self.words
        )
    }
}

fn per_thousand(count: usize, words: usize) -> f64 {
    1000.0 * count as f64 / words.max(1) as f64
}

fn compiled() -> Vec<(&'static Mark, Regex)> {
    MARKS
        .iter()
        .map(|mark| (mark, Regex::new(mark.pattern).unwrap()))
        .collect()
}

/// Returns the comment of a line of Rust without its slashes.
fn comment(line: &str) -> Option<&str> {
    let (code, comment) = line.split_once("//")?;
    let at_end = code.ends_with(' ') && comment.starts_with(' ') && !comment.contains('"');
    if !code.trim().is_empty() && !at_end {
        return None;
    }
    let comment = comment.strip_prefix(['/', '!']).unwrap_or(comment);
    Some(comment.strip_prefix(' ').unwrap_or(comment))
}

/// Returns the crate's folder, such as `runtime` or `tests/depot`.
fn crate_of(file: &str) -> String {
    let folders: Vec<&str> = file.split('/').collect();
    match folders.as_slice() {
        ["tests", inner @ ("bench" | "boundary" | "depot"), ..] => format!("tests/{inner}"),
        [first, ..] => (*first).to_owned(),
        [] => String::new(),
    }
}

fn assert_plain(counts: &[(String, Count)]) {
    let mut all = Count::default();
    let mut wrong = Vec::new();
    for (name, count) in counts {
        println!("{}", count.report(name));
        all.add_all(count);
        if count.words >= FEWEST_WORDS && !count.is_plain() {
            let places = count.places.join("\n    ");
            wrong.push(format!("{}\n    {places}", count.report(name)));
        }
    }
    println!("{}", all.report("all"));
    assert!(
        wrong.is_empty() && all.is_plain(),
        "rewrite these comments in plain English, starting with a verb or a noun \
         (at most {MOST_MARKS} marks and {MOST_OPENINGS} openings per 1,000 words):\n  {}",
        wrong.join("\n  ")
    );
}

#[test]
fn comments_are_plain_english() {
    let marks = compiled();
    let mut counts: Vec<(String, Count)> = Vec::new();
    let sources = files(".rs").unwrap();
    let sources = sources.iter().filter(|(file, _)| !is_case(file));
    for (file, text) in sources {
        let name = crate_of(file);
        let at = counts.iter().position(|(known, _)| *known == name);
        let at = at.unwrap_or_else(|| {
            counts.push((name, Count::default()));
            counts.len() - 1
        });
        for (index, line) in text.lines().enumerate() {
            if let Some(comment) = comment(line) {
                counts[at]
                    .1
                    .add(&format!("{file}:{}", index + 1), comment, &marks);
            }
        }
    }
    assert!(
        counts.len() >= 10,
        "only {} crates were found",
        counts.len()
    );
    assert_plain(&counts);
}

#[test]
fn documentation_is_plain_english() {
    let marks = compiled();
    let mut pages = Count::default();
    let files = files(".md").unwrap().into_iter();
    for (file, text) in files.filter(|(file, _)| !is_case(file)) {
        let mut in_code = false;
        for (index, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                in_code = !in_code;
            } else if !in_code {
                pages.add(&format!("{file}:{}", index + 1), line, &marks);
            }
        }
    }
    assert!(
        pages.words > 10_000,
        "only {} words were found",
        pages.words
    );
    assert_plain(&[("pages".to_owned(), pages)]);
}

#[test]
fn marks_are_found() {
    let mut count = Count::default();
    let marks = compiled();
    for (place, line) in [
        ("a", "What a schema node says of what values look like."),
        ("b", "Returns the schema of a node."),
        ("c", "A union of nothing is no schema, and says nothing."),
    ] {
        count.add(place, line, &marks);
    }
    assert_eq!((count.marks, count.openings), (5, 1), "{:?}", count.places);
    assert_eq!(comment("    /// One.").unwrap(), "One.");
    assert_eq!(comment("let a = 1; // One.").unwrap(), "One.");
    assert_eq!(comment("let a = \"http://b\";"), None);
    assert!(!count.is_plain());
}
