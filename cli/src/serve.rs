//! `toolwright serve`: an MCP server of one role's view.

mod answer;
mod http;
mod server;
mod stdio;
#[cfg(test)]
mod tests;
mod token;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use toolwright::{Registry, Role, ScopedToolView, most_similar};

use crate::{
    Exit, Failure,
    context::Context,
    operator::{OperatorArguments, runtime},
    tools::ToolsArguments,
};
use server::ViewServer;
use token::Token;

/// The port on which MCP clients find the server if nothing else is said.
const DEFAULT_PORT: u16 = 7181;

/// Serve a role's tools to MCP clients
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright serve --role reader\n  \
    toolwright serve --role me --grant 'category:observe' --spec openapi.yaml\n  \
    toolwright serve --role reader --transport http --token-file .local/mcp-token.txt")]
pub(crate) struct Arguments {
    /// How clients are spoken to
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    transport: Transport,

    /// The port on the loopback interface, 7181 unless said; 0 takes any that is free
    #[arg(long, value_name = "PORT", help_heading = "With --transport http")]
    port: Option<u16>,

    /// A file with the bearer token that clients have to show
    #[arg(long, value_name = "FILE", help_heading = "With --transport http")]
    token_file: Option<PathBuf>,

    #[command(flatten)]
    operator: OperatorArguments,
    #[command(flatten)]
    tools: ToolsArguments,
}

/// How clients are spoken to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Transport {
    /// Standard input and output: the client starts this command
    #[default]
    Stdio,
    /// Streamable HTTP on the loopback interface
    Http,
}

impl Arguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let http = self.http()?;
        let registry = self.operator.registry(&self.tools, context)?;
        let view = view(&registry, &self.operator.role)?.in_run(self.operator.run_context());
        let server = ViewServer::new(view);
        let runtime = runtime()?;
        let served = match http {
            None => runtime.block_on(stdio::serve(server)),
            Some(config) => runtime.block_on(http::serve(server, config)),
        };
        // Standard input may still be read by a thread that nothing can interrupt.
        runtime.shutdown_background();
        served.map(|()| Exit::Done)
    }

    /// How HTTP is served, if it is.
    fn http(&self) -> Result<Option<http::HttpConfig>, Failure> {
        if self.transport == Transport::Stdio {
            return if self.port.is_some() || self.token_file.is_some() {
                Err(
                    Failure::usage("`--port` and `--token-file` are of no use over standard input")
                        .help("add `--transport http`"),
                )
            } else {
                Ok(None)
            };
        }
        let token = self.token_file.as_deref().map(Token::read).transpose()?;
        Ok(Some(http::HttpConfig {
            port: self.port.unwrap_or(DEFAULT_PORT),
            token,
        }))
    }
}

/// The view of a role that is declared.
fn view(registry: &Registry, role: &Role) -> Result<ScopedToolView, Failure> {
    if registry.roles().any(|declared| declared == role) {
        return Ok(registry.for_agent(role));
    }
    let failure = Failure::new(format!("no role `{role}` is declared"));
    let declared = registry.roles().map(Role::as_str);
    Err(match most_similar(role.as_str(), declared) {
        Some(similar) => failure.help(format!("a role with a similar name exists: `{similar}`")),
        None => failure.help(format!(
            "declare it as `[roles.{role}]` in toolwright.toml, or grant it something with `--grant`"
        )),
    })
}
