//! Access tokens of an authorization server, which are verified here.

use std::{fmt, sync::Arc};

use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use toolwright::{Fetcher, Role, config::OauthConfig};
use toolwright_jwt::{Accepted, Claims, Keys, TokenFault, Verifier, end};

use crate::caller::{Caller, Proof, Refused};

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
    verifier: Verifier,
}

impl Issuer {
    /// Accepts the tokens that the configuration describes. Keys are read when the first token is shown.
    #[must_use]
    pub fn new(config: &OauthConfig) -> Self {
        Self(Arc::new(Shared {
            config: config.clone(),
            keys: Keys::new(config.jwks_url.as_str(), Fetcher::of_oauth(config)),
        }))
    }

    /// Returns the guard of a server at a URL.
    pub(crate) fn guard(&self, url: &str) -> Guard {
        let config = &self.0.config;
        let resource = config.resource.clone().unwrap_or_else(|| url.to_owned());
        let audience = config.audience.as_ref().unwrap_or(&resource);
        let accepted = Accepted {
            issuer: &config.issuer,
            audience,
            algorithms: &config.algorithms,
            types: &TYPES,
        };
        let verifier = Verifier::new(self.0.keys.clone(), accepted);
        Guard {
            issuer: self.clone(),
            resource,
            verifier,
        }
    }
}

impl Guard {
    /// Lets in a client that shows an access token.
    pub(crate) async fn admit(&self, token: &str, now: Timestamp) -> Result<Caller, Refused> {
        let claims = self.verifier.claims(token).await;
        let claims = claims.map_err(|fault| match fault {
            TokenFault::Expired => Refused::Expired,
            TokenFault::NoKeys => Refused::NoKeys,
            _ => Refused::WrongToken,
        })?;
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

/// Returns the values of a claim: the words of a string, or the strings of a list.
fn values(claim: Option<&Value>) -> Vec<&str> {
    match claim {
        Some(Value::String(text)) => text.split(' ').collect(),
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
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
