//! A PostgreSQL database, for several machines.

mod tls;

use std::{future::poll_fn, time::Duration};

use tokio::{
    sync::{Mutex, MutexGuard, mpsc},
    time::timeout,
};
use tokio_postgres::{
    AsyncMessage, Client, Config, Connection, NoTls, Socket,
    config::{Host, SslMode},
    tls::TlsStream,
    types::{FromSql, IsNull, ToSql, Type, private::BytesMut, to_sql_checked},
};

use super::{Access, HEARTBEAT, Row, STEP_LIMIT, Value};
use crate::StateError;
use tls::Tls;

/// The channel of notifications.
const LISTEN: &str = "LISTEN toolwright_state";

/// The settings of a session. A statement that hangs, and a process that stops within a transaction,
/// must not block the others for long. Names are looked up in our schema only.
const SESSION: &str = "
    SET search_path TO toolwright;
    SET statement_timeout TO '5s';
    SET lock_timeout TO '5s';
    SET idle_in_transaction_session_timeout TO '10s';
    SET default_transaction_isolation TO 'read committed'";

/// The notifications that wait to be read. Any one of them causes the same read.
const BACKLOG: usize = 1;

/// A PostgreSQL database.
pub(crate) struct Postgres {
    config: Config,
    tls: Option<Tls>,
    slot: Mutex<Option<Client>>,
}

/// A transaction. Without [`PostgresTransaction::commit`] it is rolled back.
pub(crate) struct PostgresTransaction<'a> {
    client: Client,
    slot: MutexGuard<'a, Option<Client>>,
}

/// Waits for notifications.
pub(crate) struct PostgresChanges {
    /// Keeps the connection open.
    _client: Client,
    notices: mpsc::Receiver<()>,
}

impl Postgres {
    /// Reads a URL. A connection to another machine is encrypted unless the URL has
    /// `sslmode=disable`.
    pub(crate) fn new(url: &str, password: Option<&str>) -> Result<Self, StateError> {
        let wrong =
            |message: String| StateError::Location(format!("the URL of the state {message}"));
        // The error of the parser could quote a password.
        let config = url.parse::<Config>();
        let mut config = config.map_err(|_| wrong("is not a URL of PostgreSQL".to_owned()))?;
        if config.get_password().is_some() {
            return Err(wrong(
                "contains a password; put it into a private file, and name that in `password_file`"
                    .to_owned(),
            ));
        }
        if let Some(password) = password {
            config.password(password);
        }
        // `prefer`, the default of the library, goes on without TLS if an attacker asks for it.
        let is_plain = match config.get_ssl_mode() {
            SslMode::Disable => true,
            SslMode::Prefer => config.get_hosts().iter().all(is_local),
            _ => false,
        };
        config.ssl_mode(if is_plain {
            SslMode::Disable
        } else {
            SslMode::Require
        });
        config
            .application_name("toolwright")
            .connect_timeout(STEP_LIMIT);
        config
            .keepalives_idle(Duration::from_secs(10))
            .tcp_user_timeout(STEP_LIMIT * 2);
        let tls = match config.get_ssl_mode() {
            SslMode::Disable => None,
            _ => Some(Tls::new().map_err(wrong)?),
        };
        let slot = Mutex::default();
        Ok(Self { config, tls, slot })
    }

    pub(crate) async fn begin(
        &self,
        access: Access,
    ) -> Result<PostgresTransaction<'_>, StateError> {
        let begin = match access {
            Access::Read => "BEGIN READ ONLY",
            Access::Write => "BEGIN",
        };
        let mut slot = self.slot.lock().await;
        if let Some(client) = slot.take().filter(|client| !client.is_closed())
            && limited(client.batch_execute(begin)).await.is_ok()
        {
            return Ok(PostgresTransaction { client, slot });
        }
        // The connection of before may have ended with the server.
        let (notices, _) = mpsc::channel(BACKLOG);
        let client = self.connect(notices).await?;
        limited(client.batch_execute(begin)).await?;
        Ok(PostgresTransaction { client, slot })
    }

    pub(crate) async fn changes(&self) -> Result<PostgresChanges, StateError> {
        let (sender, notices) = mpsc::channel(BACKLOG);
        let client = self.connect(sender).await?;
        limited(client.batch_execute(LISTEN)).await?;
        Ok(PostgresChanges {
            _client: client,
            notices,
        })
    }

    async fn connect(&self, notices: mpsc::Sender<()>) -> Result<Client, StateError> {
        let client = match &self.tls {
            Some(tls) => {
                let (client, connection) = limited(self.config.connect(tls.clone())).await?;
                tokio::spawn(drive(connection, notices));
                client
            }
            None => {
                let (client, connection) = limited(self.config.connect(NoTls)).await?;
                tokio::spawn(drive(connection, notices));
                client
            }
        };
        limited(client.batch_execute(SESSION)).await?;
        Ok(client)
    }
}

