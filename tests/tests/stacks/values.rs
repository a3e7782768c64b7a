//! Hostile values: each separator in each encoding and position.

use std::collections::BTreeSet;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Harmless values.
pub(crate) const ORDINARY: &[&str] = &[
    "7",
    "a-b_c~d",
    "v1.2.3",
    "a b",
    "caf\u{e9}",
    "x@y.example",
    "1,2",
    "100%",
    "research",
    "\u{4e2d}",
];

/// Keys that some stack reads as the project or the method, and harmless ones.
pub(crate) const KEYS: &[&str] = &[
    "project_id",
    "project_id[]",
    "project_id[0]",
    "project_id[x]",
    "project_id]",
    "[project_id]",
    "project_id[",
    "Project_ID",
    "projectId",
    "project.id",
    "project id",
    "project%5fid",
    "project_id\0",
    "_method",
    "_method[]",
    "_METHOD",
    "colour",
    "a.b",
    "x[y]",
];

/// Characters that end a segment, a part of one, or the path.
const SEPARATORS: &[char] = &['/', '\\', ';', '?', '#', '\0', '\n', '\r'];

/// Values with separators that point to other operations; `@` is the separator.
const PLACES: &[&str] = &[
    "7@secrets",
    "7@secrets@",
    "@search",
    ".@search",
    "7@..@search",
    "..@items@search",
    "..@..@admin",
    "..@admin",
    "@admin",
    "@@admin",
    "7@",
    "search@",
    "..@x@..@search",
    "x@..@..@items@7@secrets",
    "7@.@secrets",
    "7@@secrets",
    "7@secrets#",
    "7@x=1",
];

/// Values without a separator that point to other operations.
const WORDS: &[&str] = &[
    "search",
    "SEARCH",
    "Search",
    "search.",
    "search ",
    " search",
    "search.json",
    "sea%72ch",
    "%73earch",
    "%2573earch",
    "7:cancel",
    "7:Cancel",
    "7%3acancel",
    "..",
    ".",
    "...",
    "%2e%2e",
    "%2e",
    "%252e%252e",
    ".%2e",
    "\u{ff0e}\u{ff0e}",
    "\u{2025}",
    "..;",
    "%",
    "%2",
    "%%",
    "%u",
];

/// Encodes everything except characters without a special meaning.
const ONCE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Encodes a value without any check.
pub(crate) fn encode(value: &str) -> String {
    utf8_percent_encode(value, ONCE).to_string()
}

/// Returns all hostile path values.
pub(crate) fn path_values() -> BTreeSet<String> {
    let mut values: BTreeSet<String> = WORDS.iter().map(|word| (*word).to_owned()).collect();
    for separator in SEPARATORS
        .iter()
        .flat_map(|separator| encodings(*separator))
    {
        values.extend(PLACES.iter().map(|place| place.replace('@', &separator)));
    }
    values
}

/// Returns the encodings of a character that a server may decode.
fn encodings(separator: char) -> Vec<String> {
    let code = u32::from(separator);
    let twin = char::from_u32(code + 0xfee0).filter(|_| separator.is_ascii_graphic());
    let twin = twin.map(String::from).unwrap_or_default();
    let look_alikes = match separator {
        '/' => ["\u{2215}", "\u{2044}"],
        '\\' => ["\u{2216}", "\u{29f9}"],
        _ => ["\u{37e}", "\u{fe54}"],
    };
    let mut forms = vec![
        separator.to_string(),
        format!("%{code:02x}"),
        format!("%{code:02X}"),
        format!("%25{code:02x}"),
        format!("%2525{code:02X}"),
        format!("%u{code:04x}"),
        format!("%c0%{:02x}", 0x80 | code),
        format!("%e0%80%{:02x}", 0x80 | code),
        encode(&twin),
        twin,
    ];
    forms.extend(look_alikes.map(str::to_owned));
    forms.retain(|form| !form.is_empty());
    forms
}
