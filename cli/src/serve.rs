//! `toolwright serve`: an MCP server of the views of roles.

mod custom;
mod fingerprint;
mod follower;
mod issued;
mod limits;
mod monitor;
#[cfg(feature = "generator")]
mod mounted;
pub(crate) mod policy;
mod start;
mod token;
pub(crate) mod watcher;

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    thread::available_parallelism,
};

use clap::{Args, ValueEnum};
use tokio::{runtime::Runtime, sync::watch};
use toolwright::{Registry, Role, notify};
use toolwright_mcp::{Access, Issuer, ServeError, Server, Shutdown};
use toolwright_model::most_similar;
use toolwright_sinks::metrics::Metrics;
use toolwright_state::State;

use crate::{
    Exit, Failure,
    context::Context,
    failure::Code,
    operator::{LAST_NOTIFICATIONS, Opened, PermissionArguments, WaitArguments},
    output::error_line,
    tools::{ToolsArguments, output_schemas},
};
use custom::CustomBefore;
use follower::Follower;
use issued::IssuedTokens;
use limits::{CallLimitArguments, HttpLimitArguments};
use monitor::Monitor;
#[cfg(feature = "generator")]
use mounted::MountsBefore;
use policy::Before;
use token::TokenFile;
use watcher::Watcher;

/// The default port.
const DEFAULT_PORT: u16 = 7181;

/// Serve the tools of a role, or of the role of each client's token, to MCP clients
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright serve --role reader\n  \
    toolwright serve --role me --grant 'category:observe' --spec openapi.yaml\n  \
    toolwright serve --role reader --transport http --token-file .local/mcp-token.txt\n  \
    toolwright serve --transport http\n  \
    toolwright serve --role reader --transport socket --socket .toolwright/code.sock")]
pub(crate) struct Arguments {
    /// The transport between clients and the server
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    transport: Transport,

    /// The path of the Unix socket for the programs of an agent. It is created, and removed at the end
    #[arg(long, value_name = "PATH", required_if_eq("transport", "socket"))]
    socket: Option<PathBuf>,

    #[command(flatten)]
    http: HttpArguments,

    /// The role of the clients. Over HTTP without it, each client has the role of its token, which
    /// `toolwright tokens issue` prints
    #[arg(long, value_name = "ROLE")]
    role: Option<Role>,

    #[command(flatten)]
    more: PermissionArguments,
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
    /// A Unix socket for programs of an agent, which call tools as functions
    Socket,
}

