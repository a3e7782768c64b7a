//! Access tokens of an authorization server: JSON Web Tokens that are checked here, with the keys that
//! the server publishes.
//!
//! Nothing of a token is used before its signature was verified, except the name of its key and its
//! algorithm, which must be one of those that the operator allows.

mod crypto;
mod keys;

use std::{fmt, sync::Arc, time::Duration};

use jiff::Timestamp;
use jsonwebtoken::{
    Algorithm, Validation, decode, decode_header,
    errors::{Error, ErrorKind},
};
use keys::{KeyFault, Keys};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use toolwright::{Role, config::OauthConfig};

use crate::caller::{Caller, Proof, Refused};

/// The difference between two clocks that is tolerated.
const LEEWAY: Duration = Duration::from_secs(30);

/// The longest token that is read, in bytes.
const LONGEST: usize = 16 << 10;

/// The types of tokens that are accepted, in lower case. An identity token or a token of another use
/// that states its type is none of them.
const TYPES: [&str; 3] = ["at+jwt", "application/at+jwt", "jwt"];

/// An authorization server whose access tokens are accepted. Cloning it is cheap, and clones share the
/// keys.
#[derive(Clone)]
pub struct Issuer(Arc<Shared>);

struct Shared {
    config: OauthConfig,
    keys: Keys,
}

/// An issuer of the tokens for a resource: a server at a URL.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    issuer: Issuer,
    /// The URL of the server for clients.
    resource: String,
    algorithms: Vec<Algorithm>,
    validation: Validation,
}

/// The claims of a token whose signature was verified.
type Claims = Map<String, Value>;

impl Issuer {
    /// Accepts the tokens that the configuration describes. Keys are read when the first token is shown.
    #[must_use]
    pub fn new(config: &OauthConfig) -> Self {
        crypto::install();
        Self(Arc::new(Shared {
            config: config.clone(),
            keys: Keys::new(config),
        }))
    }

