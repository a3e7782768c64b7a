//! The numbered migrations of the schema.

use jiff::Timestamp;
use serde::Serialize;
use sha2::{Digest, Sha256};
use toolwright_model::hex;

use crate::{StateError, database::Transaction};

/// One step of the schema. It never changes once it was released.
struct Migration {
    name: &'static str,
    /// Statements for both kinds of database.
    sql: &'static str,
    /// Further statements for PostgreSQL.
    postgres: &'static str,
}

/// The migrations in order. The number of the first is 1.
const MIGRATIONS: [Migration; 6] = [
    Migration {
        name: "switches and approvals",
        sql: include_str!("migrations/1.sql"),
        postgres: include_str!("migrations/1.postgres.sql"),
    },
    Migration {
        name: "standing grants",
        sql: include_str!("migrations/2.sql"),
        postgres: include_str!("migrations/2.postgres.sql"),
    },
    Migration {
        name: "values before updates",
        sql: include_str!("migrations/3.sql"),
        postgres: "",
    },
    Migration {
        name: "tokens",
        sql: include_str!("migrations/4.sql"),
        postgres: include_str!("migrations/4.postgres.sql"),
    },
    Migration {
        name: "skills",
        sql: include_str!("migrations/5.sql"),
        postgres: include_str!("migrations/5.postgres.sql"),
    },
    Migration {
        name: "console",
        sql: include_str!("migrations/6.sql"),
        postgres: include_str!("migrations/6.postgres.sql"),
    },
];

/// Serialises migrations of one database.
const LOCK: i64 = 0x746f_6f6c_7772;

/// The result of a migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Migrated {
    /// The number of the schema before; 0 of an empty database.
    pub from: i64,
    /// The number of the schema now.
    pub to: i64,
}

impl Migration {
    fn digest(&self) -> String {
        hex(Sha256::digest(format!("{}\0{}", self.sql, self.postgres)))
    }
}

/// Returns the number of the last migration.
pub(crate) fn known() -> i64 {
    numbered()
        .map(|(number, _)| number)
        .max()
        .unwrap_or_default()
}

fn numbered() -> impl Iterator<Item = (i64, &'static Migration)> {
    (1..).zip(&MIGRATIONS)
}

/// Returns the number of the schema; 0 of an empty database.
pub(crate) async fn found(transaction: &mut Transaction<'_>) -> Result<i64, StateError> {
    if !transaction.has_table("migration").await? {
        return Ok(0);
    }
    let rows = transaction
        .rows(
            "SELECT number, digest FROM migration ORDER BY number",
            vec![],
        )
        .await?;
    for ((number, migration), row) in numbered().zip(&rows) {
        if row.number(0)? != number || row.text(1)? != migration.digest() {
            let message = format!("its migration {number} is not the one of this program");
            return Err(StateError::Foreign(message));
        }
    }
    rows.last().map_or(Ok(0), |row| row.number(0))
}

/// Checks that the schema is the one of this program.
pub(crate) async fn check(transaction: &mut Transaction<'_>) -> Result<(), StateError> {
    // Another program may have migrated the database since this one connected.
    let rows = transaction
        .rows("SELECT MAX(number) FROM migration", vec![])
        .await?;
    compare(rows.first().map_or(Ok(0), |row| row.number(0))?)
}

/// Compares the number of a schema with this program's.
pub(crate) fn compare(found: i64) -> Result<(), StateError> {
    let known = known();
    match found {
        found if found > known => Err(StateError::Newer { found, known }),
        found if found < known => Err(StateError::Older { found, known }),
        _ => Ok(()),
    }
}

/// Applies the migrations up to a number.
pub(crate) async fn apply(
    transaction: &mut Transaction<'_>,
    to: i64,
) -> Result<Migrated, StateError> {
    transaction.lock(LOCK).await?;
    let from = found(transaction).await?;
    let known = known();
    if from > known {
        return Err(StateError::Newer { found: from, known });
    }
    for (number, migration) in numbered().filter(|(number, _)| (from + 1..=to).contains(number)) {
        transaction
            .define(migration.sql, migration.postgres)
            .await?;
        let values = vec![
            number.into(),
            migration.name.into(),
            migration.digest().into(),
            Timestamp::now().into(),
        ];
        let sql =
            "INSERT INTO migration (number, name, digest, applied_at) VALUES ($1, $2, $3, $4)";
        transaction.change(sql, values).await?;
    }
    Ok(Migrated {
        from,
        to: to.max(from),
    })
}