impl Arguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        self.check()?;
        // A change after this point causes another read.
        let before = Before::look(context.config_source());
        let custom = CustomBefore::look(&context.config()?);
        #[cfg(feature = "generator")]
        let mounted = MountsBefore::look(&context.config()?);
        let metrics = Metrics::default();
        let opened = self
            .more
            .registry(self.role.as_ref(), &self.tools, context, |audit| {
                Arc::new(metrics.of(audit))
            })?;
        #[cfg(feature = "generator")]
        let mounts = opened.mounts;
        let Opened {
            registry,
            state,
            skills,
            ..
        } = opened;
        let config = context.trusted_config()?;
        let issuer = config.oauth.as_ref().map(Issuer::new);
        let monitor = Monitor::new(config.clone(), metrics, state.clone())?;
        for fault in notify::faults(&config.approvals.notify) {
            tell(&format!(
                "warning: nobody will be told of waiting calls: {fault}"
            ));
        }
        let status = watch::Sender::new(before.status());
        let server = self.server(&registry)?.policy_status(status.subscribe());
        let server = match &config.approvals.console {
            Some(console) => server.approval_page(console.value.clone()),
            None => server,
        };
        let report = start::report(&registry, self.role.as_ref(), &config);
        let follower = Follower::new(state.clone(), &registry, server.changes());
        let of_skills = server.changes();
        let of_policy = server.changes();
        #[cfg(feature = "generator")]
        let (of_mounts, of_source) = (server.changes(), context.config_source());
        let policy = before.follow(registry.clone(), state.clone(), status, move |_| {
            of_policy.announce();
        });
        let policy = Arc::new(policy);
        let of_tools = server.changes();
        let source = context.config_source();
        let custom = custom.follow(registry.clone(), source, self.tools.service(), move || {
            of_tools.announce();
        });
        let custom = (!self.tools.names_specifications()).then_some(custom);
        let runtime = runtime()?;
        let served = runtime.block_on(async {
            let shutdown = Shutdown::on_signals().map_err(no_signals)?;
            let watcher = Watcher::new(policy).map_err(no_signals)?.with_tools(custom);
            tokio::spawn(skills.follow(move || of_skills.announce()));
            #[cfg(feature = "generator")]
            let watcher = {
                let (registry, announce) = (registry.clone(), move || of_mounts.announce());
                let service = self.tools.service();
                let mounted = mounted.follow(mounts, registry, of_source, service, announce);
                watcher.with_mounts((!self.tools.names_specifications()).then_some(mounted))
            };
            let forwarding = monitor.start().await?;
            let prepared = Prepared {
                server,
                follower,
                watcher,
                report,
                shutdown,
            };
            let served = prepared.serve(self, state, issuer).await;
            registry.finish_notifications(LAST_NOTIFICATIONS).await;
            forwarding.finish().await;
            served
        });
        // Standard input may still be read by a thread that nothing can interrupt.
        runtime.shutdown_background();
        served.map(|()| Exit::Done)
    }

    /// Creates the server of the role, or of the roles of tokens.
    fn server(&self, registry: &Registry) -> Result<Server, Failure> {
        let server = match &self.role {
            Some(role) => {
                check_declared(registry, role)?;
                let view = self.more.view(registry, role)?;
                Server::new(registry, role).of_view(view)
            }
            None => {
                let (more, opened) = (self.more.clone(), registry.clone());
                Server::of_each_role(registry).opening_views(move |role| more.open(&opened, role))
            }
        };
        Ok(server
            .waiting_for(self.wait.limit())
            .output_schemas(output_schemas(self.whole_output_schemas))
            .limits(self.call_limits.limits())
            .on_notice(tell))
    }

    /// Checks what the grammar of the command line cannot express.
    fn check(&self) -> Result<(), Failure> {
        let http = &self.http;
        let has_token = http.token_file.is_some() || http.insecure_no_token;
        match (self.transport, &self.role) {
            (Transport::Stdio | Transport::Http, _) if self.socket.is_some() => Err(
                Failure::usage("`--socket` has no effect over another transport")
                    .help("add `--transport socket`"),
            ),
            (Transport::Stdio | Transport::Socket, _) if *http != HttpArguments::default() => Err(Failure::usage(
                "the options of HTTP have no effect over another transport",
            )
            .help("add `--transport http`")),
            (Transport::Stdio | Transport::Socket, None) => {
                let place = match self.transport {
                    Transport::Socket => "at a socket",
                    _ => "over standard input",
                };
                let message = format!("{place} the server needs a role");
                Err(Failure::usage(message).help("add `--role ROLE`"))
            }
            (Transport::Http, Some(_)) if !has_token => {
                Err(Failure::usage("`--transport http` with a role needs a token")
                    .note("without one, every user and container of this machine has the role")
                    .help(
                        "add `--token-file .local/mcp-token.txt`: the file is created with a \
                         random token if it does not exist",
                    )
                    .help("leave out `--role`: each client then has the role of its token, see `toolwright tokens`"))
            }
            (Transport::Http, None) if has_token || self.more.has_grants() => Err(Failure::usage(
                "`--token-file`, `--insecure-no-token` and `--grant` need a role",
            )
            .note("without `--role`, each client has the role of its token")
            .help("add `--role ROLE`, or issue tokens with `toolwright tokens issue`")),
            _ => Ok(()),
        }
    }
}

/// A server with the tasks that keep it current while it serves.
struct Prepared {
    server: Server,
    follower: Follower,
    watcher: Watcher,
    report: Vec<String>,
    shutdown: Shutdown,
}

