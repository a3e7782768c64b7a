//! Authentication: the requirements of an operation, and the credentials its auth file needs.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Location;

/// One part of an alternative of authentication.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecurityRequirement {
    /// The name of the scheme in the document.
    pub scheme: String,
    /// The kind of scheme.
    pub kind: Scheme,
    /// The OAuth scopes, or the roles, that are needed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
}

/// A kind of authentication.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// A key in a header, in the query or in a cookie.
    ApiKey {
        /// The location of the key in the request.
        location: Location,
        /// The name of the header, the query parameter or the cookie.
        name: String,
        /// The word before the key, such as `Token`, which the auth file does not contain.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prefix: Option<String>,
    },
    /// `Authorization: Bearer …`.
    Bearer,
    /// `Authorization: Basic …`.
    Basic,
    /// OAuth 2: the credential is an access token.
    OAuth2,
    /// OpenID Connect: the credential is an access token.
    OpenIdConnect,
    /// Any other scheme of HTTP authentication, or mutual TLS, by its name.
    Other(String),
}

/// The entry of an auth file that satisfies one part of an alternative.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CredentialKey {
    /// The key `api_token`.
    ApiToken,
    /// The key of this scheme in `api_keys`.
    ApiKey(String),
    /// The keys `username` and `password`.
    UserAndPassword,
    /// Nothing that it could hold would do: this authentication is not supported.
    Unsupported(String),
}

impl SecurityRequirement {
    /// Returns the auth file entry for this part of an alternative.
    ///
    /// If the alternative has another part that takes a token, an API key is stored under the name
    /// of its scheme.
    #[must_use]
    pub fn key_in(&self, alternative: &[Self]) -> CredentialKey {
        match &self.kind {
            Scheme::Bearer | Scheme::OAuth2 | Scheme::OpenIdConnect => CredentialKey::ApiToken,
            Scheme::Basic => CredentialKey::UserAndPassword,
            Scheme::ApiKey {
                location: location @ (Location::Path | Location::QueryString),
                ..
            } => CredentialKey::Unsupported(format!("API key in the {location}")),
            Scheme::ApiKey { .. } => {
                let takes_token =
                    |part: &&Self| !matches!(part.kind, Scheme::Basic | Scheme::Other(_));
                if alternative.iter().filter(takes_token).count() > 1 {
                    CredentialKey::ApiKey(self.scheme.clone())
                } else {
                    CredentialKey::ApiToken
                }
            }
            Scheme::Other(name) => CredentialKey::Unsupported(name.clone()),
        }
    }
}

impl fmt::Display for CredentialKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ApiToken => f.write_str("`api_token`"),
            Self::ApiKey(scheme) => write!(f, "`{scheme}` in `api_keys`"),
            Self::UserAndPassword => f.write_str("`username` and `password`"),
            Self::Unsupported(name) => {
                write!(f, "the authentication `{name}`, which is not supported")
            }
        }
    }
}

impl fmt::Display for Scheme {
    /// Writes the credential in words: `bearer token`, `API key in the header X-Key`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ApiKey {
                location,
                name,
                prefix,
            } => {
                write!(f, "API key in the {location} `{name}`")?;
                match prefix {
                    Some(prefix) => write!(f, " after `{prefix}`"),
                    None => Ok(()),
                }
            }
            Self::Bearer => f.write_str("bearer token"),
            Self::Basic => f.write_str("HTTP Basic"),
            Self::OAuth2 => f.write_str("OAuth 2 access token"),
            Self::OpenIdConnect => f.write_str("OpenID Connect access token"),
            Self::Other(name) => f.write_str(name),
        }
    }
}

/// Describes the credentials that satisfy one of the alternatives: `api_token` (bearer token), or …
#[must_use]
pub fn credentials_in_words(security: &[Vec<SecurityRequirement>]) -> String {
    let alternatives: Vec<String> = security
        .iter()
        .map(|alternative| credential_in_words(alternative))
        .collect();
    alternatives.join(", or ")
}

/// Describes the credentials that satisfy one alternative: `api_token` (bearer token).
#[must_use]
pub fn credential_in_words(alternative: &[SecurityRequirement]) -> String {
    if alternative.is_empty() {
        return "nothing".to_owned();
    }
    let parts: Vec<String> = alternative
        .iter()
        .map(|part| match part.key_in(alternative) {
            key @ CredentialKey::Unsupported(_) => key.to_string(),
            key => format!("{key} ({}{})", part.kind, scopes_in_words(&part.scopes)),
        })
        .collect();
    parts.join(" and ")
}

fn scopes_in_words(scopes: &[String]) -> String {
    let named: Vec<String> = scopes.iter().map(|scope| format!("`{scope}`")).collect();
    match named.as_slice() {
        [] => String::new(),
        [scope] => format!(" with the scope {scope}"),
        several => format!(" with the scopes {}", several.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(scheme: &str, kind: Scheme, scopes: &[&str]) -> SecurityRequirement {
        SecurityRequirement {
            scheme: scheme.to_owned(),
            kind,
            scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
        }
    }

    fn key(scheme: &str) -> SecurityRequirement {
        let kind = Scheme::ApiKey {
            location: Location::Header,
            name: "X-Key".to_owned(),
            prefix: None,
        };
        part(scheme, kind, &[])
    }

    #[test]
    fn the_content_of_the_auth_file_is_described() {
        let basic = || part("user", Scheme::Basic, &[]);
        let oauth = || part("login", Scheme::OAuth2, &["read:a", "read:b"]);
        for (security, words) in [
            (
                vec![vec![key("k")]],
                "`api_token` (API key in the header `X-Key`)",
            ),
            (
                vec![vec![oauth()], vec![basic()]],
                "`api_token` (OAuth 2 access token with the scopes `read:a`, `read:b`), or `username` and `password` (HTTP Basic)",
            ),
            (
                vec![vec![key("k"), oauth()]],
                "`k` in `api_keys` (API key in the header `X-Key`) and `api_token` (OAuth 2 access token with the scopes `read:a`, `read:b`)",
            ),
            (
                vec![
                    vec![part("d", Scheme::Other("digest".to_owned()), &[])],
                    vec![],
                ],
                "the authentication `digest`, which is not supported, or nothing",
            ),
        ] {
            assert_eq!(credentials_in_words(&security), words);
        }
    }

    #[test]
    fn two_keys_have_distinct_names() {
        let alternative = [key("a"), key("b")];
        let keys = alternative.each_ref().map(|part| part.key_in(&alternative));
        assert_eq!(
            keys,
            ["a", "b"].map(|name| CredentialKey::ApiKey(name.to_owned()))
        );
    }
}
