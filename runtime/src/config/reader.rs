//! Reads TOML node by node, so that every problem is told, with its place.

use std::{fmt::Display, ops::Range, path::Path, str::FromStr};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};
use toolwright_model::most_similar;

use super::{ConfigError, ConfigProblem, Place, Placed};
use crate::target::Origin;

/// Reads nodes and collects what is wrong with them.
pub(super) struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    problems: Vec<ConfigProblem>,
}

/// A table, and what it is called in messages.
pub(super) struct Table<'a> {
    name: String,
    fields: DeTable<'a>,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(path: &'a Path, text: &'a str) -> Self {
        Self {
            path,
            text,
            problems: Vec::new(),
        }
    }

    /// The whole document; what of it is no TOML is told and left out.
    pub(super) fn document(&mut self) -> Option<Table<'a>> {
        let (document, errors) = DeTable::parse_recoverable(self.text);
        for error in &errors {
            self.report(error.span().unwrap_or(0..0), error.message(), None);
        }
        errors.is_empty().then(|| Table {
            name: "the file".to_owned(),
            fields: document.into_inner(),
        })
    }

    /// The value if nothing was wrong.
    pub(super) fn finish<T>(mut self, value: T) -> Result<T, ConfigError> {
        if self.problems.is_empty() {
            return Ok(value);
        }
        self.problems
            .sort_by_key(|problem| problem.place.span.start);
        Err(ConfigError {
            problems: self.problems,
        })
    }

    /// Tells of every key that is not known.
    pub(super) fn check_keys(&mut self, table: &Table<'_>, known: &[&str]) {
        for key in table.fields.keys() {
            let name = key.get_ref();
            if known.contains(&name.as_ref()) {
                continue;
            }
            let help = match most_similar(name, known.iter().copied()) {
                Some(similar) => format!("a similar key is `{similar}`"),
                None => format!("its keys are `{}`", known.join("`, `")),
            };
            let message = format!("there is no key `{name}` in {}", table.name);
            self.report(key.span(), &message, Some(help));
        }
    }

    /// The table of this key.
    pub(super) fn table(&mut self, table: &Table<'a>, key: &str) -> Option<Table<'a>> {
        let value = table.fields.get(key)?;
        self.expect(value, "a table", |value| match value {
            DeValue::Table(fields) => Some(Table {
                name: format!("`[{key}]`"),
                fields: fields.clone(),
            }),
            _ => None,
        })
    }

    /// The tables of a table of tables, by their names.
    pub(super) fn tables(
        &mut self,
        table: &Table<'a>,
        key: &str,
    ) -> Vec<(Placed<String>, Table<'a>)> {
        let Some(outer) = self.table(table, key) else {
            return Vec::new();
        };
        let mut tables = Vec::new();
        for name in outer.fields.keys() {
            if let Some(mut inner) = self.table(&outer, name.get_ref()) {
                inner.name = format!("`[{key}.{}]`", name.get_ref());
                tables.push((
                    Placed {
                        value: name.get_ref().to_string(),
                        place: self.place(name.span()),
                    },
                    inner,
                ));
            }
        }
        tables
    }

    /// The tables of a table of tables, or of an array of tables of which each has its `name`.
    pub(super) fn named_tables(
        &mut self,
        table: &Table<'a>,
        key: &str,
    ) -> Vec<(Placed<String>, Table<'a>)> {
        let Some(DeValue::Array(items)) = table.fields.get(key).map(Spanned::get_ref) else {
            return self.tables(table, key);
        };
        let mut tables = Vec::new();
        for item in items.iter() {
            let fields = self.expect(item, "a table", |value| match value {
                DeValue::Table(fields) => Some(fields.clone()),
                _ => None,
            });
            let Some(mut fields) = fields else { continue };
            let Some(name) = fields.remove("name") else {
                let message = format!("this table of `[[{key}]]` has no `name`");
                let help = "add `name = \"…\"`, the name of the service".to_owned();
                self.report(item.span(), &message, Some(help));
                continue;
            };
            let text = self.expect(&name, "a text", |value| value.as_str().map(str::to_owned));
            let Some(value) = text else { continue };
            let inner = Table {
                name: format!("`[[{key}]]` of `{value}`"),
                fields,
            };
            let place = self.place(name.span());
            tables.push((Placed { value, place }, inner));
        }
        tables
    }

    /// The word of this key, one of a closed set.
    pub(super) fn word<T: Copy + Display>(
        &mut self,
        table: &Table<'_>,
        key: &str,
        known: &[T],
    ) -> Option<T> {
        let value = table.fields.get(key)?;
        let words: Vec<String> = known.iter().map(|word| format!("`{word}`")).collect();
        let wanted = words.join(" or ");
        self.expect(value, &wanted, |value| {
            let text = value.as_str()?;
            known.iter().copied().find(|word| word.to_string() == text)
        })
    }

    /// The text of this key.
    pub(super) fn text(&mut self, table: &Table<'_>, key: &str) -> Option<String> {
        let value = table.fields.get(key)?;
        self.expect(value, "a text", |value| value.as_str().map(str::to_owned))
    }

    /// The origin of the proxy that this key names.
    pub(super) fn origin_of_proxy(&mut self, table: &Table<'_>, key: &str) -> Option<Origin> {
        let value = table.fields.get(key)?;
        let text = self.expect(value, "a text", |value| value.as_str().map(str::to_owned))?;
        let place = self.place(value.span());
        let origin = self.parsed(Placed { value: text, place })?.value;
        if matches!(origin, Origin::Web(_)) {
            return Some(origin);
        }
        let help = "write the URL of an HTTP proxy, such as `http://proxy.example:3128`";
        self.report(value.span(), "a socket is no proxy", Some(help.to_owned()));
        None
    }

    /// The number of this key: at least 1, and at most so many.
    pub(super) fn count(&mut self, table: &Table<'_>, key: &str, most: u64) -> Option<u64> {
        let value = table.fields.get(key)?;
        let wanted = format!("a number from 1 to {most}");
        self.expect(value, &wanted, |value| {
            let digits = value
                .as_integer()
                .filter(|number| number.radix() == 10)?
                .as_str();
            digits
                .parse()
                .ok()
                .filter(|count| (1..=most).contains(count))
        })
    }

    /// The list of texts of this key, each read as what it stands for.
    pub(super) fn parsed_list<T>(&mut self, table: &Table<'_>, key: &str) -> Vec<Placed<T>>
    where
        T: FromStr,
        T::Err: Display,
    {
        let Some(value) = table.fields.get(key) else {
            return Vec::new();
        };
        let items = self.expect(value, "a list of texts", |value| value.as_array().cloned());
        let mut parsed = Vec::new();
        for item in items.into_iter().flatten() {
            let text = self.expect(&item, "a text", |value| value.as_str().map(str::to_owned));
            let text = text.map(|value| Placed {
                value,
                place: self.place(item.span()),
            });
            parsed.extend(text.and_then(|text| self.parsed(text)));
        }
        parsed
    }

    /// A text read as what it stands for.
    pub(super) fn parsed<T>(&mut self, text: Placed<String>) -> Option<Placed<T>>
    where
        T: FromStr,
        T::Err: Display,
    {
        match text.value.parse() {
            Ok(value) => Some(Placed {
                value,
                place: text.place,
            }),
            Err(error) => {
                self.problems.push(ConfigProblem {
                    place: text.place,
                    message: error.to_string(),
                    help: None,
                });
                None
            }
        }
    }

    fn expect<'v, T>(
        &mut self,
        value: &Spanned<DeValue<'v>>,
        wanted: &str,
        read: impl FnOnce(&DeValue<'v>) -> Option<T>,
    ) -> Option<T> {
        let read = read(value.get_ref());
        if read.is_none() {
            let found = value.get_ref().type_str();
            self.report(
                value.span(),
                &format!("expected {wanted}, found {found}"),
                None,
            );
        }
        read
    }

    fn report(&mut self, span: Range<usize>, message: &str, help: Option<String>) {
        self.problems.push(ConfigProblem {
            place: self.place(span),
            message: message.to_owned(),
            help,
        });
    }

    fn place(&self, span: Range<usize>) -> Place {
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
