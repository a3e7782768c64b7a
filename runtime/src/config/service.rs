//! `[services.*]`: how one service is spoken to.

use std::{collections::BTreeSet, time::Duration};

use toolwright_model::{TransportKind, settings::Reader as _};

use super::{
    reader::{ConfigReader, TomlNode},
    vault::{SourceKind, is_vault_path},
};
use crate::target::{Allowance, Egress, Origin};

/// The keys of a service's table.
pub(super) const SERVICE_KEYS: [&str; 12] = [
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
];

/// The most repetitions of a request that can be configured.
pub(super) const MOST_RETRIES: u32 = 5;

/// The settings of a service.
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
}

impl ServiceConfig {
    pub(super) fn read(table: TomlNode<'_>, more_keys: &[&str], reader: &mut ConfigReader) -> Self {
        reader.check_keys(table, &[&SERVICE_KEYS, more_keys].concat());
        let mut string = |key| reader.string(table, key).map(|text| text.value);
        let (base_url, endpoint) = (string("base_url"), string("endpoint"));
        let transport = reader.word(table, "transport", TransportKind::ALL);
        let origins = reader.parsed_list(table, "origins");
        let allow = reader.parsed_list(table, "allow");
        let credentials = reader.word(table, "credentials", SourceKind::ALL);
        let vault_path = vault_path(table, reader);
        let mut service = Self {
            base_url,
            transport: transport.map(|kind| kind.value),
            endpoint,
            origins: origins.into_iter().map(|origin| origin.value).collect(),
            allow: allow.into_iter().map(|word| word.value).collect(),
            proxy: reader.origin_of_proxy(table, "proxy"),
            credentials: credentials.map_or(SourceKind::Files, |kind| kind.value),
            vault_path,
            ..Self::default()
        };
        if let Some(seconds) = reader.number(table, "timeout_seconds", 1..=60 * 60) {
            service.timeout = Some(Duration::from_secs(seconds.value));
        }
        if let Some(seconds) = reader.number(table, "handshake_seconds", 1..=24 * 60 * 60) {
            service.handshake_interval = Duration::from_secs(seconds.value);
        }
        if let Some(retries) = reader.number(table, "retries", 0..=u64::from(MOST_RETRIES)) {
            service.retries = u32::try_from(retries.value).unwrap_or(MOST_RETRIES);
        }
        if let Some(bytes) = reader.number(table, "max_response_bytes", 1..=1 << 30) {
            service.max_response_bytes = usize::try_from(bytes.value).unwrap_or(usize::MAX);
        }
        service
    }

    /// Returns the egress settings of requests to the service.
    pub(crate) fn egress(&self, verify_tls: bool) -> Egress {
        Egress {
            verify_tls,
            allow: self.allow.clone(),
            proxy: self.proxy.clone(),
            identity: None,
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
        }
    }
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
