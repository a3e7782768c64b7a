//! The file of statements.

use std::{fmt, path::Path, time::Duration};

use toolwright::{
    ServiceName, ToolName,
    config::{
        ConfigProblem, Place, Placed,
        reader::{ConfigReader, File, TomlNode},
    },
};
use toolwright_model::settings::{Node as _, Reader as _};

use crate::sql::{Numbered, numbered};

/// The most rows that a statement may return.
const MOST_ROWS: u64 = 10_000;

/// The longest time of a statement, in milliseconds.
const LONGEST: u64 = 60_000;

/// The tools of a database.
#[derive(Clone, Debug)]
pub struct StatementFile {
    /// `service`: the name of the database as a service.
    pub service: ServiceName,
    /// `[statements.*]`: the tools.
    pub statements: Vec<Statement>,
}

/// A statement as a tool.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The name of the tool.
    pub name: Placed<ToolName>,
    /// `sql`: the statement, with `:name` for each parameter.
    pub sql: Placed<String>,
    pub(crate) numbered: Numbered,
    /// `effect`: what it does to the database.
    pub effect: StatementEffect,
    /// `short`: one line.
    pub short: String,
    /// `description`: the whole description; by default the line.
    pub description: Option<String>,
    /// `when_to_use`: when an agent should choose this tool.
    pub when_to_use: Option<String>,
    /// `[parameters]`: what the file states about parameters.
    pub parameters: Vec<Parameter>,
    /// `max_rows`: the most rows of a result. 100 by default.
    pub max_rows: usize,
    /// `timeout_ms`: the longest time of a call. Five seconds by default.
    pub timeout: Duration,
}

/// A parameter of a statement.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The place of its name.
    pub place: Place,
    /// `description`: what it means.
    pub description: Option<String>,
    /// `optional`: a call may leave it out, and its value is null then.
    pub optional: bool,
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
    /// Parses a file.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place and its fix.
    pub fn parse(path: &Path, text: &str) -> Result<Self, Vec<ConfigProblem>> {
        let file = File { path, text };
        let mut reader = ConfigReader::default();
        let document = file.parse(&mut reader);
        let read = document.and_then(|document| Self::read(file.node(&document), &mut reader));
        let problems = reader.into_problems();
        match read {
            Some(read) if problems.is_empty() => Ok(read),
            _ => Err(problems),
        }
    }

    fn read(document: TomlNode<'_>, reader: &mut ConfigReader) -> Option<Self> {
        reader.check_keys(document, &["service", "statements"]);
        reader.require(
            document,
            "service",
            "add `service = \"…\"`, the name of the database",
        );
        reader.require(document, "statements", "add a table `[statements.list-…]`");
        let service: Option<Placed<ServiceName>> = reader.parsed_at(document, "service");
        let table = reader.table_at(document, "statements");
        let mut statements = Vec::new();
        for (name, place, node) in table
            .and_then(|table| table.entries())
            .into_iter()
            .flatten()
        {
            if let Some(node) = reader.table(node, &format!("`statements.{name}`")) {
                let name: Option<Placed<ToolName>> = reader.parsed(name, place);
                let statement = statement(name, node, reader);
                statements.extend(statement);
            }
        }
        let service = service?.value;
        for statement in &statements {
            check_service(&service, statement, reader);
        }
        Some(Self {
            service,
            statements,
        })
    }
}

/// Reports a tool with the name of another service.
fn check_service(service: &ServiceName, statement: &Statement, reader: &mut ConfigReader) {
    let name = &statement.name;
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
    let known = [
        "sql",
        "effect",
        "short",
        "description",
        "when_to_use",
        "parameters",
        "max_rows",
        "timeout_ms",
    ];
    reader.check_keys(table, &known);
    for (key, help) in [
        ("sql", "add `sql = \"select …\"`"),
        (
            "effect",
            "add `effect = \"read\"`, or `create`, `update` or `delete`",
        ),
        (
            "short",
            "add `short = \"…\"`, one line about what the tool does",
        ),
    ] {
        reader.require(table, key, help);
    }
    let sql = reader.placed_text(table, "sql");
    let effect = reader.word(table, "effect", &StatementEffect::ALL);
    let short = reader.text(table, "short");
    let numbered = sql.as_ref().map(|sql| numbered(&sql.value));
    let parameters = parameters(table, numbered.as_ref(), reader);
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
        parameters,
    })
}

fn parameters(
    table: TomlNode<'_>,
    numbered: Option<&Numbered>,
    reader: &mut ConfigReader,
) -> Vec<Parameter> {
    let table = reader.table_at(table, "parameters");
    let mut parameters = Vec::new();
    for (name, place, node) in table
        .and_then(|table| table.entries())
        .into_iter()
        .flatten()
    {
        let Some(node) = reader.table(node, &format!("`parameters.{name}`")) else {
            continue;
        };
        reader.check_keys(node, &["description", "optional"]);
        let optional = reader.boolean(node, "optional");
        if numbered.is_some_and(|numbered| !numbered.names.iter().any(|known| known == name)) {
            let message = format!("the statement has no parameter `{name}`");
            let help = format!("write `:{name}` in the statement, or remove the parameter");
            reader.problem(place.clone(), &message, &help);
        }
        parameters.push(Parameter {
            name: name.to_owned(),
            place,
            description: reader.text(node, "description"),
            optional: optional.is_some_and(|optional| optional.value),
        });
    }
    parameters
}
