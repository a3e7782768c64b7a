//! Measures the cost of generating and compiling adapters, compared with other Rust generators, and
//! the cost of hand-written tools.
//!
//! `measure` runs the missing measurements and adds them to a data file. `report` writes a page and
//! plots from that file alone. The other generators must be on the `PATH`; a missing one is
//! skipped. CPU seconds (user and system) and peak memory include child processes, as the operating
//! system counts them.

mod documents;
mod generator;
mod measure;
mod ours;
mod plot;
mod records;
mod report;
mod tools;
mod workshop;

use std::{path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};

use generator::Generator;
use mimalloc::MiMalloc;
use records::Phase;

/// The allocator of the command that is measured.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Measure the cost of generating and compiling adapters, compared with other generators
#[derive(Debug, Parser)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the measurements that the data file does not contain yet
    Measure(Choice),
    /// Write the page and its plots from the file of data
    Report {
        /// The folder of the page
        #[arg(long, default_value = "docs")]
        folder: PathBuf,
    },
    /// Measure the compile time of hand-written tools, compared with the same functions without an
    /// attribute and with `rmcp`'s tools, and write the page about it
    Tools {
        /// The number of tools
        #[arg(long, default_value_t = 500)]
        count: u32,
        /// The page
        #[arg(long, default_value = "docs/tool-speed.md")]
        page: PathBuf,
        /// The folder for compiled crates; it may be removed
        #[arg(long, default_value = "target/bench")]
        work: PathBuf,
    },
    /// Generate a crate with this project's generator, as one of the compared programs
    Generate {
        /// The document
        document: PathBuf,
        /// The folder of the crate
        folder: PathBuf,
    },
}

/// The selection of measurements.
#[derive(Debug, clap::Args)]
struct Choice {
    /// Only documents whose path contains one of these words
    words: Vec<String>,

    /// Measure the GraphQL schemas and the protos in this folder, too; imports of protos start from it
    #[arg(long = "folder")]
    folders: Vec<PathBuf>,

    /// Only documents of at least this many kilobytes
    #[arg(long, default_value_t = 200)]
    at_least: u64,

    /// Only these steps
    #[arg(long, value_enum, value_delimiter = ',', default_value = "generate")]
    phases: Vec<Phase>,

    /// Only these generators
    #[arg(long, value_enum, value_delimiter = ',')]
    generators: Vec<Generator>,

    /// Repeat measurements that the data file contains
    #[arg(long)]
    again: bool,

    /// End a program after this many seconds
    #[arg(long, default_value_t = 300)]
    limit: u32,

    /// The folder of the data
    #[arg(long, default_value = "docs/speed")]
    data: PathBuf,

    /// The folder for generated and compiled crates; it may be removed
    #[arg(long, default_value = "target/bench")]
    work: PathBuf,
}

fn main() -> ExitCode {
    let result = match CommandLine::parse().command {
        Command::Measure(choice) => measure::run(&choice),
        Command::Report { folder } => report::write(&folder),
        Command::Tools { count, page, work } => tools::run(count, &page, &work),
        Command::Generate { document, folder } => ours::generate(&document, &folder),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
