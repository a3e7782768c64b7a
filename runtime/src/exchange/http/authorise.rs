//! The placement of a service's secrets in its requests.

use base64::{Engine, prelude::BASE64_STANDARD};
use reqwest::{
    Request,
    header::{COOKIE, HOST, HeaderName, HeaderValue},
};
use toolwright_model::{
    CredentialKey, Location, ReservedFor, Scheme, SecurityRequirement, credentials_in_words,
    reserved_header,
};

use super::fault;
use crate::{
    credentials::{Access, CredentialsError, MUTUAL_TLS},
    error::ToolError,
    exchange::{redact::REDACTED, request::encode_value},
    secret::Secret,
};

/// A secret, and where in the request it goes.
#[derive(Debug)]
pub(crate) struct Placement {
    place: CredentialSlot,
    /// The word before the secret in the value, such as `Bearer`.
    scheme: Option<String>,
    /// None for an access token that has not been obtained yet.
    value: Option<Secret>,
}

#[derive(Debug)]
enum CredentialSlot {
    Header(String),
    Query(String),
    Cookie(String),
}

/// Returns the placements that authenticate a call in the form that [`Access::authentication`]
/// chooses.
pub(crate) fn authorise(
    security: &[Vec<SecurityRequirement>],
    access: &Access,
) -> Result<Vec<Placement>, CredentialsError> {
    let authentication = access.authentication(security);
    let used = authentication.used();
    used.and_then(|alternative| satisfy(&alternative.requirements, access))
        .ok_or_else(|| access.missing(credentials_in_words(security)))
}

/// Puts the secrets into the request, replacing previous values.
pub(super) fn apply(placements: &[Placement], request: &mut Request) -> Result<(), ToolError> {
    for Placement { place, value, .. } in placements {
        let value = value.as_ref();
        let value = value.ok_or_else(|| fault::unsendable("its access token is missing"))?;
        match place {
            CredentialSlot::Header(name) => {
                let value = sensitive(value.expose())?;
                request.headers_mut().insert(header_of(name)?, value);
            }
            CredentialSlot::Query(name) => apply_query(name, value, request),
            CredentialSlot::Cookie(name) => {
                let cookies = with_cookie(name, value, request);
                request.headers_mut().insert(COOKIE, sensitive(&cookies)?);
            }
        }
    }
    Ok(())
}

impl Placement {
    /// Places a secret in a header.
    pub(crate) fn header(name: &str, value: Secret) -> Self {
        Self {
            place: CredentialSlot::Header(name.to_owned()),
            scheme: None,
            value: Some(value),
        }
    }

    /// Checks whether the secret is known: an access token is obtained just before it is sent.
    pub(crate) const fn is_complete(&self) -> bool {
        self.value.is_some()
    }

    /// Adds the place of the secret to a request that is shown, as [`apply`] adds the secret.
    pub(crate) fn show(&self, url: &mut String, headers: &mut Vec<(String, String)>) {
        let is = |header: &str, name: &str| header.eq_ignore_ascii_case(name);
        let (name, value) = match &self.place {
            CredentialSlot::Header(name) => {
                let scheme = self.scheme.as_ref().map(|scheme| format!("{scheme} "));
                (
                    name.as_str(),
                    format!("{}{REDACTED}", scheme.unwrap_or_default()),
                )
            }
            CredentialSlot::Query(name) => {
                let (path, query) = match url.split_once('?') {
                    Some((path, query)) => (path, Some(query)),
                    None => (url.as_str(), None),
                };
                let query = with_pair(query, "&", &encode_value(name), REDACTED);
                *url = format!("{path}?{query}");
                return;
            }
            CredentialSlot::Cookie(name) => {
                let cookies = headers.iter().find(|(header, _)| is(header, "Cookie"));
                let cookies = cookies.map(|(_, value)| value.as_str());
                ("Cookie", with_pair(cookies, "; ", name, REDACTED))
            }
        };
        headers.retain(|(header, _)| !is(header, name));
        headers.push((name.to_owned(), value));
    }
}

