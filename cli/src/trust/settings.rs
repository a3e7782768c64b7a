//! The settings of a `toolwright.toml` and the programs of custom tools, one by one, and how two versions differ.

use std::{collections::BTreeMap, path::Path};

use serde::{Deserialize, Serialize};
use toml::{Table, Value};
use toolwright_custom::{FOLDER, read_programs};
use toolwright_model::text::escape_invisible;

/// The settings of a file: each a line such as `services.depot.base_url = "https://depot.example"`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Settings(BTreeMap<String, Kind>);

/// Which changes of a setting need the user's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// It allows something: only adding it does.
    Allows,
    /// It forbids something: only removing it does.
    Forbids,
    /// It decides something: both do.
    Decides,
}

/// The differences between two versions of a file.
pub(crate) struct SettingChanges<'a> {
    added: Vec<(&'a str, Kind)>,
    removed: Vec<(&'a str, Kind)>,
}

/// The bounds of a service and of files, which give nothing away.
const BOUNDS: [&str; 8] = [
    "timeout_seconds",
    "max_response_bytes",
    "handshake_seconds",
    "retries",
    "max_file_bytes",
    "quota_bytes",
    "expire_minutes",
    "transfer_seconds",
];

/// The setting that switches everything off.
const ALL_OFF: &str = "tools.disable = \"*\"";

impl Settings {
    /// Parses a file. An unknown key is a setting that decides something.
    pub(crate) fn parse(text: &str) -> Result<Self, toml::de::Error> {
        let mut settings = Self::default();
        settings.add_table(&mut Vec::new(), &text.parse::<Table>()?);
        Ok(settings)
    }

    /// Adds the programs of custom tools, each as one setting: a program that is changed is another one.
    pub(crate) fn with_programs(mut self, folder: &Path) -> Self {
        for (file, command) in read_programs(folder) {
            let line = format!("{FOLDER}/{file}: command = {command}");
            self.0
                .insert(escape_invisible(&line).into_owned(), Kind::Allows);
        }
        self
    }

    /// The settings as lines, in order, with every character visible.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns the differences of a file from its trusted state.
    pub(crate) fn changes_since<'a>(&'a self, trusted: &'a Self) -> SettingChanges<'a> {
        SettingChanges {
            added: self.without(trusted),
            removed: trusted
                .without(self)
                .into_iter()
                .filter(|(_, kind)| *kind != Kind::Forbids || !self.0.contains_key(ALL_OFF))
                .collect(),
        }
    }

    fn without<'a>(&'a self, other: &Self) -> Vec<(&'a str, Kind)> {
        let own = self.0.iter();
        let own = own.filter(|(line, _)| !other.0.contains_key(*line));
        own.map(|(line, kind)| (line.as_str(), *kind)).collect()
    }

    fn add_table(&mut self, path: &mut Vec<String>, table: &Table) {
        for (key, value) in table {
            path.push(key.clone());
            self.add(path, value);
            path.pop();
        }
    }

    fn add(&mut self, path: &mut Vec<String>, value: &Value) {
        let Some(kind) = kind(path) else { return };
        match value {
            Value::Table(table) => self.add_table(path, table),
            // Each item of a list that allows or forbids is a setting of its own.
            Value::Array(items) if kind != Kind::Decides => {
                for item in items {
                    self.insert(path, item, kind);
                }
            }
            Value::Array(items) if items.iter().any(Value::is_table) => {
                for (index, item) in items.iter().enumerate() {
                    path.push(index.to_string());
                    self.add(path, item);
                    path.pop();
                }
            }
            value => self.insert(path, value, kind),
        }
    }

    fn insert(&mut self, path: &[String], value: &Value, kind: Kind) {
        let keys: Vec<_> = path.iter().map(|key| quote_key(key)).collect();
        let line = format!("{} = {value}", keys.join("."));
        self.0.insert(escape_invisible(&line).into_owned(), kind);
    }
}

