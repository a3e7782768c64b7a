//! A database of either kind, and its transactions.
//!
//! A transaction takes the connection out of its slot and puts it back when it has committed. In all
//! other cases, such as an error, a timeout or a call that is abandoned, the connection is closed,
//! and the database rolls back. The next transaction makes a new connection.

mod migrations;
#[cfg(feature = "postgres")]
mod postgres;
mod sql;
mod sqlite;

use std::time::Duration;

use tokio::time::timeout;

pub use migrations::Migrated;
pub(crate) use migrations::known;
#[cfg(feature = "postgres")]
pub(crate) use postgres::Postgres;
#[cfg(feature = "postgres")]
pub use postgres::PostgresConnector;
#[cfg(feature = "postgres")]
use postgres::{PostgresChanges, PostgresTransaction};
pub(crate) use sql::{Row, Value, encoded};
pub(crate) use sqlite::Sqlite;
use sqlite::{SqliteChanges, SqliteTransaction};

use crate::StateError;

/// The time after which one step of a transaction counts as failed.
pub(crate) const STEP_LIMIT: Duration = Duration::from_secs(5);

/// The longest time between two reads of the overrides.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(1);

/// What a transaction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// A database.
pub(crate) enum Database {
    Sqlite(Sqlite),
    #[cfg(feature = "postgres")]
    Postgres(Box<Postgres>),
}

/// A transaction that can change the database.
pub(crate) enum Transaction<'a> {
    Sqlite(SqliteTransaction<'a>),
    #[cfg(feature = "postgres")]
    Postgres(PostgresTransaction<'a>),
}

/// Waits for changes of a database.
pub(crate) enum Changes {
    Sqlite(SqliteChanges),
    #[cfg(feature = "postgres")]
    Postgres(PostgresChanges),
}

impl Database {
    /// Begins a transaction in a database with the schema of this program.
    pub(crate) async fn begin(&self) -> Result<Transaction<'_>, StateError> {
        let mut transaction = self.begin_unchecked(Access::Write).await?;
        migrations::check(&mut transaction).await?;
        Ok(transaction)
    }

    /// Begins a transaction that only reads. It does not wait for those that write.
    pub(crate) async fn read(&self) -> Result<Transaction<'_>, StateError> {
        let mut transaction = self.begin_unchecked(Access::Read).await?;
        migrations::check(&mut transaction).await?;
        Ok(transaction)
    }

    /// Creates the schema if the database is empty, and checks it otherwise.
    pub(crate) async fn open(&self) -> Result<(), StateError> {
        let mut transaction = self.begin_unchecked(Access::Write).await?;
        match migrations::found(&mut transaction).await? {
            0 => {
                migrations::apply(&mut transaction, known()).await?;
            }
            found => migrations::compare(found)?,
        }
        transaction.commit().await
    }

    /// Applies the migrations up to a number.
    pub(crate) async fn migrate(&self, to: i64) -> Result<Migrated, StateError> {
        let mut transaction = self.begin_unchecked(Access::Write).await?;
        let migrated = migrations::apply(&mut transaction, to).await?;
        transaction.commit().await?;
        Ok(migrated)
    }

    /// Returns the number of the schema; 0 of an empty database.
    pub(crate) async fn schema(&self) -> Result<i64, StateError> {
        let mut transaction = self.begin_unchecked(Access::Read).await?;
        let found = migrations::found(&mut transaction).await?;
        transaction.commit().await?;
        Ok(found)
    }

    /// Begins to wait for changes.
    pub(crate) async fn changes(&self) -> Result<Changes, StateError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.changes().await.map(Changes::Sqlite),
            #[cfg(feature = "postgres")]
            Self::Postgres(postgres) => postgres.changes().await.map(Changes::Postgres),
        }
    }

    async fn begin_unchecked(&self, access: Access) -> Result<Transaction<'_>, StateError> {
        let begun = async {
            match self {
                Self::Sqlite(sqlite) => sqlite.begin(access).await.map(Transaction::Sqlite),
                #[cfg(feature = "postgres")]
                Self::Postgres(postgres) => postgres.begin(access).await.map(Transaction::Postgres),
            }
        };
        // Transactions of this process wait for each other, but not for one that hangs.
        let begun = timeout(STEP_LIMIT * 2, begun).await;
        begun.map_err(|_| StateError::unreachable("the database does not answer"))?
    }
}

impl Transaction<'_> {
    /// Runs a query.
    pub(crate) async fn rows(
        &mut self,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Result<Vec<Row>, StateError> {
        match self {
            Self::Sqlite(transaction) => transaction.rows(sql, values).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(transaction) => transaction.rows(sql, &values).await,
        }
    }

    /// Runs a statement and returns the number of rows that it changed.
    pub(crate) async fn change(
        &mut self,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Result<u64, StateError> {
        match self {
            Self::Sqlite(transaction) => transaction.change(sql, values).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(transaction) => transaction.change(sql, &values).await,
        }
    }

    /// Runs a statement once for each list of values, and returns the number of rows that it changed.
    pub(crate) async fn change_each(
        &mut self,
        sql: &'static str,
        lists: Vec<Vec<Value>>,
    ) -> Result<u64, StateError> {
        match self {
            Self::Sqlite(transaction) => transaction.change_each(sql, lists).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(transaction) => transaction.change_each(sql, &lists).await,
        }
    }

    /// Runs statements of a migration.
    pub(crate) async fn define(
        &mut self,
        sql: &'static str,
        #[cfg_attr(
            not(feature = "postgres"),
            expect(unused_variables, reason = "of a feature")
        )]
        postgres: &'static str,
    ) -> Result<(), StateError> {
        match self {
            Self::Sqlite(transaction) => transaction.define(sql).await,
            #[cfg(feature = "postgres")]
            Self::Postgres(transaction) => {
                transaction.define(sql).await?;
                transaction.define(postgres).await
            }
        }
    }

    /// Checks whether a table exists.
    pub(crate) async fn has_table(&mut self, name: &'static str) -> Result<bool, StateError> {
        let sql = match self {
            Self::Sqlite(_) => "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = $1",
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => {
                "SELECT CAST(1 AS BIGINT) FROM pg_tables WHERE schemaname = 'toolwright' AND tablename = $1"
            }
        };
        Ok(!self.rows(sql, vec![name.into()]).await?.is_empty())
    }

    /// Serialises transactions with the same key until this one ends. A SQLite database has one
    /// writer at a time.
    pub(crate) async fn lock(
        &mut self,
        #[cfg_attr(
            not(feature = "postgres"),
            expect(unused_variables, reason = "of a feature")
        )]
        key: i64,
    ) -> Result<(), StateError> {
        match self {
            Self::Sqlite(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Self::Postgres(transaction) => transaction.lock(key).await,
        }
    }

    /// Commits.
    pub(crate) async fn commit(self) -> Result<(), StateError> {
        match self {
            Self::Sqlite(transaction) => transaction.commit().await,
            #[cfg(feature = "postgres")]
            Self::Postgres(transaction) => transaction.commit().await,
        }
    }
}

impl Changes {
    /// Waits for a change, at most for [`HEARTBEAT`].
    pub(crate) async fn next(&mut self) -> Result<(), StateError> {
        match self {
            Self::Sqlite(changes) => changes.next().await,
            #[cfg(feature = "postgres")]
            Self::Postgres(changes) => changes.next().await,
        }
    }
}
