//! `[services.*]`: how one service is spoken to.

use std::{collections::BTreeSet, time::Duration};

use toolwright_model::TransportKind;

use super::reader::{Reader, Table};
use crate::target::{Allowance, Egress, Origin};

/// How a service is spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceConfig {
    /// The base URL; wins over the specification, and the credentials win over it.
    pub base_url: Option<String>,
    /// How a domain service is spoken to; otherwise as its document prefers.
    pub transport: Option<TransportKind>,
    /// The address of a domain service: a socket or a base URL. Without it, the document's.
    pub endpoint: Option<String>,
    /// How long a call may take, to the last byte of the answer. Otherwise 30 seconds, or what the
    /// document of a domain service declares for the method.
    pub timeout: Option<Duration>,
    /// How long the answer to a handshake counts. Five minutes by default.
    pub handshake_interval: Duration,
    /// The longest answer that is read, in bytes; the rest is cut off. One mebibyte by default.
    pub max_response_bytes: usize,
    /// Origins to which the service's credentials may be sent, next to that of the base URL.
    pub origins: Vec<Origin>,
    /// The words that allow targets which are refused otherwise.
    pub allow: BTreeSet<Allowance>,
    /// The proxy that carries the requests, except to loopback and over sockets.
    pub proxy: Option<Origin>,
}

impl ServiceConfig {
    pub(super) fn read(table: &Table<'_>, reader: &mut Reader<'_>) -> Self {
        reader.check_keys(
            table,
            &[
                "base_url",
                "transport",
                "endpoint",
                "timeout_seconds",
                "max_response_bytes",
                "handshake_seconds",
                "origins",
                "allow",
                "proxy",
            ],
        );
        let origins = reader.parsed_list(table, "origins");
        let allow = reader.parsed_list(table, "allow");
        let mut service = Self {
            base_url: reader.text(table, "base_url"),
            transport: reader.word(table, "transport", TransportKind::ALL),
            endpoint: reader.text(table, "endpoint"),
            origins: origins.into_iter().map(|origin| origin.value).collect(),
            allow: allow.into_iter().map(|word| word.value).collect(),
            proxy: reader.origin_of_proxy(table, "proxy"),
            ..Self::default()
        };
        if let Some(seconds) = reader.count(table, "timeout_seconds", 60 * 60) {
            service.timeout = Some(Duration::from_secs(seconds));
        }
        if let Some(seconds) = reader.count(table, "handshake_seconds", 24 * 60 * 60) {
            service.handshake_interval = Duration::from_secs(seconds);
        }
        if let Some(bytes) = reader.count(table, "max_response_bytes", 1 << 30) {
            service.max_response_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        }
        service
    }

    /// How requests to the service leave the process.
    pub(crate) fn egress(&self, verify_tls: bool) -> Egress {
        Egress {
            verify_tls,
            allow: self.allow.clone(),
            proxy: self.proxy.clone(),
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
            max_response_bytes: 1 << 20,
            origins: Vec::new(),
            allow: BTreeSet::new(),
            proxy: None,
        }
    }
}
