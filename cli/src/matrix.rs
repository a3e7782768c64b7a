//! Roles and their tools, by service and by the noun of the tools.

mod html;
mod svg;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use toolwright::{Category, Registry, Role, ServiceName, ToolName, ToolSpec, WorkspaceName};

/// Roles and tools.
#[derive(Debug, Serialize)]
pub(crate) struct Matrix {
    /// The roles, which are the columns.
    pub(crate) roles: Vec<Role>,
    /// The services, each with its rows.
    pub(crate) services: Vec<MatrixService>,
}

/// The tools of a service.
#[derive(Debug, Serialize)]
pub(crate) struct MatrixService {
    pub(crate) name: ServiceName,
    /// The workspaces that some role may use.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) workspaces: BTreeSet<WorkspaceName>,
    pub(crate) rows: Vec<MatrixRow>,
}

/// The tools that act on the same.
#[derive(Debug, Serialize)]
pub(crate) struct MatrixRow {
    /// The noun: `task`, `task-comment`.
    pub(crate) noun: String,
    pub(crate) tools: Vec<MatrixEntry>,
}

/// A tool, and what each role may do with it.
#[derive(Debug, Serialize)]
pub(crate) struct MatrixEntry {
    pub(crate) name: ToolName,
    /// The label next to its noun: the verb.
    #[serde(skip)]
    pub(crate) label: String,
    pub(crate) category: Category,
    pub(crate) approval_required: bool,
    /// True if it may replace or delete something.
    pub(crate) destructive: bool,
    /// True if it is on.
    pub(crate) on: bool,
    /// The roles that were granted it.
    pub(crate) granted_to: BTreeSet<Role>,
    /// The workspaces that each of these roles may use it in, if the service has workspaces.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) workspaces: BTreeMap<Role, Vec<WorkspaceName>>,
}

/// The entries of a cell.
pub(crate) struct MatrixCell<'a> {
    pub(crate) entries: Vec<&'a MatrixEntry>,
}

/// The number of tools of each category that a role can call.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) by_category: BTreeMap<Category, usize>,
    /// Those that wait for a person.
    pub(crate) approval: usize,
    /// Those that were granted and are off.
    pub(crate) off: usize,
}

impl Matrix {
    /// Returns the matrix of a registry.
    pub(crate) fn from_registry(registry: &Registry) -> Self {
        let roles: Vec<Role> = registry.roles();
        let mut granted: BTreeMap<ToolName, BTreeSet<Role>> = BTreeMap::new();
        for role in &roles {
            for name in registry.granted(role) {
                granted.entry(name).or_default().insert(role.clone());
            }
        }
        let mut services: BTreeMap<&ServiceName, Vec<(&ToolSpec, bool)>> = BTreeMap::new();
        let all: Vec<_> = registry.tools().collect();
        for (spec, on) in &all {
            services.entry(&spec.service).or_default().push((spec, *on));
        }
        let services = services.into_iter().map(|(name, tools)| {
            let mut rows = rows(&tools, &granted);
            let workspaces = workspaces(registry, &tools, &mut rows);
            MatrixService {
                name: name.clone(),
                workspaces,
                rows,
            }
        });
        Self {
            services: services.collect(),
            roles,
        }
    }

    /// The matrix as a page.
    pub(crate) fn html(&self) -> String {
        html::render(self)
    }

    /// The matrix as a drawing.
    pub(crate) fn svg(&self) -> String {
        svg::render(self)
    }

    /// The matrix for a terminal.
    pub(crate) fn text(&self) -> String {
        text::render(self)
    }

    /// Returns the number of tools.
    pub(crate) fn tools(&self) -> usize {
        self.services.iter().map(MatrixService::tools).sum()
    }
}

impl MatrixService {
    pub(crate) fn tools(&self) -> usize {
        self.rows.iter().map(|row| row.tools.len()).sum()
    }

    /// Returns the workspaces in which a role may use some of the tools.
    pub(crate) fn workspaces_of(&self, role: &Role) -> Vec<&str> {
        let entries = self.rows.iter().flat_map(|row| &row.tools);
        let names = entries.filter_map(|entry| entry.workspaces.get(role));
        let names: BTreeSet<_> = names.flatten().map(WorkspaceName::as_str).collect();
        names.into_iter().collect()
    }

    /// Checks whether a tool of it is granted to no role.
    pub(crate) fn has_ungranted(&self) -> bool {
        self.rows.iter().any(|row| !row.nobody().entries.is_empty())
    }

    /// Counts the service's tools that a role can call.
    pub(crate) fn sum(&self, role: &Role) -> Sum {
        let mut sum = Sum::default();
        let entries = self.rows.iter().flat_map(|row| &row.tools);
        for entry in entries.filter(|entry| entry.granted_to.contains(role)) {
            if entry.on {
                *sum.by_category.entry(entry.category).or_default() += 1;
                sum.approval += usize::from(entry.approval_required);
            } else {
                sum.off += 1;
            }
        }
        sum
    }
}

