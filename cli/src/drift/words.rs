//! What all renderings of a report have in common: groups, counts, and texts before and after.

use serde_json::Value;
use similar::{ChangeTag, TextDiff};
use toolwright::ToolName;
use toolwright_generator::drift::{Change, ChangeKind, Changed, Class, Report, Totals};

use crate::output::plural;

/// The most tools that a line names.
const NAMED: usize = 6;

/// How much of two texts has to be the same for their differences to be shown word by word.
const ALIKE: f32 = 0.5;

/// The changes of one kind.
pub(super) struct Group<'a> {
    pub(super) kind: ChangeKind,
    pub(super) changes: Vec<&'a Change>,
}

/// What is said in one sentence, of one thing or of several.
pub(super) struct Said<'a> {
    pub(super) says: String,
    /// The first of the changes; of one that is told of by itself, the only one.
    pub(super) change: &'a Change,
}

impl<'a> Group<'a> {
    /// The changes, those that say the same of the same tools in one sentence.
    pub(super) fn said(&self) -> Vec<Said<'a>> {
        let mut said: Vec<(Vec<&'a Change>, &str)> = Vec::new();
        for change in &self.changes {
            let predicate = predicate(change);
            let same = said.iter_mut().find(|(changes, other)| {
                let first = changes.first();
                predicate.is_some_and(|predicate| predicate == *other)
                    && first.is_some_and(|first| {
                        first.tools == change.tools && side(first) == side(change)
                    })
            });
            match same {
                Some((changes, _)) => changes.push(change),
                None => said.push((vec![change], predicate.unwrap_or_default())),
            }
        }
        let said = said.into_iter().filter_map(|(changes, predicate)| {
            let change = *changes.first()?;
            let says = match changes.as_slice() {
                [one] => one.says.clone(),
                several => together(several, predicate),
            };
            Some(Said {
                says: visible(&says),
                change,
            })
        });
        said.collect()
    }
}

/// What is said of the subject, where it may be said of several.
fn predicate(change: &Change) -> Option<&str> {
    let texts = change.kind.is_text() || change.subject.is_empty();
    let rest = change.says.strip_prefix(&change.subject);
    rest.filter(|_| !texts).map(str::trim_start)
}

/// Whether the subject is an argument or a result.
fn side(change: &Change) -> &str {
    let side = change.subject.split(' ').next();
    side.unwrap_or_default()
}

/// One sentence of several subjects.
fn together(changes: &[&Change], predicate: &str) -> String {
    let side = changes.first().map_or("", |change| side(change));
    let names = changes.iter().map(|change| {
        let name = change.subject.strip_prefix(side);
        name.unwrap_or(&change.subject).trim_start()
    });
    let names: Vec<&str> = names.collect();
    let mut verb = predicate.to_owned();
    for (one, many) in [
        ("is ", "are "),
        ("has ", "have "),
        ("takes ", "take "),
        ("no longer has ", "no longer have "),
        ("no longer takes ", "no longer take "),
    ] {
        if let Some(rest) = predicate.strip_prefix(one) {
            verb = format!("{many}{rest}");
        }
    }
    format!("{side}s {} {verb}", names.join(", "))
}

/// A text before and after.
pub(super) enum Texts {
    /// What is the same, and what is not, in the order of reading.
    Words(Vec<(ChangeTag, String)>),
    /// They have too little in common.
    Whole { before: String, after: String },
}

/// The changes of a class, by kind.
pub(super) fn groups(report: &Report, class: Class) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for change in report.of_class(class) {
        match groups.last_mut() {
            Some(group) if group.kind == change.kind => group.changes.push(change),
            _ => groups.push(Group {
                kind: change.kind,
                changes: vec![change],
            }),
        }
    }
    groups
}

