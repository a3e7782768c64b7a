//! A request for approval as a person reads it: in full, with nothing that cannot be seen.

use std::fmt::Write;

use serde_json::Value;
use toolwright::{
    approval::{ApprovalRequest, ShownBody, ShownRequest},
    model::text::{escape_invisible, is_invisible},
};

/// Returns the sheet of a request: a heading, and a line for each fact.
pub(super) fn of(request: &ApprovalRequest) -> String {
    let shown = &request.shown;
    let mut sheet = Sheet(format!(
        "{}  {}  for the role `{}`, until {:.0}\n",
        request.handle, request.tool, request.role, request.expires
    ));
    let danger = if shown.destructive {
        ", destructive"
    } else {
        ""
    };
    sheet.line("does", &shown.summary);
    let class = format!("{}, effect {}{danger}", shown.category, shown.effect);
    sheet.line("class", &class);
    sheet.line("service", shown.service.as_str());
    let context = [
        ("run", &shown.run),
        ("node", &shown.node),
        ("work item", &shown.work_item),
    ];
    for (name, value) in context {
        if let Some(value) = value {
            sheet.line(name, value);
        }
    }
    match &shown.request {
        Some(request) => sheet.request(request),
        None => sheet.line(
            "request",
            "none: a function of the program carries the call out",
        ),
    }
    sheet.json("arguments", &shown.arguments);
    sheet.line("digest", &request.digest());
    sheet.0
}

struct Sheet(String);

impl Sheet {
    fn request(&mut self, request: &ShownRequest) {
        self.line("request", &format!("{} {}", request.method, request.url));
        for (name, value) in &request.headers {
            self.line("header", &format!("{name}: {value}"));
        }
        match &request.body {
            Some(ShownBody::Json(value)) => self.json("body", value),
            Some(ShownBody::Text(text)) => self.line("body", text),
            Some(ShownBody::Bytes { length, sha256 }) => {
                self.line("body", &format!("{length} bytes, SHA-256 {sha256}"));
            }
            None => {}
        }
    }

    fn line(&mut self, name: &str, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "  {name:9}  {}", escape_invisible(text));
    }

    fn json(&mut self, name: &str, value: &Value) {
        for (index, line) in format!("{value:#}").lines().enumerate() {
            let name = if index == 0 { name } else { "" };
            let _ = writeln!(self.0, "  {name:9}  {}", visible_json(line));
        }
    }
}

/// JSON text in which every character that cannot be seen is escaped, as JSON itself escapes it.
fn visible_json(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for character in text.chars() {
        if is_invisible(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(visible, "\\u{unit:04x}");
            }
        } else {
            visible.push(character);
        }
    }
    visible
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_shows_what_cannot_be_seen() {
        assert_eq!(
            visible_json("\"pay 10 \u{202e}000.01 RUE\u{e0041}\u{200b}\""),
            r#""pay 10 \u202e000.01 RUE\udb40\udc41\u200b""#
        );
    }
}