    /// Returns the guard of a server at a URL.
    pub(crate) fn guard(&self, url: &str) -> Guard {
        let config = &self.0.config;
        let resource = config.resource.clone().unwrap_or_else(|| url.to_owned());
        let audience = config.audience.as_ref().unwrap_or(&resource);
        let mut validation = Validation::new(Algorithm::RS256);
        validation.leeway = LEEWAY.as_secs();
        validation.validate_nbf = true;
        validation.set_issuer(&[&config.issuer]);
        validation.set_audience(&[audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        Guard {
            algorithms: algorithms(config),
            issuer: self.clone(),
            resource,
            validation,
        }
    }
}

impl Guard {
    /// Lets in a client that shows an access token.
    pub(crate) async fn admit(&self, token: &str, now: Timestamp) -> Result<Caller, Refused> {
        let claims = self.verified(token).await?;
        let config = &self.issuer.0.config;
        let values = values(claims.get(&config.claim));
        let mut roles = config.roles.iter();
        let role = roles.find(|(value, _)| values.contains(&value.as_str()));
        let (_, role) = role.ok_or(Refused::NoScope)?;
        let until = end(&claims).ok_or(Refused::WrongToken)?;
        if now >= until {
            return Err(Refused::Expired);
        }
        let workspace = config.workspace_claim.as_ref();
        let workspace = workspace.and_then(|claim| claims.get(claim)?.as_str());
        Ok(self.caller(&claims, role, workspace, until))
    }

    fn caller(
        &self,
        claims: &Claims,
        role: &Role,
        workspace: Option<&str>,
        until: Timestamp,
    ) -> Caller {
        let text = |claim: &str| claims.get(claim).and_then(Value::as_str);
        let client = text("client_id").or_else(|| text("azp"));
        let subject = text("sub").or(client);
        let identity = json!([self.issuer.0.config.issuer, subject, client]).to_string();
        Caller {
            proof: Proof::Subject(Sha256::digest(identity).into(), until),
            role: Some(role.clone()),
            workspace: workspace.map(str::to_owned),
            principal: Some(format!("oauth:{}", subject.unwrap_or_default())),
        }
    }

    /// Returns the claims of a token if its signature, its issuer, its audience and its times are
    /// right.
    async fn verified(&self, token: &str) -> Result<Claims, Refused> {
        if token.len() > LONGEST {
            return Err(Refused::WrongToken);
        }
        let header = decode_header(token).map_err(|_| Refused::WrongToken)?;
        let kind = header.typ.as_deref().unwrap_or("jwt").to_ascii_lowercase();
        // A critical extension would have to be understood.
        let is_plain = header.crit.is_none();
        let is_allowed = self.algorithms.contains(&header.alg);
        if !is_plain || !is_allowed || !TYPES.contains(&kind.as_str()) {
            return Err(Refused::WrongToken);
        }
        let keys = &self.issuer.0.keys;
        let key = keys.find(header.kid.as_deref(), header.alg).await;
        let key = key.map_err(|fault| match fault {
            KeyFault::Unknown => Refused::WrongToken,
            KeyFault::Unreadable => Refused::NoKeys,
        })?;
        // The library takes algorithms of one family only.
        let mut validation = self.validation.clone();
        validation.algorithms = vec![header.alg];
        let decoded = decode::<Claims>(token, &key, &validation);
        decoded
            .map(|decoded| decoded.claims)
            .map_err(|error| refused(&error))
    }

    /// Returns the value of the header `WWW-Authenticate` for a refused request.
    pub(crate) fn challenge(&self, metadata: &str, reason: Refused) -> String {
        let mut challenge = format!("Bearer resource_metadata=\"{metadata}\"");
        match reason {
            Refused::NoToken => {}
            Refused::NoScope => {
                challenge.push_str(", error=\"insufficient_scope\"");
                if let Some(scopes) = self.scopes() {
                    challenge.push_str(&format!(", scope=\"{}\"", scopes.join(" ")));
                }
            }
            _ => challenge.push_str(", error=\"invalid_token\""),
        }
        challenge
    }

    /// Returns the metadata of the protected resource, as RFC 9728 describes it.
    pub(crate) fn metadata(&self) -> Value {
        let mut metadata = json!({
            "resource": self.resource,
            "authorization_servers": [self.issuer.0.config.issuer],
            "bearer_methods_supported": ["header"],
            "resource_name": "Toolwright",
        });
        if let (Some(scopes), Some(metadata)) = (self.scopes(), metadata.as_object_mut()) {
            metadata.insert("scopes_supported".to_owned(), json!(scopes));
        }
        metadata
    }

    /// The scopes that have a role; none if another claim decides.
    fn scopes(&self) -> Option<Vec<&str>> {
        let config = &self.issuer.0.config;
        // A scope is a token of visible ASCII characters; others could end the value of a header.
        let is_scope = |value: &&str| {
            let is_character = |b: u8| b.is_ascii_graphic() && !matches!(b, b'"' | b'\\');
            value.bytes().all(is_character)
        };
        let values = config.roles.iter().map(|(value, _)| value.as_str());
        (config.claim == "scope").then(|| values.filter(is_scope).collect())
    }
}

/// Returns the algorithms that the operator allows.
fn algorithms(config: &OauthConfig) -> Vec<Algorithm> {
    let words = config.algorithms.iter().map(|algorithm| algorithm.word());
    words.filter_map(|word| word.parse().ok()).collect()
}

/// Returns the values of a claim: the words of a string, or the strings of a list.
fn values(claim: Option<&Value>) -> Vec<&str> {
    match claim {
        Some(Value::String(text)) => text.split(' ').collect(),
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Returns the time until which a token is accepted. Fractions of a second are dropped.
fn end(claims: &Claims) -> Option<Timestamp> {
    let exp = claims.get("exp")?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a time beyond the range of numbers is none of this clock either"
    )]
    let seconds = exp
        .as_i64()
        .or_else(|| exp.as_f64().map(|exp| exp as i64))?;
    let leeway = i64::try_from(LEEWAY.as_secs()).ok()?;
    let end = Timestamp::from_second(seconds.checked_add(leeway)?);
    // A token for ever ends with the clock.
    Some(end.unwrap_or(Timestamp::MAX))
}

fn refused(error: &Error) -> Refused {
    match error.kind() {
        ErrorKind::ExpiredSignature => Refused::Expired,
        _ => Refused::WrongToken,
    }
}

impl PartialEq for Issuer {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Issuer {}

impl fmt::Debug for Issuer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Issuer")
            .field(&self.0.config.issuer)
            .finish()
    }
}