/// Reads a connection until it ends, and passes notifications on.
async fn drive<T>(mut connection: Connection<Socket, T>, notices: mpsc::Sender<()>)
where
    T: TlsStream + Unpin,
{
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if matches!(message, AsyncMessage::Notification(_)) {
            // One that waits already stands for this one, too.
            let _ = notices.try_send(());
        }
    }
}

impl PostgresTransaction<'_> {
    pub(crate) async fn rows(
        &self,
        sql: &'static str,
        values: &[Value],
    ) -> Result<Vec<Row>, StateError> {
        let rows = limited(self.client.query(sql, &parameters(values))).await?;
        let rows = rows.iter().map(|row| {
            let columns = (0..row.len()).map(|column| row.try_get::<_, Value>(column));
            columns.collect::<Result<_, _>>().map(Row)
        });
        rows.collect::<Result<_, _>>()
            .map_err(StateError::unreachable)
    }

    pub(crate) async fn change(
        &self,
        sql: &'static str,
        values: &[Value],
    ) -> Result<u64, StateError> {
        limited(self.client.execute(sql, &parameters(values))).await
    }

    /// Runs statements of a migration, in our schema.
    pub(crate) async fn define(&self, sql: &'static str) -> Result<(), StateError> {
        limited(
            self.client
                .batch_execute("CREATE SCHEMA IF NOT EXISTS toolwright"),
        )
        .await?;
        limited(self.client.batch_execute(sql)).await
    }

    pub(crate) async fn lock(&self, key: i64) -> Result<(), StateError> {
        let sql = "SELECT 1 FROM (SELECT pg_advisory_xact_lock($1)) AS locked";
        limited(self.client.execute(sql, &[&key])).await.map(drop)
    }

    pub(crate) async fn commit(mut self) -> Result<(), StateError> {
        limited(self.client.batch_execute("COMMIT")).await?;
        *self.slot = Some(self.client);
        Ok(())
    }
}

impl PostgresChanges {
    pub(crate) async fn next(&mut self) -> Result<(), StateError> {
        match timeout(HEARTBEAT, self.notices.recv()).await {
            Ok(None) => Err(StateError::unreachable("the connection has ended")),
            Ok(Some(())) | Err(_) => Ok(()),
        }
    }
}

/// Waits for a step, but not for ever.
async fn limited<T>(
    step: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, StateError> {
    match timeout(STEP_LIMIT, step).await {
        Ok(done) => done.map_err(|error| StateError::Unreachable(described(&error))),
        Err(_) => Err(StateError::unreachable("the database does not answer")),
    }
}

/// Describes an error with its cause, which the library leaves out.
fn described(error: &tokio_postgres::Error) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// Checks whether a host is this machine.
fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            let address = name.parse::<std::net::IpAddr>();
            name == "localhost" || address.is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

fn parameters(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values
        .iter()
        .map(|value| value as &(dyn ToSql + Sync))
        .collect()
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Number(number) => number.to_sql_checked(kind, out),
            Self::Text(text) => text.to_sql_checked(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(
        kind: &Type,
        bytes: &'a [u8],
    ) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        if <i64 as FromSql<'_>>::accepts(kind) {
            return i64::from_sql(kind, bytes).map(Self::Number);
        }
        String::from_sql(kind, bytes).map(Self::Text)
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(kind: &Type) -> bool {
        <i64 as FromSql<'_>>::accepts(kind) || <String as FromSql<'_>>::accepts(kind)
    }
}
