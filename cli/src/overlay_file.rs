//! Changes to an overlay that keep its comments, its order and everything that a person wrote.

mod lines;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use toml_edit::{DocumentMut, Entry, Item, Key, Table, TableLike, value};
use toolwright_generator::{
    fix,
    generate::{Proposal, is_openapi_overlay},
};

use crate::Failure;

/// The table of the entries in force.
const OPERATIONS: &str = "operations";

/// The table of the proposed entries.
const PROPOSALS: &str = "proposals";

/// An overlay that is changed in memory.
#[derive(Clone, Debug)]
pub(crate) struct OverlayFile {
    path: PathBuf,
    document: DocumentMut,
    /// True if lines end in `\r\n`.
    crlf: bool,
}

impl OverlayFile {
    /// Reads an overlay. A file that does not exist is empty.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        if is_openapi_overlay(&path.to_string_lossy()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let message = format!(
                "no line can be added to the OpenAPI Overlay `{}`",
                path.display()
            );
            return Err(Failure::new(message).help(format!(
                "write `openapi_overlays = [\"{name}\"]` into an overlay in TOML next to it, and pass that"
            )));
        }
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => read.map_err(|error| Failure::file("read", path, &error))?,
        };
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, Failure> {
        let document = text.parse().map_err(|error: toml_edit::TomlError| {
            Failure::new(format!("`{}` is not valid TOML", path.display())).note(error.to_string())
        })?;
        Ok(Self {
            path: path.to_owned(),
            document,
            crlf: text.contains("\r\n"),
        })
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the whole overlay.
    pub(crate) fn text(&self) -> String {
        let text = self.document.to_string();
        if self.crlf {
            text.replace("\r\n", "\n").replace('\n', "\r\n")
        } else {
            text
        }
    }

    /// Checks whether a selector has an entry in force.
    pub(crate) fn has_entry(&self, selector: &str) -> bool {
        self.has_table(OPERATIONS, selector)
    }

    /// Adds a proposal, unless the operation has one.
    pub(crate) fn propose(&mut self, proposal: &Proposal) {
        let Some(entry) = self.entry(PROPOSALS, &proposal.selector) else {
            return;
        };
        if !entry.is_empty() {
            return;
        }
        entry.insert("proposed_by", value(&proposal.proposed_by));
        entry.insert("reason", value(&proposal.reason));
        for (key, text) in &proposal.changes {
            entry.insert(key, value(text));
        }
    }

    /// Moves a proposal to the entries in force. Keys that a person set stay as they are.
    pub(crate) fn accept(&mut self, proposal: &Proposal) {
        self.reject(&proposal.selector);
        let Some(entry) = self.entry(OPERATIONS, &proposal.selector) else {
            return;
        };
        let is_named = entry.contains_key("name");
        let is_own = |key: &str| is_named && matches!(key, "verb" | "noun");
        let mut changes: Vec<(&str, &str)> = Vec::new();
        for (key, text) in &proposal.changes {
            if !entry.contains_key(key) && !is_own(key) {
                changes.push((key, text));
            }
        }
        let governs = changes.iter().any(|(key, _)| *key == "effect");
        if governs && !entry.contains_key("reason") {
            changes.push(("reason", &proposal.reason));
        }
        for (number, (key, text)) in changes.into_iter().enumerate() {
            entry.insert(key, value(text));
            if let (0, Some(mut key)) = (number, entry.key_mut(key)) {
                let comment = format!(
                    "# Proposed by `{}`: {}\n",
                    one_line(&proposal.proposed_by),
                    one_line(&proposal.reason)
                );
                key.leaf_decor_mut().set_prefix(comment);
            }
        }
    }

    /// Removes the proposal for an operation.
    pub(crate) fn reject(&mut self, selector: &str) {
        let table = self.document.get_mut(PROPOSALS);
        let Some(table) = table.and_then(Item::as_table_like_mut) else {
            return;
        };
        table.remove(selector);
        if table.is_empty() {
            self.document.remove(PROPOSALS);
        }
    }

    /// Returns the table of an operation in a section. A table that does not exist is created at the
    /// end of the file.
    fn entry(&mut self, section: &str, selector: &str) -> Option<&mut dyn TableLike> {
        let outer = self.document.get(section);
        if outer.is_some_and(|outer| outer.as_table_like().is_none()) {
            return None;
        }
        let mut new = Table::new();
        if outer.is_none_or(Item::is_table) && !self.has_table(section, selector) {
            self.move_to_end(&mut new);
        }
        let mut outer = Table::new();
        outer.set_implicit(true);
        let section = self.document.entry(section).or_insert(Item::Table(outer));
        let section = section.as_table_like_mut()?;
        let keys = Key::parse(&fix::key(selector)).unwrap_or_default();
        let key = keys
            .into_iter()
            .next()
            .unwrap_or_else(|| Key::new(selector));
        let entry = match section.entry_format(&key) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Item::Table(new)),
        };
        entry.as_table_like_mut()
    }

    fn has_table(&self, section: &str, selector: &str) -> bool {
        let section = self.document.get(section).and_then(Item::as_table_like);
        section.is_some_and(|section| section.contains_key(selector))
    }

    /// Puts a table after everything in the file, comments too.
    fn move_to_end(&mut self, table: &mut Table) {
        let before = self.document.trailing().as_str().unwrap_or_default();
        let is_first = self.document.is_empty() && before.trim().is_empty();
        let gap = match before {
            _ if is_first => "",
            "" => "\n",
            _ if before.ends_with("\n\n") => "",
            _ if before.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        table.decor_mut().set_prefix(format!("{before}{gap}"));
        table.set_position(Some(isize::MAX));
        self.document.set_trailing("");
    }
}

