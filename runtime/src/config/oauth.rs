//! `[oauth]`: the authorization server whose access tokens a server accepts from its clients.

use std::{collections::BTreeSet, str::FromStr};

use reqwest::Url;
use toolwright_model::{
    Role,
    settings::{Node as _, Reader as _},
    words,
};

use super::reader::{ConfigReader, TomlNode};
use crate::target::{Allowance, Egress, Origin};

/// The keys of the table.
pub(super) const OAUTH_KEYS: [&str; 10] = [
    "issuer",
    "jwks_url",
    "resource",
    "audience",
    "algorithms",
    "claim",
    "workspace_claim",
    "roles",
    "allow",
    "proxy",
];

/// The keys of an entry of `roles`.
pub(super) const OAUTH_ROLE_KEYS: [&str; 2] = ["value", "role"];

/// The default claim that decides the role.
pub(super) const CLAIM: &str = "scope";

words! {
    /// An algorithm that signs access tokens. There are only algorithms with a public key.
    SigningAlgorithm {
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        Rs256 = "RS256",
        /// RSASSA-PKCS1-v1_5 with SHA-384.
        Rs384 = "RS384",
        /// RSASSA-PKCS1-v1_5 with SHA-512.
        Rs512 = "RS512",
        /// RSASSA-PSS with SHA-256.
        Ps256 = "PS256",
        /// RSASSA-PSS with SHA-384.
        Ps384 = "PS384",
        /// RSASSA-PSS with SHA-512.
        Ps512 = "PS512",
        /// ECDSA on P-256 with SHA-256.
        Es256 = "ES256",
        /// ECDSA on P-384 with SHA-384.
        Es384 = "ES384",
        /// Ed25519.
        EdDsa = "EdDSA",
    }
}

impl SigningAlgorithm {
    /// The algorithms that are accepted by default.
    pub const DEFAULT: [Self; 4] = [Self::Rs256, Self::Ps256, Self::Es256, Self::EdDsa];
}

impl FromStr for SigningAlgorithm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::from_word(text).ok_or_else(|| {
            let words: Vec<_> = Self::ALL.iter().map(|known| known.word()).collect();
            let words = words.join("`, `");
            format!("`{text}` is not an algorithm with a public key; these are `{words}`")
        })
    }
}

/// `[oauth]`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OauthConfig {
    /// `issuer`: the claim `iss` of every token.
    pub issuer: String,
    /// `jwks_url`: the URL of the keys that sign tokens.
    pub jwks_url: String,
    /// `resource`: the URL of the server for its clients. By default it is the one on loopback.
    pub resource: Option<String>,
    /// `audience`: a value that the claim `aud` must contain. By default it is the resource.
    pub audience: Option<String>,
    /// `algorithms`: the accepted algorithms.
    pub algorithms: Vec<SigningAlgorithm>,
    /// `claim`: the claim that decides the role.
    pub claim: String,
    /// `workspace_claim`: the claim with the workspace that calls are recorded with.
    pub workspace_claim: Option<String>,
    /// `roles`: the roles by values of the claim. The first entry whose value a token has decides.
    pub roles: Vec<(String, Role)>,
    /// `allow`: the words that allow a URL which is refused otherwise.
    pub allow: BTreeSet<Allowance>,
    /// `proxy`: the proxy that carries the requests.
    pub proxy: Option<Origin>,
}

impl OauthConfig {
    /// Creates the settings of an authorization server with the defaults, and without roles.
    #[must_use]
    pub fn new(issuer: impl Into<String>, jwks_url: impl Into<String>) -> Self {
        Self {
            issuer: issuer.into(),
            jwks_url: jwks_url.into(),
            resource: None,
            audience: None,
            algorithms: SigningAlgorithm::DEFAULT.to_vec(),
            claim: CLAIM.to_owned(),
            workspace_claim: None,
            roles: Vec::new(),
            allow: BTreeSet::new(),
            proxy: None,
        }
    }

    pub(super) fn read(table: TomlNode<'_>, reader: &mut ConfigReader) -> Option<Self> {
        reader.check_keys(table, &OAUTH_KEYS);
        reader.require(table, "issuer", "add the issuer of the tokens");
        let help = "add the URL of the issuer's keys, `jwks_uri` in its metadata";
        reader.require(table, "jwks_url", help);
        let issuer = reader.placed_text(table, "issuer");
        let jwks_url = reader.placed_text(table, "jwks_url");
        let algorithms = reader.parsed_list(table, "algorithms");
        let allow = reader.parsed_list(table, "allow");
        let resource = reader.text(table, "resource");
        let audience = reader.text(table, "audience");
        let claim = reader.text(table, "claim");
        let workspace_claim = reader.text(table, "workspace_claim");
        let proxy = reader.origin_of_proxy(table, "proxy");
        let roles = read_roles(table, reader);
        let jwks_url = jwks_url?;
        let mut oauth = Self {
            resource,
            audience,
            workspace_claim,
            roles,
            allow: allow.into_iter().map(|word| word.value).collect(),
            proxy,
            ..Self::new(issuer?.value, jwks_url.value)
        };
        if table.value_of("algorithms").is_some() {
            oauth.algorithms = algorithms.into_iter().map(|one| one.value).collect();
        }
        if let Some(claim) = claim {
            oauth.claim = claim;
        }
        if let Err(message) = oauth.check_url() {
            let help = "write an `https` URL, or an `http` URL of this machine";
            reader.problem(jwks_url.place, &message, help);
        }
        Some(oauth)
    }

    fn check_url(&self) -> Result<(), String> {
        let url = Url::parse(&self.jwks_url);
        let url = url.map_err(|error| format!("`jwks_url` is not a URL: {error}"))?;
        let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
        if !is_web || !url.username().is_empty() || url.password().is_some() {
            return Err("`jwks_url` is not the URL of a document".to_owned());
        }
        let checked = self.egress().check(&url);
        checked.map_err(|refused| refused.to_string())
    }

    /// Returns the egress settings of requests for the keys.
    pub(crate) fn egress(&self) -> Egress {
        Egress::verified(self.allow.clone(), self.proxy.clone())
    }
}

fn read_roles(table: TomlNode<'_>, reader: &mut ConfigReader) -> Vec<(String, Role)> {
    let help =
        "add an entry for each value, such as `{ value = \"tools:read\", role = \"reader\" }`";
    reader.require(table, "roles", help);
    let Some(node) = table.value_of("roles") else {
        return Vec::new();
    };
    let Some(entries) = node.elements() else {
        reader.problem(node.place(), "`roles` is not an array of tables", help);
        return Vec::new();
    };
    let mut roles = Vec::new();
    for entry in entries {
        let Some(entry) = reader.table(entry, "each entry of `roles`") else {
            continue;
        };
        reader.check_keys(entry, &OAUTH_ROLE_KEYS);
        reader.require(entry, "value", help);
        reader.require(entry, "role", help);
        let value = reader.exact_text(entry, "value");
        let role = reader.parsed_at::<Role>(entry, "role");
        if let (Some(value), Some(role)) = (value, role) {
            roles.push((value.value, role.value));
        }
    }
    roles
}
