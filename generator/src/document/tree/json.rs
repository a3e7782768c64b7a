//! Parses strict JSON into a tree.
//!
//! The tokens come from `jsonc-parser`. This module implements the grammar, because it needs spans
//! of keys, no recursion, and errors that name the expected token.

use jsonc_parser::{Scanner, ScannerOptions, tokens::Token};
use serde_json::Number;

use super::{
    Data, Node,
    builder::{Builder, Within},
};
use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::{Place, SourceId},
};

/// The scanner options for RFC 8259 without extensions.
const STRICT: ScannerOptions = ScannerOptions {
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Parses JSON.
///
/// Duplicate keys are reported to `diagnostics`; the last one wins.
///
/// # Errors
/// Fails at the first syntax error and if the nesting is too deep.
pub(crate) fn read(
    source: SourceId,
    text: &str,
    diagnostics: &mut Diagnostics,
) -> Result<Node, Box<Diagnostic>> {
    let mut reader = JsonReader {
        source,
        text,
        scanner: Scanner::new(text, &STRICT),
        behind: 0,
        builder: Builder::new(diagnostics),
    };
    let read = reader.read();
    let ended = reader.unexpected_end(Expected::Value);
    let root = reader.builder.finish();
    read?;
    root.ok_or(ended)
}

/// The expected next token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Value,
    ItemOrClose,
    KeyOrClose,
    Key,
    Colon,
    CommaOrClose,
    Nothing,
}

struct JsonReader<'t, 'd> {
    source: SourceId,
    text: &'t str,
    scanner: Scanner<'t>,
    /// The end of the last token.
    behind: usize,
    builder: Builder<'d>,
}

