//! What generating and compiling adapters costs, beside other generators of Rust code; and what
//! hand-written tools cost.
//!
//! `measure` takes what is not measured yet and adds it to a file of data; `report` makes a page
//! and plots of that file, and of nothing else. The other generators are commands that have to be
//! on the `PATH`; one that is not there is left out. CPU seconds (user and system) and peak memory
//! are those of a program and of all that it starts, as the operating system counts them.

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

/// As in the command, which is what is measured.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Measure what generating and compiling adapters costs, beside other generators
#[derive(Debug, Parser)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure what is not in the file of data yet
    Measure(Choice),
    /// Write the page and its plots from the file of data
    Report {
        /// The folder of the page
        #[arg(long, default_value = "docs")]
        folder: PathBuf,
    },
    /// Measure what hand-written tools cost to compile, beside the same functions without an
    /// attribute and beside `rmcp`'s, and write the page about it
    Tools {
        /// How many tools
        #[arg(long, default_value_t = 500)]
        count: u32,
        /// The page
        #[arg(long, default_value = "docs/tool-speed.md")]
        page: PathBuf,
        /// The folder for what is compiled; it may be removed
        #[arg(long, default_value = "target/bench")]
        work: PathBuf,
    },
    /// Generate a crate with this project's generator, as one of the programs that are compared
    Generate {
        /// The document
        document: PathBuf,
        /// The folder of the crate
        folder: PathBuf,
    },
}

/// What is measured.
#[derive(Debug, clap::Args)]
struct Choice {
    /// Only documents whose path has one of these words
    words: Vec<String>,

    /// Only documents of at least so many kilobytes
    #[arg(long, default_value_t = 200)]
    at_least: u64,

    /// Only these steps
    #[arg(long, value_enum, value_delimiter = ',', default_value = "generate")]
    phases: Vec<Phase>,

    /// Only these generators
    #[arg(long, value_enum, value_delimiter = ',')]
    generators: Vec<Generator>,

    /// Measure again what is in the file of data
    #[arg(long)]
    again: bool,

    /// End a program after so many seconds
    #[arg(long, default_value_t = 300)]
    limit: u32,

    /// The folder of the data
    #[arg(long, default_value = "docs/speed")]
    data: PathBuf,

    /// The folder for what is generated and compiled; it may be removed
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
