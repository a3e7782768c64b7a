//! Statements of SQL that an operator writes, as tools over PostgreSQL.
//!
//! ```no_run
//! use std::{path::Path, sync::Arc};
//! use toolwright::Registry;
//! use toolwright_state::PostgresConnector;
//! use toolwright_statements::{StatementFile, tools};
//!
//! # async fn build(content: &str) -> Result<(), Box<dyn std::error::Error>> {
//! let path = Path::new("stock.toml");
//! let file = StatementFile::parse(path, content).map_err(|problems| format!("{problems:?}"))?;
//! let connector = Arc::new(PostgresConnector::new("postgres://agent@127.0.0.1/stock", None)?);
//! let tools = tools(&file, connector).await.map_err(|error| error.to_string())?;
//! let registry = Registry::builder().tools(tools).grant("reader", "service:stock").build()?;
//! # Ok(())
//! # }
//! ```
//!
//! An agent chooses the values of parameters, and they are sent apart from the statement, so no string of an
//! agent is SQL. The statements are prepared at the start: the database decides the types of the parameters and
//! of the result, and what is wrong is reported then, with its place in the file. A statement that reads runs in a
//! transaction that cannot write.

mod file;
mod prepare;
mod run;
mod sql;
mod value;

pub use file::{Parameter, Statement, StatementEffect, StatementFile};
pub use prepare::{PrepareError, tools};
