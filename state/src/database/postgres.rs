//! A PostgreSQL database, for several machines.

mod connector;
mod tls;

pub use connector::PostgresConnector;
use futures_util::future::try_join_all;
use tokio::{
    sync::{Mutex, MutexGuard, mpsc},
    time::timeout,
};
use tokio_postgres::{
    Client,
    types::{FromSql, IsNull, ToSql, Type, private::BytesMut, to_sql_checked},
};

use super::{Access, HEARTBEAT, Row, STEP_LIMIT, Value};
use crate::StateError;

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

/// The number of statements that are sent before their answers are read.
const CHUNK: usize = 500;

/// The notifications that wait to be read. Any one of them causes the same read.
const BACKLOG: usize = 1;

/// A PostgreSQL database.
pub(crate) struct Postgres {
    connector: PostgresConnector,
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
    pub(crate) fn new(connector: PostgresConnector) -> Self {
        Self {
            connector,
            slot: Mutex::default(),
        }
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
        let client = self.connector.connect_with(notices).await?;
        limited(client.batch_execute(SESSION)).await?;
        Ok(client)
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

    /// Sends the statements of a chunk together: their answers are waited for once.
    pub(crate) async fn change_each(
        &self,
        sql: &'static str,
        lists: &[Vec<Value>],
    ) -> Result<u64, StateError> {
        let statement = limited(self.client.prepare(sql)).await?;
        let mut changed = 0;
        for chunk in lists.chunks(CHUNK) {
            let execute = async |values: &Vec<Value>| {
                let parameters = parameters(values);
                self.client.execute(&statement, &parameters).await
            };
            let numbers = limited(try_join_all(chunk.iter().map(execute))).await?;
            changed += numbers.iter().sum::<u64>();
        }
        Ok(changed)
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
