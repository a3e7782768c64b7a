//! The comparison of a file with the database.

use tokio_postgres::{Client, Column as PreparedColumn, Error, types::Type};
use toolwright::config::ConfigProblem;

use super::convert::{column_type, parameter_type};
use crate::{
    file::{Column, Statement, StatementFile},
    value::ColumnType,
};

/// Prepares the statements, and returns the differences between the database and the file.
pub(super) async fn check(file: &StatementFile, client: &Client) -> Vec<ConfigProblem> {
    let mut problems = Vec::new();
    for statement in &file.statements {
        let problem = |message, help: String| ConfigProblem {
            place: statement.sql.place.clone(),
            message,
            help: Some(help),
        };
        let types = parameter_types(statement);
        match client.prepare_typed(&statement.numbered.text, &types).await {
            Ok(prepared) => {
                let found = differences(statement, prepared.columns());
                problems.extend(
                    found
                        .into_iter()
                        .map(|(message, help)| problem(message, help)),
                );
            }
            Err(error) => {
                let message = format!("the database refuses this statement: {}", reason(&error));
                let help = "correct the statement, the types of its parameters, or the database";
                problems.push(problem(message, help.to_owned()));
            }
        }
    }
    problems.sort_by_key(|problem| problem.place.span.start);
    problems
}

/// Returns the types of the parameters in the database, by their numbers.
pub(super) fn parameter_types(statement: &Statement) -> Vec<Type> {
    let parameters = statement.parameters.iter();
    parameters
        .map(|parameter| parameter_type(parameter.column_type))
        .collect()
}

/// Checks whether the columns of a prepared statement are those that the file declares.
pub(super) fn has_declared_columns(statement: &Statement, prepared: &[PreparedColumn]) -> bool {
    differences(statement, prepared).is_empty()
}

/// Returns the differences between the declared and the prepared columns, each with its fix.
fn differences(statement: &Statement, prepared: &[PreparedColumn]) -> Vec<(String, String)> {
    let mut differences = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for column in prepared {
        let (name, ty) = (column.name(), column.type_());
        if names.contains(&name) {
            let message = format!("several columns are named `{name}`");
            differences.push((message, "name one of them with `as`".to_owned()));
            continue;
        }
        names.push(name);
        let Some(found) = column_type(ty) else {
            let message =
                format!("the column `{name}` has the type `{ty}`, which is not supported");
            let help = format!("cast it to another type, such as `{name}::text as {name}`");
            differences.push((message, help));
            continue;
        };
        let declared = declared(&statement.columns, name);
        if declared != Some(found) {
            let stated = declared.map_or_else(
                || "is not declared".to_owned(),
                |declared| format!("is declared as `{declared}`"),
            );
            let message = format!("the column `{name}` has the type `{found}` and {stated}");
            let help = format!("write `columns.{name} = \"{found}\"`");
            differences.push((message, help));
        }
    }
    for column in &statement.columns {
        if !names.contains(&column.name.as_str()) {
            let message = format!("the statement returns no column `{}`", column.name);
            differences.push((message, format!("remove `{}` from `columns`", column.name)));
        }
    }
    differences
}

fn declared(columns: &[Column], name: &str) -> Option<ColumnType> {
    let column = columns.iter().find(|column| column.name == name);
    column.map(|column| column.column_type)
}

/// Returns the message of the database, or of the connection.
fn reason(error: &Error) -> String {
    let database = error.as_db_error().map(|error| error.message().to_owned());
    database.unwrap_or_else(|| error.to_string())
}
