//! The person at the browser: the session of the cookie, and the role of the policy.

use axum::{
    body::to_bytes,
    extract::{FromRequest, FromRequestParts, Request},
    http::{HeaderMap, header, request::Parts},
};
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use toolwright::config::ConsoleRole;
use toolwright_model::hex;

use crate::{console::Console, form::Fields, refusal::Refusal, visitor::Visitor};

/// The largest body of a form, in bytes: a policy is the longest.
const LONGEST_FORM: usize = 1 << 20;

/// A form that a page of the console has sent, by a person who is signed in.
pub(crate) struct Submission {
    /// The person.
    pub(crate) visitor: Visitor,
    /// The fields.
    pub(crate) fields: Fields,
}

impl Visitor {
    /// Refuses what needs a higher role.
    pub(crate) fn must_be(
        &self,
        needed: ConsoleRole,
        console: &Console,
        action: &str,
    ) -> Result<(), Refusal> {
        if self.may(needed) {
            return Ok(());
        }
        Err(Refusal::forbidden(console, self, needed, action))
    }
}

/// Returns the person of a request.
pub(crate) async fn find(console: &Console, headers: &HeaderMap) -> Result<Visitor, Refusal> {
    let signed_out = || Refusal::sign_in(console);
    let secret = cookie(headers, &console.address().cookie()).ok_or_else(signed_out)?;
    let found = console.state().console_session(&secret, Timestamp::now());
    let found = found.await;
    let session = found
        .map_err(|error| Refusal::failed(console, error))?
        .ok_or_else(signed_out)?;
    // The policy may have changed since the person signed in.
    let role = console.settings().role_of(&session.person);
    let role = role.ok_or_else(signed_out)?;
    Ok(Visitor::new(session, role, csrf(&secret)))
}

impl FromRequestParts<Console> for Visitor {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, console: &Console) -> Result<Self, Refusal> {
        find(console, &parts.headers).await
    }
}

impl FromRequest<Console> for Submission {
    type Rejection = Refusal;

    async fn from_request(request: Request, console: &Console) -> Result<Self, Refusal> {
        let visitor = find(console, request.headers()).await?;
        let fields = read(request, console).await?;
        // Digests are compared: the time of the comparison does not depend on the token.
        if digest(fields.text("csrf")) != digest(visitor.csrf()) {
            let message = "the form is of another session: open the page again";
            return Err(Refusal::invalid(console, message));
        }
        Ok(Self { visitor, fields })
    }
}

/// Reads the fields of a form.
pub(crate) async fn read(request: Request, console: &Console) -> Result<Fields, Refusal> {
    let body = to_bytes(request.into_body(), LONGEST_FORM).await;
    let body = body.map_err(|_| Refusal::invalid(console, "the form is too long"))?;
    Ok(Fields::parse(&body))
}

/// Returns the value of a cookie.
pub(crate) fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let headers = headers.get_all(header::COOKIE).into_iter();
    let texts = headers.filter_map(|header| header.to_str().ok());
    let mut pairs = texts.flat_map(|text| text.split(';'));
    pairs.find_map(|pair| {
        let (found, value) = pair.trim().split_once('=')?;
        (found == name).then(|| value.to_owned())
    })
}

/// Returns the token of a session's forms. It follows from the cookie, and the cookie not from it.
fn csrf(secret: &str) -> String {
    digest(&format!("toolwright-console-form\0{secret}"))
}

/// Returns the digest of a secret, to compare secrets in constant time.
pub(crate) fn digest(text: &str) -> String {
    hex(Sha256::digest(text.as_bytes()))
}
