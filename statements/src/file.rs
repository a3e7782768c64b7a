//! The file of statements.

use std::{fmt, path::Path, time::Duration};

use toolwright::{
    ServiceName, ToolName,
    config::{
        ConfigProblem, Placed,
        reader::{ConfigReader, File, TomlNode},
    },
};
use toolwright_model::settings::{Node as _, Reader as _};

use crate::{
    sql::{Numbered, numbered},
    value::ColumnType,
};

/// The most rows that a statement may return.
const MOST_ROWS: u64 = 10_000;

/// The longest time of a statement, in milliseconds.
const LONGEST: u64 = 60_000;

/// The keys of a statement.
const KEYS: [&str; 9] = [
    "sql",
    "effect",
    "short",
    "description",
    "when_to_use",
    "parameters",
    "columns",
    "max_rows",
    "timeout_ms",
];

/// The keys that every statement has, with the fix if one is missing.
const REQUIRED: [(&str, &str); 3] = [
    ("sql", "add `sql = \"select …\"`"),
    (
        "effect",
        "add `effect = \"read\"`, or `create`, `update` or `delete`",
    ),
    (
        "short",
        "add `short = \"…\"`, one line about what the tool does",
    ),
];

/// The tools of a database.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StatementFile {
    /// The name of the database as a service.
    pub service: ServiceName,
    /// `[statements.*]`: the tools.
    pub statements: Vec<Statement>,
}

/// A statement as a tool.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Statement {
    /// The name of the tool.
    pub name: Placed<ToolName>,
    /// `sql`: the statement, with `:name` for each parameter.
    pub sql: Placed<String>,
    /// The statement as the database receives it.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(dead_code, reason = "only PostgreSQL reads it")
    )]
    pub(crate) numbered: Numbered,
    /// `effect`: what it does to the database.
    pub effect: StatementEffect,
    /// `short`: one line.
    pub short: String,
    /// `description`: the whole description; by default the line.
    pub description: Option<String>,
    /// `when_to_use`: when an agent should choose this tool.
    pub when_to_use: Option<String>,
    /// `parameters`: the parameters, in the order of their numbers.
    pub parameters: Vec<Parameter>,
    /// `columns`: the columns of its rows; none if it returns the number of changed rows.
    pub columns: Vec<Column>,
    /// `max_rows`: the most rows of a result. 100 by default.
    pub max_rows: usize,
    /// `timeout_ms`: the longest time of a call. Five seconds by default.
    pub timeout: Duration,
}

/// A parameter of a statement.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// `type`: its type in the database.
    pub column_type: ColumnType,
    /// `description`: what it means.
    pub description: Option<String>,
    /// `optional`: a call may leave it out, and its value is null then.
    pub optional: bool,
}

/// A column of the rows of a statement.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Column {
    /// The name.
    pub name: String,
    /// Its type in the database.
    pub column_type: ColumnType,
}

/// The effect of a statement on the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementEffect {
    /// It reads. The database refuses everything else.
    Read,
    /// It adds rows.
    Create,
    /// It changes rows.
    Update,
    /// It removes rows.
    Delete,
}

impl StatementEffect {
    const ALL: [Self; 4] = [Self::Read, Self::Create, Self::Update, Self::Delete];
}

impl fmt::Display for StatementEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
        })
    }
}

impl StatementFile {
    /// Parses the file of a database.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place and its fix.
    pub fn parse(
        service: ServiceName,
        path: &Path,
        text: &str,
    ) -> Result<Self, Vec<ConfigProblem>> {
        let file = File { path, text };
        let mut reader = ConfigReader::default();
        let document = file.parse(&mut reader);
        let statements =
            document.map(|document| statements(&service, file.node(&document), &mut reader));
        let problems = reader.into_problems();
        match statements {
            Some(statements) if problems.is_empty() => Ok(Self {
                service,
                statements,
            }),
            _ => Err(problems),
        }
    }
}

fn statements(
    service: &ServiceName,
    document: TomlNode<'_>,
    reader: &mut ConfigReader,
) -> Vec<Statement> {
    reader.check_keys(document, &["statements"]);
    let help = format!("add a table such as `[statements.list-{service}-items]`");
    reader.require(document, "statements", &help);
    let table = reader.table_at(document, "statements");
    let entries = table.and_then(|table| table.entries());
    let mut statements = Vec::new();
    for (name, place, node) in entries.into_iter().flatten() {
        if let Some(node) = reader.table(node, &format!("`statements.{name}`")) {
            let name: Option<Placed<ToolName>> = reader.parsed(name, place);
            if let Some(name) = &name {
                check_service(service, name, reader);
            }
            statements.extend(statement(name, node, reader));
        }
    }
    statements
}

