//! A program without PostgreSQL: it knows the tools, and no call of them succeeds.

use serde_json::Value;
use toolwright::{Login, ToolError, config::ConfigProblem};

use crate::{
    error::DatabaseError,
    file::{Statement, StatementFile},
};

/// The reason why nothing can be done.
const ABSENT: &str =
    "this program was built without PostgreSQL: build it with `--features postgres`";

/// The server of a database.
pub(crate) struct Server(String);

impl Server {
    #[expect(
        clippy::unnecessary_wraps,
        reason = "with PostgreSQL, a URL may be refused"
    )]
    pub(crate) fn new(url: &str) -> Result<Self, DatabaseError> {
        Ok(Self(url.to_owned()))
    }

    pub(crate) fn address(&self) -> String {
        self.0.clone()
    }

    #[expect(clippy::unused_async, reason = "with PostgreSQL, it waits")]
    pub(crate) async fn run(
        &self,
        _statement: &Statement,
        _login: &Login,
        _arguments: &Value,
    ) -> Result<Value, ToolError> {
        Err(ToolError::failed(ABSENT))
    }

    #[expect(clippy::unused_async, reason = "with PostgreSQL, it waits")]
    pub(crate) async fn check(
        &self,
        _file: &StatementFile,
        _login: &Login,
    ) -> Result<Vec<ConfigProblem>, DatabaseError> {
        Err(DatabaseError::new(ABSENT))
    }
}
