//! Choices that depend on bytes.

/// Strings with a meaning for servers, proxies or frameworks.
const PIECES: &[&str] = &[
    "/",
    "\\",
    "..",
    ".",
    "./",
    "../",
    "%",
    "%2f",
    "%2F",
    "%5c",
    "%252f",
    "%25",
    "%2e",
    "%2e%2e",
    "%00",
    "\0",
    "\r\n",
    "\n",
    "\t",
    "\u{7f}",
    "\u{85}",
    ";",
    "..;",
    ";a=b",
    "?",
    "#",
    "&",
    "=",
    "+",
    ":",
    ":cancel",
    ":delete",
    "@",
    ",",
    " ",
    "%20",
    "{",
    "}",
    "{id}",
    "[",
    "]",
    "[]",
    "[0]",
    "\"",
    "'",
    "|",
    "~",
    "*",
    "$",
    "%u002f",
    "%u2215",
    "%c0%af",
    "%e0%80%af",
    "／",
    "＼",
    "．",
    "％",
    "；",
    "∕",
    "⁄",
    "℀",
    "½",
    "\u{200b}",
    "\u{202e}",
    "\u{feff}",
    "\u{301}",
    "é",
    "中",
    "🙂",
    "search",
    "Search",
    "SEARCH",
    "items",
    "secrets",
    "admin",
    "json",
    ".json",
    "all",
    "project_id",
    "Project_ID",
    "projectId",
    "project.id",
    "project_id[]",
    "_method",
    "fields",
    "key",
    "api_key",
    "7",
    "-1",
    "1e9",
    "00000000-0000-4000-8000-000000000000",
    "2026-01-02",
    "2f",
    "u002f",
    "25",
    "ſ",
    "K",
    "__proto__",
    "constructor",
    "$Version",
    "session",
];

/// Bytes that are consumed choice by choice. When they are used up, every choice is the first.
pub(super) struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) const fn new(data: &'a [u8]) -> Self {
        Self(data)
    }

    /// Returns a number below a bound of at most 256.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::from(self.next()) % bound.max(1)
    }

    pub(super) fn is_heads(&mut self) -> bool {
        self.next() % 2 == 1
    }

    pub(super) fn one_of<T: Copy>(&mut self, choices: &[T]) -> Option<T> {
        choices.get(self.below(choices.len())).copied()
    }

    /// Returns a string of pieces and single characters.
    pub(super) fn text(&mut self) -> String {
        let mut text = String::new();
        if self.is_heads() {
            text.push_str("item ");
            text.push(char::from(b'a' + self.next() % 26));
        }
        for _ in 0..self.below(7) {
            match self.next() {
                byte @ 0..128 => text.push(char::from(byte)),
                byte => {
                    let index = usize::from(byte - 128) % PIECES.len();
                    text.push_str(PIECES.get(index).copied().unwrap_or_default());
                }
            }
        }
        text
    }

    fn next(&mut self) -> u8 {
        match self.0.split_first() {
            Some((byte, rest)) => {
                self.0 = rest;
                *byte
            }
            None => 0,
        }
    }
}