/// The text as the beginning of a sentence.
pub(super) fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// How many tools there are, and what became of them.
pub(super) fn tools(totals: &Totals) -> String {
    let parts = [
        (totals.added, "added"),
        (totals.removed, "removed"),
        (totals.renamed, "renamed"),
        (totals.changed, "changed"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
    let what = if parts.is_empty() {
        "nothing changed".to_owned()
    } else {
        parts.join(", ")
    };
    format!(
        "{} before, {} now: {what}",
        plural(totals.old, "tool"),
        totals.new
    )
}

/// How many changes there are of a class.
pub(super) fn number(report: &Report, class: Class) -> usize {
    report
        .totals
        .classes
        .get(&class)
        .copied()
        .unwrap_or_default()
}

/// The kinds of a tool's changes, and how many there are of each.
pub(super) fn kinds(report: &Report, tool: &Changed) -> String {
    let indexes = tool.changes.iter();
    let mut kinds: Vec<(ChangeKind, usize)> = Vec::new();
    for change in indexes.filter_map(|index| report.changes.get(*index)) {
        match kinds.last_mut() {
            Some((kind, number)) if *kind == change.kind => *number += 1,
            _ => kinds.push((change.kind, 1)),
        }
    }
    let words = kinds.into_iter().map(|(kind, number)| match number {
        1 => kind.word().to_owned(),
        number => format!("{} × {number}", kind.word()),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The first few tools, and how many others there are.
pub(super) fn named(tools: &[ToolName]) -> (&[ToolName], usize) {
    // One more is named rather than counted.
    let most = if tools.len() == NAMED + 1 {
        NAMED + 1
    } else {
        NAMED
    };
    let (named, rest) = tools.split_at_checked(most).unwrap_or((tools, &[]));
    (named, rest.len())
}

/// The text before and after, where the change is one of text that is known on a side.
pub(super) fn texts(change: &Change) -> Option<Texts> {
    if !change.kind.is_text() || change.place.ends_with("_sha256") {
        return None;
    }
    let (before, after) = (text(&change.before), text(&change.after));
    let diff = TextDiff::from_words(before.as_str(), after.as_str());
    if diff.ratio() < ALIKE {
        return Some(Texts::Whole { before, after });
    }
    let mut words: Vec<(ChangeTag, String)> = Vec::new();
    for part in diff.iter_all_changes() {
        match words.last_mut() {
            Some((tag, text)) if *tag == part.tag() => text.push_str(part.value()),
            _ => words.push((part.tag(), part.value().to_owned())),
        }
    }
    Some(Texts::Words(words))
}

/// A text as it is; another value as JSON; nothing as nothing.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => visible(text),
        other => visible(&other.to_string()),
    }
}

/// The text with what an agent reads and a person does not see written out: characters that are
/// invisible, or change the order of others.
pub(super) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            shown.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Whether nobody sees the character, although it is there.
fn is_hidden(c: char) -> bool {
    let formats = matches!(
        c,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0e}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e01ef}'
    );
    formats || (c.is_control() && !matches!(c, '\n' | '\t' | '\r'))
}

/// What is told of a tool that is new or gone: category, whether a person approves, operation.
pub(super) struct Whole<'a> {
    pub(super) category: &'a str,
    pub(super) approval: bool,
    pub(super) operation: &'a str,
    pub(super) description: String,
}

impl<'a> Whole<'a> {
    pub(super) fn of(change: &'a Change) -> Self {
        let value = match change.kind {
            ChangeKind::ToolRemoved => &change.before,
            _ => &change.after,
        };
        let word = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
        Self {
            category: word("category"),
            approval: value.get("approval_required") == Some(&Value::Bool(true)),
            operation: word("operation"),
            description: visible(word("description")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_written_out() {
        assert_eq!(
            visible("a\u{200b}b\u{e0041}\n\u{1b}[0m"),
            "a\\u{200b}b\\u{e0041}\n\\u{1b}[0m"
        );
        assert_eq!(visible("日本語 ✓"), "日本語 ✓");
    }
}
