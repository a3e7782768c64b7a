//! The file of a SQLite database, which only its user or a group can read and change.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags, config::DbConfig};
use toolwright::private::{self, Audience};

use crate::{StateError, database::STEP_LIMIT};

/// Marks the database as a state: `twst`.
const APPLICATION_ID: i32 = 0x7477_7374;

/// The path of a database, and who shares it.
#[derive(Clone)]
pub(super) struct DatabaseFile {
    path: PathBuf,
    group: Option<String>,
}

/// The identity of a file among all that exist at the same time.
pub(super) type Identity = (u64, u64);

impl DatabaseFile {
    pub(super) const fn new(path: PathBuf, group: Option<String>) -> Self {
        Self { path, group }
    }

    /// Checks whether the path still leads to the file that was opened.
    pub(super) fn is_still(&self, identity: Identity) -> bool {
        let metadata = fs::symlink_metadata(&self.path);
        metadata.is_ok_and(|metadata| private::identity(&metadata) == identity)
    }

    /// The message for a file that is no longer the one that was opened.
    pub(super) fn gone(&self) -> String {
        format!("{}: the file was removed or replaced", self.path.display())
    }

    /// Opens the database, and creates it if that is allowed.
    pub(super) fn open(&self, may_create: bool) -> Result<(Connection, Identity), StateError> {
        let failed = |error: &dyn std::fmt::Display| {
            StateError::Unreachable(format!("{}: {error}", self.path.display()))
        };
        let identity = self.prepare(may_create).map_err(|error| failed(&error))?;
        let connection = self.connect().map_err(|error| failed(&error))?;
        if !self.is_still(identity) {
            return Err(StateError::Unreachable(self.gone()));
        }
        mark(&connection).map_err(|error| failed(&error))?;
        Ok((connection, identity))
    }

    /// Creates the file and its folder if that is allowed, and checks both.
    fn prepare(&self, may_create: bool) -> io::Result<Identity> {
        let audience = Audience::of_group(self.group.as_deref())?;
        let folder = private::parent(&self.path);
        if may_create {
            private::create_folder_for(folder, audience)?;
        } else {
            private::check_folder_for(folder, audience)?;
        }
        if may_create && !self.path.exists() {
            match private::create_for(&self.path, audience) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => drop(created?),
            }
        }
        let metadata = private::check_file_for(&self.path, audience)?;
        Ok(private::identity(&metadata))
    }

    fn connect(&self) -> Result<Connection, Box<dyn std::error::Error>> {
        // SQLite refuses a link anywhere in the path. The folder was checked, its parents may be links.
        let folder = fs::canonicalize(private::parent(&self.path))?;
        let name = self.path.file_name().map(Path::new).unwrap_or(&self.path);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let connection = Connection::open_with_flags(folder.join(name), flags)?;
        connection.busy_timeout(STEP_LIMIT)?;
        // A database that was tampered with must not run code of its own.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        // A used approval must not come back after a loss of power.
        connection.pragma_update(None, "synchronous", "FULL")?;
        Ok(connection)
    }
}

/// Marks an empty database as a state, and refuses one of another program.
fn mark(connection: &Connection) -> Result<(), Box<dyn std::error::Error>> {
    let number = |sql| connection.query_row(sql, (), |row| row.get::<_, i32>(0));
    if number("PRAGMA application_id")? == APPLICATION_ID {
        return Ok(());
    }
    // Another process may do the same.
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let is_marked = number("PRAGMA application_id")? == APPLICATION_ID;
    if !is_marked && number("SELECT COUNT(*) FROM sqlite_schema")? > 0 {
        return Err("it is a database of another program".into());
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.execute_batch("COMMIT")?;
    Ok(())
}
