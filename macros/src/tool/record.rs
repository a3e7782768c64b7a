//! The record of a tool, as far as the macro knows it: the JSON form of a `ToolSpec` without
//! schemas and without the module.
//!
//! It is one literal, which costs the compiler nothing, and is read like the record of an adapter.

use std::fmt::Write;

use syn::LitStr;
use toolwright_model::{Governance, Hints};

use super::{check::CheckedTool, scope::ScopeParameter};

/// The JSON form.
pub(super) fn render(tool: &CheckedTool<'_>) -> String {
    let governance = &tool.governance;
    let Governance {
        kind,
        approval_required,
        hints,
        enabled_by_default,
        ..
    } = governance;
    let (category, effect) = (governance.category(), governance.effect());
    let Hints {
        read_only,
        destructive,
        idempotent,
        open_world,
    } = hints;
    let found = format!("category = {category}, effect = {effect}");
    let mut record = Record(String::from("{\"binding\":\"native\""));
    record.text("name", &tool.name.name);
    record.text("service", &tool.name.service);
    record.text("title", &string_or(tool.title.as_ref(), &tool.name.title));
    record.text(
        "section",
        &string_or(tool.section.as_ref(), &tool.name.service),
    );
    record.text("short", &tool.documentation.short);
    record.text("description", &tool.documentation.description);
    if let Some(when_to_use) = &tool.documentation.when_to_use {
        record.text("when_to_use", when_to_use);
    }
    if let Some(reason) = &tool.reason {
        record.text("reason", &reason.value());
    }
    record.text("category", category.word());
    record.text("effect", effect.word());
    record.json("approval_required", approval_required);
    record.json("enabled_by_default", enabled_by_default);
    record.json(
        "hints",
        format_args!(
            "{{\"readOnlyHint\":{read_only},\"destructiveHint\":{destructive},\
             \"idempotentHint\":{idempotent},\"openWorldHint\":{open_world}}}"
        ),
    );
    record.json(
        "evidence",
        format_args!(
            "[{{\"source\":\"declared\",\"found\":\"{found}\",\"suggests\":\"{kind}\",\"decided\":true}}]"
        ),
    );
    if !tool.scope.is_empty() {
        record.json("scope", Scope(&tool.scope));
    }
    record.0.push('}');
    record.0
}

/// The scope parameters as JSON.
struct Scope<'a>(&'a [ScopeParameter]);

impl std::fmt::Display for Scope<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut separator = '{';
        for parameter in self.0 {
            let (name, check) = (parameter.name(), &parameter.check);
            let required = parameter.required;
            write!(f, "{separator}{}:{{\"check\":\"{check}\"", Quoted(&name))?;
            if let Some(argument) = &parameter.argument {
                write!(f, ",\"argument\":{}", Quoted(&argument.value()))?;
            }
            if parameter.found {
                f.write_str(",\"found\":true")?;
            }
            write!(f, ",\"required\":{required}}}")?;
            separator = ',';
        }
        f.write_char('}')
    }
}

fn string_or(written: Option<&LitStr>, otherwise: &str) -> String {
    written.map_or_else(|| otherwise.to_owned(), LitStr::value)
}

/// An object that was begun.
struct Record(String);

impl Record {
    fn text(&mut self, key: &str, text: &str) {
        self.json(key, Quoted(text));
    }

    fn json(&mut self, key: &str, json: impl std::fmt::Display) {
        // Writing to a `String` cannot fail.
        let _ = write!(self.0, ",\"{key}\":{json}");
    }
}

/// A string as JSON.
struct Quoted<'a>(&'a str);

impl std::fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_char('"')?;
        let mut rest = self.0;
        while let Some(at) = rest.find(|c: char| matches!(c, '"' | '\\' | '\0'..='\x1f')) {
            let (plain, special) = rest.split_at(at);
            f.write_str(plain)?;
            let mut characters = special.chars();
            match characters.next() {
                Some(c @ ('"' | '\\')) => write!(f, "\\{c}")?,
                Some('\n') => f.write_str("\\n")?,
                Some(control) => write!(f, "\\u{:04x}", u32::from(control))?,
                None => {}
            }
            rest = characters.as_str();
        }
        f.write_str(rest)?;
        f.write_char('"')
    }
}

#[cfg(test)]
mod tests {
    use super::Quoted;

    #[test]
    fn characters_that_json_strings_forbid_are_escaped() {
        let text = "a \"b\" \\ c\nd\u{1}é";
        assert_eq!(Quoted(text).to_string(), r#""a \"b\" \\ c\nd\u0001é""#);
        assert_eq!(
            serde_json::from_str::<String>(&Quoted(text).to_string()).unwrap(),
            text
        );
    }
}
