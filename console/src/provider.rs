//! The OpenID provider of a team: its metadata, the request that sends a person there, and the checks of
//! the identity token that comes back.

use std::{sync::Arc, time::Duration};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::{sync::Mutex, time::Instant};
use toolwright::{Fetcher, config::OpenIdConfig};
use toolwright_jwt::{Accepted, Claims, Keys, TokenFault, Verifier};
use toolwright_model::hex;
use url::Url;

/// The time after which the metadata is read again.
const FRESH: Duration = Duration::from_secs(300);

/// The least time between two attempts to read the metadata: visitors must not become requests to the
/// provider.
const PAUSE: Duration = Duration::from_secs(3);

/// The types of tokens that are accepted. An access token or a logout token states another one.
const TYPES: [&str; 1] = ["jwt"];

/// An OpenID provider.
pub(crate) struct Provider {
    config: OpenIdConfig,
    fetcher: Fetcher,
    known: Mutex<Known>,
}

/// The metadata as it was read last.
#[derive(Default)]
struct Known {
    metadata: Option<(Arc<Metadata>, Instant)>,
    tried: Option<Instant>,
}

/// The metadata of a provider.
pub(crate) struct Metadata {
    authorization_endpoint: Url,
    /// The URL at which a person signs out of the provider.
    end_session_endpoint: Option<Url>,
    keys: Keys,
}

/// One sign-in. All that belongs to it follows from a random secret in a cookie, so nothing is stored
/// before a person has signed in.
pub(crate) struct Flow {
    secret: String,
}

/// The person as the provider identifies them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The value of the claim that the policy names.
    pub(crate) value: String,
    /// The claim `sub`.
    pub(crate) subject: String,
}

/// The reason why an identity token signs nobody in, as the audit names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdentityFault {
    Invalid,
    Expired,
    NoKeys,
    OtherParty,
    OtherNonce,
    NoClaim,
    UnverifiedEmail,
}

impl IdentityFault {
    /// Returns the word of the audit and the explanation for the person.
    pub(crate) const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Invalid => (
                "invalid_token",
                "The signature, the issuer or the audience of the identity token is wrong.",
            ),
            Self::Expired => ("expired_token", "The identity token has expired."),
            Self::NoKeys => ("no_keys", "The keys of the provider cannot be read."),
            Self::OtherParty => (
                "other_party",
                "The identity token was issued to another program.",
            ),
            Self::OtherNonce => (
                "other_nonce",
                "The identity token belongs to another sign-in.",
            ),
            Self::NoClaim => (
                "no_claim",
                "The identity token lacks the claim that the policy names.",
            ),
            Self::UnverifiedEmail => (
                "unverified_email",
                "The provider has not verified the e-mail address.",
            ),
        }
    }
}

impl Provider {
    pub(crate) fn new(config: &OpenIdConfig) -> Self {
        Self {
            config: config.clone(),
            fetcher: Fetcher::of_openid(config),
            known: Mutex::default(),
        }
    }

    /// Returns the name of the provider for people: its host.
    pub(crate) fn name(&self) -> &str {
        let rest = self.config.issuer.split_once("://");
        let rest = rest.map_or(self.config.issuer.as_str(), |(_, rest)| rest);
        rest.split('/').next().unwrap_or(rest)
    }

    pub(crate) const fn config(&self) -> &OpenIdConfig {
        &self.config
    }

    /// Returns the metadata, and reads it again if it is old.
    ///
    /// # Errors
    /// The reason why there is none: it cannot be read, or is that of another issuer.
    pub(crate) async fn metadata(&self) -> Result<Arc<Metadata>, String> {
        let mut known = self.known.lock().await;
        if let Some((metadata, read)) = &known.metadata
            && read.elapsed() < FRESH
        {
            return Ok(Arc::clone(metadata));
        }
        if known.tried.is_some_and(|tried| tried.elapsed() < PAUSE) {
            return Err("its metadata cannot be read".to_owned());
        }
        known.tried = Some(Instant::now());
        let issuer = self.config.issuer.trim_end_matches('/');
        let url = format!("{issuer}/.well-known/openid-configuration");
        let document = self.fetcher.json(&url).await?;
        let metadata = Arc::new(self.read(&document)?);
        known.metadata = Some((Arc::clone(&metadata), Instant::now()));
        Ok(metadata)
    }

    fn read(&self, document: &Value) -> Result<Metadata, String> {
        let text = |name: &str| document.get(name).and_then(Value::as_str);
        if text("issuer") != Some(&self.config.issuer) {
            return Err("its metadata is that of another issuer".to_owned());
        }
        let url = |name: &str| {
            let url = text(name).ok_or_else(|| format!("its metadata has no `{name}`"))?;
            self.config
                .check_target(url)
                .map_err(|problem| format!("its `{name}`: {problem}"))?;
            Url::parse(url).map_err(|error| format!("its `{name}`: {error}"))
        };
        Ok(Metadata {
            authorization_endpoint: url("authorization_endpoint")?,
            end_session_endpoint: url("end_session_endpoint").ok(),
            keys: Keys::new(url("jwks_uri")?, Fetcher::of_openid(&self.config)),
        })
    }

