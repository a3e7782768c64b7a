//! `mcp.json`: the accepted definitions of a server, which the generator reads as a specification.

use std::{collections::BTreeMap, io, path::Path};

use serde_json::{Map, Value, json};
use toolwright::{ServiceName, private};
use toolwright_model::text::escape_json;

use crate::definition::Definition;

/// The name of the file, in the folder of the service.
pub const DOCUMENT_FILE: &str = "mcp.json";

/// The largest file that is read, in bytes.
const LARGEST: u64 = 32 << 20;

/// The accepted definitions of one server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    definitions: BTreeMap<String, Definition>,
}

impl Document {
    /// Creates a document.
    #[must_use]
    pub fn new(definitions: impl IntoIterator<Item = Definition>) -> Self {
        let definitions = definitions.into_iter();
        Self {
            definitions: definitions
                .map(|definition| (definition.name().to_owned(), definition))
                .collect(),
        }
    }

    /// Reads the definitions of a document; none if there is no file.
    ///
    /// # Errors
    /// If the file cannot be read, another user can change it, or it is not JSON. Other faults are reported by the generator.
    pub fn read(path: &Path) -> io::Result<Self> {
        let text = match private::read_protected(path, LARGEST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            text => text?,
        };
        let value: Value = serde_json::from_str(&text)?;
        let tools = value.get("tools").and_then(Value::as_object);
        let tools = tools.into_iter().flatten();
        let definitions = tools.filter_map(|(name, tool)| {
            let tool = tool.as_object()?.clone();
            Some(Definition::from_document(name, tool))
        });
        Ok(Self::new(definitions))
    }

    /// Returns the definition of a tool.
    #[must_use]
    pub fn get(&self, tool: &str) -> Option<&Definition> {
        self.definitions.get(tool)
    }

    /// Returns the definitions, by the names of their tools.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.values()
    }

    /// Adds a definition, in the place of another one of the same tool.
    pub fn insert(&mut self, definition: Definition) {
        self.definitions
            .insert(definition.name().to_owned(), definition);
    }

    /// Removes the definition of a tool.
    pub fn remove(&mut self, tool: &str) {
        self.definitions.remove(tool);
    }

    /// Returns the content of the file. Characters without a visible form are escaped.
    #[must_use]
    pub fn to_text(&self, service: &ServiceName, server: (&str, &str)) -> String {
        let tools = self.definitions.values();
        let tools: Map<_, _> = tools
            .map(|tool| (tool.name().to_owned(), Value::Object(tool.value().clone())))
            .collect();
        let (name, version) = server;
        let document = json!({
            "mcp": "1",
            "service": service.as_str(),
            "server": {"name": name, "version": version},
            "tools": tools,
        });
        format!("{}\n", escape_json(&format!("{document:#}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_document_has_the_same_digests() {
        let value = json!({"description": "a\u{200b}\u{1b}b", "inputSchema": {"type": "object"}});
        let value = value.as_object().unwrap().clone();
        let definition = Definition::from_document("read", value);
        let document = Document::new([definition.clone()]);
        let text = document.to_text(&ServiceName::new("files").unwrap(), ("n", "1"));
        assert!(
            !text.contains('\u{200b}') && text.contains("\\u200b"),
            "{text}"
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(DOCUMENT_FILE);
        private::write(&path, text).unwrap();
        let read = Document::read(&path).unwrap();
        assert_eq!(read.get("read").unwrap().digest(), definition.digest());
        assert_eq!(
            Document::read(&folder.path().join("absent")).unwrap(),
            Document::default()
        );
    }
}
