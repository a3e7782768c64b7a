//! Measures what the boundary adds to a call, and how its cost grows with tools, roles and instances.
//!
//! `measure` writes the figures to a data file, `report` writes the pages from that file alone.

mod audit;
mod calls;
mod figures;
mod growth;
mod instances;
mod instructions;
mod oracle;
mod report;
mod workload;

use std::{path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};

/// Measure what the boundary adds to a call, and how its cost grows
#[derive(Debug, Parser)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure, and write the data file
    Measure {
        /// The parts to measure; all by default
        #[arg(value_enum)]
        parts: Vec<Part>,
        /// The data file; parts that are not measured keep their figures
        #[arg(long, default_value = "docs/speed/boundary.json")]
        data: PathBuf,
    },
    /// Write the pages from the data file
    Report {
        /// The data file
        #[arg(long, default_value = "docs/speed/boundary.json")]
        data: PathBuf,
        /// The folder of the pages
        #[arg(long, default_value = "docs")]
        folder: PathBuf,
    },
    /// Measure what the audit adds to a call, and write its data file and page
    Audit {
        /// The data file
        #[arg(long, default_value = "docs/speed/audit.json")]
        data: PathBuf,
        /// The folder of the page
        #[arg(long, default_value = "docs")]
        folder: PathBuf,
        /// A folder on the measured disk, which is created and removed
        #[arg(long, default_value = "target/audit-speed")]
        place: PathBuf,
    },
    /// Make calls in this process, for a profiler
    Calls {
        /// The number of calls
        number: usize,
    },
    /// Build one registry in this process, and print its figures
    Registry {
        /// The number of tools
        tools: usize,
        /// The number of roles
        roles: usize,
    },
    /// Work as one of several instances on one state
    Instance {
        /// The URL of the state
        url: String,
        /// The work
        #[arg(value_enum)]
        work: instances::Work,
        /// The number of calls or of switches
        number: usize,
    },
}

/// A part of the measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Calls next to bare requests
    Calls,
    /// The times of refusals
    Oracle,
    /// Instructions by callgrind
    Instructions,
    /// Registries of several sizes
    Growth,
    /// Several processes on one PostgreSQL
    Instances,
}

const PARTS: [Part; 5] = [
    Part::Calls,
    Part::Oracle,
    Part::Instructions,
    Part::Growth,
    Part::Instances,
];

fn main() -> ExitCode {
    let result = match CommandLine::parse().command {
        Command::Measure { parts, data } => measure(&parts, &data),
        Command::Report { data, folder } => report::write(&data, &folder),
        Command::Audit {
            data,
            folder,
            place,
        } => audit::run(&data, &folder, &place),
        Command::Calls { number } => calls::make(number),
        Command::Registry { tools, roles } => growth::print(tools, roles),
        Command::Instance { url, work, number } => instances::work(&url, work, number),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn measure(parts: &[Part], data: &std::path::Path) -> Result<(), String> {
    let parts = if parts.is_empty() { &PARTS } else { parts };
    let mut figures = figures::Figures::read(data)?;
    for part in parts {
        match part {
            Part::Calls => figures.calls = Some(calls::measure()?),
            Part::Oracle => figures.refusals = oracle::measure()?,
            Part::Instructions => figures.instructions = instructions::measure()?,
            Part::Growth => figures.registries = growth::measure()?,
            Part::Instances => figures.instances = instances::measure()?,
        }
        figures.write(data)?;
    }
    Ok(())
}