impl<'t> JsonReader<'t, '_> {
    fn read(&mut self) -> Result<(), Box<Diagnostic>> {
        let mut expected = Expected::Value;
        loop {
            expected = match self.next()? {
                Some(token) => self.step(expected, token)?,
                None if expected == Expected::Nothing => return Ok(()),
                None => return Err(self.unexpected_end(expected)),
            };
        }
    }

    /// Returns the next token.
    fn next(&mut self) -> Result<Option<Token<'t>>, Box<Diagnostic>> {
        let token = self.scanner.scan().map_err(|error| {
            let range = error.range();
            let place = Place::new(self.source, range.start, range.end);
            syntax(place, lower_case(&error.kind().to_string()))
        })?;
        self.check_space()?;
        if let Some(Token::String(_)) = token {
            self.check_string()?;
        }
        self.behind = self.scanner.token_end();
        Ok(token)
    }

    fn step(&mut self, expected: Expected, token: Token<'t>) -> Result<Expected, Box<Diagnostic>> {
        use Expected::{Colon, CommaOrClose, ItemOrClose, Key, KeyOrClose, Value};
        let place = self.place();
        match (expected, token) {
            (Value | ItemOrClose, Token::OpenBrace) => {
                self.builder.open_object(place)?;
                Ok(KeyOrClose)
            }
            (Value | ItemOrClose, Token::OpenBracket) => {
                self.builder.open_array(place)?;
                Ok(ItemOrClose)
            }
            (KeyOrClose | Key, Token::String(text)) => {
                self.builder.key(text.into_owned(), place);
                Ok(Colon)
            }
            (Colon, Token::Colon) => Ok(Value),
            (CommaOrClose, Token::Comma) if self.builder.within() == Within::Array => Ok(Value),
            (CommaOrClose, Token::Comma) => Ok(Key),
            (ItemOrClose, Token::CloseBracket) | (KeyOrClose, Token::CloseBrace) => {
                Ok(self.close(place))
            }
            (CommaOrClose, Token::CloseBracket) if self.builder.within() == Within::Array => {
                Ok(self.close(place))
            }
            (CommaOrClose, Token::CloseBrace) if self.builder.within() != Within::Array => {
                Ok(self.close(place))
            }
            (Value | ItemOrClose, token) => match scalar(&token) {
                Some(data) => Ok(self.value(Node { place, data })),
                None => Err(self.unexpected(expected, &token)),
            },
            (expected, token) => Err(self.unexpected(expected, &token)),
        }
    }

    fn close(&mut self, end: Place) -> Expected {
        match self.builder.close(end) {
            Some(node) => self.value(node),
            None => Expected::Nothing,
        }
    }

    fn value(&mut self, node: Node) -> Expected {
        self.builder.value(node);
        if self.builder.within() == Within::Nothing {
            Expected::Nothing
        } else {
            Expected::CommaOrClose
        }
    }

    /// Returns the place of the last token.
    fn place(&self) -> Place {
        Place::new(
            self.source,
            self.scanner.token_start(),
            self.scanner.token_end(),
        )
    }

    /// Rejects white space outside of JSON's four characters, which the scanner accepts.
    fn check_space(&self) -> Result<(), Box<Diagnostic>> {
        let space = self.text.get(self.behind..self.scanner.token_start());
        let stray =
            space.and_then(|space| space.find(|c: char| !matches!(c, ' ' | '\t' | '\n' | '\r')));
        stray.map_or(Ok(()), |at| {
            let at = self.behind + at;
            let place = Place::new(self.source, at, at + 1);
            Err(syntax(
                place,
                "JSON does not allow this white space character".to_owned(),
            ))
        })
    }

    fn check_string(&self) -> Result<(), Box<Diagnostic>> {
        let start = self.scanner.token_start();
        let raw = self.text.as_bytes().get(start..self.scanner.token_end());
        let control = raw.and_then(|raw| raw.iter().position(|byte| *byte < b' '));
        control.map_or(Ok(()), |at| {
            let place = Place::new(self.source, start + at, start + at + 1);
            let message = "unescaped control character in a string";
            Err(Box::new(syntax(place, message.to_owned()).help(
                "write it as an escape such as `\\n`, or close the string before it",
            )))
        })
    }

    fn unexpected(&self, expected: Expected, token: &Token<'_>) -> Box<Diagnostic> {
        let found = match token {
            Token::String(_) => "a string".to_owned(),
            Token::CommentLine(_) | Token::CommentBlock(_) => "a comment".to_owned(),
            other => format!("`{}`", other.as_str()),
        };
        let expected = self.words(expected);
        syntax(self.place(), format!("expected {expected}, found {found}"))
    }

    fn unexpected_end(&self, expected: Expected) -> Box<Diagnostic> {
        let end = self.text.trim_end().len();
        let place = Place::new(self.source, end, end);
        let expected = self.words(expected);
        syntax(
            place,
            format!("expected {expected}, found the end of the file"),
        )
    }

    fn words(&self, expected: Expected) -> &'static str {
        match expected {
            Expected::Value => "a value",
            Expected::ItemOrClose => "a value or `]`",
            Expected::KeyOrClose => "a key in double quotes or `}`",
            Expected::Key => "a key in double quotes",
            Expected::Colon => "`:`",
            Expected::CommaOrClose if self.builder.within() == Within::Array => "`,` or `]`",
            Expected::CommaOrClose => "`,` or `}`",
            Expected::Nothing => "the end of the file",
        }
    }
}

fn syntax(place: Place, message: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(Code::Syntax, place, message))
}

/// Returns the data of a scalar token.
fn scalar(token: &Token<'_>) -> Option<Data> {
    Some(match token {
        Token::Null => Data::Null,
        Token::Boolean(value) => Data::Bool(*value),
        Token::String(text) => Data::String(text.to_string()),
        Token::Number(text) => number(text),
        _ => return None,
    })
}

/// Parses a number. A number outside the range of `f64` remains a string.
pub(super) fn number(text: &str) -> Data {
    text.parse::<Number>()
        .map_or_else(|_| Data::String(text.to_owned()), Data::Number)
}

