//! Reads TOML node by node, so that every problem is reported, with its place: the reader of
//! `toolwright.toml`, for the files of other crates too.

mod process;

use std::{fmt::Display, ops::Range, path::Path, str::FromStr};

use serde_json::{Map, Value};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};
use toolwright_model::settings::{self, Fault, Reader as _};

use super::{ConfigProblem, Place, Placed};
use crate::target::Origin;

/// A file that is read.
#[derive(Clone, Copy)]
pub struct File<'a> {
    /// The path, for messages.
    pub path: &'a Path,
    /// The content.
    pub text: &'a str,
}

/// A value in a file.
#[derive(Clone, Copy)]
pub struct TomlNode<'a> {
    file: File<'a>,
    value: &'a Spanned<DeValue<'a>>,
}

/// Reads nodes and collects their problems.
#[derive(Default)]
pub struct ConfigReader {
    problems: Vec<ConfigProblem>,
}

impl<'a> File<'a> {
    /// Parses the file. Reports everything that is not TOML.
    #[must_use]
    pub fn parse(self, reader: &mut ConfigReader) -> Option<Spanned<DeValue<'a>>> {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        for error in &errors {
            let place = self.place(error.span().unwrap_or(0..0));
            reader.report(place, error.message().to_owned(), None);
        }
        let document = Spanned::new(table.span(), DeValue::Table(table.into_inner()));
        errors.is_empty().then_some(document)
    }

    /// Returns the node of a value of the file.
    #[must_use]
    pub const fn node(self, value: &'a Spanned<DeValue<'a>>) -> TomlNode<'a> {
        TomlNode { file: self, value }
    }

    fn place(self, span: Range<usize>) -> Place {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let in_line = before.get(line_start..).unwrap_or_default();
        Place {
            file: self.path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: in_line.chars().count() + 1,
            span,
        }
    }
}

impl TomlNode<'_> {
    /// Returns the value as JSON; none for a date or a time, and for a number that JSON cannot hold.
    #[must_use]
    pub fn to_json(self) -> Option<Value> {
        match self.value.get_ref() {
            DeValue::String(text) => Some(Value::from(text.as_ref())),
            DeValue::Integer(integer) => {
                let (text, radix) = (integer.as_str(), integer.radix());
                let signed = i64::from_str_radix(text, radix).map(Value::from);
                let whole = signed.or_else(|_| u64::from_str_radix(text, radix).map(Value::from));
                whole.ok()
            }
            DeValue::Float(float) => {
                let number: f64 = float.as_str().parse().ok()?;
                serde_json::Number::from_f64(number).map(Value::Number)
            }
            DeValue::Boolean(value) => Some(Value::from(*value)),
            DeValue::Datetime(_) => None,
            DeValue::Array(items) => {
                let items = items.iter().map(|item| self.file.node(item).to_json());
                items.collect::<Option<Vec<_>>>().map(Value::Array)
            }
            DeValue::Table(fields) => {
                let fields = fields.iter().map(|(name, field)| {
                    let field = self.file.node(field).to_json()?;
                    Some((name.get_ref().to_string(), field))
                });
                fields.collect::<Option<Map<_, _>>>().map(Value::Object)
            }
        }
    }
}

impl<'a> settings::Node<'a> for TomlNode<'a> {
    type Place = Place;

    fn place(self) -> Place {
        self.file.place(self.value.span())
    }

    fn kind(self) -> &'static str {
        match self.value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a float",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        }
    }

    fn as_str(self) -> Option<&'a str> {
        self.value.get_ref().as_str()
    }

    fn as_bool(self) -> Option<bool> {
        self.value.get_ref().as_bool()
    }

    fn as_u64(self) -> Option<u64> {
        let integer = self.value.get_ref().as_integer()?;
        u64::from_str_radix(integer.as_str(), integer.radix()).ok()
    }

    fn elements(self) -> Option<Vec<Self>> {
        let elements = self.value.get_ref().as_array()?.iter();
        Some(elements.map(|value| self.file.node(value)).collect())
    }

    fn entries(self) -> Option<Vec<(&'a str, Place, Self)>> {
        let entries = self.value.get_ref().as_table()?.iter();
        let entries = entries.map(|(key, value)| {
            let place = self.file.place(key.span());
            (key.get_ref().as_ref(), place, self.file.node(value))
        });
        Some(entries.collect())
    }

    fn value_of(self, key: &str) -> Option<Self> {
        let value = self.value.get_ref().as_table()?.get(key)?;
        Some(self.file.node(value))
    }
}

