//! Runs the selected measurements and stores the results.

use std::path::PathBuf;

use crate::{
    Choice,
    documents::{self, Format},
    generator::Generator,
    records::{Outcome, Record, Records},
    workshop::Workshop,
};

pub(crate) fn run(choice: &Choice) -> Result<(), String> {
    let documents = documents::find(choice.at_least * 1000, &choice.words, &choice.folders)?;
    let workshop = Workshop::open(&choice.work, choice.limit).map_err(|error| error.to_string())?;
    let mut records = Records::read(&choice.data)?;
    for document in &documents {
        records
            .documents
            .insert(document.name.clone(), document.bytes);
        for phase in choice.phases.iter().copied() {
            let format = Format::of(&document.name);
            for (generator, program) in programs(format, &choice.generators) {
                let known = records.outcome(&document.name, phase, generator);
                if known.is_some() && !choice.again {
                    continue;
                }
                let outcome = workshop
                    .measure(generator, &program, document, phase)
                    .map_err(|error| format!("{}: {error}", generator.name()))?;
                println!(
                    "{} {phase:?} {}: {}",
                    document.name,
                    generator.name(),
                    summary(outcome)
                );
                records.add(Record {
                    document: document.name.clone(),
                    phase,
                    generator,
                    outcome,
                });
                records.write(&choice.data)?;
            }
        }
    }
    Ok(())
}

/// Returns the selected generators of a format that are installed.
fn programs(format: Format, chosen: &[Generator]) -> Vec<(Generator, PathBuf)> {
    let all = Generator::reading(format).iter().copied();
    let wanted = all.filter(|generator| chosen.is_empty() || chosen.contains(generator));
    wanted
        .filter_map(|generator| Some((generator, generator.program()?)))
        .collect()
}

fn summary(outcome: Outcome) -> String {
    match outcome {
        Outcome::Done(cost) => format!("{:.2} s, {:.0} MiB", cost.seconds, cost.mebibytes),
        Outcome::Failed => "fails".to_owned(),
        Outcome::TimedOut => "not done in time".to_owned(),
    }
}
