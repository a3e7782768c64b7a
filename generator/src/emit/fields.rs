//! The Rust names of arguments and tools.

use std::borrow::Cow;

use heck::{ToSnakeCase, ToUpperCamelCase};
use toolwright_model::ToolName;

use crate::ir::rust_names;

/// The keywords that cannot be raw identifiers.
const NEVER_RAW: &[&str] = &["Self", "_", "crate", "self", "super"];

/// All other keywords of the edition 2024, reserved ones included.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// Returns the name of the struct for the arguments of a tool.
#[must_use]
pub fn call_name(name: &ToolName) -> String {
    name.as_str().to_upper_camel_case()
}

/// Returns distinct Rust names of arguments, in their order. The order decides no name.
pub(super) fn argument_names(wire: &[&str]) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    rust_names::claim_each(wire, |name| {
        // `self` becomes `self_`, which may be the name of another argument.
        let mut candidate = match snake(name) {
            name if NEVER_RAW.contains(&name.as_str()) => format!("{name}_"),
            name => name,
        };
        while taken.contains(&candidate) {
            candidate.push('_');
        }
        taken.push(candidate.clone());
        candidate
    })
}

/// Returns a name as an identifier, raw if it is a keyword.
pub(super) fn ident(name: &str) -> Cow<'_, str> {
    if NEVER_RAW.contains(&name) {
        Cow::Owned(format!("{name}_"))
    } else if KEYWORDS.contains(&name) {
        Cow::Owned(format!("r#{name}"))
    } else {
        Cow::Borrowed(name)
    }
}

/// `X-Request-ID` → `x_request_id`.
fn snake(wire: &str) -> String {
    let words: String = wire
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' })
        .collect();
    let name = words.to_snake_case();
    match name.chars().next() {
        None => "field".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("n{name}"),
        Some(_) => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn argument_names_are_distinct() {
        let names = [
            "pageSize",
            "page-size",
            "type",
            "X-Id",
            "1st",
            "$",
            "self",
            "gen",
            "Self",
        ];
        let names = argument_names(&names);
        assert_eq!(
            names,
            [
                "page_size_",
                "page_size",
                "type",
                "x_id",
                "n1st",
                "field",
                "self_",
                "gen",
                "self__"
            ]
        );
        let idents: Vec<_> = names.iter().map(|name| ident(name).to_string()).collect();
        assert_eq!(idents[2], "r#type");
        assert_eq!(idents[6], "self_");
        assert_eq!(idents[7], "r#gen");
    }
}
