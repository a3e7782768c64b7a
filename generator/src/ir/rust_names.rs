//! Rust names from the words of a specification.
//!
//! A name depends only on its words until another item of the scope has it. Then dropped symbols
//! are spelt out (`-1` is `Minus1` next to `1`), and if the names are still equal, a number is
//! added.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use heck::{ToSnakeCase, ToUpperCamelCase};

/// The most characters of a name; longer ones are cut between words.
const LONGEST: usize = 72;

/// The names of one scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    taken: BTreeSet<String>,
    /// The next number of a name, which makes the search for a free one short.
    next: BTreeMap<String, u32>,
}

impl Scope {
    /// Creates a scope with reserved names.
    pub(crate) fn with(reserved: &[&str]) -> Self {
        Self {
            taken: reserved.iter().map(|name| (*name).to_owned()).collect(),
            next: BTreeMap::new(),
        }
    }

    /// A name of its own for a type or a variant.
    pub(crate) fn type_name(&mut self, words: &str) -> String {
        self.claim(words, type_name)
    }

    /// Returns names of their own for the fields of an object, in the order of their words. A name
    /// may be a keyword.
    pub(crate) fn field_names(&mut self, words: &[&str]) -> Vec<String> {
        claim_each(words, |words| self.claim(words, field_name))
    }

    fn claim(&mut self, words: &str, case: fn(&str) -> String) -> String {
        let plain = case(words);
        let name = if self.taken.contains(&plain) {
            let spelled = case(&spell_symbols(words));
            if self.taken.contains(&spelled) {
                self.with_number(&plain)
            } else {
                spelled
            }
        } else {
            plain
        };
        self.taken.insert(name.clone());
        name
    }

    /// The name with the lowest number, from 2, that makes it free.
    fn with_number(&mut self, plain: &str) -> String {
        let next = self.next.entry(plain.to_owned()).or_insert(2);
        loop {
            let name = format!("{plain}{next}");
            *next = next.saturating_add(1);
            if !self.taken.contains(&name) || *next == u32::MAX {
                return name;
            }
        }
    }
}

/// Claims a name for each item and returns the names in the order of the items. Words that are
/// plain names come first, then the others by alphabet, so that no name depends on the order of a
/// document.
pub(crate) fn claim_each(words: &[&str], mut claim: impl FnMut(&str) -> String) -> Vec<String> {
    let mut items: Vec<(usize, &str)> = words.iter().copied().enumerate().collect();
    items.sort_by_key(|(_, words)| (!is_plain(words), *words));
    let names = items.into_iter().map(|(at, words)| (at, claim(words)));
    let mut names: Vec<(usize, String)> = names.collect();
    names.sort_unstable_by_key(|(at, _)| *at);
    names.into_iter().map(|(_, name)| name).collect()
}

/// Checks for a name that needs no change to be that of a field.
fn is_plain(words: &str) -> bool {
    words
        .bytes()
        .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
}

/// A name for a type, a variant or a tool: `ListPlaneTasks`.
pub(crate) fn type_name(words: &str) -> String {
    let camel = cut(&letters(words)).to_upper_camel_case();
    if camel.starts_with(|first: char| first.is_ascii_digit()) {
        return format!("Value{camel}");
    }
    match camel.as_str() {
        "" => "Empty".to_owned(),
        "Self" => "SelfValue".to_owned(),
        _ => camel,
    }
}

/// A name for a field: `list_plane_tasks`. It may be a keyword.
pub(crate) fn field_name(words: &str) -> String {
    let snake = cut(&letters(words)).to_snake_case();
    if snake.starts_with(|first: char| first.is_ascii_digit()) {
        return format!("value_{snake}");
    }
    match snake.as_str() {
        "" => "empty".to_owned(),
        // These four cannot even be raw identifiers.
        "self" | "super" | "crate" => format!("{snake}_"),
        _ => snake,
    }
}