    /// Returns the URL at which the person of a sign-in proves who they are.
    pub(crate) fn request(
        &self,
        metadata: &Metadata,
        flow: &Flow,
        client: &str,
        redirect_uri: &str,
    ) -> Url {
        let scopes: Vec<&str> = ["openid"]
            .into_iter()
            .chain(self.config.scopes.iter().map(String::as_str))
            .collect();
        let mut url = metadata.authorization_endpoint.clone();
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", client)
            .append_pair("redirect_uri", redirect_uri)
            .append_pair("scope", &scopes.join(" "))
            .append_pair("state", &flow.state())
            .append_pair("nonce", &flow.nonce())
            .append_pair("code_challenge", &flow.challenge())
            .append_pair("code_challenge_method", "S256");
        url
    }

    /// Returns the person of an identity token that was issued to a client for a sign-in.
    pub(crate) async fn identify(
        &self,
        metadata: &Metadata,
        flow: &Flow,
        client: &str,
        token: &str,
    ) -> Result<Identity, IdentityFault> {
        let accepted = Accepted {
            issuer: &self.config.issuer,
            audience: client,
            algorithms: &self.config.algorithms,
            types: &TYPES,
        };
        let verifier = Verifier::new(metadata.keys.clone(), accepted);
        let claims = verifier.claims(token).await;
        let claims = claims.map_err(|fault| match fault {
            TokenFault::Expired => IdentityFault::Expired,
            TokenFault::NoKeys => IdentityFault::NoKeys,
            _ => IdentityFault::Invalid,
        })?;
        self.read_claims(&claims, flow, client)
    }

    fn read_claims(
        &self,
        claims: &Claims,
        flow: &Flow,
        client: &str,
    ) -> Result<Identity, IdentityFault> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        let audiences = claims.get("aud").and_then(Value::as_array);
        let is_shared = audiences.is_some_and(|audiences| audiences.len() > 1);
        // A token for several audiences names the one that it was issued to.
        let is_own = match claims.get("azp") {
            None => !is_shared,
            Some(party) => party.as_str() == Some(client),
        };
        if !is_own {
            return Err(IdentityFault::OtherParty);
        }
        if text("nonce") != Some(&flow.nonce()) {
            return Err(IdentityFault::OtherNonce);
        }
        let subject = text("sub").ok_or(IdentityFault::NoClaim)?;
        let value = text(&self.config.claim).ok_or(IdentityFault::NoClaim)?;
        let is_verified = claims.get("email_verified") == Some(&Value::Bool(true));
        if self.config.needs_verified_email() && !is_verified {
            return Err(IdentityFault::UnverifiedEmail);
        }
        Ok(Identity {
            value: value.to_owned(),
            subject: subject.to_owned(),
        })
    }
}

impl Metadata {
    /// Returns the URL at which a person signs out of the provider, if it has one.
    pub(crate) fn sign_out(&self, client: &str) -> Option<Url> {
        let mut url = self.end_session_endpoint.clone()?;
        url.query_pairs_mut().append_pair("client_id", client);
        Some(url)
    }
}

impl Flow {
    /// Returns the sign-in of a secret.
    pub(crate) const fn new(secret: String) -> Self {
        Self { secret }
    }

    pub(crate) fn secret(&self) -> &str {
        &self.secret
    }

    /// Returns the value that comes back with the code of this sign-in.
    pub(crate) fn state(&self) -> String {
        self.derived("state")
    }

    /// Returns the value that the identity token of this sign-in contains.
    pub(crate) fn nonce(&self) -> String {
        self.derived("nonce")
    }

    /// Returns the secret of the proof key for the exchange of the code (RFC 7636).
    pub(crate) fn verifier(&self) -> String {
        self.derived("verifier")
    }

    fn challenge(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(self.verifier()))
    }

    fn derived(&self, purpose: &str) -> String {
        let secret = &self.secret;
        hex(Sha256::digest(format!(
            "toolwright-console-{purpose}\0{secret}"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_provider_sees_does_not_reveal_what_it_does_not() {
        let flow = Flow::new("a".repeat(64));
        let all = [
            flow.state(),
            flow.nonce(),
            flow.verifier(),
            flow.challenge(),
        ];
        for (index, value) in all.iter().enumerate() {
            assert!(value.len() >= 43, "{value}");
            assert!(!value.contains(flow.secret()));
            assert!(!all[index + 1..].contains(value));
        }
        let digest = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(flow.verifier()));
        assert_eq!(flow.challenge(), digest);
        assert_ne!(Flow::new("b".repeat(64)).state(), flow.state());
    }
}
