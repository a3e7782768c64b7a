//! The variables of a run, and the strings of a policy that refer to them as `{{name}}`.

use std::{collections::BTreeMap, fmt};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

/// The characters that a variable may not add to a URL.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The most strings that one template may become.
const MOST_STRINGS: usize = 1_000;

/// The variables of a run: strings and lists of strings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables(BTreeMap<String, Variable>);

/// The value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Variable {
    Text(String),
    List(Vec<String>),
    /// Neither a string nor a list of strings. A policy that refers to it has no effect.
    Other,
}

/// A string of a policy, with places for variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Variable(String),
}

/// The language that a template is written in. It decides how a variable's value is inserted, so
/// that a value never means more than itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Plain,
    Word,
    Regex,
    Path,
    Url,
}

/// The reason why a variable cannot be inserted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VariableFault {
    /// The name of the variable.
    pub variable: String,
    /// The problem.
    pub problem: VariableProblem,
}

/// The problem of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum VariableProblem {
    /// The run does not have it.
    Unknown,
    /// It is an empty string or list, or a list with an empty string.
    Empty,
    /// It is neither a string nor a list of strings.
    NotText,
    /// It is not one word, or begins with a sign of options, and would change a command.
    NotOneWord,
    /// It would leave its place in a path or a URL.
    Unsafe,
    /// The variables of one string have too many combinations.
    TooMany,
}

impl Variables {
    /// Creates an empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Sets a variable to a string.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.0.insert(name.into(), Variable::Text(text.into()));
        self
    }

    /// Sets a variable to a list. A string of the policy that refers to it becomes one string for
    /// each item.
    #[must_use]
    pub fn with_list<T: Into<String>>(
        mut self,
        name: impl Into<String>,
        items: impl IntoIterator<Item = T>,
    ) -> Self {
        let items = items.into_iter().map(Into::into).collect();
        self.0.insert(name.into(), Variable::List(items));
        self
    }

    /// Returns the names of the variables, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    fn values_of(&self, name: &str) -> Result<&[String], VariableProblem> {
        let values = match self.0.get(name) {
            None => return Err(VariableProblem::Unknown),
            Some(Variable::Other) => return Err(VariableProblem::NotText),
            Some(Variable::Text(text)) => std::slice::from_ref(text),
            Some(Variable::List(items)) => items,
        };
        if values.is_empty() || values.iter().any(|value| value.trim().is_empty()) {
            return Err(VariableProblem::Empty);
        }
        Ok(values)
    }
}

impl From<&Map<String, Value>> for Variables {
    fn from(values: &Map<String, Value>) -> Self {
        let variables = values.iter();
        Self(
            variables
                .map(|(name, value)| (name.clone(), Variable::from_value(value)))
                .collect(),
        )
    }
}

impl Variable {
    fn from_value(value: &Value) -> Self {
        let strings = |items: &Vec<Value>| -> Option<Vec<String>> {
            let items = items.iter();
            items.map(|item| item.as_str().map(str::to_owned)).collect()
        };
        match value {
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(items) => strings(items).map_or(Self::Other, Self::List),
            _ => Self::Other,
        }
    }
}

impl Template {
    /// Parses a string. `{{name}}` refers to a variable.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let mut parts = Vec::new();
        let mut rest = text.as_str();
        while let Some((before, name, after)) = next_variable(rest) {
            if !before.is_empty() {
                parts.push(Part::Literal(before.to_owned()));
            }
            parts.push(Part::Variable(name.to_owned()));
            rest = after;
        }
        if !rest.is_empty() || parts.is_empty() {
            parts.push(Part::Literal(rest.to_owned()));
        }
        Self { text, parts }
    }

    /// Returns the string as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the names of the variables that the string refers to.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Variable(name) => Some(name.as_str()),
            Part::Literal(_) => None,
        })
    }

    /// Returns the string with a plain word for each variable, to check its grammar.
    pub(crate) fn sample(&self) -> String {
        let parts = self.parts.iter();
        parts
            .map(|part| match part {
                Part::Literal(text) => text,
                Part::Variable(_) => "x",
            })
            .collect()
    }

    /// Inserts the variables. A list gives one string for each item.
    pub(crate) fn expand(
        &self,
        variables: &Variables,
        language: Language,
    ) -> Result<Vec<String>, VariableFault> {
        let mut strings = vec![String::new()];
        for part in &self.parts {
            match part {
                Part::Literal(text) => strings.iter_mut().for_each(|string| string.push_str(text)),
                Part::Variable(name) => {
                    let fault = |problem| VariableFault {
                        variable: name.clone(),
                        problem,
                    };
                    let values = variables.values_of(name).map_err(fault)?;
                    if strings.len() * values.len() > MOST_STRINGS {
                        return Err(fault(VariableProblem::TooMany));
                    }
                    let values: Option<Vec<_>> =
                        values.iter().map(|value| language.insert(value)).collect();
                    let values = values.ok_or_else(|| fault(language.problem()))?;
                    strings = combine(&strings, &values);
                }
            }
        }
        Ok(strings)
    }
}

impl Language {
    /// Returns the problem of a value that would leave its place.
    const fn problem(self) -> VariableProblem {
        match self {
            Self::Word => VariableProblem::NotOneWord,
            _ => VariableProblem::Unsafe,
        }
    }

