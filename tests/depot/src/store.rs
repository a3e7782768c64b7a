//! Depot's data, in one SQLite file.

pub(crate) mod comments;
pub(crate) mod creations;
pub(crate) mod files;
pub(crate) mod items;
mod row;

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::error::ApiError;

/// The name of the file in Depot's folder.
const FILE: &str = "depot.sqlite3";

/// The tables.
const SCHEMA: &str = include_str!("store/schema.sql");

/// The database. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Store(Arc<Mutex<Connection>>);

impl Store {
    /// Opens the database in an existing folder, and creates it if necessary.
    pub(crate) fn open(folder: &Path) -> rusqlite::Result<Self> {
        let connection = Connection::open(folder.join(FILE))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.execute_batch(SCHEMA)?;
        Ok(Self(Arc::new(Mutex::new(connection))))
    }

    /// Runs `work` in one transaction, which is rolled back if it fails.
    pub(crate) async fn transact<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let store = self.clone();
        tokio::task::spawn_blocking(move || store.transact_now(work))
            .await
            .map_err(ApiError::internal)?
    }

    /// Runs `work` like [`Store::transact`], but blocks the thread.
    pub(crate) fn transact_now<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        // A poisoned lock is harmless: the transaction of the work that failed was rolled back.
        let mut connection = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = work(&transaction)?;
        transaction.commit()?;
        Ok(done)
    }
}
