//! The report as blocks in reading order. The renderers only style them.

use similar::{ChangeTag, TextDiff};
use toolwright::ToolName;
use toolwright_drift::{Change, ChangeKind, Changed, Class, Report, Totals};
use toolwright_model::text::show_invisible;

use super::{Drift, Standing};
use crate::output::plural;

/// The most tools that a line names.
const NAMED: usize = 6;

/// The least similarity at which two descriptions are shown word by word.
const ALIKE: f32 = 0.5;

/// A part of a report.
pub(super) enum Block<'a> {
    /// Both sides and the number of tools.
    Title {
        old: &'a str,
        new: &'a str,
        tools: String,
    },
    /// The number of changes of each class.
    Classes([(Class, usize); 4]),
    /// The corrections of the overlay that the new side no longer needs.
    Needless(&'a [String]),
    /// The tools of each role before and after.
    Roles(&'a [Standing]),
    /// The heading of a class, and the number of its changes.
    Class(Class, usize),
    /// The heading of a kind, and the number of its changes.
    Kind(ChangeKind, usize),
    /// Added or removed tools.
    Tools(Vec<Tool<'a>>),
    /// The changes of a kind.
    Sentences(Vec<Sentence<'a>>),
    /// The end of a class.
    EndOfClass(Class),
    /// The changes of each tool.
    Index(Vec<DriftEntry<'a>>),
}

/// An added or removed tool.
pub(super) struct Tool<'a> {
    pub(super) name: &'a ToolName,
    pub(super) category: &'a str,
    pub(super) approval: bool,
    /// True if it may replace or delete something.
    pub(super) destructive: bool,
    pub(super) operation: &'a str,
    pub(super) description: String,
}

/// One sentence about one or several subjects.
pub(super) struct Sentence<'a> {
    pub(super) words: String,
    pub(super) place: &'a str,
    /// The affected tools.
    pub(super) tools: &'a [ToolName],
    /// The old and the new description, if one changed.
    pub(super) descriptions: Option<Descriptions>,
}

/// The warning about characters that a reader would not see.
pub(super) const HIDDEN: &str = "⚠ it has invisible characters, which are shown as \\u{…}";

impl Sentence<'_> {
    /// Checks whether the new description has characters that a reader would not see.
    pub(super) fn has_hidden(&self) -> bool {
        let descriptions = self.descriptions.as_ref();
        descriptions.is_some_and(|descriptions| descriptions.has_hidden)
    }
}

/// A description before and after.
pub(super) struct Descriptions {
    pub(super) before: String,
    pub(super) after: String,
    /// True if the new one has characters that a reader would not see. They are shown as `\u{…}`.
    pub(super) has_hidden: bool,
}

/// The changes of one tool.
pub(super) struct DriftEntry<'a> {
    pub(super) tool: &'a Changed,
    /// The kinds of its changes, with their numbers.
    pub(super) kinds: String,
}

/// Returns the blocks of a report.
pub(super) fn blocks(drift: &Drift) -> Vec<Block<'_>> {
    let report = &drift.report;
    let mut blocks = vec![Block::Title {
        old: &drift.old,
        new: &drift.new,
        tools: tools(&report.totals),
    }];
    let number = |class| report.of_class(class).count();
    blocks.push(Block::Classes(
        Class::ALL.map(|class| (class, number(class))),
    ));
    if !drift.needless_corrections.is_empty() {
        blocks.push(Block::Needless(&drift.needless_corrections));
    }
    if report.is_empty() {
        return blocks;
    }
    if !drift.roles.is_empty() {
        blocks.push(Block::Roles(&drift.roles));
    }
    for class in Class::ALL.into_iter().filter(|class| number(*class) > 0) {
        blocks.push(Block::Class(class, number(class)));
        let changes: Vec<&Change> = report.of_class(class).collect();
        for group in changes.chunk_by(|one, next| one.kind == next.kind) {
            blocks.extend(kind(group));
        }
        blocks.push(Block::EndOfClass(class));
    }
    let entries = report.tools.iter().map(|tool| DriftEntry {
        tool,
        kinds: kinds(report, tool),
    });
    blocks.push(Block::Index(entries.collect()));
    blocks
}

/// The heading of the corrections that the new side no longer needs.
pub(super) const NEEDLESS: &str =
    "Corrections of the overlay that the new document no longer needs; remove them";

/// Returns the heading and the rows of changes of one kind.
fn kind<'a>(changes: &[&'a Change]) -> Vec<Block<'a>> {
    let Some(first) = changes.first() else {
        return Vec::new();
    };
    let heading = Block::Kind(first.kind, changes.len());
    let rows = match first.kind {
        ChangeKind::ToolAdded | ChangeKind::ToolRemoved => Block::Tools(
            changes
                .iter()
                .flat_map(|change| whole_tools(change))
                .collect(),
        ),
        _ => Block::Sentences(sentences(changes)),
    };
    vec![heading, rows]
}

