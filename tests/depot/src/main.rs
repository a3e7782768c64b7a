//! Starts Depot by hand: `cargo run -p toolwright-depot`.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Parser;
use toolwright_depot::{DEFAULT_PORT, Depot, DepotConfig, InitialStock, Token};

/// The file in the folder that holds the token.
const TOKEN_FILE: &str = "api-token.txt";

/// Start Depot, a small inventory service, and run it until Ctrl-C.
#[derive(Debug, Parser)]
#[command(name = "toolwright-depot", version)]
struct Arguments {
    /// The folder of the data and the token file; created if it does not exist.
    #[arg(long, default_value = ".local/depot")]
    folder: PathBuf,
    /// The port on the loopback interface; 0 takes any free port.
    #[arg(long, default_value_t = DEFAULT_PORT)]
    port: u16,
    /// Start without the sample items.
    #[arg(long)]
    empty: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            eprintln!("error: {cause}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let token_file = arguments.folder.join(TOKEN_FILE);
    fs::create_dir_all(&arguments.folder)?;
    let depot = Depot::start(DepotConfig {
        token: load_token(&token_file)?,
        folder: arguments.folder,
        port: arguments.port,
        initial_stock: if arguments.empty {
            InitialStock::Empty
        } else {
            InitialStock::Samples
        },
    })
    .await?;
    println!("base URL    {}", depot.base_url());
    println!("document    {}", depot.document_url());
    println!("token file  {}", token_file.display());
    println!("Ctrl-C ends it.");
    tokio::signal::ctrl_c().await?;
    depot.shutdown().await?;
    Ok(())
}

/// Reads the token from the file, or writes a new one to it.
fn load_token(file: &Path) -> Result<Token, Box<dyn std::error::Error>> {
    match fs::read_to_string(file) {
        Ok(text) => {
            Token::new(&text).map_err(|cause| format!("{}: {cause}", file.display()).into())
        }
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            let token = Token::random();
            write_private(file, token.expose())?;
            Ok(token)
        }
        Err(cause) => Err(format!("{}: {cause}", file.display()).into()),
    }
}

/// Writes a file that only its owner may read.
fn write_private(file: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    writeln!(options.open(file)?, "{text}")
}
