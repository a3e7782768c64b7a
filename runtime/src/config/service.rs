//! `[services.*]`: how one service is spoken to.

use std::{collections::BTreeSet, time::Duration};

use serde_json::{Map, Value};
use toolwright_model::{
    TransportKind,
    settings::{self, Node as _, Reader as _},
};

use super::{
    reader::{ConfigReader, TomlNode},
    vault::{SourceKind, is_vault_path},
};
use crate::target::{Allowance, Egress, Origin};

/// The keys of a service's table that each of its workspaces may have too.
pub(super) const SERVICE_KEYS: [&str; 13] = [
    "base_url",
    "transport",
    "endpoint",
    "timeout_seconds",
    "max_response_bytes",
    "handshake_seconds",
    "retries",
    "origins",
    "allow",
    "proxy",
    "credentials",
    "vault_path",
    "constants",
];

/// The most repetitions of a request that can be configured.
pub(super) const MOST_RETRIES: u32 = 5;

/// The settings of a service, or of one of its workspaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceConfig {
    /// The base URL; wins over the specification, and the credentials win over it.
    pub base_url: Option<String>,
    /// The transport of a domain service. The default is the one that its document prefers.
    pub transport: Option<TransportKind>,
    /// The address of a domain service: a socket or a base URL. Without it, the document's.
    pub endpoint: Option<String>,
    /// The timeout of a call, to the last byte of the answer. The default is 30 seconds, or the
    /// timeout that the document of a domain service declares for the method.
    pub timeout: Option<Duration>,
    /// The time for which a handshake is valid. Five minutes by default.
    pub handshake_interval: Duration,
    /// The most repetitions of a request, for calls whose repetition has no further effect. None by
    /// default. The timeout limits all attempts together.
    pub retries: u32,
    /// The longest answer that becomes a value, in bytes; a longer one is an error. One mebibyte by
    /// default. Answers that are saved have the limits of files.
    pub max_response_bytes: usize,
    /// Additional origins that may receive the service's credentials. The origin of the base URL
    /// always may.
    pub origins: Vec<Origin>,
    /// The words that allow targets which are refused otherwise.
    pub allow: BTreeSet<Allowance>,
    /// The proxy that carries the requests, except to loopback and over sockets.
    pub proxy: Option<Origin>,
    /// The source of the credentials. By default it is private files.
    pub credentials: SourceKind,
    /// The path of the credentials in the secret store. By default it is the name of the service.
    pub vault_path: Option<String>,
    /// Service constants, which pin the arguments of the same names. Those of the credentials win
    /// over them.
    pub constants: Map<String, Value>,
}

impl ServiceConfig {
    /// Reads the keys of a table. They win over the settings so far.
    pub(super) fn with(mut self, table: TomlNode<'_>, reader: &mut ConfigReader) -> Self {
        let mut string = |key| reader.string(table, key).map(|text| text.value);
        self.base_url = string("base_url").or(self.base_url);
        self.endpoint = string("endpoint").or(self.endpoint);
        let transport = reader.word(table, "transport", TransportKind::ALL);
        self.transport = transport.map(|kind| kind.value).or(self.transport);
        if table.value_of("origins").is_some() {
            let origins = reader.parsed_list(table, "origins").into_iter();
            self.origins = origins.map(|origin| origin.value).collect();
        }
        if table.value_of("allow").is_some() {
            let allow = reader.parsed_list(table, "allow").into_iter();
            self.allow = allow.map(|word| word.value).collect();
        }
        self.proxy = reader.origin_of_proxy(table, "proxy").or(self.proxy);
        if let Some(kind) = reader.word(table, "credentials", SourceKind::ALL) {
            self.credentials = kind.value;
        }
        self.vault_path = vault_path(table, reader).or(self.vault_path);
        self.constants.extend(constants(table, reader));
        self.with_limits(table, reader)
    }

    fn with_limits(mut self, table: TomlNode<'_>, reader: &mut ConfigReader) -> Self {
        if let Some(seconds) = reader.number(table, "timeout_seconds", 1..=60 * 60) {
            self.timeout = Some(Duration::from_secs(seconds.value));
        }
        if let Some(seconds) = reader.number(table, "handshake_seconds", 1..=24 * 60 * 60) {
            self.handshake_interval = Duration::from_secs(seconds.value);
        }
        if let Some(retries) = reader.number(table, "retries", 0..=u64::from(MOST_RETRIES)) {
            self.retries = u32::try_from(retries.value).unwrap_or(MOST_RETRIES);
        }
        if let Some(bytes) = reader.number(table, "max_response_bytes", 1..=1 << 30) {
            self.max_response_bytes = usize::try_from(bytes.value).unwrap_or(usize::MAX);
        }
        self
    }

    /// Returns the egress settings of requests to the service.
    pub(crate) fn egress(&self, verify_tls: bool) -> Egress {
        Egress {
            verify_tls,
            allow: self.allow.clone(),
            proxy: self.proxy.clone(),
            identity: None,
            pool: None,
        }
    }
}

impl Default for ServiceConfig {
    fn default() -> Self {
        Self {
            base_url: None,
            transport: None,
            endpoint: None,
            timeout: None,
            handshake_interval: Duration::from_mins(5),
            retries: 0,
            max_response_bytes: 1 << 20,
            origins: Vec::new(),
            allow: BTreeSet::new(),
            proxy: None,
            credentials: SourceKind::Files,
            vault_path: None,
            constants: Map::new(),
        }
    }
}

/// Reads the service constants: strings, whole numbers and booleans.
fn constants(table: TomlNode<'_>, reader: &mut ConfigReader) -> Map<String, Value> {
    let entries = reader.table_at(table, "constants");
    let entries = entries.and_then(settings::Node::entries);
    let mut constants = Map::new();
    for (name, _, node) in entries.into_iter().flatten() {
        let text = node.as_str().map(Value::from);
        let number = node.as_u64().map(Value::from);
        match text.or(number).or_else(|| node.as_bool().map(Value::from)) {
            Some(value) => drop(constants.insert(name.to_owned(), value)),
            None => {
                let expected = "a string, a whole number from 0, `true` or `false`";
                reader.wrong_type(node, &format!("`{name}`"), expected);
            }
        }
    }
    constants
}

fn vault_path(table: TomlNode<'_>, reader: &mut ConfigReader) -> Option<String> {
    let path = reader.placed_text(table, "vault_path")?;
    if is_vault_path(&path.value) {
        return Some(path.value);
    }
    let message = "`vault_path` is not the path of a secret";
    let help = "write names of letters, digits, `-`, `_` and `.` with `/` between them";
    reader.problem(path.place, message, help);
    None
}
