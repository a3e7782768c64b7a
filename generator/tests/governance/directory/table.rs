//! The table of the sources with their halves.

use std::fmt::Write as _;

use super::{Half, Source};
use crate::truth::{Case, Row};

/// The sources, a row each, and a row for each half.
pub(crate) fn render(sources: &[Source]) -> String {
    let mut table = String::from(
        "| source | half | reads by GET | seen | other reads | seen | changes | seen | deletions | seen |\n\
         |---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let of_half = |half| sources.iter().filter(move |source| source.half == half);
    for half in [Half::Read, Half::Unseen] {
        for source in of_half(half) {
            let rows: Vec<&Row> = source.rows.iter().collect();
            line(&mut table, &rows[0].source, half, &rows);
        }
        let rows: Vec<&Row> = of_half(half).flat_map(|source| &source.rows).collect();
        if !rows.is_empty() {
            line(&mut table, "**all**", half, &rows);
        }
    }
    table
}

fn line(table: &mut String, name: &str, half: Half, rows: &[&Row]) {
    write!(table, "| {name} | {half:?} |").unwrap();
    let groups: [&[Case]; 4] = [
        &[Case::Get],
        &[Case::OtherRead],
        &[Case::Write, Case::GetWrite],
        &[Case::Delete],
    ];
    for cases in groups {
        let of_case: Vec<_> = rows
            .iter()
            .filter(|row| cases.contains(&row.case()))
            .collect();
        if of_case.is_empty() {
            table.push_str(" | |");
            continue;
        }
        let right = of_case.iter().filter(|row| !row.is_wrong()).count();
        let share = 100.0 * f64::from(u32::try_from(right).unwrap())
            / f64::from(u32::try_from(of_case.len()).unwrap());
        write!(table, " {} | {share:.1} % |", of_case.len()).unwrap();
    }
    table.push('\n');
}
