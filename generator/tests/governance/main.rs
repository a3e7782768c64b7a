//! Governance: measured on operations that the owners of their APIs labelled, and tested on our own
//! misleading operations.
//!
//! The labels are read, write and delete; the documents do not contain them. The test prints the
//! matrix of each source, every wrong row with its evidence, and the figures with their aims; it
//! fails if a figure is below its limit. `UPDATE_EXPECT=1` writes the matrix and the figures into
//! `docs/governance.md`; otherwise the page must contain the measured figures.

#![cfg(test)]

mod classes;
mod directory;
#[path = "../documents/mod.rs"]
mod documents;
mod figures;
mod hostile;
mod matrix;
mod misleading;
mod page;
mod reviewed;
mod truth;
mod unseen;
mod words;

use directory::Half;
use figures::Figure;
use truth::Row;

#[test]
fn classes_agree_with_the_owners_labels() {
    let Some(folder) = documents::shared("truth") else {
        return;
    };
    let rows = truth::rows(&folder);
    let figures = figures::all(&rows);
    let (matrix, table) = (matrix::render(&rows), figures::table(&figures));
    println!("{matrix}\n");
    for row in rows.iter().filter(|row| row.is_wrong()) {
        println!("{row}");
    }
    println!("{table}");
    reviewed::check(&rows);
    let safe: Vec<String> = rows
        .iter()
        .filter(|row| row.is_wrongly_safe() && !reviewed::has(row))
        .map(Row::to_string)
        .collect();
    assert!(safe.is_empty(), "wrongly safe:\n{}", safe.concat());
    let short: Vec<&Figure> = figures.iter().filter(|figure| !figure.holds()).collect();
    assert!(short.is_empty(), "falls short: {short:#?}");
    page::check(page::MEASURED, &format!("{table}\n{matrix}"));
}

#[test]
fn a_mislabelled_change_is_not_a_read() {
    let Some(folder) = documents::shared("truth") else {
        return;
    };
    let contested = truth::contested(&folder);
    assert!(!contested.is_empty());
    let safe: Vec<String> = contested
        .iter()
        .filter(|row| row.is_safe())
        .map(Row::to_string)
        .collect();
    println!("{} of {} are safe", safe.len(), contested.len());
    assert!(safe.is_empty(), "wrongly safe:\n{}", safe.concat());
}

#[test]
fn classes_agree_with_published_scopes() {
    let Some(folder) = directory::folder() else {
        return;
    };
    let seen = documents::shared("truth").map(|truth| truth::google_documents(&truth));
    let sources = directory::sources(&folder, &seen.unwrap_or_default());
    let read = sources.iter().filter(|source| source.half == Half::Read);
    let wrong = read
        .flat_map(|source| &source.rows)
        .filter(|row| row.is_wrong());
    let safe: Vec<String> = wrong
        .inspect(|row| println!("{row}"))
        .filter(|row| row.is_wrongly_safe())
        .map(Row::to_string)
        .collect();
    let table = directory::render(&sources);
    println!("{table}");
    assert!(safe.is_empty(), "wrongly safe:\n{}", safe.concat());
    page::check(page::PUBLISHED, &table);
}
