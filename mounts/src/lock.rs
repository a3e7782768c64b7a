//! `mcp.lock`: the digests of the definitions that people accepted.

use std::{collections::BTreeMap, error, fmt, fs, io, path::Path};

use serde::Deserialize;
use toolwright::jiff::Timestamp;

use crate::{definition::Definition, document::Document};

/// The name of the file, next to the document.
pub const LOCK_FILE: &str = "mcp.lock";

/// The version of the format.
const VERSION: u64 = 1;

/// The first lines of the file.
const HEADER: &str = "\
# The definitions of a mounted MCP server's tools that people accepted, by their SHA-256.
# `toolwright mount accept` writes this file. A tool with another definition is off.
";

/// The accepted definitions of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    tools: BTreeMap<String, Acceptance>,
}

/// The definition of a tool that a person accepted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acceptance {
    /// The digest of the definition.
    pub definition: String,
    /// The name of the person.
    pub by: String,
    /// The reason.
    pub why: String,
    /// The time.
    pub at: Timestamp,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u64,
    #[serde(default)]
    tools: BTreeMap<String, Acceptance>,
}

/// The reason why a lock cannot be used.
#[derive(Debug)]
pub enum LockError {
    /// It cannot be read.
    Io(io::Error),
    /// It is not a lock, with the place and the reason.
    Invalid(String),
}

impl Lock {
    /// Reads a lock; an empty one if there is no file.
    ///
    /// # Errors
    /// [`LockError`] if the file cannot be read or is not a lock.
    pub fn read(path: &Path) -> Result<Self, LockError> {
        match fs::read_to_string(path) {
            Ok(text) => Self::parse(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(LockError::Io(error)),
        }
    }

    fn parse(text: &str) -> Result<Self, LockError> {
        let invalid = |error: toml::de::Error| LockError::Invalid(error.to_string());
        let File { version, tools } = toml::from_str(text).map_err(invalid)?;
        if version == VERSION {
            return Ok(Self { tools });
        }
        let message = format!("its version is {version}, and this program knows {VERSION}");
        Err(LockError::Invalid(message))
    }

    /// Returns the acceptance of a tool.
    #[must_use]
    pub fn get(&self, tool: &str) -> Option<&Acceptance> {
        self.tools.get(tool)
    }

    /// Returns the tools and their acceptances.
    pub fn tools(&self) -> impl Iterator<Item = (&str, &Acceptance)> {
        self.tools
            .iter()
            .map(|(tool, accepted)| (tool.as_str(), accepted))
    }

    /// Checks whether a definition is the accepted one.
    #[must_use]
    pub fn accepts(&self, definition: &Definition) -> bool {
        let accepted = self.tools.get(definition.name());
        accepted.is_some_and(|accepted| accepted.definition == definition.digest())
    }

    /// Returns the accepted tools of a document that are not as they were accepted, or that it lacks.
    pub(crate) fn unlike(&self, document: &Document) -> Vec<String> {
        let is_like = |tool: &String| document.get(tool).is_some_and(|found| self.accepts(found));
        let tools = self.tools.keys().filter(|tool| !is_like(tool));
        tools.cloned().collect()
    }

    /// Accepts a definition.
    pub fn insert(&mut self, tool: &str, accepted: Acceptance) {
        self.tools.insert(tool.to_owned(), accepted);
    }

    /// Removes the acceptance of a tool.
    pub fn remove(&mut self, tool: &str) {
        self.tools.remove(tool);
    }

    /// Returns the content of the file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEADER}version = {VERSION}\n");
        for (tool, accepted) in &self.tools {
            let string = |text: &str| toml_edit::Value::from(text).to_string();
            let tool = string(tool);
            let (definition, by) = (string(&accepted.definition), string(&accepted.by));
            let (why, at) = (string(&accepted.why), accepted.at);
            text.push_str(&format!(
                "\n[tools.{tool}]\ndefinition = {definition}\nby = {by}\nwhy = {why}\nat = \"{at}\"\n"
            ));
        }
        text
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "it cannot be read: {error}"),
            Self::Invalid(message) => f.write_str(message.trim_end()),
        }
    }
}

impl error::Error for LockError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_lock_is_read_again() {
        let mut lock = Lock::default();
        let accepted = Acceptance {
            definition: "sha256:00".to_owned(),
            by: "ann \"a\"".to_owned(),
            why: "it only\\reads".to_owned(),
            at: "2026-01-02T03:04:05Z".parse().unwrap(),
        };
        lock.insert("read/it.now", accepted);
        assert_eq!(Lock::parse(&lock.to_text()).unwrap(), lock);
    }

    #[test]
    fn faults_have_a_place() {
        for (text, expected) in [
            ("version = 2", "its version is 2"),
            ("version = 1\n[tools.a]\nby = 1", "line 3"),
            ("version = 1\n[tools.a]\nbye = \"x\"", "line 3"),
            ("version", "line 1"),
        ] {
            let error = Lock::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
