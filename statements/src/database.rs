//! A database: the tools of its file, and the check of the file against it.

use std::sync::Arc;

use toolwright::{Login, Tool, config::ConfigProblem};

use crate::{error::DatabaseError, file::StatementFile, postgres::Server, record::record};

/// A PostgreSQL database. Cloning it is cheap.
#[derive(Clone)]
pub struct Database {
    server: Arc<Server>,
}

impl Database {
    /// Reads the URL of a database. Nothing is connected. A connection to another machine is encrypted
    /// unless the URL has `sslmode=disable`.
    ///
    /// # Errors
    /// When the URL cannot be used, or contains a password.
    pub fn new(url: &str) -> Result<Self, DatabaseError> {
        let server = Arc::new(Server::new(url)?);
        Ok(Self { server })
    }

    /// Returns a tool for each statement of a file. A call logs in with the credentials of the service, and
    /// of the account of the caller's role. Without the feature `postgres`, no call succeeds.
    ///
    /// # Errors
    /// Every statement without a valid record, with its place.
    pub fn tools(&self, file: &StatementFile) -> Result<Vec<Tool>, Vec<ConfigProblem>> {
        let (mut tools, mut problems) = (Vec::new(), Vec::new());
        for statement in &file.statements {
            let spec = match record(&file.service, statement) {
                Ok(spec) => spec,
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            };
            let (statement, server) = (Arc::new(statement.clone()), Arc::clone(&self.server));
            let tool = Tool::native(spec, move |context, arguments| {
                let (statement, server) = (Arc::clone(&statement), Arc::clone(&server));
                async move {
                    let login = context.login().await?;
                    server.run(&statement, &login, &arguments).await
                }
            });
            tools.push(tool.logs_in_at(self.server.address()));
        }
        if problems.is_empty() {
            Ok(tools)
        } else {
            Err(problems)
        }
    }

    /// Prepares the statements of a file, and returns the differences between the database and the file, with their
    /// places. Nothing is executed.
    ///
    /// # Errors
    /// When the database does not answer or refuses the account, or this program was built without the
    /// feature `postgres`.
    pub async fn check(
        &self,
        file: &StatementFile,
        login: &Login,
    ) -> Result<Vec<ConfigProblem>, DatabaseError> {
        self.server.check(file, login).await
    }
}
