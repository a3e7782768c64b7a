//! `toolwright serve`: an MCP server of one role's view.

mod fingerprint;
mod follower;
mod limits;
mod monitor;
mod policy;
mod token;
mod watcher;

use std::{io, path::PathBuf, sync::Arc, thread::available_parallelism};

use clap::{Args, ValueEnum};
use tokio::{runtime::Runtime, sync::watch};
use toolwright::{Registry, Role, notify};
use toolwright_mcp::{Access, ServeError, Server, Shutdown};
use toolwright_model::most_similar;
use toolwright_sinks::metrics::Metrics;

use crate::{
    Exit, Failure,
    context::Context,
    failure::Code,
    operator::{LAST_NOTIFICATIONS, OperatorArguments, WaitArguments},
    output::error_line,
    tools::{ToolsArguments, output_schemas},
};
use follower::Follower;
use limits::{CallLimitArguments, HttpLimitArguments};
use monitor::Monitor;
use policy::Before;
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
    /// Show clients whole output schemas, rather than cutting those of more than 4096 bytes
    #[arg(long)]
    whole_output_schemas: bool,

    #[command(flatten)]
    wait: WaitArguments,

    #[command(flatten)]
    call_limits: CallLimitArguments,

    /// Write the error that ends the command as JSON to standard error: standard output is the
    /// protocol
    #[arg(long)]
    json: bool,
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
    limits: HttpLimitArguments,
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
        let metrics = Metrics::default();
        let (registry, state) = self
            .operator
            .registry_with(&self.tools, context, |audit| Arc::new(metrics.of(audit)))?;
        let monitor = Monitor::new(context.trusted_config()?, metrics, state.clone())?;
        let role = &self.operator.role;
        check_declared(&registry, role)?;
        for fault in notify::faults(&context.trusted_config()?.approvals.notify) {
            tell(&format!(
                "warning: nobody will be told of waiting calls: {fault}"
            ));
        }
        let status = watch::Sender::new(before.status());
        let view = self.operator.view(&registry)?;
        let server = Server::new(&registry, role)
            .of_view(view)
            .waiting_for(self.wait.limit())
            .output_schemas(output_schemas(self.whole_output_schemas))
            .limits(self.call_limits.limits())
            .policy_status(status.subscribe())
            .on_notice(tell);
        let follower = Follower::new(state.clone(), &registry, server.changes());
        let policy = before.follow(registry.clone(), state, status, server.changes());
        let policy = Arc::new(policy);
        let runtime = runtime()?;
        let served = runtime.block_on(async {
            let shutdown = Shutdown::on_signals().map_err(no_signals)?;
            let watcher = Watcher::new(policy).map_err(no_signals)?;
            follower.start();
            let forwarding = monitor.start().await?;
            let served = match self.transport {
                Transport::Stdio => {
                    tokio::spawn(watcher.run());
                    tell(&format!(
                        "{server}; waiting for an MCP client on standard input, Ctrl-D ends this"
                    ));
                    server.serve_stdio(shutdown).await.map_err(Failure::from)
                }
                Transport::Http => self.http.serve(server, watcher, shutdown).await,
            };
            registry.finish_notifications(LAST_NOTIFICATIONS).await;
            forwarding.finish().await;
            served
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
        server: Server,
        watcher: Watcher,
        shutdown: Shutdown,
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
        let tools = server.to_string();
        let port = self.port.unwrap_or(DEFAULT_PORT);
        let limits = self.limits.limits();
        let server = server.bind_http_with(port, access, limits).await?;
        tell(&format!("{tools} at {}, Ctrl-C ends this", server.url()));
        server.serve(shutdown).await;
        Ok(())
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
    ServeError::Signals(error).into()
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        Self::new(error.to_string())
    }
}

/// Tells the operator something on standard error, which may be gone.
fn tell(text: &str) {
    error_line(text);
}

/// Checks that the role is declared: a name with a typing error would serve no tools.
pub(crate) fn check_declared(registry: &Registry, role: &Role) -> Result<(), Failure> {
    let roles = registry.roles();
    if roles.contains(role) {
        return Ok(());
    }
    let failure = Failure::new(format!("no role `{role}` is declared")).code(Code::UnknownRole);
    let declared = roles.iter().map(Role::as_str);
    Err(match most_similar(role.as_str(), declared) {
        Some(similar) => failure.help(format!("a role with a similar name exists: `{similar}`")),
        None => failure.help(format!(
            "declare it as `[roles.{role}]` in toolwright.toml, or grant it something with `--grant`"
        )),
    })
}
