//! Secrets: texts that are never shown, and their removal from what is.

use std::{borrow::Cow, fmt};

use base64::{Engine, prelude::BASE64_STANDARD};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use zeroize::Zeroizing;

use crate::request::encode_value;

/// A text that is never shown, and whose memory is overwritten when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(Zeroizing<String>);

/// The secrets of a call, and the forms in which they may come back.
#[derive(Clone, Default)]
pub(crate) struct Redactor {
    /// The longest first, since one may be a part of another.
    forms: Vec<Secret>,
}

/// What stands where a secret was.
const REDACTED: &str = "[redacted]";

/// The shortest secret that is removed from a result. A shorter one would tear ordinary words out
/// of the data; from errors every secret is removed.
const SHORTEST_IN_RESULT: usize = 8;

impl Secret {
    /// The text is a secret from now on.
    #[must_use]
    pub(crate) fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// The text itself, for the one place that sends it.
    #[must_use]
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Redactor {
    /// Removes these secrets, also where they are percent-encoded or in base64.
    pub(crate) fn new<'a>(secrets: impl IntoIterator<Item = &'a Secret>) -> Self {
        let mut forms: Vec<_> = secrets
            .into_iter()
            .filter(|secret| !secret.expose().is_empty())
            .flat_map(|secret| forms(secret.expose()).map(Secret::new))
            .collect();
        forms.sort_by(|a, b| (b.expose().len(), a.expose()).cmp(&(a.expose().len(), b.expose())));
        forms.dedup();
        Self { forms }
    }

    /// The text of an error without any secret.
    pub(crate) fn error(&self, text: &str) -> String {
        self.without(text, 1).into_owned()
    }

    /// A result without any secret of at least eight characters, in values or in keys.
    pub(crate) fn value(&self, value: Value) -> Value {
        self.clean(value, SHORTEST_IN_RESULT)
    }

    /// The whole answer to what failed, without any secret.
    pub(crate) fn error_value(&self, value: Value) -> Value {
        self.clean(value, 1)
    }

    /// Whether a text has a secret in it.
    pub(crate) fn finds(&self, text: &str) -> bool {
        matches!(self.without(text, 1), Cow::Owned(_))
    }

    fn clean(&self, value: Value, shortest: usize) -> Value {
        if self.forms.is_empty() {
            return value;
        }
        let clean = |text: String| match self.without(&text, shortest) {
            Cow::Owned(clean) => clean,
            Cow::Borrowed(_) => text,
        };
        match value {
            Value::String(text) => Value::String(clean(text)),
            Value::Array(items) => items
                .into_iter()
                .map(|item| self.clean(item, shortest))
                .collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, field)| (clean(name), self.clean(field, shortest)))
                .collect(),
            scalar => scalar,
        }
    }

    fn without<'a>(&self, text: &'a str, shortest: usize) -> Cow<'a, str> {
        self.forms
            .iter()
            .map(Secret::expose)
            .filter(|secret| secret.len() >= shortest)
            .fold(Cow::Borrowed(text), |text, secret| {
                if text.contains(secret) {
                    Cow::Owned(text.replace(secret, REDACTED))
                } else {
                    text
                }
            })
    }
}

/// The forms in which a secret is sent, or in which it is likely to come back.
fn forms(text: &str) -> [String; 4] {
    [
        text.to_owned(),
        encode_value(text),
        utf8_percent_encode(text, NON_ALPHANUMERIC).to_string(),
        BASE64_STANDARD.encode(text),
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn redactor(secrets: &[&str]) -> Redactor {
        let secrets: Vec<_> = secrets
            .iter()
            .map(|text| Secret::new((*text).to_owned()))
            .collect();
        Redactor::new(&secrets)
    }

    #[test]
    fn a_secret_is_removed_in_all_its_forms() {
        let redactor = redactor(&["se/cret-token", "se/cret-token-longer"]);
        let encoded = BASE64_STANDARD.encode("se/cret-token");
        let text = format!("a se/cret-token-longer b se%2Fcret%2Dtoken c {encoded} d");
        assert_eq!(
            redactor.error(&text),
            "a [redacted] b [redacted] c [redacted] d"
        );
        assert_eq!(
            redactor.value(json!({"se/cret-token": ["x se/cret-token", 1]})),
            json!({"[redacted]": ["x [redacted]", 1]})
        );
    }

    #[test]
    fn a_short_secret_leaves_results_alone() {
        let redactor = redactor(&["name"]);
        assert_eq!(redactor.value(json!({"name": "x"})), json!({"name": "x"}));
        assert_eq!(redactor.error("no name"), "no [redacted]");
    }

    #[test]
    fn a_secret_is_not_shown() {
        assert_eq!(
            format!("{:?}", Secret::new("hunter2".to_owned())),
            "Secret(…)"
        );
    }
}
