//! The required shares over all rows, and the aims.

use std::{collections::BTreeMap, fmt::Write as _};

use toolwright_model::Method;

use crate::truth::{Case, Row};

/// The least share of GETs labelled as reads that are classified as reads, over all sources and in
/// each.
const GET_READS: f64 = 0.99;

/// The same for sources with fewer rows than this.
const GET_READS_OF_SMALL: (f64, usize) = (0.97, 200);

/// The least share of other methods labelled as reads that are classified as reads, in each source
/// with at least this many.
const OTHER_READS: (f64, usize) = (0.75, 10);

/// The least mean of these shares.
const MEAN_OF_OTHER_READS: f64 = 0.93;

/// Shares are compared as they are printed, in tenths of a percent.
const ROUNDING: f64 = 0.0005;

/// The least share of deletes that are classified as destructive.
const DELETES: f64 = 0.99;

/// A share, and what is aimed at.
#[derive(Debug)]
pub(crate) struct Figure {
    says: String,
    rows: usize,
    share: f64,
    least: Option<f64>,
}

impl Figure {
    fn new(says: String, rows: &[&Row], holds: impl Fn(&Row) -> bool, least: Option<f64>) -> Self {
        let held = rows.iter().filter(|row| holds(row)).count();
        Self {
            says,
            rows: rows.len(),
            share: ratio(held, rows.len()),
            least,
        }
    }

    /// Checks whether the aim is reached.
    pub(crate) fn holds(&self) -> bool {
        self.least
            .is_none_or(|least| self.share + ROUNDING >= least)
    }
}

/// All figures.
pub(crate) fn all(rows: &[Row]) -> Vec<Figure> {
    let mut figures = vec![not_safe(rows)];
    figures.extend(deletions(rows));
    figures.extend(get_reads(rows));
    figures.extend(other_reads(rows));
    figures
}

/// The figures, as a table of Markdown.
pub(crate) fn table(figures: &[Figure]) -> String {
    let mut table = String::from("| figure | rows | share | aim |\n|---|--:|--:|--:|\n");
    for Figure {
        says,
        rows,
        share,
        least,
    } in figures
    {
        let share = 100.0 * share;
        let aim = least.map_or_else(String::new, |least| format!("{:.0} %", 100.0 * least));
        writeln!(table, "| {says} | {rows} | {share:.1} % | {aim} |").unwrap();
    }
    table
}

fn not_safe(rows: &[Row]) -> Figure {
    let writes = choose(rows, |row| row.label != "read");
    let says = "writes and deletions that are not classed read or derive";
    Figure::new(says.to_owned(), &writes, |row| !row.is_safe(), Some(1.0))
}

fn deletions(rows: &[Row]) -> [Figure; 2] {
    let labelled = choose(rows, |row| row.label == "delete");
    let by_method = choose(rows, |row| row.facts.method == Method::Delete);
    [
        ("labelled deletions", labelled),
        ("operations by DELETE", by_method),
    ]
    .map(|(what, rows)| {
        let says = format!("{what} that are destructive and wait for approval");
        Figure::new(says, &rows, Row::is_seen_as_destructive, Some(DELETES))
    })
}

fn get_reads(rows: &[Row]) -> Vec<Figure> {
    let (small, enough) = GET_READS_OF_SMALL;
    let reads = choose(rows, |row| row.case() == Case::Get);
    let says = "reads by GET that are classed read or derive".to_owned();
    let mut figures = vec![Figure::new(says, &reads, Row::is_safe, Some(GET_READS))];
    for (source, reads) in by_source(&reads) {
        let says = format!("reads by GET of {source}");
        let each = if reads.len() < enough {
            small
        } else {
            GET_READS
        };
        figures.push(Figure::new(says, &reads, Row::is_safe, Some(each)));
    }
    figures
}

fn other_reads(rows: &[Row]) -> Vec<Figure> {
    let reads = choose(rows, |row| row.case() == Case::OtherRead);
    let (least, enough) = OTHER_READS;
    let mut figures = Vec::new();
    let mut shares = Vec::new();
    for (source, reads) in by_source(&reads) {
        let says = format!("reads of {source} by other methods");
        let figure = Figure::new(says, &reads, Row::is_safe, Some(least));
        if figure.rows >= enough {
            shares.push(figure.share);
            figures.push(figure);
        }
    }
    figures.push(Figure {
        says: format!("mean of these {} sources", shares.len()),
        rows: figures.iter().map(|figure| figure.rows).sum(),
        share: shares.iter().sum::<f64>() / f64::from(u32::try_from(shares.len()).unwrap()),
        least: Some(MEAN_OF_OTHER_READS),
    });
    figures
}

fn choose(rows: &[Row], takes: impl Fn(&Row) -> bool) -> Vec<&Row> {
    rows.iter().filter(|row| takes(row)).collect()
}

fn by_source<'r>(rows: &[&'r Row]) -> BTreeMap<&'r str, Vec<&'r Row>> {
    let mut sources: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        sources.entry(&row.source).or_default().push(row);
    }
    sources
}

fn ratio(part: usize, whole: usize) -> f64 {
    f64::from(u32::try_from(part).unwrap()) / f64::from(u32::try_from(whole).unwrap())
}
