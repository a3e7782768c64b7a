//! What generating and compiling adapters costs, beside other generators.

mod ours;

use std::{path::PathBuf, process::ExitCode};

use clap::Parser;

/// Measure what generating and compiling adapters costs, beside other generators
#[derive(Debug, Parser)]
enum Command {
    /// Generate a crate with this project's generator, as one of the programs that are compared
    Generate {
        /// The document
        document: PathBuf,
        /// The folder of the crate
        folder: PathBuf,
    },
}

fn main() -> ExitCode {
    let result = match Command::parse() {
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
