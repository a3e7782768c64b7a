//! The labelled operations.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    path::{Path, PathBuf},
};

use toolwright_generator::internals::{Classification, OperationFacts, classify};
use toolwright_model::{Category, Governance, Kind, Method};

use crate::documents;

/// An operation with its label, and what it is classed as.
pub(crate) struct Row {
    /// Who labelled it.
    pub(crate) source: String,
    /// `read`, `write` or `delete`.
    pub(crate) label: String,
    /// Its facts.
    pub(crate) facts: OperationFacts,
    /// The class, and why.
    pub(crate) found: Classification,
}

/// A group of rows with the same expectation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Case {
    /// A read by GET.
    Get,
    /// A read by another method.
    OtherRead,
    /// A write by GET.
    GetWrite,
    /// A deletion, by its label or by its method.
    Delete,
    /// Any other write.
    Write,
}

impl Row {
    /// The group that the row belongs to.
    pub(crate) fn case(&self) -> Case {
        match (self.label.as_str(), self.facts.method) {
            ("read", Method::Get) => Case::Get,
            ("read", _) => Case::OtherRead,
            (_, Method::Get) => Case::GetWrite,
            ("delete", _) | (_, Method::Delete) => Case::Delete,
            _ => Case::Write,
        }
    }

    /// Returns the governance of the operation's tool.
    pub(crate) fn governance(&self) -> Governance {
        Governance::from_kind(self.found.kind, self.facts.method.is_idempotent())
    }

    /// Checks whether its tool has any sign that it changes nothing.
    pub(crate) fn is_safe(&self) -> bool {
        let governance = self.governance();
        let reads = matches!(self.found.kind, Kind::Read | Kind::Derive);
        matches!(governance.category(), Category::Observe | Category::Report)
            || governance.hints.read_only
            || reads && !governance.approval_required
    }

    /// Checks whether its tool is marked destructive and needs approval.
    pub(crate) fn is_seen_as_destructive(&self) -> bool {
        let governance = self.governance();
        governance.category() == Category::Execute
            && governance.approval_required
            && governance.hints.destructive
    }

    /// Checks whether its class differs from its label.
    pub(crate) fn is_wrong(&self) -> bool {
        self.is_safe() != (self.label == "read")
    }

    /// Checks whether it is classified as a read with another label.
    pub(crate) fn is_wrongly_safe(&self) -> bool {
        self.is_safe() && self.label != "read"
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.facts.operation_id.as_deref().unwrap_or("-");
        writeln!(
            f,
            "{} labels {}: {} {} [{id}] is {}",
            self.source, self.label, self.facts.method, self.facts.path, self.found.kind
        )?;
        for evidence in &self.found.evidence {
            let mark = if evidence.decided { '*' } else { ' ' };
            let (source, found) = (evidence.source, &evidence.found);
            writeln!(
                f,
                "  {mark} {source}: {found} suggests {}",
                evidence.suggests
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Get => "read by GET",
            Self::OtherRead => "read, not by GET",
            Self::GetWrite => "write by GET",
            Self::Delete => "delete",
            Self::Write => "write",
        })
    }
}

/// The labelled operations of all sources.
pub(crate) fn rows(folder: &Path) -> Vec<Row> {
    let all = |_: &[&str]| true;
    tables(folder)
        .iter()
        .flat_map(|table| rows_of(folder, table, all))
        .collect()
}

/// Returns the operations that their owners label `read` although their documents describe a
/// change. They are not measured, since label and document contradict each other.
pub(crate) fn contested(folder: &Path) -> Vec<Row> {
    let changes = |cells: &[&str]| cells.iter().any(|cell| cell.ends_with("changes state"));
    tables(&folder.join("contested"))
        .iter()
        .flat_map(|table| rows_of(folder, table, changes))
        .collect()
}

/// The names of the Google documents in the folder, as the public directory names them.
pub(crate) fn google_documents(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder.join("specs/google"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            format!(
                "googleapis.com/{}",
                path.file_stem().unwrap().to_str().unwrap()
            )
        })
        .collect()
}

fn tables(folder: &Path) -> Vec<PathBuf> {
    let mut tables: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "tsv"))
        .collect();
    tables.sort();
    tables
}

/// Returns the path of a document; some tables omit the extension.
fn path_of(folder: &Path, document: &str) -> PathBuf {
    let path = folder.join("specs").join(document);
    let longer = folder.join("specs").join(format!("{document}.json"));
    if path.exists() { path } else { longer }
}

/// Returns the labelled operations of one source: document, method, path, operation id, label, and
/// other columns.
fn rows_of(folder: &Path, table: &Path, wanted: impl Fn(&[&str]) -> bool) -> Vec<Row> {
    let source = table.file_stem().unwrap().to_str().unwrap();
    let mut read = BTreeMap::new();
    let mut rows = Vec::new();
    for line in fs::read_to_string(table).unwrap().lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [document, method, path, _, label, more @ ..] = cells.as_slice() else {
            panic!("{}: {line}", table.display());
        };
        if !wanted(more) {
            continue;
        }
        let facts = read
            .entry((*document).to_owned())
            .or_insert_with(|| documents::read(&path_of(folder, document)))
            .iter()
            .find(|facts| facts.path == *path && facts.method.word().eq_ignore_ascii_case(method));
        assert!(facts.is_some(), "{document} has no {method} {path}");
        let facts = facts.unwrap();
        rows.push(Row {
            source: source.to_owned(),
            label: (*label).to_owned(),
            found: classify(facts),
            facts: facts.clone(),
        });
    }
    rows
}
