//! The place of a state.

use std::{fmt, path::PathBuf};

use toolwright::config::StateConfig;

#[cfg(feature = "postgres")]
use crate::PostgresConnector;
use crate::{
    StateError,
    database::{Database, Sqlite},
};

/// The place of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Location {
    /// A SQLite database in a file.
    Sqlite {
        /// The file.
        file: PathBuf,
        /// The group of the operating system that shares it.
        group: Option<String>,
    },
    /// A PostgreSQL database.
    Postgres {
        /// Its URL, without a password.
        url: String,
        /// The private file with the password.
        password_file: Option<PathBuf>,
    },
}

impl Location {
    /// Returns the SQLite database in a file that belongs to the user of the process.
    pub fn sqlite(file: impl Into<PathBuf>) -> Self {
        Self::Sqlite {
            file: file.into(),
            group: None,
        }
    }

    /// Returns the PostgreSQL database at a URL.
    pub fn postgres(url: impl Into<String>) -> Self {
        Self::Postgres {
            url: url.into(),
            password_file: None,
        }
    }

    /// Returns the place that a configuration names.
    #[must_use]
    pub fn from_config(config: &StateConfig) -> Self {
        match &config.url {
            Some(url) => Self::Postgres {
                url: url.value.clone(),
                password_file: config.password_file.clone(),
            },
            None => Self::Sqlite {
                file: config.file.clone(),
                group: config.group.clone(),
            },
        }
    }

    /// Returns the database without connecting to it.
    pub(crate) fn database(self) -> Result<Database, StateError> {
        match self {
            Self::Sqlite { file, group } => Ok(Database::Sqlite(Sqlite::new(file, group))),
            #[cfg(feature = "postgres")]
            Self::Postgres { url, password_file } => {
                let connector = PostgresConnector::new(&url, password_file.as_deref())?;
                let postgres = crate::database::Postgres::new(connector);
                Ok(Database::Postgres(Box::new(postgres)))
            }
            #[cfg(not(feature = "postgres"))]
            Self::Postgres { .. } => Err(StateError::Location(
                "this program was built without PostgreSQL: build it with `--features postgres`"
                    .to_owned(),
            )),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite { file, .. } => file.display().fmt(f),
            // Even a URL that is refused may contain a password.
            Self::Postgres { url, .. } => match url.rsplit_once('@') {
                Some((_, place)) => write!(f, "postgres://…@{place}"),
                None => f.write_str(url),
            },
        }
    }
}
