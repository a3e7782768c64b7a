//! The report. The same change of several tools is one change that reaches them all.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use toolwright_model::ToolName;

use super::{
    change::{Change, ChangeKind, Class},
    inventory::{Inventory, Tool},
    pairs::Pairs,
};

/// The effect of a changed specification on the tools.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// The report in numbers.
    pub totals: Totals,
    /// The changes, the most dangerous first.
    pub changes: Vec<Change>,
    /// The changed tools, by their current names.
    pub tools: Vec<Changed>,
}

/// The report in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// All old tools.
    pub old: usize,
    /// All new tools.
    pub new: usize,
    /// Added tools.
    pub added: usize,
    /// Removed tools.
    pub removed: usize,
    /// Renamed tools.
    pub renamed: usize,
    /// Other changed tools.
    pub changed: usize,
    /// Changes of each class.
    pub classes: BTreeMap<Class, usize>,
    /// Changes of each kind.
    pub kinds: BTreeMap<ChangeKind, usize>,
}

/// A changed tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Changed {
    /// The current name, or the last one of a removed tool.
    pub name: ToolName,
    /// The old name of a renamed tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<ToolName>,
    /// The operation that it calls.
    pub operation: String,
    /// The most dangerous class of its changes.
    pub class: Class,
    /// Its changes, as positions in [`Report::changes`].
    pub changes: Vec<usize>,
}

impl Report {
    /// Checks whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Checks whether a change is at least as dangerous as a class.
    #[must_use]
    pub fn reaches(&self, class: Class) -> bool {
        let mut changes = self.changes.iter();
        changes.any(|change| change.class() <= class)
    }

    /// Returns the changes of a class.
    pub fn of_class(&self, class: Class) -> impl Iterator<Item = &Change> {
        let changes = self.changes.iter();
        changes.filter(move |change| change.class() == class)
    }
}

/// Collects changes and the tools that they reach.
pub(super) struct Collector {
    old: usize,
    new: usize,
    found: BTreeMap<Key, (Change, BTreeSet<ToolName>)>,
}

/// The identity of a change: kind, place, sentence, before and after.
type Key = (ChangeKind, String, String, String, String);

impl Collector {
    pub(super) fn new(old: &Inventory, new: &Inventory) -> Self {
        Self {
            old: old.tools().len(),
            new: new.tools().len(),
            found: BTreeMap::new(),
        }
    }

    /// Adds a change of one tool.
    pub(super) fn add_for(&mut self, tool: &Tool, change: Change) {
        self.add(change, [tool.name().clone()]);
    }

    /// Adds a change that reaches tools.
    pub(super) fn add(&mut self, change: Change, tools: impl IntoIterator<Item = ToolName>) {
        let key = (
            change.kind,
            change.place.clone(),
            change.sentence(),
            change.before.value().to_string(),
            change.after.value().to_string(),
        );
        let (_, reached) = self
            .found
            .entry(key)
            .or_insert_with(|| (change, BTreeSet::new()));
        reached.extend(tools);
    }

    /// Returns the report. Within a kind, the change that reaches most tools comes first.
    pub(super) fn finish(self, pairs: &Pairs<'_>) -> Report {
        let changes = self.found.into_values().map(|(mut change, tools)| {
            change.tools = tools.into_iter().collect();
            change
        });
        let mut changes: Vec<Change> = changes.collect();
        changes.sort_by(|a, b| {
            let reach = b.tools.len().cmp(&a.tools.len());
            let place = || (&a.tools, &a.place).cmp(&(&b.tools, &b.place));
            let depth = depth(a).cmp(&depth(b));
            let kind = a.kind.cmp(&b.kind);
            kind.then(depth).then(reach).then_with(place)
        });
        let tools = changed_tools(&changes, pairs);
        let mut totals = Totals {
            old: self.old,
            new: self.new,
            added: pairs.added.len(),
            removed: pairs.removed.len(),
            renamed: tools.iter().filter(|tool| tool.was.is_some()).count(),
            ..Totals::default()
        };
        totals.changed = tools.len() - totals.added - totals.removed - totals.renamed;
        for change in &changes {
            *totals.classes.entry(change.class()).or_default() += 1;
            *totals.kinds.entry(change.kind).or_default() += 1;
        }
        Report {
            totals,
            changes,
            tools,
        }
    }
}

/// Returns the distance of a description from the tool: its own description comes
/// first, then its arguments', then the rest.
fn depth(change: &Change) -> usize {
    let roots = ["/$defs/", "/output_schema"];
    match change.kind.is_text() {
        true if change.place.starts_with("/input_schema") => 1,
        true if roots.iter().any(|root| change.place.starts_with(root)) => 2,
        true | false => 0,
    }
}

/// Returns the changed tools. A removed and an added tool may share a name and remain two entries.
fn changed_tools(changes: &[Change], pairs: &Pairs<'_>) -> Vec<Changed> {
    let mut of_name: BTreeMap<&ToolName, Vec<usize>> = BTreeMap::new();
    let mut gone: BTreeMap<&ToolName, Vec<usize>> = BTreeMap::new();
    for (index, change) in changes.iter().enumerate() {
        let all = if change.kind == ChangeKind::ToolRemoved {
            &mut gone
        } else {
            &mut of_name
        };
        for name in &change.tools {
            all.entry(name).or_default().push(index);
        }
    }
    let one = |tool: &Tool, was: Option<&Tool>, found: &BTreeMap<&ToolName, Vec<usize>>| {
        let indexes = found.get(tool.name())?;
        let class = |index: &usize| Some(changes.get(*index)?.class());
        let was = was.map(Tool::name).filter(|was| *was != tool.name());
        Some(Changed {
            name: tool.name().clone(),
            was: was.cloned(),
            operation: tool.operation(),
            class: indexes.iter().filter_map(class).min()?,
            changes: indexes.clone(),
        })
    };
    let matched = pairs.matched.iter();
    let matched = matched.filter_map(|(old, new)| one(new, Some(old), &of_name));
    let added = pairs
        .added
        .iter()
        .filter_map(|tool| one(tool, None, &of_name));
    let removed = pairs
        .removed
        .iter()
        .filter_map(|tool| one(tool, None, &gone));
    let mut tools: Vec<Changed> = matched.chain(added).chain(removed).collect();
    tools.sort_by(|a, b| (&a.name, &a.operation).cmp(&(&b.name, &b.operation)));
    tools
}
