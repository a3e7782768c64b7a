//! `[metrics]`: where the metrics of a server can be read.

use std::net::SocketAddr;

use toolwright_model::settings::Reader as _;

use super::reader::{ConfigReader, TomlNode};

/// The keys of the table.
pub(super) const METRICS_KEYS: [&str; 1] = ["listen"];

/// `[metrics]`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MetricsConfig {
    /// `listen`: the address at which a server answers with its metrics.
    pub listen: Option<SocketAddr>,
}

impl MetricsConfig {
    pub(super) fn read(table: TomlNode<'_>, reader: &mut ConfigReader) -> Self {
        reader.check_keys(table, &METRICS_KEYS);
        let listen = reader.exact_text(table, "listen");
        let listen = listen.and_then(|text| match text.value.parse() {
            Ok(address) => Some(address),
            Err(_) => {
                let help = "write an address and a port, such as `127.0.0.1:9464`";
                reader.problem(text.place, "`listen` is not an address", help);
                None
            }
        });
        Self { listen }
    }
}
