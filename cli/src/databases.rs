//! The databases of the project, and their statements.

use std::fs;

use toolwright::{
    ServiceName, Tool,
    config::{Config, ConfigProblem, DatabaseConfig},
    private,
};
use toolwright_statements::{Database, DatabaseError, StatementFile};

use crate::{Failure, failure::Code, output::error_line};

/// The folder of the files of statements, next to `toolwright.toml`.
const FOLDER: &str = "statements";

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// Returns the tools of the databases, or those of one service. Nothing is connected. A database whose file has
/// a fault is reported and left out.
pub(crate) fn tools(config: &Config, service: Option<&ServiceName>) -> Vec<Tool> {
    let mut tools = Vec::new();
    let is_left_out = |name: &str| service.is_some_and(|service| service.as_str() != name);
    for (name, failure) in undeclared(config) {
        if !is_left_out(&name) {
            error_line(failure.note("its statements are no tools until this is fixed"));
        }
    }
    for (name, database) in &config.databases {
        if is_left_out(name.as_str()) {
            continue;
        }
        match of_database(name, &database.value, config) {
            Ok(found) => tools.extend(found),
            Err(failure) => error_line(
                failure.note("the tools of this database are left out until this is fixed"),
            ),
        }
    }
    tools
}

fn of_database(
    name: &ServiceName,
    database: &DatabaseConfig,
    config: &Config,
) -> Result<Vec<Tool>, Failure> {
    let (database, file) = read(name, database, config)?;
    database.tools(&file).map_err(|problems| wrong(&problems))
}

/// Reads a database and its file.
pub(crate) fn read(
    name: &ServiceName,
    database: &DatabaseConfig,
    config: &Config,
) -> Result<(Database, StatementFile), Failure> {
    let path = config.root.join(FOLDER).join(format!("{name}.toml"));
    let text = private::read_protected(&path, LARGEST)
        .map_err(|error| Failure::file("read", &path, &error))?;
    let file =
        StatementFile::parse(name.clone(), &path, &text).map_err(|problems| wrong(&problems))?;
    let database = Database::new(&database.url).map_err(|error| unusable(name, &error))?;
    Ok((database, file))
}

/// Returns the failure of each file of statements that belongs to no database, with its name.
pub(crate) fn undeclared(config: &Config) -> Vec<(String, Failure)> {
    let files = fs::read_dir(config.root.join(FOLDER));
    let files = files.into_iter().flatten().filter_map(Result::ok);
    let names = files.filter_map(|file| {
        let name = file.file_name().to_str()?.strip_suffix(".toml")?.to_owned();
        let mut declared = config.databases.keys();
        (!declared.any(|declared| declared.as_str() == name)).then_some(name)
    });
    let mut names: Vec<_> = names.collect();
    names.sort();
    let failures = names.into_iter().map(|name| {
        let message = format!("`{FOLDER}/{name}.toml` belongs to no database");
        let help = format!(
            "declare the database in `[databases.{name}]` of toolwright.toml, or remove the file"
        );
        let failure = Failure::new(message).help(help);
        (name, failure.code(Code::InvalidConfiguration))
    });
    failures.collect()
}

/// The failure of a database that cannot be used.
pub(crate) fn unusable(name: &ServiceName, error: &DatabaseError) -> Failure {
    let help =
        format!("correct `[databases.{name}]` in toolwright.toml, its credentials, or the server");
    Failure::new(error.to_string()).help(help)
}

/// The failure of a file with faults.
fn wrong(problems: &[ConfigProblem]) -> Failure {
    let failure = Failure::all(problems.iter().map(ToString::to_string));
    failure.code(Code::InvalidConfiguration)
}