    /// Returns the value as it is inserted; none if it would leave its place.
    fn insert(self, value: &str) -> Option<String> {
        match self {
            Self::Plain => Some(value.to_owned()),
            Self::Word => is_plain_word(value).then(|| value.to_owned()),
            Self::Regex => Some(regex::escape(value)),
            Self::Path => is_plain_path(value).then(|| value.to_owned()),
            Self::Url if matches!(value, "." | "..") => None,
            Self::Url => Some(utf8_percent_encode(value, RESERVED).to_string()),
        }
    }
}

/// Checks whether a value is a part of one word, and cannot begin an option.
fn is_plain_word(value: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "._/:+-=,".contains(c);
    !value.starts_with(['-', '+']) && value.chars().all(is_plain)
}

/// Checks whether a value is one or more names of a path, without patterns.
fn is_plain_path(value: &str) -> bool {
    let is_plain = |c: char| !c.is_control() && !"*?[]{}\\%".contains(c);
    value.chars().all(is_plain)
        && (value.split('/')).all(|segment| !matches!(segment, "" | "." | ".."))
}

/// Splits a string at its first variable: before, name, after.
fn next_variable(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("{{")?;
    let (name, after) = rest.split_once("}}")?;
    Some((before, name.trim(), after))
}

fn combine(strings: &[String], values: &[String]) -> Vec<String> {
    let combined = strings
        .iter()
        .flat_map(|string| values.iter().map(move |value| format!("{string}{value}")));
    combined.collect()
}

impl VariableFault {
    /// A list was inserted into an argument that has one value.
    pub(crate) fn too_many(argument: &str) -> Self {
        Self {
            variable: argument.to_owned(),
            problem: VariableProblem::TooMany,
        }
    }

    /// The string does not compile with its variables.
    pub(crate) fn misplaced(template: &Template) -> Self {
        let first = template.variables().next();
        Self {
            variable: first.unwrap_or(template.as_str()).to_owned(),
            problem: VariableProblem::Unsafe,
        }
    }
}

impl fmt::Display for VariableFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problem = match self.problem {
            VariableProblem::Unknown => "is not set",
            VariableProblem::Empty => "is empty",
            VariableProblem::NotText => "is neither a string nor a list of strings",
            VariableProblem::NotOneWord => "is not one word, or begins an option",
            VariableProblem::Unsafe => "contains characters that would change a path",
            VariableProblem::TooMany => "gives too many combinations",
        };
        write!(f, "the variable `{}` {problem}", self.variable)
    }
}

impl std::error::Error for VariableFault {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn expand(text: &str, language: Language, variables: &Value) -> Result<Vec<String>, String> {
        let variables = Variables::from(variables.as_object().unwrap());
        let expanded = Template::new(text).expand(&variables, language);
        expanded.map_err(|fault| fault.to_string())
    }

    #[test]
    fn variables_are_inserted_literally() {
        let variables = json!({"m": "a.b", "list": ["x", "y"], "evil": "../etc", "deep": "a/b"});
        for (text, language, expected) in [
            ("src/{{m}}/**", Language::Path, vec!["src/a.b/**"]),
            (
                "src/{{ list }}/**",
                Language::Path,
                vec!["src/x/**", "src/y/**"],
            ),
            ("src/{{deep}}", Language::Path, vec!["src/a/b"]),
            ("v-{{m}}", Language::Regex, vec!["v-a\\.b"]),
            (
                "https://h/{{evil}}/",
                Language::Url,
                vec!["https://h/..%2Fetc/"],
            ),
            (
                "{{list}}-{{list}}",
                Language::Plain,
                vec!["x-x", "x-y", "y-x", "y-y"],
            ),
            ("no variable }}", Language::Plain, vec!["no variable }}"]),
            (
                "test = cargo test -p {{m}}",
                Language::Word,
                vec!["test = cargo test -p a.b"],
            ),
        ] {
            assert_eq!(
                expand(text, language, &variables).unwrap(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn a_variable_that_cannot_be_inserted_is_named() {
        let variables = json!({
            "empty": " ", "none": [], "number": 7, "mixed": ["a", 7], "up": "..", "glob": "**",
            "abs": "/etc", "option": "--config=x", "two": "a --config=x", "place": "<x:text>",
        });
        for (name, language, problem) in [
            ("unknown", Language::Plain, "is not set"),
            ("empty", Language::Plain, "is empty"),
            ("none", Language::Plain, "is empty"),
            (
                "number",
                Language::Plain,
                "is neither a string nor a list of strings",
            ),
            (
                "mixed",
                Language::Plain,
                "is neither a string nor a list of strings",
            ),
            (
                "up",
                Language::Path,
                "contains characters that would change a path",
            ),
            (
                "glob",
                Language::Path,
                "contains characters that would change a path",
            ),
            (
                "abs",
                Language::Path,
                "contains characters that would change a path",
            ),
            (
                "up",
                Language::Url,
                "contains characters that would change a path",
            ),
            (
                "option",
                Language::Word,
                "is not one word, or begins an option",
            ),
            (
                "two",
                Language::Word,
                "is not one word, or begins an option",
            ),
            (
                "place",
                Language::Word,
                "is not one word, or begins an option",
            ),
        ] {
            let error = expand(&format!("a{{{{{name}}}}}"), language, &variables).unwrap_err();
            assert_eq!(error, format!("the variable `{name}` {problem}"));
        }
    }
}
