//! `toolwright serve`: an MCP server of one role's view.

mod access;
mod answer;
mod aside;
mod calls;
mod changes;
mod client;
mod ending;
mod fingerprint;
mod http;
mod limits;
mod list;
mod policy;
mod server;
mod stdio;
#[cfg(test)]
mod tests;
mod token;
mod watcher;

use std::{io, path::PathBuf, sync::Arc, thread::available_parallelism};

use clap::{Args, ValueEnum};
use tokio::{runtime::Runtime, sync::watch};
use toolwright::{Registry, Role, ScopedToolView};
use toolwright_model::most_similar;

use crate::{
    Exit, Failure, context::Context, operator::OperatorArguments, output::error_line,
    tools::ToolsArguments,
};
use access::Access;
use calls::Calls;
use ending::Ending;
use http::HttpConfig;
use limits::{CallLimits, HttpLimits};
use policy::{Before, Policy};
use server::ViewServer;
use token::TokenFile;
use watcher::Watcher;

/// The default port.
const DEFAULT_PORT: u16 = 7181;

/// Serve a role's tools to MCP clients
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright serve --role reader\n  \
    toolwright serve --role me --grant 'category:observe' --spec openapi.yaml\n  \
    toolwright serve --role reader --transport http --token-file .local/mcp-token.txt")]
pub(crate) struct Arguments {
    /// The transport between clients and the server
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    transport: Transport,

    #[command(flatten)]
    http: HttpArguments,
    #[command(flatten)]
    operator: OperatorArguments,
    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    call_limits: CallLimits,
}

/// The options of HTTP.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "With --transport http")]
struct HttpArguments {
    /// The port on the loopback interface; 0 takes any that is free [default: 7181]
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,

    /// The private file with the bearer token that clients must send. If it does not exist, it is
    /// created with a random token
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// Serve without a token: every process of this machine can use the role
    #[arg(long, conflicts_with = "token_file")]
    insecure_no_token: bool,

    #[command(flatten)]
    limits: HttpLimits,
}

/// The transport between clients and the server.
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
        self.check()?;
        // A change after this point causes another read.
        let before = Before::look(context.config_source());
        let registry = self.operator.registry(&self.tools, context)?;
        let view = view(&registry, &self.operator.role)?.in_run(self.operator.run_context());
        let server = ViewServer::new(view, Calls::new(self.call_limits));
        let policy = Arc::new(before.follow(registry, server.changes().clone()));
        let runtime = runtime()?;
        let served = runtime.block_on(async {
            let ending = Ending::listen().map_err(no_signals)?;
            let watcher = Watcher::new(Arc::clone(&policy)).map_err(no_signals)?;
            match self.transport {
                Transport::Stdio => {
                    tokio::spawn(watcher.run());
                    stdio::serve(server, ending).await
                }
                Transport::Http => self.http.serve(server, policy, watcher, ending).await,
            }
        });
        // Standard input may still be read by a thread that nothing can interrupt.
        runtime.shutdown_background();
        served.map(|()| Exit::Done)
    }

    /// Checks what the grammar of the command line cannot express.
    fn check(&self) -> Result<(), Failure> {
        let http = &self.http;
        match self.transport {
            Transport::Stdio if *http != HttpArguments::default() => Err(Failure::usage(
                "the options of HTTP have no effect over standard input",
            )
            .help("add `--transport http`")),
            Transport::Http if http.token_file.is_none() && !http.insecure_no_token => {
                Err(Failure::usage("`--transport http` needs a token")
                    .note("without one, every user and container of this machine has the role")
                    .help(
                        "add `--token-file .local/mcp-token.txt`: the file is created with a \
                         random token if it does not exist",
                    ))
            }
            _ => Ok(()),
        }
    }
}

impl HttpArguments {
    async fn serve(
        self,
        server: ViewServer,
        policy: Arc<Policy>,
        watcher: Watcher,
        ending: Ending,
    ) -> Result<(), Failure> {
        let (access, watcher) = match self.token_file {
            Some(file) => {
                let file = TokenFile::new(file);
                let access = watch::Sender::new(first_access(&file)?);
                (access.subscribe(), watcher.with_token(file, access))
            }
            None => {
                tell(
                    "warning: no token is asked for: every user and container of this machine \
                     can use the role",
                );
                (watch::Sender::new(Access::Everyone).subscribe(), watcher)
            }
        };
        tokio::spawn(watcher.run());
        let config = HttpConfig {
            port: self.port.unwrap_or(DEFAULT_PORT),
            access,
            limits: self.limits,
        };
        http::serve(server, policy, config, ending).await
    }
}

/// Reads the token for the first time, after it was created if need be.
fn first_access(file: &TokenFile) -> Result<Access, Failure> {
    if file.create()? {
        tell(&format!(
            "created `{}` with a random token; clients send it as `Authorization: Bearer TOKEN`",
            file.path().display()
        ));
    }
    file.read().map(Access::Token)
}

/// Creates a runtime of at least two threads: a client with a large message must not make the
/// others wait.
fn runtime() -> Result<Runtime, Failure> {
    let threads = available_parallelism().map_or(2, |threads| threads.get().max(2));
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("cannot start: {error}")))
}

fn no_signals(error: io::Error) -> Failure {
    Failure::new(format!("cannot listen for signals: {error}"))
}

/// Tells the operator something on standard error, which may be gone.
fn tell(text: &str) {
    error_line(text);
}

/// The view of a role that is declared.
fn view(registry: &Registry, role: &Role) -> Result<ScopedToolView, Failure> {
    let roles = registry.roles();
    if roles.contains(role) {
        return Ok(registry.for_agent(role));
    }
    let failure = Failure::new(format!("no role `{role}` is declared"));
    let declared = roles.iter().map(Role::as_str);
    Err(match most_similar(role.as_str(), declared) {
        Some(similar) => failure.help(format!("a role with a similar name exists: `{similar}`")),
        None => failure.help(format!(
            "declare it as `[roles.{role}]` in toolwright.toml, or grant it something with `--grant`"
        )),
    })
}