fn satisfy(alternative: &[SecurityRequirement], access: &Access) -> Option<Vec<Placement>> {
    let place = |part: &SecurityRequirement| match (&part.kind, part.key_in(alternative)) {
        (
            Scheme::ApiKey {
                location,
                name,
                prefix,
            },
            key,
        ) => {
            let value = match access.api_keys.get(&part.scheme) {
                Some(named) => Some(named),
                None if key == CredentialKey::ApiToken => token(access)?,
                None => return None,
            };
            let value = value.map(|value| match prefix {
                Some(prefix) => Secret::new(format!("{prefix} {}", value.expose())),
                None => value.clone(),
            });
            Some(Some(Placement {
                place: CredentialSlot::of_key(*location, name)?,
                value,
                scheme: prefix.clone(),
            }))
        }
        (_, CredentialKey::ApiToken) => bearer(access).map(Some),
        (_, CredentialKey::UserAndPassword) => basic(access).map(Some),
        // The client presents its certificate when it connects.
        (_, CredentialKey::Unsupported(name)) if name == MUTUAL_TLS => {
            access.identity.as_ref().map(|_| None)
        }
        (_, CredentialKey::ApiKey(_) | CredentialKey::Unsupported(_)) => None,
    };
    let places: Option<Vec<_>> = alternative.iter().map(place).collect();
    Some(places?.into_iter().flatten().collect())
}

/// Returns the token. It is none itself if it has not been obtained yet.
fn token(access: &Access) -> Option<Option<&Secret>> {
    match (&access.token, &access.oauth) {
        (None, None) => None,
        (token, _) => Some(token.as_ref()),
    }
}

impl CredentialSlot {
    fn of_key(location: Location, name: &str) -> Option<Self> {
        match location {
            Location::Header => Some(Self::Header(name.to_owned())),
            Location::Query => Some(Self::Query(name.to_owned())),
            Location::Cookie => Some(Self::Cookie(name.to_owned())),
            Location::Path | Location::QueryString => None,
        }
    }
}

fn bearer(access: &Access) -> Option<Placement> {
    let token = token(access)?;
    Some(Placement {
        place: CredentialSlot::Header("Authorization".to_owned()),
        scheme: Some("Bearer".to_owned()),
        value: token.map(|token| Secret::new(format!("Bearer {}", token.expose()))),
    })
}

fn basic(access: &Access) -> Option<Placement> {
    let pair = access.user_and_password()?;
    Some(Placement {
        place: CredentialSlot::Header("Authorization".to_owned()),
        scheme: Some("Basic".to_owned()),
        value: Some(Secret::new(format!(
            "Basic {}",
            BASE64_STANDARD.encode(pair.expose())
        ))),
    })
}

/// Returns the header that a document names for the credentials. None that belongs to the transfer can hold
/// them: the end of the request would depend on a secret.
fn header_of(name: &str) -> Result<HeaderName, ToolError> {
    let header = HeaderName::from_bytes(name.as_bytes());
    let header =
        header.map_err(|_| fault::unsendable("the header of the credentials is invalid"))?;
    if header == HOST || reserved_header(name) == Some(ReservedFor::Transfer) {
        let what = format!("`{header}` decides the transfer, and cannot hold credentials");
        return Err(fault::unsendable(&what));
    }
    Ok(header)
}

fn sensitive(text: &str) -> Result<HeaderValue, ToolError> {
    let mut value = HeaderValue::from_str(text).map_err(|_| {
        fault::unsendable("the credentials contain a character that is invalid in a header")
    })?;
    value.set_sensitive(true);
    Ok(value)
}

fn apply_query(name: &str, value: &Secret, request: &mut Request) {
    let name = encode_value(name);
    let url = request.url_mut();
    let query = with_pair(url.query(), "&", &name, &encode_value(value.expose()));
    url.set_query(Some(&query));
}

fn with_cookie(name: &str, value: &Secret, request: &Request) -> String {
    let cookies = request.headers().get(COOKIE);
    let cookies = cookies.and_then(|value| value.to_str().ok());
    with_pair(cookies, "; ", name, value.expose())
}

/// Returns pairs such as `a=1&b=2` with another one, in place of those of its name.
fn with_pair(pairs: Option<&str>, separator: &str, name: &str, value: &str) -> String {
    let others = pairs.into_iter().flat_map(|pairs| pairs.split(separator));
    let others = others.filter(|pair| pair.split('=').next() != Some(name));
    let own = format!("{name}={value}");
    let pairs: Vec<_> = others.map(str::to_owned).chain([own]).collect();
    pairs.join(separator)
}