impl MatrixRow {
    /// Returns the tools that are granted to a role.
    pub(crate) fn cell(&self, role: &Role) -> MatrixCell<'_> {
        let entries = self.tools.iter();
        MatrixCell {
            entries: entries
                .filter(|entry| entry.granted_to.contains(role))
                .collect(),
        }
    }

    /// Returns the tools that are granted to no role.
    pub(crate) fn nobody(&self) -> MatrixCell<'_> {
        let entries = self.tools.iter();
        MatrixCell {
            entries: entries
                .filter(|entry| entry.granted_to.is_empty())
                .collect(),
        }
    }
}

/// Adds the workspaces that each role may use a tool in. Returns those of the service.
fn workspaces(
    registry: &Registry,
    tools: &[(&ToolSpec, bool)],
    rows: &mut [MatrixRow],
) -> BTreeSet<WorkspaceName> {
    let specs: BTreeMap<_, _> = tools.iter().map(|(spec, _)| (&spec.name, *spec)).collect();
    let mut all = BTreeSet::new();
    for entry in rows.iter_mut().flat_map(|row| &mut row.tools) {
        let Some(spec) = specs.get(&entry.name) else {
            continue;
        };
        for role in &entry.granted_to {
            let names = registry.workspaces(role, spec);
            if !names.is_empty() {
                all.extend(names.iter().cloned());
                entry.workspaces.insert(role.clone(), names);
            }
        }
    }
    all
}

fn rows(
    tools: &[(&ToolSpec, bool)],
    granted: &BTreeMap<ToolName, BTreeSet<Role>>,
) -> Vec<MatrixRow> {
    let nouns: BTreeSet<&str> = tools.iter().map(|(spec, _)| parts(spec).1).collect();
    let mut rows: BTreeMap<String, Vec<(MatrixEntry, &str)>> = BTreeMap::new();
    for (spec, on) in tools {
        let (verb, noun) = parts(spec);
        let entry = MatrixEntry {
            name: spec.name.clone(),
            label: verb.to_owned(),
            category: spec.category,
            approval_required: spec.approval_required,
            destructive: spec.hints.destructive,
            on: *on,
            granted_to: granted.get(&spec.name).cloned().unwrap_or_default(),
            workspaces: BTreeMap::new(),
        };
        let row = singular(noun, &nouns);
        rows.entry(row).or_default().push((entry, noun));
    }
    let rows = rows.into_iter().map(|(noun, entries)| MatrixRow {
        tools: with_labels(entries),
        noun,
    });
    rows.collect()
}

/// Sorts the entries, the least dangerous first. If two have the same verb, the noun is added.
fn with_labels(entries: Vec<(MatrixEntry, &str)>) -> Vec<MatrixEntry> {
    let verbs: Vec<String> = entries
        .iter()
        .map(|(entry, _)| entry.label.clone())
        .collect();
    let is_shared = |verb: &String| verbs.iter().filter(|other| *other == verb).count() > 1;
    let mut entries: Vec<MatrixEntry> = entries
        .into_iter()
        .map(|(entry, noun)| {
            let label = if is_shared(&entry.label) {
                format!("{} {noun}", entry.label)
            } else {
                entry.label
            };
            MatrixEntry { label, ..entry }
        })
        .collect();
    entries.sort_by(|a, b| {
        let rank = |entry: &MatrixEntry| (entry.category, entry.approval_required);
        rank(a).cmp(&rank(b)).then_with(|| a.label.cmp(&b.label))
    });
    entries
}

/// Verb and noun of a name, `<verb>-<service>-<noun>`. A hand-written tool may be called otherwise.
fn parts(spec: &ToolSpec) -> (&str, &str) {
    let name = spec.name.as_str();
    let (verb, rest) = name.split_once('-').unwrap_or((name, ""));
    let noun = rest
        .strip_prefix(spec.service.as_str())
        .map_or(rest, |rest| rest.trim_start_matches('-'));
    (verb, noun)
}

/// Returns the noun, or its singular if the service has both.
fn singular(noun: &str, nouns: &BTreeSet<&str>) -> String {
    let candidates = [
        noun.strip_suffix("ies").map(|stem| format!("{stem}y")),
        noun.strip_suffix("es").map(str::to_owned),
        noun.strip_suffix('s').map(str::to_owned),
    ];
    let mut known = candidates.into_iter().flatten();
    known
        .find(|singular| nouns.contains(singular.as_str()))
        .unwrap_or_else(|| noun.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plural_and_singular_share_a_row() {
        let nouns = BTreeSet::from(["task", "tasks", "news", "policy", "policies", "boxes"]);
        for (noun, row) in [
            ("tasks", "task"),
            ("task", "task"),
            ("news", "news"),
            ("policies", "policy"),
            ("boxes", "boxes"),
        ] {
            assert_eq!(singular(noun, &nouns), row);
        }
    }
}