/// Replaces all characters except ASCII letters and digits with spaces. If nothing remains, or a
/// number would lose its sign, symbols are spelt out.
fn letters(words: &str) -> Cow<'_, str> {
    let signed = words.starts_with(['-', '+', '<', '>', '='])
        && words.contains(|c: char| c.is_ascii_digit())
        && !words.contains(|c: char| c.is_ascii_alphabetic());
    if signed || !words.contains(|c: char| c.is_ascii_alphanumeric()) {
        return Cow::Owned(spell_symbols(words));
    }
    Cow::Owned(
        words
            .chars()
            .filter(|c| *c != '\'')
            .map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' })
            .collect(),
    )
}

/// Replaces all symbols with words.
fn spell_symbols(words: &str) -> String {
    let mut out = String::new();
    for c in words.chars() {
        if c.is_ascii_alphanumeric() || c == ' ' {
            out.push(c);
            continue;
        }
        out.push(' ');
        match symbol(c) {
            Some(word) => out.push_str(word),
            None => out.push_str(&format!("u{:x}", u32::from(c))),
        }
        out.push(' ');
    }
    out
}

const fn symbol(c: char) -> Option<&'static str> {
    Some(match c {
        '+' => "plus",
        '-' => "minus",
        '_' => "underscore",
        '*' => "star",
        '/' => "slash",
        '\\' => "backslash",
        '.' => "dot",
        ',' => "comma",
        ':' => "colon",
        ';' => "semicolon",
        '<' => "less",
        '>' => "greater",
        '=' => "equal",
        '!' => "not",
        '?' => "question",
        '@' => "at",
        '#' => "hash",
        '$' => "dollar",
        '%' => "percent",
        '&' => "and",
        '|' => "or",
        '~' => "tilde",
        '^' => "caret",
        '(' | ')' => "paren",
        '[' | ']' => "bracket",
        '{' | '}' => "brace",
        '"' | '\'' | '`' => "quote",
        '\n' | '\r' | '\t' => "break",
        _ => return None,
    })
}

/// The first words, as many as fit.
fn cut(words: &str) -> Cow<'_, str> {
    if words.len() <= LONGEST {
        return Cow::Borrowed(words);
    }
    let mut out = String::new();
    for word in words.split_whitespace() {
        if !out.is_empty() && out.len() + word.len() >= LONGEST {
            break;
        }
        out.push_str(word.get(..LONGEST).unwrap_or(word));
        out.push(' ');
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_rust_names() {
        for (words, name) in [
            ("list-plane-tasks", "ListPlaneTasks"),
            ("+1", "Plus1"),
            ("-1", "Minus1"),
            ("", "Empty"),
            ("*", "Star"),
            ("2fa", "Value2fa"),
            ("self", "SelfValue"),
            ("日本", "U65e5U672c"),
            ("don't", "Dont"),
        ] {
            assert_eq!(type_name(words), name, "{words}");
        }
        for (wire, name) in [
            ("createdAt", "created_at"),
            ("@type", "type"),
            ("self", "self_"),
            ("3d", "value_3d"),
            ("", "empty"),
        ] {
            assert_eq!(field_name(wire), name, "{wire}");
        }
    }

    #[test]
    fn names_of_fields_do_not_depend_on_their_order() {
        let words = ["pageSize", "page-size", "page_size"];
        let names = Scope::default().field_names(&words);
        assert_eq!(names[2], "page_size");
        let mut reversed = words;
        reversed.reverse();
        let mut names_reversed = Scope::default().field_names(&reversed);
        names_reversed.reverse();
        assert_eq!(names, names_reversed);
    }

    #[test]
    fn names_in_a_scope_are_unique() {
        let mut scope = Scope::default();
        let names: Vec<_> = [
            "he-il", "he_il", "he-il ", "name", "-name", "NAME", "name_", "_name",
        ]
        .iter()
        .map(|words| scope.type_name(words))
        .collect();
        assert_eq!(
            names,
            [
                "HeIl",
                "HeUnderscoreIl",
                "HeMinusIl",
                "Name",
                "MinusName",
                "Name2",
                "NameUnderscore",
                "UnderscoreName"
            ]
        );
    }
}
