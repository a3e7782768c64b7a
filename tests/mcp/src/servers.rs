//! The measured servers.

mod bare;
mod floor;
mod ours;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::Failure;

/// The script of the server with `FastMCP`.
pub(crate) const FASTMCP: &str = include_str!("servers/fastmcp.py");

/// The tool of each server that calls the upstream service, by the server.
pub(crate) const fn tool(server: Server) -> &'static str {
    match server {
        Server::Ours => "get-shop-item",
        Server::Floor | Server::Bare | Server::FastMcp => "get_item",
    }
}

/// A server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Server {
    Ours,
    Floor,
    Bare,
    FastMcp,
}

/// A transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Transport {
    Stdio,
    Http,
}

/// The arguments of a server.
#[derive(Clone, Debug, Args)]
pub(crate) struct ServeArguments {
    /// The server
    pub(crate) server: Server,
    /// The transport
    pub(crate) transport: Transport,
    /// The URL of the upstream service
    #[arg(long)]
    pub(crate) upstream: String,
    /// The port of the HTTP server
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
    /// The bearer token of its client
    #[arg(long, default_value = "")]
    pub(crate) token: String,
    /// The document to serve, in place of the one of the upstream service
    #[arg(long)]
    pub(crate) document: Option<PathBuf>,
}

impl ServeArguments {
    /// Serves until the client goes away, or this process is killed.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        // Each server has one thread for each core, as the command has.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            match self.server {
                Server::Ours => ours::serve(self).await,
                Server::Floor | Server::Bare => bare::serve(self).await,
                Server::FastMcp => Err("`FastMCP` is a script".into()),
            }
        })
    }
}
