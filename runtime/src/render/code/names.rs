//! The names of types and functions of a module.

use std::collections::BTreeSet;

/// The names of the module that are no types of a schema.
const RESERVED: [&str; 5] = ["Toolwright", "ToolError", "Literal", "TypedDict", "Any"];

/// The names that are taken.
#[derive(Default)]
pub(super) struct Names(BTreeSet<String>);

impl Names {
    /// Returns a name that is not taken: the wanted one, or else with a number after it.
    pub(super) fn take(&mut self, wanted: &str) -> String {
        let is_free = |name: &str| !RESERVED.contains(&name) && !self.0.contains(name);
        let mut name = wanted.to_owned();
        let mut number = 2;
        while !is_free(&name) {
            name = format!("{wanted}{number}");
            number += 1;
        }
        self.0.insert(name.clone());
        name
    }
}

/// Returns words in Pascal case. Only letters and digits of ASCII are kept.
pub(super) fn pascal(text: &str) -> String {
    let mut name = String::new();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let mut letters = word.chars();
        if let Some(first) = letters.next() {
            name.push(first.to_ascii_uppercase());
            name.extend(letters);
        }
    }
    match name.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => name,
        _ => format!("T{name}"),
    }
}

/// Returns the name of a tool in camel case: `list-depot-items` is `listDepotItems`.
pub(super) fn camel(tool: &str) -> String {
    let mut words = tool.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &upper_first(word))
}

/// Returns the name of a tool in snake case: `list-depot-items` is `list_depot_items`.
pub(super) fn snake(tool: &str) -> String {
    tool.replace('-', "_")
}

fn upper_first(word: &str) -> String {
    let mut letters = word.chars();
    match letters.next() {
        Some(first) => first.to_ascii_uppercase().to_string() + letters.as_str(),
        None => String::new(),
    }
}

/// Returns a string as a literal of both languages, with escapes in place of all characters but the visible
/// ones of ASCII.
pub(super) fn literal(text: &str, escape: impl Fn(char) -> String) -> String {
    let mut written = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            ' '..='~' => written.push(character),
            other => written.push_str(&escape(other)),
        }
    }
    written.push('"');
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers_and_unique() {
        let mut names = Names::default();
        assert_eq!(names.take("Item"), "Item");
        assert_eq!(names.take("Item"), "Item2");
        assert_eq!(names.take("Any"), "Any2");
        assert_eq!(pascal("io.k8s.api/v1_Pod"), "IoK8sApiV1Pod");
        assert_eq!(pascal("1st"), "T1st");
        assert_eq!(pascal("é"), "T");
        assert_eq!(camel("list-depot-items"), "listDepotItems");
        assert_eq!(snake("list-depot-items"), "list_depot_items");
    }

    #[test]
    fn a_literal_shows_no_invisible_character() {
        let escape = |c: char| format!("\\u{:04x}", u32::from(c));
        assert_eq!(
            literal("a\"\\é\u{200b}\n", escape),
            "\"a\\\"\\\\\\u00e9\\u200b\\u000a\""
        );
    }
}
