//! The arguments as a person who approves them is shown them.

use serde_json::Value;

const HIDDEN: &str = "(hidden)";

/// Words of a name that say that its value is a secret.
const SECRET_WORDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "privatekey",
    "credential",
];

/// The arguments without what is a secret: what the schema declares as `writeOnly` or with the
/// format `password`, and what a name says is one.
pub(crate) fn shown(arguments: &Value, schema: &Value) -> Value {
    match arguments {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| {
                let schema = part(part(schema, "properties"), name);
                let secret = names_a_secret(name) || declares_a_secret(schema);
                let value = if secret {
                    HIDDEN.into()
                } else {
                    shown(value, schema)
                };
                (name.clone(), value)
            })
            .collect(),
        Value::Array(items) => items
            .iter()
            .map(|item| shown(item, part(schema, "items")))
            .collect(),
        scalar => scalar.clone(),
    }
}

/// Whether a name says that its value is a secret: `client_secret`, `apiKey`.
pub(crate) fn names_a_secret(name: &str) -> bool {
    let letters: String = name
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    SECRET_WORDS.iter().any(|word| letters.contains(word))
}

/// A part of a schema; null where there is none.
fn part<'a>(schema: &'a Value, key: &str) -> &'a Value {
    schema.get(key).unwrap_or(&Value::Null)
}

fn declares_a_secret(schema: &Value) -> bool {
    part(schema, "writeOnly") == true || part(schema, "format") == "password"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_hidden_wherever_they_are() {
        let schema = json!({"properties": {
            "pin": {"type": "string", "writeOnly": true},
            "users": {"items": {"properties": {"code": {"format": "password"}}}},
        }});
        let arguments = json!({
            "name": "a", "pin": "1234", "clientSecret": {"deep": "x"}, "API-Key": "k",
            "users": [{"code": "y", "nick": "n"}],
        });
        assert_eq!(
            shown(&arguments, &schema),
            json!({
                "name": "a", "pin": HIDDEN, "clientSecret": HIDDEN, "API-Key": HIDDEN,
                "users": [{"code": HIDDEN, "nick": "n"}],
            })
        );
    }
}
