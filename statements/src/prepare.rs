//! The tools of a file: its statements are prepared, and the database determines the types.

use std::{fmt, sync::Arc};

use serde_json::{Map, Value, json};
use tokio_postgres::{Client, Statement as Prepared};
use toolwright::{
    Kind as ToolKind, Tool, ToolSpec,
    binding::Governance,
    config::{ConfigProblem, reader::ConfigReader},
};
use toolwright_model::Hints;
use toolwright_state::{PostgresConnector, StateError};

use crate::{
    file::{Statement, StatementEffect, StatementFile},
    run::run,
    value::Kind,
};

/// The reason why a file has no tools.
#[derive(Debug)]
pub enum PrepareError {
    /// The database cannot be reached.
    Database(StateError),
    /// Statements that the database or the tools cannot use, each with its place.
    Statements(Vec<ConfigProblem>),
}

/// Prepares the statements of a file, and returns a tool for each.
///
/// # Errors
/// [`PrepareError`] with everything that is wrong.
pub async fn tools(
    file: &StatementFile,
    connector: Arc<PostgresConnector>,
) -> Result<Vec<Tool>, PrepareError> {
    let client = connector.connect().await.map_err(PrepareError::Database)?;
    let mut reader = ConfigReader::default();
    let mut tools = Vec::new();
    for statement in &file.statements {
        if let Some(spec) = spec(file, statement, &client, &mut reader).await {
            let (statement, connector) = (Arc::new(statement.clone()), Arc::clone(&connector));
            tools.push(Tool::native(spec, move |_, arguments| {
                let (statement, connector) = (Arc::clone(&statement), Arc::clone(&connector));
                async move { run(&statement, &connector, &arguments).await }
            }));
        }
    }
    match reader.into_problems() {
        problems if problems.is_empty() => Ok(tools),
        problems => Err(PrepareError::Statements(problems)),
    }
}

/// Returns the record of a statement, or reports why there is none.
async fn spec(
    file: &StatementFile,
    statement: &Statement,
    client: &Client,
    reader: &mut ConfigReader,
) -> Option<ToolSpec> {
    let place = || statement.sql.place.clone();
    let prepared = match client.prepare(&statement.numbered.text).await {
        Ok(prepared) => prepared,
        Err(error) => {
            let reason = error.as_db_error().map(|error| error.message().to_owned());
            let reason = reason.unwrap_or_else(|| error.to_string());
            let message = format!("the database refuses this statement: {reason}");
            reader.problem(
                place(),
                &message,
                "correct the statement, or the schema of the database",
            );
            return None;
        }
    };
    let mut is_usable = true;
    let mut report = |message: String, help: &str| {
        is_usable = false;
        reader.problem(place(), &message, help);
    };
    let input = input_schema(statement, &prepared, &mut report);
    let output = output_schema(&prepared, &mut report);
    if !is_usable {
        return None;
    }
    let kind = match statement.effect {
        StatementEffect::Read => ToolKind::Read,
        StatementEffect::Create => ToolKind::Create,
        StatementEffect::Update => ToolKind::Overwrite,
        StatementEffect::Delete => ToolKind::Delete,
    };
    let governance = Governance::from_kind(kind, false);
    let hints = Hints {
        open_world: false,
        ..governance.hints
    };
    let name = statement.name.value.as_str();
    let description = statement.description.as_ref().unwrap_or(&statement.short);
    let record = json!({
        "name": name,
        "service": file.service,
        "title": statement.short.trim_end_matches('.'),
        "short": statement.short,
        "description": description,
        "when_to_use": statement.when_to_use,
        "section": file.service,
        "category": governance.category(),
        "effect": governance.effect(),
        "approval_required": governance.approval_required,
        "hints": hints,
        "enabled_by_default": governance.enabled_by_default,
        "input_schema": input,
        "output_schema": output,
        "binding": "native",
        "origin": {
            "document": statement.sql.place.file.file_name().map(|name| name.to_string_lossy()),
            "pointer": format!("/statements/{name}"),
        },
        "evidence": [],
    });
    match serde_json::from_value(record) {
        Ok(spec) => Some(spec),
        Err(error) => {
            reader.problem(place(), &error.to_string(), "correct the statement");
            None
        }
    }
}

fn input_schema(
    statement: &Statement,
    prepared: &Prepared,
    report: &mut impl FnMut(String, &str),
) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (name, ty) in statement.numbered.names.iter().zip(prepared.params()) {
        let Some(kind) = Kind::of(ty) else {
            let message =
                format!("the parameter `{name}` has the type `{ty}`, which is not supported");
            report(
                message,
                "cast the parameter to another type: `:name::text::numeric`",
            );
            continue;
        };
        let stated = statement
            .parameters
            .iter()
            .find(|stated| stated.name == *name);
        let is_optional = stated.is_some_and(|stated| stated.optional);
        let mut schema = kind.schema();
        if is_optional {
            schema = json!({"anyOf": [schema, {"type": "null"}]});
        } else {
            required.push(name.as_str());
        }
        if let (Some(text), Some(schema)) = (
            stated.and_then(|stated| stated.description.clone()),
            schema.as_object_mut(),
        ) {
            schema.insert("description".to_owned(), text.into());
        }
        properties.insert(name.clone(), schema);
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn output_schema(prepared: &Prepared, report: &mut impl FnMut(String, &str)) -> Value {
    let mut properties = Map::new();
    for column in prepared.columns() {
        let (name, ty) = (column.name(), column.type_());
        let Some(kind) = Kind::of(ty) else {
            let message =
                format!("the column `{name}` has the type `{ty}`, which is not supported");
            report(message, "cast the column to another type: `column::text`");
            continue;
        };
        let schema = json!({"anyOf": [kind.schema(), {"type": "null"}]});
        if properties.insert(name.to_owned(), schema).is_some() {
            let message = format!("several columns are named `{name}`");
            report(message, "name one of them with `as`");
        }
    }
    if properties.is_empty() {
        let changed = json!({"type": "integer", "description": "The number of rows."});
        return json!({
            "type": "object", "properties": {"changed": changed},
            "required": ["changed"], "additionalProperties": false,
        });
    }
    let required: Vec<_> = properties.keys().cloned().collect();
    json!({
        "type": "object",
        "properties": {
            "rows": {"type": "array", "items": {
                "type": "object", "properties": properties,
                "required": required, "additionalProperties": false,
            }},
            "more": {"type": "boolean", "description": "True if there are more rows than these."},
        },
        "required": ["rows", "more"],
        "additionalProperties": false,
    })
}

impl fmt::Display for PrepareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Database(error) => error.fmt(f),
            Self::Statements(problems) => {
                for problem in problems {
                    writeln!(f, "{problem}")?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for PrepareError {}