impl Prepared {
    /// Serves over the transport until the shutdown.
    async fn serve(
        self,
        arguments: Arguments,
        state: State,
        issuer: Option<Issuer>,
    ) -> Result<(), Failure> {
        let Self {
            server,
            follower,
            watcher,
            report,
            shutdown,
        } = self;
        match (arguments.transport, arguments.role) {
            (Transport::Stdio, _) => {
                follower.start();
                tokio::spawn(watcher.run());
                tell(&format!(
                    "{server}; waiting for an MCP client on standard input, Ctrl-D ends this"
                ));
                report.iter().for_each(|line| tell(line));
                server.serve_stdio(shutdown).await.map_err(Failure::from)
            }
            (Transport::Socket, _) => {
                follower.start();
                tokio::spawn(watcher.run());
                let path = arguments.socket.unwrap_or_default();
                tell(&format!("{server} at {}, Ctrl-C ends this", path.display()));
                report.iter().for_each(|line| tell(line));
                serve_socket(server, &path, shutdown).await
            }
            (Transport::Http, Some(_)) => {
                follower.start();
                let (access, watcher) = arguments.http.access(watcher)?;
                tokio::spawn(watcher.run());
                let http = arguments.http;
                http.serve(server, access, shutdown, &report).await
            }
            (Transport::Http, None) => {
                let issued = IssuedTokens::read(state, issuer).await?;
                follower.with_tokens(issued.known()).start();
                let (access, server) = (issued.access(), server.on_token_use(issued.noting()));
                tokio::spawn(watcher.run());
                tokio::spawn(issued.run());
                let http = arguments.http;
                http.serve(server, access, shutdown, &report).await
            }
        }
    }
}

impl HttpArguments {
    /// Returns who has the role of the server, and follows the file of the token.
    fn access(&self, watcher: Watcher) -> Result<(watch::Receiver<Access>, Watcher), Failure> {
        let Some(file) = self.token_file.clone() else {
            tell(
                "warning: no token is asked for: every user and container of this machine \
                 can use the role",
            );
            return Ok((watch::Sender::new(Access::Everyone).subscribe(), watcher));
        };
        let file = TokenFile::new(file);
        let access = watch::Sender::new(first_access(&file)?);
        Ok((access.subscribe(), watcher.with_token(file, access)))
    }

    async fn serve(
        self,
        server: Server,
        access: watch::Receiver<Access>,
        shutdown: Shutdown,
        report: &[String],
    ) -> Result<(), Failure> {
        let tools = server.to_string();
        let port = self.port.unwrap_or(DEFAULT_PORT);
        let limits = self.limits.limits();
        let server = server.bind_http_with(port, access, limits).await?;
        tell(&format!("{tools} at {}, Ctrl-C ends this", server.url()));
        report.iter().for_each(|line| tell(line));
        server.serve(shutdown).await;
        Ok(())
    }
}

#[cfg(unix)]
async fn serve_socket(server: Server, path: &Path, shutdown: Shutdown) -> Result<(), Failure> {
    Ok(server.serve_socket(path, shutdown).await?)
}

#[cfg(not(unix))]
async fn serve_socket(_: Server, _: &Path, _: Shutdown) -> Result<(), Failure> {
    Err(Failure::new("this operating system has no Unix sockets").help("use `--transport stdio`"))
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
    if registry.has_role(role) {
        return Ok(());
    }
    Err(unknown_role(role, &registry.roles()))
}

/// The failure of a command that names a role which is not declared.
pub(crate) fn unknown_role<'a>(
    role: &Role,
    declared: impl IntoIterator<Item = &'a Role>,
) -> Failure {
    let failure = Failure::new(format!("no role `{role}` is declared")).code(Code::UnknownRole);
    let declared = declared.into_iter().map(Role::as_str);
    match most_similar(role.as_str(), declared) {
        Some(similar) => failure.help(format!("a role with a similar name exists: `{similar}`")),
        None => failure.help(format!(
            "declare it as `[roles.{role}]` in toolwright.toml, or grant it something with `--grant`"
        )),
    }
}
