//! A table of a PostgreSQL database. The writer may insert and read rows, and cannot change them.

use tokio_postgres::Client;
use toolwright::config::SinkConfig;
use toolwright_audit::TailEvent;
use toolwright_state::PostgresConnector;

use crate::sink::{Delivery, Sink, SinkError};

/// Inserts the events that the table does not have.
const INSERT: &str = "
    INSERT INTO toolwright_audit.event (instance, seq, hash, line)
    SELECT $1, event.seq, event.hash, event.line
    FROM unnest($2::bigint[], $3::text[], $4::text[]) AS event (seq, hash, line)
    ON CONFLICT (instance, seq) DO NOTHING";

/// Finds the first event of the table that is not the one of this audit.
const OTHER: &str = "
    SELECT min(event.seq)
    FROM toolwright_audit.event AS event
    JOIN unnest($2::bigint[], $3::text[]) AS own (seq, hash) ON own.seq = event.seq
    WHERE event.instance = $1 AND event.hash <> own.hash";

/// A table of a PostgreSQL database.
pub struct PostgresSink {
    connector: PostgresConnector,
    client: Option<Client>,
}

impl PostgresSink {
    /// The table in the database of a configuration.
    ///
    /// # Errors
    /// When the URL or the file of the password cannot be used.
    pub fn new(config: &SinkConfig) -> Result<Self, SinkError> {
        let password = config.secret_file.as_deref();
        let connector = PostgresConnector::new(&config.url.value, password);
        Ok(Self {
            connector: connector.map_err(|error| SinkError(error.to_string()))?,
            client: None,
        })
    }

    async fn insert(&mut self, instance: &str, events: &[TailEvent]) -> Result<(), SinkError> {
        // A connection that failed, or whose delivery was abandoned, is not used again.
        let client = match self.client.take().filter(|client| !client.is_closed()) {
            Some(client) => client,
            None => {
                let connected = self.connector.connect().await;
                connected.map_err(|error| SinkError(error.to_string()))?
            }
        };
        let numbers: Result<Vec<i64>, _> =
            events.iter().map(|event| event.seq.try_into()).collect();
        let numbers =
            numbers.map_err(|_| SinkError("the number of an event is too large".into()))?;
        let hashes: Vec<String> = events.iter().map(|event| event.hash.to_string()).collect();
        let lines: Vec<&str> = events.iter().map(|event| event.line.as_str()).collect();
        let inserted = client
            .execute(INSERT, &[&instance, &numbers, &hashes, &lines])
            .await
            .map_err(|error| described(&error))?;
        if inserted < events.len() as u64 {
            let other = client
                .query_one(OTHER, &[&instance, &numbers, &hashes])
                .await;
            let other = other.and_then(|row| row.try_get::<_, Option<i64>>(0));
            if let Some(seq) = other.map_err(|error| described(&error))? {
                return Err(SinkError(format!(
                    "the table has another event {seq} of the instance `{instance}`; if it is that of another \
                     audit, set `instance` in `[audit]`"
                )));
            }
        }
        self.client = Some(client);
        Ok(())
    }
}

impl Sink for PostgresSink {
    fn deliver<'a>(&'a mut self, instance: &'a str, events: &'a [TailEvent]) -> Delivery<'a> {
        Box::pin(self.insert(instance, events))
    }
}

/// Describes an error with its cause, which the library leaves out.
fn described(error: &tokio_postgres::Error) -> SinkError {
    SinkError(match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    })
}
