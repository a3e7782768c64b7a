//! The connection to a server: a program in the sandbox, or streamable HTTP.

use std::{fmt, time::Duration};

use rmcp::{
    RoleClient, ServiceError,
    service::{ClientInitializeError, RunningService, serve_client},
    transport::{
        StreamableHttpClientTransport, async_rw::AsyncRwTransport,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use tokio::time::timeout;
use toolwright::{
    ToolError, client_of_mcp,
    config::{McpCommand, McpConfig, McpServer, McpUrl},
    error::TransportFault,
    private::{self, Links},
};
use toolwright_model::text::remove_invisible;
use toolwright_sandbox::{Confinement, Dialogue, Network, Program, Sandbox};

use crate::{answering::Answering, client::Client, limited::Limited};

const MIB: u64 = 1 << 20;

/// The time after which a program is ended and started again.
const LONGEST_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// The longest secret, in bytes.
const LONGEST_SECRET: u64 = 64 << 10;

/// The most bytes of a message besides the result of a call: the frame of the protocol, and the definitions
/// of a page of tools.
const BESIDES_RESULT: usize = 8 << 20;

/// The folders of programs that a server finds by their names.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A connection to a server.
pub(crate) struct Live {
    service: RunningService<RoleClient, Client>,
    /// The program, which ends with this value.
    dialogue: Option<Dialogue>,
    secrets: Vec<String>,
}

/// The reason why a server cannot be used now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unavailable {
    pub(crate) fault: TransportFault,
    pub(crate) message: String,
}

impl Live {
    /// Connects to a server.
    pub(crate) async fn connect(
        config: &McpConfig,
        sandbox: &Sandbox,
        client: Client,
    ) -> Result<Self, Unavailable> {
        let limit = config.max_response_bytes.saturating_add(BESIDES_RESULT);
        let connected = match &config.server {
            McpServer::Command(command) => {
                timeout(config.start, start(command, sandbox, client, limit)).await
            }
            McpServer::Url(url) => timeout(config.start, open(url, client, limit)).await,
        };
        connected.unwrap_or_else(|_| {
            let seconds = config.start.as_secs();
            let message = format!("it was not ready within {seconds} s (`start_seconds`)");
            Err(Unavailable::new(TransportFault::Timeout, message))
        })
    }

    pub(crate) const fn service(&self) -> &RunningService<RoleClient, Client> {
        &self.service
    }

    /// Returns the secrets that the server was given. No result contains them.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &str> {
        self.secrets.iter().map(String::as_str)
    }

    /// Checks whether the connection has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.service.is_closed() || self.service.peer().is_transport_closed()
    }
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live")
            .field("dialogue", &self.dialogue)
            .finish_non_exhaustive()
    }
}

/// Starts a program in the sandbox.
async fn start(
    command: &McpCommand,
    sandbox: &Sandbox,
    client: Client,
    limit: usize,
) -> Result<Live, Unavailable> {
    let (program, arguments) = command
        .command
        .split_first()
        .ok_or_else(|| Unavailable::new(TransportFault::Unsendable, "its `command` is empty"))?;
    let mut confinement = confinement(command);
    let mut secrets = Vec::new();
    for (name, file) in &command.secret_files {
        let secret = secret(file)?;
        confinement.environment.insert(name.clone(), secret.clone());
        secrets.push(secret);
    }
    let program = Program::new(program, arguments.iter().cloned());
    let started = sandbox.talk(&confinement, &program).await;
    let (stream, dialogue) =
        started.map_err(|error| Unavailable::new(TransportFault::Connect, error.to_string()))?;
    let (read, write) = tokio::io::split(stream);
    let transport = AsyncRwTransport::new_client(Limited::new(read, limit), write);
    let transport = transport.with_max_line_length(limit.saturating_add(1));
    match serve_client(client, Answering::new(transport)).await {
        Ok(service) => Ok(Live {
            service,
            dialogue: Some(dialogue),
            secrets,
        }),
        Err(ClientInitializeError::ConnectionClosed(_)) => {
            let ended = match dialogue.finish().await {
                Ok(finished) => format!("the program {}", finished.end),
                Err(error) => error.to_string(),
            };
            Err(Unavailable::new(TransportFault::Connect, ended))
        }
        Err(error) => Err(Unavailable::from_start(&error, &secrets)),
    }
}

