//! `[mcp.*]`: MCP servers whose tools are mounted.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::Duration,
};

use reqwest::Url;
use toolwright_model::{
    ServiceName,
    settings::{Node as _, Reader as _},
};

use super::{
    Placed,
    reader::{ConfigReader, TomlNode},
};
use crate::{
    audit::ServerRequest,
    target::{Allowance, Egress, Origin},
};

/// The keys of a server's table.
pub(super) const MCP_KEYS: [&str; 18] = [
    "command",
    "url",
    "environment",
    "secret_files",
    "token_file",
    "folder",
    "read",
    "write",
    "execute",
    "ports",
    "start_seconds",
    "timeout_seconds",
    "max_response_bytes",
    "max_memory_bytes",
    "most_tools",
    "requests",
    "allow",
    "proxy",
];

/// The keys that are for a program.
pub(super) const OF_COMMAND: [&str; 8] = [
    "environment",
    "secret_files",
    "folder",
    "read",
    "write",
    "execute",
    "ports",
    "max_memory_bytes",
];

/// The keys that are for a URL.
pub(super) const OF_URL: [&str; 3] = ["token_file", "allow", "proxy"];

/// The longest timeout, in seconds.
pub(super) const LONGEST_TIMEOUT: u64 = 60 * 60;

/// The default time for the start of a server, in seconds.
pub(super) const START_SECONDS: u64 = 30;

/// The default timeout of a call, in seconds.
pub(super) const TIMEOUT_SECONDS: u64 = 60;

/// The default of the longest result, in bytes.
pub(super) const RESPONSE_BYTES: u64 = 1 << 20;

/// The longest result that can be configured, in bytes.
pub(super) const MOST_RESPONSE_BYTES: u64 = 1 << 26;

/// The default memory of a program, in bytes.
pub(super) const MEMORY_BYTES: u64 = 1 << 30;

/// The least memory that can be configured, in bytes.
pub(super) const LEAST_MEMORY_BYTES: u64 = 1 << 24;

/// The most memory that can be configured, in bytes.
pub(super) const MOST_MEMORY_BYTES: u64 = 1 << 36;

/// The default of the number of tools that a server may list.
pub(super) const MOST_TOOLS: u64 = 200;

/// The greatest number of tools that can be configured.
pub(super) const GREATEST_MOST_TOOLS: u64 = 2_000;

/// `[mcp.*]`: one server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct McpConfig {
    /// `command` or `url`: how the server is reached.
    pub server: McpServer,
    /// `start_seconds`: the time until the server has listed its tools.
    pub start: Duration,
    /// `timeout_seconds`: the timeout of a call.
    pub timeout: Duration,
    /// `max_response_bytes`: the longest result of a call.
    pub max_response_bytes: usize,
    /// `most_tools`: the number of tools that the server may list.
    pub most_tools: usize,
    /// `requests`: what the server may ask of the client of a call.
    pub requests: BTreeSet<ServerRequest>,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpServer {
    /// A program in the sandbox that speaks over its standard input and output.
    Command(McpCommand),
    /// A server of streamable HTTP.
    Url(McpUrl),
}

/// A program that is a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct McpCommand {
    /// `command`: the absolute path of the program, and its arguments.
    pub command: Vec<String>,
    /// `environment`: its whole environment, except its secrets.
    pub environment: BTreeMap<String, String>,
    /// `secret_files`: the private files whose contents are variables of its environment.
    pub secret_files: BTreeMap<String, PathBuf>,
    /// `folder`: the folder that it starts in.
    pub folder: PathBuf,
    /// `read`: the paths that it may read, besides programs and libraries of the system.
    pub read: Vec<PathBuf>,
    /// `write`: the paths that it may change.
    pub write: Vec<PathBuf>,
    /// `execute`: the paths that it may execute.
    pub execute: Vec<PathBuf>,
    /// `ports`: the TCP ports that it may connect to.
    pub ports: BTreeSet<u16>,
    /// `max_memory_bytes`: the memory of its processes.
    pub max_memory_bytes: u64,
}

/// A server at a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct McpUrl {
    /// `url`
    pub url: String,
    /// `token_file`: the private file with the bearer token.
    pub token_file: Option<PathBuf>,
    /// `allow`: the words that allow a target which is refused otherwise.
    pub allow: BTreeSet<Allowance>,
    /// `proxy`: the proxy that carries the requests, except to loopback.
    pub proxy: Option<Origin>,
}

/// Reads `[mcp.*]`.
pub(super) fn read(
    document: TomlNode<'_>,
    root: &Path,
    reader: &mut ConfigReader,
) -> BTreeMap<ServiceName, Placed<McpConfig>> {
    let servers = reader.tables(document, "mcp", |reader, table| {
        McpConfig::read(table, root, reader)
    });
    let servers = servers.into_iter();
    let read = servers.filter_map(|(name, server): (Placed<ServiceName>, _)| {
        let place = name.place;
        Some((
            name.value,
            Placed {
                value: server?,
                place,
            },
        ))
    });
    read.collect()
}

