//! The report page: tables and plots of the data.

use std::{fmt::Write, fs, path::Path};

use crate::{
    documents::Format,
    generator::Generator,
    plot::{self, Series},
    records::{Cost, Outcome, Phase, Records},
};

/// The page's introduction.
const HEAD: &str = include_str!("report/head.md");

/// A figure of a [`Cost`].
type Figure = fn(Cost) -> f64;

/// One comparison: a step, its documents and its title.
struct Section {
    phase: Phase,
    format: Format,
    title: &'static str,
    /// The minimum document size in bytes.
    at_least: u64,
    /// The generators that must have a result for a document to count. The ratio then compares with
    /// the cheapest of the others. Empty: any other result is enough.
    anchors: &'static [Generator],
    file: &'static str,
}

const SECTIONS: [Section; 6] = [
    Section {
        phase: Phase::Generate,
        format: Format::OpenApi,
        title: "Generating a crate",
        at_least: 500_000,
        anchors: &[Generator::OpenapiToRust, Generator::Ploidy],
        file: "generate",
    },
    Section {
        phase: Phase::Again,
        format: Format::OpenApi,
        title: "Generating a crate that is there already",
        at_least: 500_000,
        anchors: &[Generator::OpenapiToRust, Generator::Ploidy],
        file: "again",
    },
    Section {
        phase: Phase::Check,
        format: Format::OpenApi,
        title: "`cargo check` of the crate alone",
        at_least: 200_000,
        anchors: &[],
        file: "check",
    },
    Section {
        phase: Phase::Build,
        format: Format::OpenApi,
        title: "`cargo build` of the crate alone",
        at_least: 200_000,
        anchors: &[],
        file: "build",
    },
    Section {
        phase: Phase::Generate,
        format: Format::GraphQl,
        title: "Generating a crate from a GraphQL schema",
        at_least: 0,
        anchors: &[],
        file: "graphql",
    },
    Section {
        phase: Phase::Generate,
        format: Format::Grpc,
        title: "Generating a crate from protos",
        at_least: 0,
        anchors: &[],
        file: "grpc",
    },
];

/// Writes `speed.md` and its plots to a folder, from the data in its `speed/`.
pub(crate) fn write(folder: &Path) -> Result<(), String> {
    let data = folder.join("speed");
    let records = Records::read(&data)?;
    let mut page = HEAD.to_owned();
    for section in &SECTIONS {
        // Writing to a `String` cannot fail.
        let _ = section.write(&records, &mut page);
        section.plot(&records, &data)?;
    }
    fs::write(folder.join("speed.md"), page).map_err(|error| error.to_string())
}

