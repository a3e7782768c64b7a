//! Statements of SQL that an operator writes, as tools over PostgreSQL.
//!
//! ```no_run
//! use std::path::Path;
//! use toolwright::Registry;
//! use toolwright_statements::{Database, StatementFile};
//!
//! # fn build(content: &str) -> Result<(), Box<dyn std::error::Error>> {
//! let path = Path::new("statements/stock.toml");
//! let file = StatementFile::parse("stock".parse()?, path, content)
//!     .map_err(|problems| format!("{problems:?}"))?;
//! let database = Database::new("postgres://127.0.0.1/stock")?;
//! let tools = database.tools(&file).map_err(|problems| format!("{problems:?}"))?;
//! let registry = Registry::builder().tools(tools).grant("reader", "service:stock").build()?;
//! # Ok(())
//! # }
//! ```
//!
//! An agent chooses the values of parameters, and they are sent apart from the statement, so no string of an
//! agent is SQL. The file declares the types of parameters and columns, so the record of a tool does not depend on
//! the database. A call whose columns are not the declared ones is refused, and [`Database::check`] reports all
//! differences. A statement that reads runs in a transaction that cannot write.

mod database;
mod error;
mod file;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(not(feature = "postgres"))]
#[path = "no_postgres.rs"]
mod postgres;
mod record;
mod sql;
mod value;

pub use database::Database;
pub use error::DatabaseError;
pub use file::{Column, Parameter, Statement, StatementEffect, StatementFile};
pub use value::ColumnType;
