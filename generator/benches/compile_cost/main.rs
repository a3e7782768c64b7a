//! Measures the cost of compiling emitted types, compared with the same types with serde's derives
//! and as plain structs.
//!
//! `cargo bench -p toolwright-generator --bench compile_cost` writes three crates for each set of
//! types, builds their dependencies, and measures `cargo check` and `cargo build` of the crate
//! alone: CPU seconds of the compiler (user and system) and its peak memory. It fails if the
//! emitted types are less than four times cheaper to check than serde's. An argument after `--`
//! selects the sets whose title contains it.

mod measure;
mod sets;
mod twins;

use std::{env, process::ExitCode};

use measure::{Cost, Workshop};
use sets::TypeSet;
use twins::Twin;

/// The least ratio between the cost of checking serde's derives and the emitted types.
const WANTED: f64 = 4.0;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("the emitted types are not {WANTED} times cheaper to check than serde's");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("the costs cannot be measured: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool, String> {
    let workshop = Workshop::open()?;
    println!("CPU seconds / peak MB of rustc for the crate alone, the better of two runs\n");
    println!(
        "{:32} {:7} {:>14} {:>14} {:>14} {:>9} {:>9}",
        "types", "", "plain", "emitted", "serde", "× serde", "× plain"
    );
    let mut is_cheap = true;
    let word = env::args().skip(1).find(|word| !word.starts_with('-'));
    for set in sets::all_sets(&word.unwrap_or_default())? {
        let [plain, emitted, serde] = costs(&workshop, &set)?;
        for (phase, cost) in ["check", "build"]
            .into_iter()
            .enumerate()
            .filter_map(|(at, phase)| {
                Some((phase, [plain.get(at)?, emitted.get(at)?, serde.get(at)?]))
            })
        {
            let [plain, emitted, serde] = cost;
            println!(
                "{:32} {phase:7} {plain:>14} {emitted:>14} {serde:>14} {:>8.1}x {:>8.1}x",
                set.title,
                serde.seconds / emitted.seconds,
                emitted.seconds / plain.seconds,
            );
            is_cheap &= phase != "check" || serde.seconds >= WANTED * emitted.seconds;
        }
    }
    Ok(is_cheap)
}

/// The costs of the plain, the emitted and the serde form; of each those to check and to build.
fn costs(workshop: &Workshop, set: &TypeSet) -> Result<[Vec<Cost>; 3], String> {
    Ok([
        workshop.costs("plain", &twins::source(set, Twin::Plain))?,
        workshop.costs("emitted", &set.emitted)?,
        workshop.costs("serde", &twins::source(set, Twin::Serde))?,
    ])
}
