//! Writes values of JSON as TOML.

use serde_json::Value;

/// Returns a key.
pub(super) fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match !name.is_empty() && name.chars().all(is_bare) {
        true => name.to_owned(),
        false => string(name),
    }
}

/// Returns a value on one line; none for null, which TOML does not have.
pub(super) fn value(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(value) => value.to_string(),
        // TOML has no whole numbers beyond 64 bits with a sign.
        Value::Number(number) if number.is_u64() && !number.is_i64() => return None,
        Value::Number(number) => number.to_string(),
        Value::String(text) => string(text),
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(self::value).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields
                .map(|(name, field)| Some(format!("{} = {}", key(name), self::value(field)?)));
            let fields: Option<Vec<String>> = fields.collect();
            format!("{{ {} }}", fields?.join(", "))
        }
    })
}

/// Returns a basic string. Invisible characters are escaped: a person sees them.
fn string(text: &str) -> String {
    let mut written = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                written.push('\\');
                written.push(character);
            }
            '\n' => written.push_str("\\n"),
            '\t' => written.push_str("\\t"),
            character
                if toolwright_model::text::is_invisible(character) || character.is_control() =>
            {
                written.push_str(&format!("\\U{:08x}", u32::from(character)));
            }
            character => written.push(character),
        }
    }
    written.push('"');
    written
}
