//! Governance, measured on operations that the owners of their APIs labelled.
//!
//! The labels are read, write and delete; the documents say nothing of them. What is printed is
//! the table of `docs/governance.md`; every row that is wrong is listed with its evidence.

#![expect(
    clippy::unwrap_used,
    reason = "the helpers of a test fail as the test does"
)]

mod documents;

use std::{
    collections::BTreeMap,
    fmt, fs,
    path::{Path, PathBuf},
};

use toolwright_generator::{
    facts::OperationFacts,
    governance::{Classification, classify},
};
use toolwright_model::{Kind, Method};

/// Reads that are not GETs have to be seen as reads this often, by source.
const OTHER_READS: &[(&str, f64)] = &[("aws", 0.90), ("dropbox", 0.90), ("outline", 0.95)];

/// Reads that are GETs have to be seen as reads this often, over all sources and in each.
const GET_READS: (f64, f64) = (0.98, 0.95);

/// Reads that are not GETs have to be seen as reads this often, by the mean over the sources that
/// have at least ten.
const MEAN_OF_OTHER_READS: (f64, usize) = (0.75, 10);

/// What is deleted has to be seen as dangerous this often.
const DELETES: f64 = 0.99;

/// An operation with its label.
struct Row {
    source: String,
    label: String,
    facts: OperationFacts,
    found: Classification,
}

/// A group of rows in which the same is expected.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Case {
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

#[test]
fn what_owners_labelled_is_classed_alike() {
    let Some(folder) = documents::shared("truth") else {
        return;
    };
    let rows = rows(&folder);
    let table = table(&rows);
    print_table(&table);
    for row in rows.iter().filter(|row| row.is_wrong()) {
        println!("{row}");
    }
    let wrongly_safe = rows.iter().filter(|row| row.is_wrongly_safe()).count();
    assert_eq!(wrongly_safe, 0, "wrongly safe");
    check_deletes(&rows);
    check_reads(&table);
}

/// How many rows of each source and case were given each kind.
type Table = BTreeMap<(String, Case), BTreeMap<Kind, usize>>;

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new();
    for row in rows {
        let kinds = table.entry((row.source.clone(), row.case())).or_default();
        *kinds.entry(row.found.kind).or_default() += 1;
    }
    table
}

fn print_table(table: &Table) {
    print!("{:12} {:22} {:>5} {:>7}", "source", "case", "rows", "safe");
    for kind in Kind::ALL {
        print!(" {:>10}", kind.word());
    }
    println!();
    for ((source, case), kinds) in table {
        let rows: usize = kinds.values().sum();
        print!(
            "{source:12} {case:22} {rows:5} {:6.1}%",
            100.0 * safe(kinds)
        );
        for kind in Kind::ALL {
            print!(" {:>10}", kinds.get(kind).copied().unwrap_or_default());
        }
        println!();
    }
}

fn check_deletes(rows: &[Row]) {
    let deletes: Vec<&Row> = rows
        .iter()
        .filter(|row| row.case() == Case::Delete)
        .collect();
    let seen = deletes
        .iter()
        .filter(|row| matches!(row.found.kind, Kind::Delete | Kind::Action))
        .count();
    let share = ratio(seen, deletes.len());
    assert!(share >= DELETES, "deletions seen: {share:.3}");
}

fn check_reads(table: &Table) {
    let of = |wanted: Case| {
        table
            .iter()
            .filter(move |((_, case), _)| *case == wanted)
            .map(|((source, _), kinds)| (source.as_str(), kinds))
    };
    let (all, each) = GET_READS;
    let mut whole = BTreeMap::new();
    for (source, kinds) in of(Case::Get) {
        assert!(
            safe(kinds) >= each,
            "{source}: GET reads {:.3}",
            safe(kinds)
        );
        for (kind, count) in kinds {
            *whole.entry(*kind).or_default() += count;
        }
    }
    assert!(safe(&whole) >= all, "GET reads {:.3}", safe(&whole));
    for (source, least) in OTHER_READS {
        let kinds = of(Case::OtherRead)
            .find(|(other, _)| other == source)
            .unwrap()
            .1;
        assert!(
            safe(kinds) >= *least,
            "{source}: other reads {:.3}",
            safe(kinds)
        );
    }
    let (mean, enough) = MEAN_OF_OTHER_READS;
    let shares: Vec<f64> = of(Case::OtherRead)
        .filter(|(_, kinds)| kinds.values().sum::<usize>() >= enough)
        .map(|(_, kinds)| safe(kinds))
        .collect();
    let found = shares.iter().sum::<f64>() / f64::from(u32::try_from(shares.len()).unwrap());
    println!(
        "mean of the other reads over {} sources: {found:.3}",
        shares.len()
    );
    assert!(found >= mean, "other reads {found:.3}");
}

/// The share of what is classed as a read.
fn safe(kinds: &BTreeMap<Kind, usize>) -> f64 {
    let safe = kinds.iter().filter(|(kind, _)| reads(**kind));
    ratio(safe.map(|(_, count)| count).sum(), kinds.values().sum())
}

fn ratio(part: usize, whole: usize) -> f64 {
    f64::from(u32::try_from(part).unwrap()) / f64::from(u32::try_from(whole).unwrap())
}

fn reads(kind: Kind) -> bool {
    matches!(kind, Kind::Read | Kind::Derive)
}

impl Row {
    fn case(&self) -> Case {
        match (self.label.as_str(), self.facts.method) {
            ("read", Method::Get) => Case::Get,
            ("read", _) => Case::OtherRead,
            (_, Method::Get) => Case::GetWrite,
            ("delete", _) | (_, Method::Delete) => Case::Delete,
            _ => Case::Write,
        }
    }

    fn is_wrong(&self) -> bool {
        reads(self.found.kind) != (self.label == "read")
    }

    fn is_wrongly_safe(&self) -> bool {
        reads(self.found.kind) && self.label != "read"
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
fn rows(folder: &Path) -> Vec<Row> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "tsv"))
        .collect();
    files.sort();
    files
        .iter()
        .flat_map(|file| rows_of(folder, file))
        .collect()
}

/// The labelled operations of one source: document, method, path, operation id, label.
fn rows_of(folder: &Path, file: &Path) -> Vec<Row> {
    let source = file.file_stem().unwrap().to_str().unwrap();
    let mut read = BTreeMap::new();
    let mut rows = Vec::new();
    for line in fs::read_to_string(file).unwrap().lines().skip(1) {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().unwrap();
        let (document, method, path, _, label) = (cell(), cell(), cell(), cell(), cell());
        let facts = read
            .entry(document.to_owned())
            .or_insert_with(|| documents::read(&folder.join("specs").join(document)))
            .iter()
            .find(|facts| facts.path == path && facts.method.word().eq_ignore_ascii_case(method));
        assert!(facts.is_some(), "{document} has no {method} {path}");
        let facts = facts.unwrap();
        rows.push(Row {
            source: source.to_owned(),
            label: label.to_owned(),
            found: classify(facts),
            facts: facts.clone(),
        });
    }
    rows
}