impl<'a> settings::Reader<'a, TomlNode<'a>> for ConfigReader {
    fn report_fault(&mut self, fault: Fault<Place>) {
        self.report(fault.place, fault.message, fault.help);
    }
}

impl ConfigReader {
    /// Returns the problems, in the order of the file.
    #[must_use]
    pub fn into_problems(mut self) -> Vec<ConfigProblem> {
        self.problems
            .sort_by_key(|problem| problem.place.span.start);
        self.problems
    }

    /// Returns the table of a key.
    pub fn table_at<'a>(&mut self, table: TomlNode<'a>, key: &str) -> Option<TomlNode<'a>> {
        let node = settings::Node::value_of(table, key)?;
        self.table(node, &format!("`{key}`"))
    }

    /// Returns the tables of a table of tables, by their parsed names. `read` reads a table also if
    /// its name is wrong.
    pub(super) fn tables<'a, K, T>(
        &mut self,
        table: TomlNode<'a>,
        key: &str,
        mut read: impl FnMut(&mut Self, TomlNode<'a>) -> T,
    ) -> Vec<(Placed<K>, T)>
    where
        K: FromStr<Err: Display>,
    {
        let outer = self.table_at(table, key);
        let entries = outer.and_then(settings::Node::entries);
        let mut tables = Vec::new();
        for (name, place, inner) in entries.into_iter().flatten() {
            if let Some(inner) = self.table(inner, &format!("`{key}.{name}`")) {
                let value = read(self, inner);
                tables.extend(self.parsed(name, place).map(|name| (name, value)));
            }
        }
        tables
    }

    /// Reports that a table has no value at a key.
    pub fn require(&mut self, table: TomlNode<'_>, key: &str, help: &str) {
        if settings::Node::value_of(table, key).is_none() {
            let message = format!("this table has no `{key}`");
            self.report(settings::Node::place(table), message, Some(help.to_owned()));
        }
    }

    /// Reports a problem with its fix.
    pub fn problem(&mut self, place: Place, message: &str, help: &str) {
        self.report(place, message.to_owned(), Some(help.to_owned()));
    }

    /// Returns the tables of an array of tables, by their parsed `name`.
    pub(super) fn named_tables<'a, K, T>(
        &mut self,
        elements: Vec<TomlNode<'a>>,
        key: &str,
        mut read: impl FnMut(&mut Self, TomlNode<'a>) -> T,
    ) -> Vec<(Placed<K>, T)>
    where
        K: FromStr<Err: Display>,
    {
        let subject = format!("each entry of `{key}`");
        let mut tables = Vec::new();
        for element in elements {
            let Some(table) = self.table(element, &subject) else {
                continue;
            };
            if settings::Node::value_of(table, "name").is_none() {
                let message = format!("this table of `[[{key}]]` has no `name`");
                let help = "add `name = \"…\"`, the name of the service".to_owned();
                self.report(settings::Node::place(table), message, Some(help));
                continue;
            }
            let Some(name) = self.string(table, "name") else {
                continue;
            };
            let value = read(self, table);
            let name = self.parsed(&name.value, name.place);
            tables.extend(name.map(|name| (name, value)));
        }
        tables
    }

    /// Returns the origin of the proxy that a key names.
    pub(super) fn origin_of_proxy(&mut self, table: TomlNode<'_>, key: &str) -> Option<Origin> {
        let text = self.string(table, key)?;
        let origin: Placed<Origin> = self.parsed(&text.value, text.place)?;
        if matches!(origin.value, Origin::Web(_)) {
            return Some(origin.value);
        }
        let help = "write the URL of an HTTP proxy, such as `http://proxy.example:3128`";
        let message = "a socket cannot be a proxy".to_owned();
        self.report(origin.place, message, Some(help.to_owned()));
        None
    }

    fn report(&mut self, place: Place, message: String, help: Option<String>) {
        self.problems.push(ConfigProblem {
            place,
            message,
            help,
        });
    }
}
