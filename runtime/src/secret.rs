//! Secrets: strings that are never shown.

use std::fmt;

use serde_json::Value;
use zeroize::{Zeroize as _, Zeroizing};

/// A string that is never shown: `Debug` hides it. Its memory is overwritten when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

/// Substrings of a name that mark its value as a secret.
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

/// Checks whether the operator's name for a value marks it as a secret: `client_secret`, `apiKey`.
pub(crate) fn names_a_secret(name: &str) -> bool {
    let letters: String = name
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    SECRET_WORDS.iter().any(|word| letters.contains(word))
}

/// Returns a string without its password if it is a URL with one: `postgresql://user:***@host`. Services
/// over HTTP also take a token in place of the user, so that part is hidden as a whole there:
/// `https://***@host`.
pub(crate) fn without_url_password(text: &str) -> String {
    let password = || {
        let (scheme, rest) = text.split_once("://")?;
        let is_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let authority = rest.split(['/', '?', '#', '\\']).next()?;
        let (user, _) = authority.rsplit_once('@')?;
        let is_url = !scheme.is_empty()
            && scheme.chars().all(is_scheme)
            && !text.contains(char::is_whitespace);
        let start = scheme.len() + "://".len();
        let end = start + user.len();
        let scheme = scheme.to_ascii_lowercase();
        if scheme.ends_with("http") || scheme.ends_with("https") {
            return is_url.then_some((start, end));
        }
        let (name, _) = user.split_once(':').filter(|_| is_url)?;
        Some((start + name.len() + 1, end))
    };
    let parts = password().and_then(|(start, end)| Some((text.get(..start)?, text.get(end..)?)));
    match parts {
        Some((before, after)) => format!("{before}***{after}"),
        None => text.to_owned(),
    }
}

/// Overwrites the memory of the strings of a value.
pub(crate) fn wipe(value: &mut Value) {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::String(text) => text.zeroize(),
            Value::Array(items) => rest.extend(items),
            Value::Object(fields) => rest.extend(fields.values_mut()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

impl Secret {
    /// Wraps a string as a secret.
    #[must_use]
    pub(crate) fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// Returns the rest after the first word: a key may be written with a word that the service
    /// wants before it, such as `Token`, and the service returns the key without it.
    pub(crate) fn without_first_word(&self) -> Option<Self> {
        let (_, rest) = self.0.split_once(' ')?;
        Some(Self::new(rest.trim().to_owned())).filter(|rest| !rest.0.is_empty())
    }

    /// Returns the secret without the space around it.
    pub(crate) fn trimmed(&self) -> Self {
        Self::new(self.0.trim().to_owned())
    }

    /// Returns the string, for the one place that sends it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_password_of_a_whole_url_is_hidden() {
        for (text, shown) in [
            (
                "postgresql://u:topsecret@host:5432/db?x=a@b",
                "postgresql://u:***@host:5432/db?x=a@b",
            ),
            ("https://:t@x:oken@host", "https://***@host"),
            ("https://token@host/path", "https://***@host/path"),
            ("HTTPS://token@host", "HTTPS://***@host"),
            ("git+https://token:x@host", "git+https://***@host"),
            ("ssh://git@host/path", "ssh://git@host/path"),
            ("https://host:80/@bob", "https://host:80/@bob"),
            ("run a://b:rm@host now", "run a://b:rm@host now"),
            ("://a:b@host", "://a:b@host"),
            ("mail me: a:b@host", "mail me: a:b@host"),
        ] {
            assert_eq!(without_url_password(text), shown);
        }
    }

    #[test]
    fn a_secret_is_not_shown() {
        assert_eq!(
            format!("{:?}", Secret::new("hunter2".to_owned())),
            "Secret(…)"
        );
    }
}
