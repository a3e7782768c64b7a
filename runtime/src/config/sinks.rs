//! `[audit.postgres]`, `[audit.nats]` and `[audit.otlp]`: further destinations of the events.

use std::path::{Path, PathBuf};

use reqwest::Url;
use toolwright_model::{settings::Reader as _, words};

use super::{
    Placed,
    reader::{ConfigReader, TomlNode},
};
use crate::{audit::Spool, target::Origin};

/// The keys of `[audit.postgres]`.
pub(super) const POSTGRES_KEYS: [&str; 3] = ["url", "password_file", "most_waiting"];

/// The keys of `[audit.nats]`.
pub(super) const NATS_KEYS: [&str; 5] = [
    "url",
    "credentials_file",
    "stream",
    "subject",
    "most_waiting",
];

/// The keys of `[audit.otlp]`.
pub(super) const OTLP_KEYS: [&str; 3] = ["url", "headers_file", "most_waiting"];

/// The default number of waiting events from which calls that change something are refused.
pub(super) const MOST_WAITING: u64 = 100_000;

/// The greatest such number.
pub(super) const LARGEST_SPOOL: u64 = 1_000_000_000;

/// The default stream of NATS JetStream.
pub(super) const STREAM: &str = "TOOLWRIGHT_AUDIT";

/// The default beginning of the subjects of the messages.
pub(super) const SUBJECT: &str = "toolwright.audit";

words! {
    /// The kind of a sink, which is its name, too.
    SinkKind {
        /// A table of a PostgreSQL database.
        Postgres = "postgres",
        /// A stream of NATS JetStream.
        Nats = "nats",
        /// Log records, spans and metrics over OTLP.
        Otlp = "otlp",
    }
}

/// A further destination of the events of the audit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SinkConfig {
    /// The kind.
    pub kind: SinkKind,
    /// `url`: the destination, without secrets.
    pub url: Placed<String>,
    /// `password_file`, `credentials_file` or `headers_file`: the private file with the secret.
    pub secret_file: Option<PathBuf>,
    /// `stream`: the stream of NATS JetStream.
    pub stream: String,
    /// `subject`: the beginning of the subjects of its messages.
    pub subject: String,
    /// `most_waiting`: the number of waiting events from which calls that change something are
    /// refused.
    pub most_waiting: u64,
}

impl SinkConfig {
    /// Returns the spool of the sink.
    #[must_use]
    pub fn spool(&self) -> Spool {
        Spool::new(self.kind.word(), self.most_waiting)
    }

    /// Reads the tables of all kinds from `[audit]`.
    pub(super) fn read_all(
        audit: TomlNode<'_>,
        root: &Path,
        reader: &mut ConfigReader,
    ) -> Vec<Self> {
        let kinds = SinkKind::ALL.iter();
        let read = kinds.filter_map(|kind| {
            let table = reader.table_at(audit, kind.word())?;
            Self::read(*kind, table, root, reader)
        });
        read.collect()
    }

    fn read(
        kind: SinkKind,
        table: TomlNode<'_>,
        root: &Path,
        reader: &mut ConfigReader,
    ) -> Option<Self> {
        let (keys, secret): (&[&str], _) = match kind {
            SinkKind::Postgres => (&POSTGRES_KEYS, "password_file"),
            SinkKind::Nats => (&NATS_KEYS, "credentials_file"),
            SinkKind::Otlp => (&OTLP_KEYS, "headers_file"),
        };
        reader.check_keys(table, keys);
        reader.require(table, "url", "add the URL of the sink");
        let secret_file = reader.exact_text(table, secret);
        let mut text = |key, default: &str| {
            let found = reader.exact_text(table, key);
            found.map_or_else(|| default.to_owned(), |found| found.value)
        };
        let (stream, subject) = (text("stream", STREAM), text("subject", SUBJECT));
        let most = reader.number(table, "most_waiting", 1..=LARGEST_SPOOL);
        let url = reader.exact_text(table, "url")?;
        if let Err(message) = check_url(kind, &url.value) {
            let help = match kind {
                SinkKind::Postgres => {
                    "write a URL such as `postgres://toolwright@db.example/audit`"
                }
                SinkKind::Nats => {
                    "write a URL such as `tls://nats.example:4222`, or `nats://127.0.0.1:4222`"
                }
                SinkKind::Otlp => "write an `https` URL, or an `http` URL of this machine",
            };
            reader.problem(url.place.clone(), &message, help);
        }
        Some(Self {
            kind,
            url,
            secret_file: secret_file.map(|file| root.join(file.value)),
            stream,
            subject,
            most_waiting: most.map_or(MOST_WAITING, |most| most.value),
        })
    }
}

/// Checks that events may go to a URL: with the protocol of the sink, without a secret in it, and not
/// unencrypted to another machine. PostgreSQL checks its own encryption. Messages do not repeat the
/// URL, which may hold a secret.
fn check_url(kind: SinkKind, text: &str) -> Result<(), String> {
    let url = Url::parse(text);
    let url = url.map_err(|error| format!("the URL of the sink is invalid: {error}"))?;
    let schemes: &[&str] = match kind {
        SinkKind::Postgres => &["postgres", "postgresql"],
        SinkKind::Nats => &["nats", "tls"],
        SinkKind::Otlp => &["http", "https"],
    };
    if !schemes.contains(&url.scheme()) {
        return Err("the URL of the sink has another protocol".to_owned());
    }
    let has_user = !url.username().is_empty() && kind != SinkKind::Postgres;
    if url.password().is_some() || has_user {
        return Err("the URL of the sink contains a user or a password".to_owned());
    }
    let is_plain = matches!(url.scheme(), "http" | "nats");
    let is_local = match url.host_str() {
        Some("localhost") => true,
        Some(host) => {
            let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
            address.is_ok_and(|address| address.is_loopback())
        }
        None => false,
    };
    if is_plain && !is_local {
        return Err("the events would be sent to another machine without encryption".to_owned());
    }
    if kind == SinkKind::Otlp && Origin::from_url(&url).is_none() {
        return Err("the URL of the sink is not one of the web".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_the_protocol_of_its_sink_no_secret_and_encryption() {
        let fine = [
            (SinkKind::Postgres, "postgres://audit@db.example/audit"),
            (SinkKind::Nats, "nats://127.0.0.1:4222"),
            (SinkKind::Nats, "tls://nats.example"),
            (SinkKind::Otlp, "http://[::1]:4318"),
            (SinkKind::Otlp, "https://collector.example/otlp"),
        ];
        for (kind, url) in fine {
            assert_eq!(check_url(kind, url), Ok(()), "{url}");
        }
        let wrong = [
            (SinkKind::Postgres, "nats://127.0.0.1"),
            (SinkKind::Postgres, "postgres://audit:hush@db.example/audit"),
            (SinkKind::Nats, "nats://nats.example"),
            (SinkKind::Nats, "nats://hush@127.0.0.1"),
            (SinkKind::Otlp, "http://collector.example"),
            (SinkKind::Otlp, "https://u:hush@collector.example"),
            (SinkKind::Otlp, "hush"),
        ];
        for (kind, url) in wrong {
            let message = check_url(kind, url).unwrap_err();
            assert!(!message.contains("hush"), "{message}");
        }
    }
}
