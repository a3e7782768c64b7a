//! The placement of a service's secrets in its requests.

use base64::{Engine, prelude::BASE64_STANDARD};
use reqwest::{
    Request,
    header::{AUTHORIZATION, COOKIE, HeaderName, HeaderValue},
};
use toolwright_model::{
    CredentialKey, Location, Scheme, SecurityRequirement, credentials_in_words,
};

use super::fault;
use crate::{
    credentials::{Access, CredentialsError},
    error::ToolError,
    exchange::request::encode_value,
    secret::Secret,
};

/// A secret, and where in the request it goes.
#[derive(Debug)]
pub(crate) struct Placement {
    place: CredentialSlot,
    value: Secret,
}

#[derive(Debug)]
enum CredentialSlot {
    Header(String),
    Query(String),
    Cookie(String),
}

/// Returns the placements that authenticate a call.
///
/// The first of the document's alternatives with credentials counts, then the one that needs none.
/// If the document declares no security, everything available is sent: a token as bearer, or a user
/// and a password.
pub(crate) fn authorise(
    security: &[Vec<SecurityRequirement>],
    access: &Access,
) -> Result<Vec<Placement>, CredentialsError> {
    if security.is_empty() {
        return Ok(bearer(access)
            .or_else(|| basic(access))
            .into_iter()
            .collect());
    }
    let satisfied = security
        .iter()
        .filter(|alternative| !alternative.is_empty())
        .find_map(|alternative| satisfy(alternative, access));
    match satisfied {
        Some(placements) => Ok(placements),
        None if security.iter().any(Vec::is_empty) => Ok(Vec::new()),
        None => Err(access.missing(credentials_in_words(security))),
    }
}

/// Puts the secrets into the request, replacing previous values.
pub(super) fn apply(placements: &[Placement], request: &mut Request) -> Result<(), ToolError> {
    for Placement { place, value } in placements {
        match place {
            CredentialSlot::Header(name) => {
                let name = HeaderName::from_bytes(name.as_bytes())
                    .map_err(|_| fault::unsendable("the header of the credentials is invalid"))?;
                request
                    .headers_mut()
                    .insert(name, sensitive(value.expose())?);
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

fn satisfy(alternative: &[SecurityRequirement], access: &Access) -> Option<Vec<Placement>> {
    let place = |part: &SecurityRequirement| match (&part.kind, part.key_in(alternative)) {
        (Scheme::ApiKey { location, name }, key) => {
            let token = access.token.as_ref();
            let named = access.api_keys.get(&part.scheme);
            let value = named.or(token.filter(|_| key == CredentialKey::ApiToken))?;
            Some(Placement {
                place: CredentialSlot::of_key(*location, name)?,
                value: value.clone(),
            })
        }
        (_, CredentialKey::ApiToken) => bearer(access),
        (_, CredentialKey::UserAndPassword) => basic(access),
        (_, CredentialKey::ApiKey(_) | CredentialKey::Unsupported(_)) => None,
    };
    alternative.iter().map(place).collect()
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
    let token = access.token.as_ref()?;
    Some(Placement {
        place: CredentialSlot::Header(AUTHORIZATION.to_string()),
        value: Secret::new(format!("Bearer {}", token.expose())),
    })
}

fn basic(access: &Access) -> Option<Placement> {
    let pair = access.user_and_password()?;
    Some(Placement {
        place: CredentialSlot::Header(AUTHORIZATION.to_string()),
        value: Secret::new(format!("Basic {}", BASE64_STANDARD.encode(pair.expose()))),
    })
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
    let others = url.query().into_iter().flat_map(|query| query.split('&'));
    let others = others.filter(|pair| pair.split('=').next() != Some(name.as_str()));
    let own = format!("{name}={}", encode_value(value.expose()));
    let query: Vec<_> = others.map(str::to_owned).chain([own]).collect();
    url.set_query(Some(&query.join("&")));
}

fn with_cookie(name: &str, value: &Secret, request: &Request) -> String {
    let others = request
        .headers()
        .get(COOKIE)
        .and_then(|value| value.to_str().ok());
    let others = others.into_iter().flat_map(|cookies| cookies.split("; "));
    let others = others.filter(|pair| pair.split('=').next() != Some(name));
    let own = format!("{name}={}", value.expose());
    let cookies: Vec<_> = others.map(str::to_owned).chain([own]).collect();
    cookies.join("; ")
}