impl SettingChanges<'_> {
    /// Returns true if the user must trust the file again.
    pub(crate) fn need_trust(&self) -> bool {
        self.decisive().next().is_some()
    }

    /// The changes that need the user's word, as lines that begin with `+` or `-`.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.decisive()
            .map(|(sign, line)| format!("{sign} {line}"))
            .collect()
    }

    /// Every setting that was added.
    pub(crate) fn added(&self) -> Vec<&str> {
        self.added.iter().map(|(line, _)| *line).collect()
    }

    /// Every setting that was removed.
    pub(crate) fn removed(&self) -> Vec<&str> {
        self.removed.iter().map(|(line, _)| *line).collect()
    }

    fn decisive(&self) -> impl Iterator<Item = (char, &str)> {
        let added = self.added.iter().filter(|(_, kind)| *kind != Kind::Forbids);
        let removed = self
            .removed
            .iter()
            .filter(|(_, kind)| *kind != Kind::Allows);
        let added = added.map(|(line, _)| ('+', *line));
        added.chain(removed.map(|(line, _)| ('-', *line)))
    }
}

/// The kind of the setting at a path; none for a bound.
fn kind(path: &[String]) -> Option<Kind> {
    let path: Vec<_> = path.iter().map(String::as_str).collect();
    match path.as_slice() {
        ["roles", _, "grant" | "profiles"] | ["profiles", _, "tools"] | ["tools", "enable"] => {
            Some(Kind::Allows)
        }
        ["tools", "disable"] => Some(Kind::Forbids),
        ["services", _, key] | ["files", key] if BOUNDS.contains(key) => None,
        _ => Some(Kind::Decides),
    }
}