fn lower_case(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map(|first| first.to_lowercase().chain(characters).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::source::Sources;

    fn read_text(text: &str) -> Result<Node, String> {
        let mut sources = Sources::new();
        let id = sources.add("a.json", text);
        read(id, text, &mut Diagnostics::default()).map_err(|error| {
            let at = sources.line_column(error.primary.place);
            format!("{at} {}", error.message)
        })
    }

    #[test]
    fn values_keep_their_places() {
        let text = r#"{"a": [1, "é\n", {}], "b": null}"#;
        let root = read_text(text).unwrap();
        let place = |pointer| {
            let place = root.at_pointer(pointer).unwrap().place;
            text.get(place.start as usize..place.end as usize).unwrap()
        };
        assert_eq!(place(""), text);
        assert_eq!(place("/a"), r#"[1, "é\n", {}]"#);
        assert_eq!(place("/a/1"), r#""é\n""#);
        assert_eq!(place("/a/2"), "{}");
        assert_eq!(
            root.to_value(),
            serde_json::from_str::<serde_json::Value>(text).unwrap()
        );
    }

    #[test]
    fn errors_contain_the_expected_token() {
        for (text, message) in [
            ("", "1:1 expected a value, found the end of the file"),
            (
                "{\n",
                "1:2 expected a key in double quotes or `}`, found the end of the file",
            ),
            ("{\"a\" 1}", "1:6 expected `:`, found `1`"),
            (
                "{\"a\": 1\n\"b\": 2}",
                "2:1 expected `,` or `}`, found a string",
            ),
            ("[1, 2,]", "1:7 expected a value, found `]`"),
            ("[01]", "1:3 expected `,` or `]`, found `1`"),
            ("[1} ", "1:3 expected `,` or `]`, found `}`"),
            ("{} {}", "1:4 expected the end of the file, found `{`"),
            (
                "{a: 1}",
                "1:2 expected a key in double quotes or `}`, found `a`",
            ),
            ("[\"a\tb\"]", "1:4 unescaped control character in a string"),
            (
                "[\u{a0}1]",
                "1:2 JSON does not allow this white space character",
            ),
            (
                "[1] // x",
                "1:5 expected the end of the file, found a comment",
            ),
            ("[\"a", "1:2 unterminated string literal"),
        ] {
            assert_eq!(read_text(text).unwrap_err(), message, "{text}");
        }
    }

    #[test]
    fn the_last_of_two_equal_keys_wins() {
        let mut diagnostics = Diagnostics::default();
        let text = r#"{"a": 1, "a": 2}"#;
        let id = Sources::new().add("a.json", text);
        let root = read(id, text, &mut diagnostics).unwrap();
        assert_eq!(root.to_value(), serde_json::json!({"a": 2}));
        assert_eq!(diagnostics.sorted().len(), 1);
    }

    #[test]
    fn equal_keys_before_a_fault_are_reported() {
        let mut diagnostics = Diagnostics::default();
        let text = r#"{"a": {"b": 1, "b": 2, "c" 3}}"#;
        let id = Sources::new().add("a.json", text);
        assert!(read(id, text, &mut diagnostics).is_err());
        assert_eq!(diagnostics.sorted().len(), 1);
    }

    #[test]
    fn objects_and_arrays_have_no_spare_memory() {
        let root = read_text(r#"{"a": [1, 2, 3, 4, 5], "b": {"c": {}, "d": [], "e": 1}, "f": 2}"#)
            .unwrap();
        let mut open = vec![&root];
        while let Some(node) = open.pop() {
            match &node.data {
                Data::Array(items) => assert_eq!(items.capacity(), items.len()),
                Data::Object(fields) => assert_eq!(fields.capacity(), fields.len()),
                _ => {}
            }
            open.extend(node.items());
            open.extend(node.fields().map(|(_, node)| node));
        }
    }

    #[test]
    fn deep_nesting_is_refused_without_a_deep_stack() {
        assert!(read_text(&("[".repeat(256) + &"]".repeat(256))).is_ok());
        let error = read_text(&"[".repeat(100_000)).unwrap_err();
        assert!(error.contains("more than 256"), "{error}");
        let error = read_text(&"{\"a\":".repeat(100_000)).unwrap_err();
        assert!(error.contains("more than 256"), "{error}");
    }

    #[test]
    fn a_number_beyond_all_bounds_stays_a_string() {
        assert_eq!(read_text("1e999").unwrap().to_value(), "1e999");
        assert_eq!(
            read_text("18446744073709551615").unwrap().to_value(),
            u64::MAX
        );
    }
}
