//! Reads the keys that describe a process: its variables and its ports.

use std::collections::{BTreeMap, BTreeSet};

use toolwright_model::settings::{Node as _, Reader as _};

use super::{ConfigReader, TomlNode};

impl ConfigReader {
    /// Reads a table of variables of an environment, whose values are strings.
    pub fn variables(&mut self, table: TomlNode<'_>, key: &str) -> BTreeMap<String, String> {
        let entries = self.table_at(table, key);
        let entries = entries.and_then(|table| table.entries());
        let mut variables = BTreeMap::new();
        for (name, place, node) in entries.into_iter().flatten() {
            let Some(text) = node.as_str() else {
                self.wrong_type(node, &format!("`{name}`"), "a string");
                continue;
            };
            if is_variable(name) && !text.contains('\0') {
                variables.insert(name.to_owned(), text.to_owned());
            } else {
                let message = format!("`{name}` is not a variable of an environment");
                let help = "write a name of letters, digits and `_`, and a value without NUL";
                self.problem(place, &message, help);
            }
        }
        variables
    }

    /// Reads `ports`: a list of TCP ports.
    pub fn ports(&mut self, table: TomlNode<'_>) -> BTreeSet<u16> {
        let Some(node) = table.value_of("ports") else {
            return BTreeSet::new();
        };
        let Some(elements) = node.elements() else {
            self.wrong_type(node, "`ports`", "an array of TCP ports");
            return BTreeSet::new();
        };
        let mut ports = BTreeSet::new();
        for node in elements {
            let number = node.as_u64();
            match number.and_then(|number| u16::try_from(number).ok()) {
                Some(port) if port > 0 => drop(ports.insert(port)),
                _ => self.wrong_type(node, "a port", "a number from 1 to 65535"),
            }
        }
        ports
    }
}

fn is_variable(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.bytes().all(is_part)
}
