//! Measures calls over MCP: Toolwright next to a bare server of the same protocol library and to `FastMCP`, in one
//! run, with the same upstream service; and the start and the list of a large document.
//!
//! `measure` writes the figures to a data file, `report` writes the page from that file alone. The measured servers
//! in Rust are this program, started once more.

mod client;
mod figures;
mod measure;
mod process;
mod report;
mod servers;
mod upstream;

use std::{path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};
use servers::ServeArguments;

// Each server in Rust has the allocator of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// An error of any kind.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Measure calls over MCP, next to a bare server and to `FastMCP`
#[derive(Debug, Parser)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure, and write the data file
    Measure {
        /// The rounds, in each of which every server has its turn
        #[arg(long, default_value_t = 5)]
        rounds: usize,
        /// The length of a turn, in milliseconds
        #[arg(long, default_value_t = 1_000)]
        turn: u64,
        /// The large document
        #[arg(long, default_value = "../shared/services/netbox/openapi.yaml")]
        document: PathBuf,
        /// The data file
        #[arg(long, default_value = "docs/speed/mcp.json")]
        data: PathBuf,
        /// The folder in which `FastMCP` is installed
        #[arg(long, default_value = "target/fastmcp")]
        peer: PathBuf,
    },
    /// Write the page from the data file
    Report {
        /// The data file
        #[arg(long, default_value = "docs/speed/mcp.json")]
        data: PathBuf,
        /// The folder of the page
        #[arg(long, default_value = "docs")]
        folder: PathBuf,
    },
    /// Serve: the measured servers
    Serve(ServeArguments),
}

fn main() -> ExitCode {
    let result = match CommandLine::parse().command {
        Command::Measure {
            rounds,
            turn,
            document,
            data,
            peer,
        } => measure::run(rounds, turn, &document, &data, &peer),
        Command::Report { data, folder } => report::write(&data, &folder),
        Command::Serve(arguments) => arguments.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
