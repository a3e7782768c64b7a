//! Places of states for tests: a file in a new folder, and a new database of a real PostgreSQL.
//!
//! The variable `TOOLWRIGHT_POSTGRES` names the URL of a PostgreSQL database whose user may create
//! databases. Without it, `postgres://root@127.0.0.1/test` is tried, and tests that need PostgreSQL
//! are skipped with a message if it does not answer.

use std::{
    fmt,
    path::PathBuf,
    sync::atomic::{AtomicU32, Ordering},
};

use tokio_postgres::{Client, NoTls};

use crate::Location;

/// The database that is tried if no other is named.
const DEFAULT_URL: &str = "postgres://root@127.0.0.1/test";

/// The variable that names another one, which must then answer.
const VARIABLE: &str = "TOOLWRIGHT_POSTGRES";

/// The number of databases that this process has created.
static CREATED: AtomicU32 = AtomicU32::new(0);

/// A place of a state, which is removed when this is dropped.
#[derive(Debug)]
pub struct TestPlace {
    /// The place.
    pub location: Location,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Folder { _folder: tempfile::TempDir },
    Database { name: String },
}

impl TestPlace {
    /// A SQLite database in a new folder.
    ///
    /// # Panics
    /// If the folder cannot be created.
    #[must_use]
    pub fn sqlite() -> Self {
        let folder = need(tempfile::tempdir());
        let location = Location::sqlite(folder.path().join("state/state.db"));
        let kind = Kind::Folder { _folder: folder };
        Self { location, kind }
    }

    /// A new PostgreSQL database; none, with a message, if there is no PostgreSQL.
    ///
    /// # Panics
    /// If the database cannot be created, or if the named one does not answer.
    pub async fn postgres() -> Option<Self> {
        let client = client().await?;
        let number = CREATED.fetch_add(1, Ordering::SeqCst);
        let name = format!("toolwright_{}_{number}", std::process::id());
        let drop = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        need(client.batch_execute(&drop).await);
        let create = format!("CREATE DATABASE {name} STRATEGY wal_log");
        need(client.batch_execute(&create).await);
        let location = Location::postgres(url_of(&name));
        let kind = Kind::Database { name };
        Some(Self { location, kind })
    }

    /// A place of each kind that this machine has.
    pub async fn all() -> Vec<Self> {
        let mut places = vec![Self::sqlite()];
        places.extend(Self::postgres().await);
        places
    }

    /// Returns the file of a SQLite database.
    #[must_use]
    pub fn file(&self) -> Option<PathBuf> {
        match &self.location {
            Location::Sqlite { file, .. } => Some(file.clone()),
            Location::Postgres { .. } => None,
        }
    }

    /// Returns the `[state]` table of a configuration with this place.
    #[must_use]
    pub fn config(&self) -> String {
        match &self.location {
            Location::Sqlite { file, .. } => format!("[state]\nfile = {file:?}\n"),
            Location::Postgres { url, .. } => format!("[state]\nurl = {url:?}\n"),
        }
    }

    /// Runs statements in the database, as someone with access to it would.
    ///
    /// # Panics
    /// If that fails.
    pub async fn tamper(&self, sql: &str) {
        match &self.location {
            Location::Sqlite { file, .. } => {
                let connection = need(rusqlite::Connection::open(file));
                need(connection.busy_timeout(crate::database::STEP_LIMIT));
                need(connection.execute_batch(sql));
            }
            Location::Postgres { url, .. } => {
                let client = need(connect(url).await);
                need(client.batch_execute("SET search_path TO toolwright").await);
                need(client.batch_execute(sql).await);
            }
        }
    }
}

impl Drop for TestPlace {
    fn drop(&mut self) {
        let Kind::Database { name } = &self.kind else {
            return;
        };
        let sql = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        // The runtime of the test cannot be waited for here.
        let removal = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            need(runtime).block_on(async {
                if let Some(client) = client().await {
                    need(client.batch_execute(&sql).await);
                }
            });
        });
        let _ = removal.join();
    }
}

/// Connects to the PostgreSQL of this machine; none, with a message, if there is none.
async fn client() -> Option<Client> {
    match connect(&base_url()).await {
        Ok(client) => Some(client),
        Err(error) if std::env::var_os(VARIABLE).is_some() => need(Err(error)),
        Err(error) => {
            eprintln!(
                "skipped: the tests with PostgreSQL: {}: {error}",
                base_url()
            );
            None
        }
    }
}

async fn connect(url: &str) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

fn base_url() -> String {
    std::env::var(VARIABLE).unwrap_or_else(|_| DEFAULT_URL.to_owned())
}

/// Returns the URL of another database of the same server.
fn url_of(name: &str) -> String {
    let base = base_url();
    let server = base
        .rsplit_once('/')
        .map_or(base.as_str(), |(server, _)| server);
    format!("{server}/{name}")
}

#[expect(clippy::panic, reason = "it is only for tests, where a failure panics")]
#[track_caller]
fn need<T, E: fmt::Display>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("the state of a test: {error}"),
    }
}