/// Writes a key as TOML does, so two different paths never give the same line.
fn quote_key(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !key.is_empty() && key.chars().all(is_bare) {
        return key.to_owned();
    }
    Value::String(key.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        [roles.reader]
        grant = ["category:observe", "add-*"]
        profiles = ["clerk"]
        [profiles.clerk]
        tools = ["get-*", "list-*"]
        [[profiles.clerk.scopes]]
        allowed_urls = ["https://scope.example"]
        [tools]
        enable = ["add-*"]
        disable = ["delete-*"]
        [services.depot]
        base_url = "https://depot.example"
        timeout_seconds = 30
        [audit]
        file = "audit.jsonl"
    "#;

    /// Returns the changes that need consent if a part of the file is replaced.
    fn changes(from: &str, to: &str) -> Vec<String> {
        assert!(FILE.contains(from), "{from}");
        let trusted = Settings::parse(FILE).unwrap();
        let now = Settings::parse(&FILE.replacen(from, to, 1)).unwrap();
        now.changes_since(&trusted).lines()
    }

    #[test]
    fn every_changed_path_or_address_requires_trust() {
        assert_eq!(
            changes("https://depot.example", "https://evil.example"),
            [
                "+ services.depot.base_url = \"https://evil.example\"",
                "- services.depot.base_url = \"https://depot.example\"",
            ]
        );
        for (from, to) in [
            ("audit.jsonl", "/dev/null"),
            ("[audit]\n        file = \"audit.jsonl\"", ""),
            ("[audit]", "[approvals]\nfolder = \"theirs\"\n[audit]"),
            ("[audit]", "[repository]\npath = \"/\"\n[audit]"),
            (
                "timeout_seconds",
                "allow = [\"link-local\"]\ntimeout_seconds",
            ),
            (
                "timeout_seconds",
                "proxy = \"http://evil\"\ntimeout_seconds",
            ),
            (
                "[audit]",
                "[services.other]\nbase_url = \"http://evil\"\n[audit]",
            ),
            ("[audit]", "[workspace]\ngenerated = \"/srv\"\n[audit]"),
            ("[audit]", "[a.\"key that nobody knows\"]\nb = 1\n[audit]"),
        ] {
            assert!(!changes(from, to).is_empty(), "{from} -> {to}");
        }
    }

    #[test]
    fn removed_rights_apply_without_trust_and_added_ones_require_it() {
        for (from, to) in [
            ("\"category:observe\", \"add-*\"", ""),
            ("grant = [\"category:observe\", \"add-*\"]", ""),
            ("enable = [\"add-*\"]", ""),
            ("profiles = [\"clerk\"]", ""),
            ("tools = [\"get-*\", \"list-*\"]", "tools = [\"get-*\"]"),
            (
                "disable = [\"delete-*\"]",
                "disable = [\"delete-*\", \"add-*\"]",
            ),
            ("disable = [\"delete-*\"]", "disable = [\"*\"]"),
        ] {
            assert_eq!(changes(from, to), [""; 0], "{from} -> {to}");
        }
        for (from, to) in [
            ("grant = [\"category:observe\"", "grant = [\"*\""),
            ("enable = [\"add-*\"]", "enable = [\"add-*\", \"*\"]"),
            (
                "profiles = [\"clerk\"]",
                "profiles = [\"clerk\", \"admin\"]",
            ),
            ("tools = [\"get-*\", \"list-*\"]", "tools = [\"*\"]"),
            ("allowed_urls = [\"https://scope.example\"]", ""),
            (
                "allowed_urls = [\"https://scope.example\"]",
                "rate = \"1/day\"",
            ),
            ("disable = [\"delete-*\"]", ""),
            ("disable = [\"delete-*\"]", "disable = [\"add-*\"]"),
            ("[tools]", "[roles.new]\ngrant = [\"*\"]\n[tools]"),
        ] {
            assert!(!changes(from, to).is_empty(), "{from} -> {to}");
        }
    }

    #[test]
    fn comments_order_layout_and_limits_do_not_affect_trust() {
        for (from, to) in [
            ("[tools]", "# A comment.\n\n[tools]"),
            (
                "\"category:observe\", \"add-*\"",
                "\"add-*\",\n\"category:observe\"",
            ),
            ("timeout_seconds = 30", "timeout_seconds = 5"),
            (
                "[services.depot]\n        base_url",
                "[services]\ndepot.base_url",
            ),
        ] {
            let to = to.replace("timeout_seconds = 30", "");
            let change = changes(from, &to);
            let change: Vec<_> = change
                .iter()
                .filter(|line| !line.contains("timeout"))
                .collect();
            assert!(change.is_empty(), "{from} -> {to}: {change:?}");
        }
    }

    #[test]
    fn two_different_files_never_have_the_same_settings() {
        let lines = |text: &str| Settings::parse(text).unwrap();
        assert_ne!(
            lines(
                "[[services]]\nname = \"a\"\nbase_url = \"x\"\n[[services]]\nname = \"a\"\nbase_url = \"y\""
            ),
            lines(
                "[[services]]\nname = \"a\"\nbase_url = \"y\"\n[[services]]\nname = \"a\"\nbase_url = \"x\""
            ),
        );
        assert_ne!(lines("a.b = 1"), lines("\"a.b\" = 1"));
        assert_ne!(lines("a = \"1\""), lines("a = 1"));
        assert_ne!(
            lines("[roles.a]\ngrant = [\"x\", \"y\"]"),
            lines("[roles.a]\ngrant = [\"x\\\", \\\"y\"]"),
        );
    }

    #[test]
    fn invisible_characters_are_escaped() {
        let settings = Settings::parse("[audit]\nfile = \"a\\u202eb\\u001b\"").unwrap();
        let lines: Vec<_> = settings.lines().collect();
        assert_eq!(lines.len(), 1);
        assert!(
            lines[0].is_ascii() && lines[0].contains("202e"),
            "{lines:?}"
        );
        assert!(!lines[0].contains('\u{1b}'), "{lines:?}");
    }
}
