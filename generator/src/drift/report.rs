//! Changes, put together: the same change of several tools is one change that reaches them all.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use toolwright_model::ToolName;

use super::{
    change::{Change, ChangeKind, Class, Found},
    inventory::{Inventory, Tool},
    pairs::Pairs,
};

/// What the change of a specification does to the tools.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// The report in numbers.
    pub totals: Totals,
    /// The changes, the most dangerous first.
    pub changes: Vec<Change>,
    /// The tools that changed, by the names that they have now.
    pub tools: Vec<Changed>,
}

/// The report in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// The tools that there were.
    pub old: usize,
    /// The tools that there are.
    pub new: usize,
    /// Tools that are new.
    pub added: usize,
    /// Tools that are gone.
    pub removed: usize,
    /// Tools that have another name.
    pub renamed: usize,
    /// Other tools that changed.
    pub changed: usize,
    /// Changes of each class.
    pub classes: BTreeMap<Class, usize>,
    /// Changes of each kind.
    pub kinds: BTreeMap<ChangeKind, usize>,
}

/// A tool that changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Changed {
    /// The name that it has, or had when it is gone.
    pub name: ToolName,
    /// The name that it had, where it was another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<ToolName>,
    /// What it calls.
    pub operation: String,
    /// The most dangerous class of its changes.
    pub class: Class,
    /// Its changes, by their positions in the list of them.
    pub changes: Vec<usize>,
}

impl Report {
    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Whether nothing changed but what is harmless.
    #[must_use]
    pub fn is_harmless(&self) -> bool {
        let mut changes = self.changes.iter();
        changes.all(|change| change.class == Class::Harmless)
    }

    /// The changes of a class.
    pub fn of_class(&self, class: Class) -> impl Iterator<Item = &Change> {
        let changes = self.changes.iter();
        changes.filter(move |change| change.class == class)
    }
}

/// Collects what is found, and which tools it reaches.
pub(super) struct Collector {
    old: usize,
    new: usize,
    found: BTreeMap<Key, (Found, BTreeSet<ToolName>)>,
}

/// What makes two changes the same: kind, place, sentence, before and after.
type Key = (ChangeKind, String, String, String, String);

impl Collector {
    pub(super) fn new(old: &Inventory, new: &Inventory) -> Self {
        Self {
            old: old.tools().len(),
            new: new.tools().len(),
            found: BTreeMap::new(),
        }
    }

    /// A change of one tool, by the name that it has, or had when it is gone.
    pub(super) fn of(&mut self, tool: &Tool, found: Found) {
        self.add(found, [tool.name().clone()]);
    }

    /// A change that reaches tools.
    pub(super) fn add(&mut self, found: Found, tools: impl IntoIterator<Item = ToolName>) {
        let key = (
            found.kind,
            found.place.clone(),
            found.says.clone(),
            found.before.to_string(),
            found.after.to_string(),
        );
        let (_, reached) = self
            .found
            .entry(key)
            .or_insert_with(|| (found, BTreeSet::new()));
        reached.extend(tools);
    }

    /// The report: of one kind, what reaches most tools comes first.
    pub(super) fn finish(self, pairs: &Pairs<'_>) -> Report {
        let mut changes: Vec<Change> = self
            .found
            .into_values()
            .map(|(found, tools)| Change {
                kind: found.kind,
                class: found.kind.class(),
                says: found.says,
                subject: found.subject,
                place: found.place,
                before: found.before,
                after: found.after,
                tools: tools.into_iter().collect(),
            })
            .collect();
        changes.sort_by(|a, b| {
            let reach = b.tools.len().cmp(&a.tools.len());
            let place = || (&a.tools, &a.place).cmp(&(&b.tools, &b.place));
            let depth = depth(a).cmp(&depth(b));
            let kind = a.kind.cmp(&b.kind);
            kind.then(depth).then(reach).then_with(place)
        });
        let tools = changed(&changes, pairs);
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
            *totals.classes.entry(change.class).or_default() += 1;
            *totals.kinds.entry(change.kind).or_default() += 1;
        }
        Report {
            totals,
            changes,
            tools,
        }
    }
}

/// How far from the agent's eyes a text is: what is said of the tool comes before what is said of
/// its arguments, and that before the rest.
fn depth(change: &Change) -> usize {
    let roots = ["/$defs/", "/output_schema"];
    match change.kind.is_text() {
        true if change.place.starts_with("/input_schema") => 1,
        true if roots.iter().any(|root| change.place.starts_with(root)) => 2,
        true | false => 0,
    }
}

/// The tools that changes reach. One that is gone and one that is new may have the same name: they
/// are two.
fn changed(changes: &[Change], pairs: &Pairs<'_>) -> Vec<Changed> {
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
        let class = |index: &usize| Some(changes.get(*index)?.class);
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