impl McpConfig {
    pub(super) fn read(
        table: TomlNode<'_>,
        root: &Path,
        reader: &mut ConfigReader,
    ) -> Option<Self> {
        reader.check_keys(table, &MCP_KEYS);
        let has = |key| table.value_of(key).is_some();
        let server = match (has("command"), has("url")) {
            (true, false) => {
                refuse(table, &OF_URL, "url", reader);
                McpCommand::read(table, root, reader).map(McpServer::Command)
            }
            (false, true) => {
                refuse(table, &OF_COMMAND, "command", reader);
                McpUrl::read(table, root, reader).map(McpServer::Url)
            }
            (both, _) => {
                let message = match both {
                    true => "this server has both `command` and `url`",
                    false => "this server has neither `command` nor `url`",
                };
                let help = "write either `command`, a program with its arguments, or `url`";
                reader.problem(table.place(), message, help);
                None
            }
        };
        let seconds = |key, otherwise, reader: &mut ConfigReader| {
            let seconds = reader.number(table, key, 1..=LONGEST_TIMEOUT);
            Duration::from_secs(seconds.map_or(otherwise, |seconds| seconds.value))
        };
        let size = |key, range, otherwise, reader: &mut ConfigReader| {
            let number = reader.number(table, key, range);
            let number = number.map_or(otherwise, |number| number.value);
            usize::try_from(number).unwrap_or(usize::MAX)
        };
        let bytes = 1..=MOST_RESPONSE_BYTES;
        let tools = 1..=GREATEST_MOST_TOOLS;
        let start = seconds("start_seconds", START_SECONDS, reader);
        let timeout = seconds("timeout_seconds", TIMEOUT_SECONDS, reader);
        let max_response_bytes = size("max_response_bytes", bytes, RESPONSE_BYTES, reader);
        let most_tools = size("most_tools", tools, MOST_TOOLS, reader);
        let requests: Vec<Placed<ServerRequest>> = reader.parsed_list(table, "requests");
        Some(Self {
            server: server?,
            start,
            timeout,
            max_response_bytes,
            most_tools,
            requests: requests.into_iter().map(|request| request.value).collect(),
        })
    }
}

impl McpCommand {
    fn read(table: TomlNode<'_>, root: &Path, reader: &mut ConfigReader) -> Option<Self> {
        let command = reader.texts(table, "command");
        let program = command.first();
        let is_path = program.is_some_and(|program| Path::new(&program.value).is_absolute());
        if !is_path {
            let place = table
                .value_of("command")
                .map_or(table.place(), |node| node.place());
            let message = "`command` does not begin with the absolute path of a program";
            let help =
                "write the path and the arguments, such as `[\"/usr/bin/node\", \"server.js\"]`";
            reader.problem(place, message, help);
        }
        let mut paths = |key| -> Vec<PathBuf> {
            let paths = reader.texts(table, key).into_iter();
            paths.map(|path| root.join(path.value)).collect()
        };
        let (read, write, execute) = (paths("read"), paths("write"), paths("execute"));
        let secret_files = reader.variables(table, "secret_files");
        let secret_files = secret_files.into_iter();
        let secret_files: BTreeMap<_, _> = secret_files
            .map(|(name, path)| (name, root.join(path)))
            .collect();
        let folder = reader.exact_text(table, "folder");
        let folder = folder.map_or_else(|| root.to_owned(), |folder| root.join(folder.value));
        // The root of a configuration in the current folder is an empty path, which names no folder.
        let is_here = folder.as_os_str().is_empty();
        let memory = LEAST_MEMORY_BYTES..=MOST_MEMORY_BYTES;
        let memory = reader.number(table, "max_memory_bytes", memory);
        let server = Self {
            command: command.into_iter().map(|text| text.value).collect(),
            environment: reader.variables(table, "environment"),
            secret_files,
            folder: if is_here { PathBuf::from(".") } else { folder },
            read,
            write,
            execute,
            ports: reader.ports(table),
            max_memory_bytes: memory.map_or(MEMORY_BYTES, |memory| memory.value),
        };
        is_path.then_some(server)
    }
}

impl McpUrl {
    fn read(table: TomlNode<'_>, root: &Path, reader: &mut ConfigReader) -> Option<Self> {
        let url = reader.exact_text(table, "url");
        let token_file = reader.exact_text(table, "token_file");
        let allow: Vec<Placed<Allowance>> = reader.parsed_list(table, "allow");
        for word in &allow {
            if word.value == Allowance::UnverifiedTls {
                let message = format!("a mounted server cannot be allowed `{}`", word.value);
                let help = "add the certificate authority of the server to those of the machine";
                reader.problem(word.place.clone(), &message, help);
            }
        }
        let server = Self {
            url: url.as_ref()?.value.clone(),
            token_file: token_file.map(|file| root.join(file.value)),
            allow: allow.into_iter().map(|word| word.value).collect(),
            proxy: reader.origin_of_proxy(table, "proxy"),
        };
        if let (Err(message), Some(url)) = (server.check(), url) {
            let help = "write an `https` URL, or an `http` URL of this machine";
            reader.problem(url.place, &message, help);
        }
        Some(server)
    }

    /// Returns the egress settings of requests to the server.
    pub(crate) fn egress(&self) -> Egress {
        Egress::verified(self.allow.clone(), self.proxy.clone())
    }

    fn check(&self) -> Result<(), String> {
        let url = Url::parse(&self.url);
        let url = url.map_err(|error| format!("the URL of the server is invalid: {error}"))?;
        if Origin::from_url(&url).is_none() {
            return Err("the URL of the server is not one of the web".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("the URL of the server contains a user or a password".to_owned());
        }
        let checked = self.egress().check(&url);
        checked.map_err(|refused| refused.to_string())
    }
}

/// Reports keys that have no effect on a server of the other kind.
fn refuse(table: TomlNode<'_>, keys: &[&str], other: &str, reader: &mut ConfigReader) {
    for key in keys {
        if let Some(node) = table.value_of(key) {
            let message = format!("`{key}` has an effect only on a server with `{other}`");
            reader.problem(node.place(), &message, "remove it");
        }
    }
}