/// Returns the rights of a program: what the configuration states, and nothing else. All layers of the
/// sandbox are required.
fn confinement(command: &McpCommand) -> Confinement {
    let mut confinement = Confinement::new(&command.folder);
    confinement.files = confinement.files.with_system_programs();
    confinement.files.read.push(command.folder.clone());
    confinement.files.read.extend(command.read.iter().cloned());
    confinement.files.write.clone_from(&command.write);
    confinement.files.execute.clone_from(&command.execute);
    if !command.ports.is_empty() {
        confinement.network = Network::Ports(command.ports.clone());
    }
    let base = [("PATH", PATH), ("LANG", "C.UTF-8")];
    let base = base.map(|(name, value)| (name.to_owned(), value.to_owned()));
    confinement.environment = base.into();
    confinement.environment.extend(command.environment.clone());
    let limits = &mut confinement.limits;
    limits.time = LONGEST_LIFE;
    limits.cpu = LONGEST_LIFE;
    limits.memory = command.max_memory_bytes;
    limits.processes = 256;
    limits.file_size = 1024 * MIB;
    limits.written = 4096 * MIB;
    limits.open_files = 1024;
    limits.scratch = 64 * MIB;
    confinement
}

/// Opens a connection over HTTP.
async fn open(url: &McpUrl, handler: Client, limit: usize) -> Result<Live, Unavailable> {
    let client = client_of_mcp(url);
    let client =
        client.map_err(|error| Unavailable::new(TransportFault::Unsendable, error.to_string()))?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.url.as_str());
    config.max_sse_event_size = limit;
    let mut secrets = Vec::new();
    if let Some(file) = &url.token_file {
        let token = secret(file)?;
        config = config.auth_header(token.clone());
        secrets.push(token);
    }
    let transport = StreamableHttpClientTransport::with_client(client, config);
    match serve_client(handler, Answering::new(transport)).await {
        Ok(service) => Ok(Live {
            service,
            dialogue: None,
            secrets,
        }),
        Err(error) => Err(Unavailable::from_start(&error, &secrets)),
    }
}

/// Reads the secret of a private file.
fn secret(file: &std::path::Path) -> Result<String, Unavailable> {
    let read = private::read(file, Links::Follow, LONGEST_SECRET);
    let text = read.map_err(|error| {
        let message = format!("a private file of it cannot be read: {error}");
        Unavailable::new(TransportFault::Unsendable, message)
    })?;
    let text = text.trim();
    if text.is_empty() || text.contains(['\0', '\n', '\r']) {
        let message = "a private file of it is not one line";
        return Err(Unavailable::new(TransportFault::Unsendable, message));
    }
    Ok(text.to_owned())
}

impl Unavailable {
    pub(crate) fn new(fault: TransportFault, message: impl Into<String>) -> Self {
        Self {
            fault,
            message: message.into(),
        }
    }

    /// A server that answers in a way that cannot be used.
    pub(crate) fn broken(message: impl Into<String>) -> Self {
        Self::new(TransportFault::Broken, message)
    }

    /// Returns the reason of a request that failed.
    pub(crate) fn from_service(error: &ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => {
                let message = remove_invisible(&error.message).into_owned();
                Self::broken(format!("it answers with an error: {message}"))
            }
            ServiceError::TransportClosed | ServiceError::TransportSend(_) => {
                Self::broken("the connection broke")
            }
            ServiceError::Timeout { .. } => {
                Self::new(TransportFault::Timeout, "it did not answer in time")
            }
            _ => Self::broken("its answer is not valid"),
        }
    }

    fn from_start(error: &ClientInitializeError, secrets: &[String]) -> Self {
        let mut message = remove_invisible(&error.to_string()).into_owned();
        for secret in secrets {
            message = message.replace(secret.as_str(), "…");
        }
        let message: String = message.chars().take(300).collect();
        Self::new(
            TransportFault::Connect,
            format!("it cannot be reached: {message}"),
        )
    }

    /// Returns the error of a call. It does not tell agents more than that the server is away.
    pub(crate) fn into_error(self, service: &str) -> ToolError {
        let Self { fault, message } = self;
        ToolError::Transport {
            fault,
            message: format!("the mounted server `{service}` cannot be used now"),
            detail: Some(message),
            request: None,
        }
    }
}
