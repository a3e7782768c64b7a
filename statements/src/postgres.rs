//! The connections to PostgreSQL.

mod check;
mod convert;
mod run;

use serde_json::Value;
use toolwright::{Login, ToolError, config::ConfigProblem};
use toolwright_state::PostgresConnector;

use crate::{
    error::DatabaseError,
    file::{Statement, StatementFile},
};

/// The server of a database.
pub(crate) struct Server(PostgresConnector);

impl Server {
    pub(crate) fn new(url: &str) -> Result<Self, DatabaseError> {
        Ok(Self(PostgresConnector::new(url, None)?))
    }

    /// Returns the address for an operator.
    pub(crate) fn address(&self) -> String {
        self.0.server()
    }

    /// Carries out a call.
    pub(crate) async fn run(
        &self,
        statement: &Statement,
        login: &Login,
        arguments: &Value,
    ) -> Result<Value, ToolError> {
        run::run(statement, &self.connector(login), arguments).await
    }

    /// Returns the differences between a file and the database.
    pub(crate) async fn check(
        &self,
        file: &StatementFile,
        login: &Login,
    ) -> Result<Vec<ConfigProblem>, DatabaseError> {
        let client = self.connector(login).connect().await?;
        Ok(check::check(file, &client).await)
    }

    fn connector(&self, login: &Login) -> PostgresConnector {
        self.0.with_account(login.username(), login.password())
    }
}