/// Returns a text as part of a comment.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlay(text: &str) -> OverlayFile {
        OverlayFile::parse(Path::new("overlay.toml"), text).unwrap()
    }

    fn proposal() -> Proposal {
        Proposal {
            selector: "GET /a \"b\"".to_owned(),
            proposed_by: "ask\nme".to_owned(),
            reason: "It \"sends\".".to_owned(),
            changes: vec![
                ("noun", "things".to_owned()),
                ("effect", "delete".to_owned()),
            ],
        }
    }

    const OWN: &str = "# A comment.\nservice = 'shop' # theirs\n\n[operations.listItems] # kept\nnoun   = \"items\"\n\n[pin]\na = { value = 1 }\n";

    #[test]
    fn a_proposal_is_added_behind_what_a_person_wrote() {
        let mut file = overlay(OWN);
        file.propose(&proposal());
        let once = file.text();
        let added = once.strip_prefix(OWN).unwrap();
        assert!(
            added.contains("[proposals.\"GET /a \\\"b\\\"\"]\nproposed_by = "),
            "{added}"
        );
        file.propose(&Proposal {
            reason: "Another.".to_owned(),
            ..proposal()
        });
        assert_eq!(file.text(), once);
        file.reject(&proposal().selector);
        assert_eq!(file.text().trim_end(), OWN.trim_end());
    }

    #[test]
    fn an_accepted_proposal_fills_only_what_a_person_left_open() {
        let mut file = overlay(OWN);
        let proposal = Proposal {
            selector: "listItems".to_owned(),
            ..proposal()
        };
        file.propose(&proposal);
        file.accept(&proposal);
        let expected = OWN.replace(
            "\"items\"\n",
            "\"items\"\n# Proposed by `ask me`: It \"sends\".\neffect = \"delete\"\nreason = 'It \"sends\".'\n",
        );
        assert_eq!(file.text().trim_end(), expected.trim_end());

        let mut file = overlay("[operations]\nlistItems = { name = \"list-shop-items\" }\n");
        file.accept(&proposal);
        let text = file.text();
        assert!(text.contains("effect") && !text.contains("noun"), "{text}");
        text.parse::<DocumentMut>().unwrap();
    }
}