impl Section {
    /// The generators that read the format. Ours is the first.
    const fn generators(&self) -> &'static [Generator] {
        Generator::reading(self.format)
    }

    fn documents<'r>(&self, records: &'r Records) -> Vec<(&'r str, u64)> {
        let all = records.documents.iter();
        let mut documents: Vec<_> = all
            .filter(|(_, bytes)| **bytes >= self.at_least)
            .filter(|(name, _)| Format::of(name) == self.format)
            .filter(|(name, _)| self.ours(records, name).is_some())
            .map(|(name, bytes)| (name.as_str(), *bytes))
            .collect();
        documents.sort_by_key(|(name, bytes)| (std::cmp::Reverse(*bytes), *name));
        documents
    }

    fn ours(&self, records: &Records, document: &str) -> Option<Cost> {
        records.cost(document, self.phase, Generator::Toolwright)
    }

    /// The ratio of the cheapest other generator's cost to ours.
    fn ratio(&self, records: &Records, document: &str, figure: Figure) -> Option<f64> {
        let ours = figure(self.ours(records, document)?);
        let cost = |generator: &Generator| records.cost(document, self.phase, *generator);
        if !self.anchors.iter().all(|anchor| cost(anchor).is_some()) {
            return None;
        }
        let others = self.generators().iter().skip(1).filter_map(cost);
        let cheapest = others.map(figure).reduce(f64::min)?;
        Some(cheapest / ours)
    }

    fn write(&self, records: &Records, page: &mut String) -> std::fmt::Result {
        let documents = self.documents(records);
        if documents.is_empty() {
            return Ok(());
        }
        writeln!(page, "\n## {}\n", self.title)?;
        for (what, figure) in [("CPU time", seconds as Figure), ("peak memory", mebibytes)] {
            let ratios = documents.iter();
            let ratios: Vec<f64> = ratios
                .filter_map(|(name, _)| self.ratio(records, name, figure))
                .collect();
            if let Some(median) = median(&ratios) {
                writeln!(
                    page,
                    "- {what}: the cheapest of the others takes **{median:.1} times** ours, by the \
                     median over {} documents.",
                    ratios.len()
                )?;
            }
        }
        if self.phase == Phase::Again
            && let Some(median) = median(&self.shares(records))
        {
            let share = median * 100.0;
            writeln!(
                page,
                "- Ours takes **{share:.1} %** of the CPU time that the first run took, by the median."
            )?;
        }
        if self.phase == Phase::Generate
            && let Some(power) = power(&self.points(records, Generator::Toolwright, seconds))
        {
            writeln!(
                page,
                "- Our CPU time grows with the power {power:.2} of the document's size."
            )?;
        }
        write!(
            page,
            "\n![{}](speed/{}.svg)\n\n| document | MB |",
            self.title, self.file
        )?;
        for generator in self.generators() {
            write!(page, " {} |", generator.name())?;
        }
        let columns = "--:|".repeat(self.generators().len() + 3);
        writeln!(page, " CPU | memory |\n|---|{columns}")?;
        for (name, bytes) in documents {
            write!(page, "| {name} | {:.1} |", megabytes(bytes))?;
            for generator in self.generators() {
                let outcome = records.outcome(name, self.phase, *generator);
                write!(page, " {} |", cell(outcome))?;
            }
            for figure in [seconds as Figure, mebibytes] {
                match self.ratio(records, name, figure) {
                    Some(ratio) => write!(page, " {ratio:.1} |")?,
                    None => write!(page, " |")?,
                }
            }
            writeln!(page)?;
        }
        Ok(())
    }

    fn plot(&self, records: &Records, folder: &Path) -> Result<(), String> {
        if self.documents(records).is_empty() {
            return Ok(());
        }
        let series: Vec<Series> = self
            .generators()
            .iter()
            .map(|generator| Series {
                name: generator.name(),
                points: self.points(records, *generator, seconds),
            })
            .collect();
        let path = folder.join(format!("{}.svg", self.file));
        plot::write(&path, &self.title.replace('`', ""), "CPU seconds", &series)
    }

    /// The share of the first run's CPU time that this step takes, for each document.
    fn shares(&self, records: &Records) -> Vec<f64> {
        let documents = self.documents(records).into_iter();
        documents
            .filter_map(|(name, _)| {
                let first = records.cost(name, Phase::Generate, Generator::Toolwright)?;
                Some(self.ours(records, name)?.seconds / first.seconds)
            })
            .collect()
    }

    /// The document sizes and the costs of a generator.
    fn points(&self, records: &Records, generator: Generator, figure: Figure) -> Vec<(f64, f64)> {
        let all = records.documents.iter();
        let all = all.filter(|(name, _)| Format::of(name) == self.format);
        all.filter_map(|(name, bytes)| {
            let cost = records.cost(name, self.phase, generator)?;
            Some((megabytes(*bytes), figure(cost).max(0.01)))
        })
        .collect()
    }
}

fn cell(outcome: Option<Outcome>) -> String {
    match outcome {
        None => String::new(),
        Some(Outcome::Failed) => "fails".to_owned(),
        Some(Outcome::TimedOut) => "over time".to_owned(),
        Some(Outcome::Done(cost)) => format!("{:.2} s, {:.0} MiB", cost.seconds, cost.mebibytes),
    }
}

const fn seconds(cost: Cost) -> f64 {
    cost.seconds
}

const fn mebibytes(cost: Cost) -> f64 {
    cost.mebibytes
}

#[expect(
    clippy::cast_precision_loss,
    reason = "documents are much smaller than 2^52 bytes"
)]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1_000_000.0
}

fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = values.get(middle).copied()?;
    if values.len().is_multiple_of(2) {
        let lower = values.get(middle.checked_sub(1)?).copied()?;
        return Some(f64::midpoint(lower, upper));
    }
    Some(upper)
}

/// Returns the exponent of the second figure's growth with the first: the slope of the best line
/// through the logarithms.
fn power(points: &[(f64, f64)]) -> Option<f64> {
    let logarithms: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = f64::from(u32::try_from(logarithms.len()).ok()?);
    let mean = |of: fn(&(f64, f64)) -> f64| logarithms.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let along = logarithms.iter();
    let (both, square) = along.fold((0.0, 0.0), |(both, square), point| {
        let (dx, dy) = (point.0 - x, point.1 - y);
        (both + dx * dy, square + dx * dx)
    });
    (square > 0.0).then(|| both / square)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_is_the_middle_value() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn power_matches_the_curve() {
        let square: Vec<_> = (1..9).map(|x| (f64::from(x), f64::from(x * x))).collect();
        assert!((power(&square).unwrap() - 2.0).abs() < 1e-9);
        assert_eq!(power(&[(1.0, 1.0)]), None);
    }
}