/// Reports a tool with the name of another service.
fn check_service(service: &ServiceName, name: &Placed<ToolName>, reader: &mut ConfigReader) {
    let mut words = name.value.as_str().split('-');
    let is_own = words.nth(1) == Some(service.as_str()) && words.next().is_some();
    if !is_own {
        let message = format!("`{}` is not the name of a tool of `{service}`", name.value);
        let help = format!("write `<verb>-{service}-<noun>`, such as `list-{service}-items`");
        reader.problem(name.place.clone(), &message, &help);
    }
}

fn statement(
    name: Option<Placed<ToolName>>,
    table: TomlNode<'_>,
    reader: &mut ConfigReader,
) -> Option<Statement> {
    reader.check_keys(table, &KEYS);
    for (key, help) in REQUIRED {
        reader.require(table, key, help);
    }
    let sql = reader.placed_text(table, "sql");
    let effect = reader.word(table, "effect", &StatementEffect::ALL);
    let short = reader.text(table, "short");
    let numbered = sql.as_ref().map(|sql| numbered(&sql.value));
    let parameters = numbered
        .as_ref()
        .and_then(|numbered| parameters(table, numbered, reader));
    let columns = columns(table, reader);
    if effect
        .as_ref()
        .is_some_and(|effect| effect.value == StatementEffect::Read)
        && table.value_of("columns").is_none()
    {
        let help = "add `columns = { id = \"bigint\" }` with the name and the type of each column";
        reader.require(table, "columns", help);
    }
    let max_rows = reader.number(table, "max_rows", 1..=MOST_ROWS);
    let timeout = reader.number(table, "timeout_ms", 1..=LONGEST);
    Some(Statement {
        description: reader.text(table, "description"),
        when_to_use: reader.text(table, "when_to_use"),
        max_rows: max_rows.map_or(100, |rows| usize::try_from(rows.value).unwrap_or(100)),
        timeout: Duration::from_millis(timeout.map_or(5_000, |timeout| timeout.value)),
        name: name?,
        sql: sql?,
        numbered: numbered?,
        effect: effect?.value,
        short: short?,
        parameters: parameters?,
        columns,
    })
}

/// Reads the parameters, in the order of their numbers. None if one of them is not declared.
fn parameters(
    table: TomlNode<'_>,
    numbered: &Numbered,
    reader: &mut ConfigReader,
) -> Option<Vec<Parameter>> {
    let declared = reader.table_at(table, "parameters");
    let entries = declared.and_then(|declared| declared.entries());
    let mut parameters = Vec::new();
    for (name, place, node) in entries.into_iter().flatten() {
        if !numbered.names.iter().any(|known| known == name) {
            let message = format!("the statement has no parameter `{name}`");
            let help = format!("write `:{name}` in the statement, or remove the parameter");
            reader.problem(place, &message, &help);
            continue;
        }
        if let Some(node) = reader.table(node, &format!("`parameters.{name}`")) {
            parameters.extend(parameter(name, node, reader));
        }
    }
    let mut sorted = Vec::new();
    for name in &numbered.names {
        let position = parameters
            .iter()
            .position(|parameter| parameter.name == *name);
        match position {
            Some(position) => sorted.push(parameters.swap_remove(position)),
            None if declared.is_some_and(|declared| declared.value_of(name).is_some()) => {}
            None => {
                let message = format!("the parameter `{name}` of the statement has no type");
                let help = format!("add `parameters.{name} = {{ type = \"text\" }}`");
                reader.problem(table.place(), &message, &help);
            }
        }
    }
    (sorted.len() == numbered.names.len()).then_some(sorted)
}

fn parameter(name: &str, node: TomlNode<'_>, reader: &mut ConfigReader) -> Option<Parameter> {
    reader.check_keys(node, &["type", "description", "optional"]);
    reader.require(
        node,
        "type",
        "add `type = \"text\"`, the type in the database",
    );
    let column_type = reader.word(node, "type", ColumnType::ALL);
    let optional = reader.boolean(node, "optional");
    Some(Parameter {
        name: name.to_owned(),
        description: reader.text(node, "description"),
        optional: optional.is_some_and(|optional| optional.value),
        column_type: column_type?.value,
    })
}

fn columns(table: TomlNode<'_>, reader: &mut ConfigReader) -> Vec<Column> {
    let declared = reader.table_at(table, "columns");
    let names = declared.and_then(|declared| declared.entries());
    let mut columns = Vec::new();
    for (name, _, _) in names.into_iter().flatten() {
        let column_type = declared.and_then(|table| reader.word(table, name, ColumnType::ALL));
        columns.extend(column_type.map(|column_type| Column {
            name: name.to_owned(),
            column_type: column_type.value,
        }));
    }
    columns
}
