//! A stream of NATS JetStream: one message for each event, with the hash of its line as its id.

use async_nats::{
    ConnectOptions,
    jetstream::{self, message::PublishMessage, stream},
};
use bytes::Bytes;
use toolwright::{
    config::SinkConfig,
    private::{self, Links},
};
use toolwright_audit::TailEvent;

use crate::sink::{Delivery, Sink, SinkError};

/// The greatest length of a file of credentials, in bytes.
const LONGEST_CREDENTIALS: u64 = 1 << 16;

/// A stream of NATS JetStream.
pub struct NatsSink {
    config: SinkConfig,
    connection: Option<Connection>,
}

/// A connection, and the subject of the messages.
struct Connection {
    context: jetstream::Context,
    subject: String,
}

impl NatsSink {
    /// The stream of a configuration.
    #[must_use]
    pub fn new(config: &SinkConfig) -> Self {
        Self {
            config: config.clone(),
            connection: None,
        }
    }

    async fn publish(&mut self, instance: &str, events: &[TailEvent]) -> Result<(), SinkError> {
        // A connection that failed, or whose delivery was abandoned, is not used again.
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect(instance).await?,
        };
        for event in events {
            let message = PublishMessage::build()
                .payload(Bytes::copy_from_slice(event.line.as_bytes()))
                .message_id(event.hash.to_string())
                .expected_stream(&self.config.stream);
            // One message after another: a lost one must not be followed by later ones.
            let sent = connection
                .context
                .send_publish(connection.subject.clone(), message);
            sent.await.map_err(fault)?.await.map_err(fault)?;
        }
        self.connection = Some(connection);
        Ok(())
    }

    async fn connect(&self, instance: &str) -> Result<Connection, SinkError> {
        let SinkConfig {
            url,
            stream,
            subject,
            ..
        } = &self.config;
        let mut options = ConnectOptions::new()
            .name("toolwright")
            .require_tls(url.value.starts_with("tls:"));
        if let Some(file) = &self.config.secret_file {
            let credentials = private::read(file, Links::Follow, LONGEST_CREDENTIALS);
            let credentials = credentials.map_err(|error| {
                let file = file.display();
                SinkError(format!("cannot read the credentials in `{file}`: {error}"))
            })?;
            // The message of the library could quote the file.
            options = options.credentials(&credentials).map_err(|_| {
                SinkError(format!("`{}` has no credentials of NATS", file.display()))
            })?;
        }
        let client = options.connect(url.value.as_str()).await.map_err(fault)?;
        let context = jetstream::new(client);
        let config = stream::Config {
            name: stream.clone(),
            subjects: vec![format!("{subject}.>")],
            ..stream::Config::default()
        };
        context.get_or_create_stream(config).await.map_err(fault)?;
        let subject = format!("{subject}.{instance}");
        Ok(Connection { context, subject })
    }
}

impl Sink for NatsSink {
    fn deliver<'a>(&'a mut self, instance: &'a str, events: &'a [TailEvent]) -> Delivery<'a> {
        Box::pin(self.publish(instance, events))
    }
}

fn fault(error: impl std::fmt::Display) -> SinkError {
    SinkError(error.to_string())
}
