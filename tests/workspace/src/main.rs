//! Measures the tools for a repository over MCP, next to the reference file server and to a server of the protocol
//! library alone, and their search next to ripgrep: on one large tree, in one run, call by call in turn.
//!
//! `measure` writes the figures to a data file, `report` writes the page from that file alone. Two of the
//! measured servers are this program, started once more.

mod calls;
mod client;
mod figures;
mod reference;
mod report;
mod servers;
mod tree;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Parser, Subcommand};

// The server has the allocator of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measure the tools for a repository, next to the reference file server and ripgrep
#[derive(Debug, Parser)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure, and write the data file
    Measure {
        /// The number of files of the tree
        #[arg(long, default_value_t = 50_000)]
        files: usize,
        /// The calls of each kind
        #[arg(long, default_value_t = 300)]
        calls: usize,
        /// The data file
        #[arg(long, default_value = "docs/speed/workspace.json")]
        data: PathBuf,
        /// The folder in which the reference server is installed
        #[arg(long, default_value = "target/reference-server")]
        reference: PathBuf,
    },
    /// Write the page from the data file
    Report {
        /// The data file
        #[arg(long, default_value = "docs/speed/workspace.json")]
        data: PathBuf,
        /// The folder of the page
        #[arg(long, default_value = "docs")]
        folder: PathBuf,
    },
    /// Serve the tools for a repository over standard input and output
    Serve {
        /// The repository
        repository: PathBuf,
    },
    /// Serve a folder with the protocol library alone, over standard input and output
    ServeBare {
        /// The folder
        folder: PathBuf,
    },
}

fn main() -> ExitCode {
    // The server is also the child of its sandbox.
    toolwright_sandbox::serve(&[]);
    let result = match CommandLine::parse().command {
        Command::Measure {
            files,
            calls,
            data,
            reference,
        } => measure(files, calls, &data, &reference),
        Command::Report { data, folder } => report::write(&data, &folder),
        Command::Serve { repository } => servers::ours::run(&repository),
        Command::ServeBare { folder } => servers::bare::run(&folder),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(
    files: usize,
    calls: usize,
    data: &Path,
    reference: &Path,
) -> Result<(), Box<dyn std::error::Error>> {
    let program = reference::install(reference)?;
    let folder = tempfile::tempdir()?;
    let tree = tree::create(folder.path(), files)?;
    let figures = calls::measure(&tree, &program, calls)?;
    figures.write(data)
}
