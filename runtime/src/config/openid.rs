//! `[console.openid]`: the OpenID provider through which people sign in to the console.

use std::collections::BTreeSet;

use reqwest::Url;
use toolwright_model::{ServiceName, settings::Node as _, settings::Reader as _};

use super::{
    oauth::SigningAlgorithm,
    reader::{ConfigReader, TomlNode},
};
use crate::target::{Allowance, Egress, Origin};

/// The keys of the table.
pub(super) const OPENID_KEYS: [&str; 7] = [
    "issuer",
    "claim",
    "scopes",
    "service",
    "algorithms",
    "allow",
    "proxy",
];

/// The default claim that identifies a person.
pub(super) const CLAIM: &str = "sub";

/// The claim that counts only if the provider has verified it.
const EMAIL: &str = "email";

/// The default name under which the sources of credentials hold the client.
pub(super) const SERVICE: &str = "console";

/// `[console.openid]`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenIdConfig {
    /// `issuer`: the URL of the provider, and the claim `iss` of its tokens.
    pub issuer: String,
    /// `claim`: the claim that identifies a person.
    pub claim: String,
    /// `scopes`: the scopes to request in addition to `openid`.
    pub scopes: Vec<String>,
    /// `service`: the name under which the sources of credentials hold the client.
    pub service: ServiceName,
    /// `algorithms`: the accepted algorithms.
    pub algorithms: Vec<SigningAlgorithm>,
    /// `allow`: the words that allow a URL which is refused otherwise.
    pub allow: BTreeSet<Allowance>,
    /// `proxy`: the proxy that carries the requests.
    pub proxy: Option<Origin>,
}

impl OpenIdConfig {
    pub(super) fn read(table: TomlNode<'_>, reader: &mut ConfigReader) -> Option<Self> {
        reader.check_keys(table, &OPENID_KEYS);
        reader.require(table, "issuer", "add the URL of the provider");
        let issuer = reader.placed_text(table, "issuer");
        let claim = reader.text(table, "claim");
        let claim = claim.unwrap_or_else(|| CLAIM.to_owned());
        let scopes = match table.value_of("scopes") {
            Some(_) => reader.texts(table, "scopes"),
            None => Vec::new(),
        };
        let mut scopes: Vec<String> = scopes.into_iter().map(|scope| scope.value).collect();
        if table.value_of("scopes").is_none() && claim == EMAIL {
            scopes.push(EMAIL.to_owned());
        }
        let service = reader.parsed_at::<ServiceName>(table, "service");
        let algorithms = reader.parsed_list(table, "algorithms");
        let allow = reader.parsed_list(table, "allow");
        let proxy = reader.origin_of_proxy(table, "proxy");
        let service = match service {
            Some(service) => service.value,
            None => SERVICE.parse().ok()?,
        };
        let issuer = issuer?;
        let mut openid = Self {
            issuer: issuer.value,
            claim,
            scopes,
            service,
            algorithms: SigningAlgorithm::DEFAULT.to_vec(),
            allow: allow.into_iter().map(|word| word.value).collect(),
            proxy,
        };
        if table.value_of("algorithms").is_some() {
            openid.algorithms = algorithms.into_iter().map(|one| one.value).collect();
        }
        if let Err(message) = openid.check_issuer() {
            let help = "write an `https` URL, or an `http` URL of this machine";
            reader.problem(issuer.place, &message, help);
        }
        Some(openid)
    }

    fn check_issuer(&self) -> Result<(), String> {
        let url = Url::parse(&self.issuer);
        let url = url.map_err(|error| format!("`issuer` is not a URL: {error}"))?;
        let is_plain = url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() || !is_plain {
            return Err("`issuer` is not the URL of a provider".to_owned());
        }
        self.check_target(&self.issuer)
    }

    /// Checks that requests to a URL are allowed. A browser is sent to no other URL either.
    ///
    /// # Errors
    /// The reason for the refusal.
    pub fn check_target(&self, url: &str) -> Result<(), String> {
        let url = Url::parse(url).map_err(|error| error.to_string())?;
        let checked = self.egress().check(&url);
        checked.map_err(|refused| refused.to_string())
    }

    /// Checks whether the claim is an e-mail address, which counts only if the provider has verified it.
    #[must_use]
    pub fn needs_verified_email(&self) -> bool {
        self.claim == EMAIL
    }

    /// Returns the egress settings of requests to the provider.
    pub(crate) fn egress(&self) -> Egress {
        Egress::verified(self.allow.clone(), self.proxy.clone())
    }
}
