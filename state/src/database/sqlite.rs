//! A SQLite database in a private file.
//!
//! A thread owns the connection, because SQLite blocks. A database that disappears or hangs makes
//! the transaction fail in time; the thread ends when its work does.

mod file;
mod worker;

use std::{
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use file::DatabaseFile;
use rusqlite::{Connection, params_from_iter, types::ValueRef};
use tokio::{
    sync::{Mutex, MutexGuard},
    time::{Instant, sleep},
};
use worker::Worker;

use super::{Access, HEARTBEAT, Row, Value};
use crate::StateError;

/// The interval between two looks for changes by other processes.
const LOOK: Duration = Duration::from_millis(40);

/// A SQLite database.
pub(crate) struct Sqlite {
    file: DatabaseFile,
    slot: Mutex<Option<Worker>>,
    /// True once this process has used the database. It then never creates it again: whoever removed
    /// it would have removed the operator's switches with it.
    was_open: AtomicBool,
}

/// A transaction. Without [`SqliteTransaction::commit`] it is rolled back.
pub(crate) struct SqliteTransaction<'a> {
    worker: Worker,
    slot: MutexGuard<'a, Option<Worker>>,
}

/// Waits for changes.
pub(crate) struct SqliteChanges {
    file: DatabaseFile,
    worker: Worker,
    version: i64,
}

impl Sqlite {
    pub(crate) fn new(file: PathBuf, group: Option<String>) -> Self {
        Self {
            file: DatabaseFile::new(file, group),
            slot: Mutex::default(),
            was_open: AtomicBool::default(),
        }
    }

    pub(crate) async fn begin(&self, access: Access) -> Result<SqliteTransaction<'_>, StateError> {
        let mut slot = self.slot.lock().await;
        let worker = match slot.take() {
            Some(worker) if self.file.is_still(worker.identity) => worker,
            _ => self.connect().await?,
        };
        let begin = match access {
            Access::Read => "BEGIN",
            Access::Write => "BEGIN IMMEDIATE",
        };
        worker
            .run(move |connection| connection.execute_batch(begin))
            .await?;
        Ok(SqliteTransaction { worker, slot })
    }

    pub(crate) async fn changes(&self) -> Result<SqliteChanges, StateError> {
        let worker = self.connect().await?;
        let version = worker.run(data_version).await?;
        let file = self.file.clone();
        Ok(SqliteChanges {
            file,
            worker,
            version,
        })
    }

    async fn connect(&self) -> Result<Worker, StateError> {
        let may_create = !self.was_open.load(Ordering::SeqCst);
        let worker = Worker::start(self.file.clone(), may_create).await?;
        self.was_open.store(true, Ordering::SeqCst);
        Ok(worker)
    }
}

impl SqliteTransaction<'_> {
    pub(crate) async fn rows(
        &self,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Result<Vec<Row>, StateError> {
        let query = move |connection: &mut Connection| {
            let mut statement = connection.prepare_cached(&numbered(sql))?;
            let columns = statement.column_count();
            let rows = statement.query_map(params_from_iter(values), |row| {
                (0..columns)
                    .map(|column| read(row.get_ref(column)?))
                    .collect()
            })?;
            rows.map(|row| row.map(Row)).collect()
        };
        self.worker.run(query).await
    }

    pub(crate) async fn change(
        &self,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Result<u64, StateError> {
        self.change_each(sql, vec![values]).await
    }

    pub(crate) async fn change_each(
        &self,
        sql: &'static str,
        lists: Vec<Vec<Value>>,
    ) -> Result<u64, StateError> {
        let change = move |connection: &mut Connection| {
            let mut statement = connection.prepare_cached(&numbered(sql))?;
            let mut changed = 0;
            for values in lists {
                changed += statement.execute(params_from_iter(values))?;
            }
            Ok(changed)
        };
        let changed = self.worker.run(change).await?;
        Ok(u64::try_from(changed).unwrap_or(u64::MAX))
    }

    pub(crate) async fn define(&self, sql: &'static str) -> Result<(), StateError> {
        self.worker
            .run(move |connection| connection.execute_batch(sql))
            .await
    }

    pub(crate) async fn commit(mut self) -> Result<(), StateError> {
        self.worker
            .run(|connection| connection.execute_batch("COMMIT"))
            .await?;
        *self.slot = Some(self.worker);
        Ok(())
    }
}

impl SqliteChanges {
    pub(crate) async fn next(&mut self) -> Result<(), StateError> {
        let until = Instant::now() + HEARTBEAT;
        loop {
            sleep(LOOK).await;
            if !self.file.is_still(self.worker.identity) {
                return Err(StateError::Unreachable(self.file.gone()));
            }
            let version = self.worker.run(data_version).await?;
            if version != self.version || Instant::now() >= until {
                self.version = version;
                return Ok(());
            }
        }
    }
}

/// Returns a number that changes when another connection commits.
fn data_version(connection: &mut Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "data_version", |row| row.get(0))
}

/// Writes the parameters of a statement as SQLite numbers them.
fn numbered(sql: &str) -> String {
    sql.replace('$', "?")
}

fn read(value: ValueRef<'_>) -> rusqlite::Result<Value> {
    match value {
        ValueRef::Null => Ok(Value::Null),
        ValueRef::Integer(number) => Ok(Value::Number(number)),
        other => Ok(Value::Text(other.as_str()?.to_owned())),
    }
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        match self {
            Self::Null => rusqlite::types::Null.to_sql(),
            Self::Number(number) => number.to_sql(),
            Self::Text(text) => text.to_sql(),
        }
    }
}