/// Returns the added or removed tools of a change.
pub(super) fn whole_tools(change: &Change) -> impl Iterator<Item = Tool<'_>> {
    let value = match change.kind {
        ChangeKind::ToolRemoved => change.before.value(),
        _ => change.after.value(),
    };
    let word = |key: &str| value.get(key).and_then(|word| word.as_str());
    let word = move |key| word(key).unwrap_or_default();
    change.tools.iter().map(move |name| Tool {
        name,
        category: word("category"),
        approval: value.get("approval_required") == Some(&true.into()),
        destructive: value.pointer("/hints/destructiveHint") == Some(&true.into()),
        operation: word("operation"),
        description: show_invisible(word("description")).into_owned(),
    })
}

/// Returns one sentence for all changes that agree with each other.
fn sentences<'a>(changes: &[&'a Change]) -> Vec<Sentence<'a>> {
    let mut groups: Vec<(&'a Change, Vec<&'a Change>)> = Vec::new();
    for change in changes {
        match groups
            .iter_mut()
            .find(|(first, _)| first.agrees_with(change))
        {
            Some((_, others)) => others.push(change),
            None => groups.push((change, Vec::new())),
        }
    }
    let sentences = groups.into_iter().map(|(first, others)| Sentence {
        words: show_invisible(&first.sentence_with(&others)).into_owned(),
        place: &first.place,
        tools: &first.tools,
        descriptions: descriptions(first),
    });
    sentences.collect()
}

fn descriptions(change: &Change) -> Option<Descriptions> {
    if !change.kind.is_text() || change.place.ends_with("_sha256") {
        return None;
    }
    let after = change.after.value();
    Some(Descriptions {
        before: display_value(change.before.value()),
        after: display_value(after),
        has_hidden: after.as_str().is_some_and(has_hidden),
    })
}

/// Checks whether a string has characters that a reader would not see.
fn has_hidden(text: &str) -> bool {
    show_invisible(text) != text
}

/// Returns a string without quotes, another value as JSON, and null as an empty string.
fn display_value(value: &serde_json::Value) -> String {
    let value = match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(string) => string.clone(),
        other => other.to_string(),
    };
    show_invisible(&value).into_owned()
}

impl Descriptions {
    /// Compares the descriptions word by word, or as a whole if they have little in common.
    pub(super) fn words(&self) -> Option<Vec<(ChangeTag, String)>> {
        let diff = TextDiff::from_words(self.before.as_str(), self.after.as_str());
        if diff.ratio() < ALIKE {
            return None;
        }
        let mut words: Vec<(ChangeTag, String)> = Vec::new();
        for part in diff.iter_all_changes() {
            match words.last_mut() {
                Some((tag, run)) if *tag == part.tag() => run.push_str(part.value()),
                _ => words.push((part.tag(), part.value().to_owned())),
            }
        }
        Some(words)
    }
}

/// Counts the tools and their changes.
fn tools(totals: &Totals) -> String {
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
    let changes = if parts.is_empty() {
        "nothing changed".to_owned()
    } else {
        parts.join(", ")
    };
    let before = plural(totals.old, "tool");
    format!("{before} before, {} now: {changes}", totals.new)
}

/// Counts the kinds of a tool's changes.
fn kinds(report: &Report, tool: &Changed) -> String {
    let changes = tool.changes.iter();
    let changes: Vec<&Change> = changes
        .filter_map(|index| report.changes.get(*index))
        .collect();
    let groups = changes.chunk_by(|one, next| one.kind == next.kind);
    let words = groups.filter_map(|group| {
        let word = group.first()?.kind.word();
        Some(match group.len() {
            1 => word.to_owned(),
            number => format!("{word} × {number}"),
        })
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Capitalises the first letter.
pub(super) fn capitalised(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// Returns the first few tools, and the number of the others.
fn first_tools(tools: &[ToolName]) -> (&[ToolName], usize) {
    // One more is named rather than counted.
    let most = if tools.len() == NAMED + 1 {
        NAMED + 1
    } else {
        NAMED
    };
    let (named, rest) = tools.split_at_checked(most).unwrap_or((tools, &[]));
    (named, rest.len())
}

/// Lists the first few tools and counts the others.
pub(super) fn reach(tools: &[ToolName], name: impl Fn(&ToolName) -> String) -> String {
    let (named, rest) = first_tools(tools);
    let names: Vec<String> = named.iter().map(name).collect();
    let others = match rest {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    names.join(", ") + &others
}

/// Returns the roles that gain or lose a tool.
pub(super) fn changed_roles(roles: &[Standing]) -> Vec<&Standing> {
    let roles = roles.iter();
    roles
        .filter(|role| !role.gains.is_empty() || !role.loses.is_empty())
        .collect()
}
