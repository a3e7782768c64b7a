//! Secrets: strings that are never shown.

use std::fmt;

use zeroize::Zeroizing;

/// A string that is never shown. Its memory is overwritten when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(Zeroizing<String>);

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

impl Secret {
    /// Wraps a string as a secret.
    #[must_use]
    pub(crate) fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// Returns the string, for the one place that sends it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown() {
        assert_eq!(
            format!("{:?}", Secret::new("hunter2".to_owned())),
            "Secret(…)"
        );
    }
}
