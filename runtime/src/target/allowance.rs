//! The operator's words for targets that are refused otherwise.

use std::str::FromStr;

use toolwright_model::{most_similar, words};

words! {
    /// A word by which the operator allows a service a target that is refused otherwise.
    #[non_exhaustive]
    Allowance {
        /// HTTP without TLS beyond loopback.
        PlainHttp = "plain-http",
        /// Any certificate of the service, as `verify_ssl: false` asks for.
        UnverifiedTls = "unverified-tls",
        /// Addresses of private networks, and names that resolve to them or to loopback.
        PrivateNetwork = "private-network",
        /// Link-local addresses and the metadata services of clouds.
        LinkLocal = "link-local",
    }
}

impl Allowance {
    /// Why a target needs the word, as the end of a sentence that names the target.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::PlainHttp => {
                "is reached over plain HTTP, which anyone on the network path can read"
            }
            Self::UnverifiedTls => "is reached without a check of its certificate (`verify_ssl`)",
            Self::PrivateNetwork => "is an address of a private network or a special range",
            Self::LinkLocal => "is a link-local address or a metadata service",
        }
    }
}

impl FromStr for Allowance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words = || Self::ALL.iter().map(|known| known.word());
        if let Some(known) = Self::from_word(text) {
            return Ok(known);
        }
        let help = match most_similar(text, words()) {
            Some(similar) => format!("a similar word is `{similar}`"),
            None => format!(
                "the words are `{}`",
                words().collect::<Vec<_>>().join("`, `")
            ),
        };
        Err(format!("`{text}` is not an allowance; {help}"))
    }
}
