//! The operator's words for targets that are refused otherwise.

use std::{fmt, str::FromStr};

use toolwright_model::most_similar;

/// A word with which the operator allows a service what is refused otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Allowance {
    /// `plain-http`: HTTP without TLS beyond loopback.
    PlainHttp,
    /// `unverified-tls`: any certificate of the service, as `verify_ssl: false` asks for.
    UnverifiedTls,
    /// `private-network`: addresses of private networks, and names that resolve to them or to
    /// loopback.
    PrivateNetwork,
    /// `link-local`: link-local addresses and the metadata services of clouds.
    LinkLocal,
}

impl Allowance {
    /// Every word.
    pub const ALL: [Self; 4] = [
        Self::PlainHttp,
        Self::UnverifiedTls,
        Self::PrivateNetwork,
        Self::LinkLocal,
    ];

    /// The word as `toolwright.toml` spells it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::PlainHttp => "plain-http",
            Self::UnverifiedTls => "unverified-tls",
            Self::PrivateNetwork => "private-network",
            Self::LinkLocal => "link-local",
        }
    }

    /// Why a target needs the word, as the end of a sentence that names the target.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::PlainHttp => "is reached over plain HTTP, which anyone on the way can read",
            Self::UnverifiedTls => "is reached without a check of its certificate (`verify_ssl`)",
            Self::PrivateNetwork => "is an address of a private network or a special range",
            Self::LinkLocal => "is a link-local address or a metadata service",
        }
    }
}

impl fmt::Display for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Allowance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words = || Self::ALL.iter().map(|known| known.word());
        if let Some(known) = Self::ALL.iter().find(|known| known.word() == text) {
            return Ok(*known);
        }
        let help = match most_similar(text, words()) {
            Some(similar) => format!("a similar word is `{similar}`"),
            None => format!(
                "the words are `{}`",
                words().collect::<Vec<_>>().join("`, `")
            ),
        };
        Err(format!(
            "`{text}` is not a word that allows something; {help}"
        ))
    }
}
