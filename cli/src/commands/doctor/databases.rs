//! The checks of databases: their files, and with `--online` the statements in the database.

use toolwright::{
    CredentialRequest, Credentials, ServiceName,
    config::{Config, DatabaseConfig},
};

use super::finding::{Finding, Findings, Part, Status};
use crate::{
    Failure, databases,
    operator::runtime,
    output::{Progress, plural},
};

/// Checks the databases of a project. `is_asked` prepares their statements, which executes nothing.
pub(super) fn check(config: &Config, is_asked: bool, findings: &mut Findings, progress: &Progress) {
    for (name, failure) in databases::undeclared(config) {
        findings.failure(Part::Database, &name, &failure);
    }
    for (name, database) in &config.databases {
        if is_asked {
            progress.step(format!("asking the database `{name}`"));
        }
        if let Err(failure) = examine(name, &database.value, config, is_asked, findings) {
            findings.failure(Part::Database, name.as_str(), &failure);
        }
    }
}

fn examine(
    name: &ServiceName,
    database: &DatabaseConfig,
    config: &Config,
    is_asked: bool,
    findings: &mut Findings,
) -> Result<(), Failure> {
    let (database, file) = databases::read(name, database, config)?;
    let statements = plural(file.statements.len(), "statement");
    if !is_asked {
        findings.ok(Part::Database, name.as_str(), statements);
        return Ok(());
    }
    let login = Credentials::from_config(config).login(CredentialRequest::new(name, None));
    let login = login.map_err(|error| {
        let mut failure = Failure::new(error.to_string()).note(error.detail());
        if let Some(help) = error.help() {
            failure = failure.help(help);
        }
        failure
    })?;
    let problems = runtime()?.block_on(database.check(&file, &login));
    let problems = problems.map_err(|error| databases::unusable(name, &error))?;
    if problems.is_empty() {
        let message = format!("{statements}, and the database has what they declare");
        findings.ok(Part::Database, name.as_str(), message);
    }
    for problem in problems {
        let message = format!("{}: {}", problem.place, problem.message);
        let finding = Finding::new(Status::Error, Part::Database, name.as_str(), message);
        findings.add(problem.help.into_iter().fold(finding, Finding::help));
    }
    Ok(())
}
