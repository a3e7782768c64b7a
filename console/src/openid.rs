//! Signing in through the OpenID provider of a team.
//!
//! The browser keeps the secret of a sign-in in a cookie of its own: the session's is `SameSite=Strict`, so
//! no browser sends it with a request that comes from the provider.

use std::sync::Arc;

use axum::{
    extract::{RawQuery, State},
    http::{HeaderMap, HeaderName, HeaderValue, header},
    response::{IntoResponse, Redirect, Response},
};
use jiff::Timestamp;
use maud::html;
use toolwright::{SignInClient, audit::AuditEvent, credentials::AuthorizationCode};
use toolwright_state::ConsoleSecret;
use url::{Url, form_urlencoded};

use crate::{
    console::{Console, link_end},
    form::Fields,
    page::plain,
    provider::{Flow, Identity, Metadata, Provider},
    refusal::Refusal,
    session::{cookie, digest},
    shown::text,
    sign_in::{self, note_refused},
};

/// The path that receives the code.
pub(crate) const BACK: &str = "/sign-in/openid/back";

/// The longest path to which a sign-in leads back.
const LONGEST_PATH: usize = 500;

/// The field of the cookie with the secret, and the one with the page to lead back to.
const FIELDS: [&str; 2] = ["secret", "page"];

/// A provider that is ready to sign people in.
struct Ready {
    provider: Arc<Provider>,
    metadata: Arc<Metadata>,
    client: SignInClient,
}

impl Ready {
    async fn of(console: &Console) -> Result<Self, Refusal> {
        let provider = console.provider();
        let provider =
            provider.ok_or_else(|| Refusal::not_found(console, "There is no such page."))?;
        let failed = |problem: &str| {
            let issuer = &provider.config().issuer;
            Refusal::failed(console, format!("the provider `{issuer}`: {problem}"))
        };
        let metadata = provider.metadata().await;
        let metadata = metadata.map_err(|problem| failed(&problem))?;
        let client = console.registry().sign_in_client(provider.config()).await;
        // The place of the credentials is for the operator, not for a visitor.
        let client = client.map_err(|error| failed(&error.to_string()))?;
        Ok(Self {
            provider,
            metadata,
            client,
        })
    }
}

/// Sends a person to the provider.
pub(crate) async fn begin(
    State(console): State<Console>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let ready = Ready::of(&console).await?;
    let secret = ConsoleSecret::random().map_err(|error| Refusal::failed(&console, error))?;
    let flow = Flow::new(secret.expose().to_owned());
    let back = console.address().url(BACK);
    let client = ready.client.id();
    let url = ready
        .provider
        .request(&ready.metadata, &flow, client, &back);
    let page = page_of(&console, &headers).unwrap_or_default();
    let value = form_urlencoded::Serializer::new(String::new())
        .append_pair(FIELDS[0], flow.secret())
        .append_pair(FIELDS[1], &page)
        .finish();
    let cookie = console.address().sign_in_cookie(&value);
    let cookie = HeaderValue::from_str(&cookie);
    let cookie = cookie.map_err(|error| Refusal::failed(&console, error))?;
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to(url.as_str())).into_response())
}

/// Returns the page of the console from which a person came, to lead back there.
fn page_of(console: &Console, headers: &HeaderMap) -> Option<String> {
    let from = headers.get(header::REFERER)?.to_str().ok()?;
    let from = Url::parse(from).ok()?;
    let address = console.address();
    if from.origin().ascii_serialization() != address.origin() {
        return None;
    }
    let page = from.path().strip_prefix(&address.path(""))?;
    let page = match from.query() {
        Some(query) => format!("{page}?{query}"),
        None => page.to_owned(),
    };
    is_page(&page).then_some(page)
}

/// Checks whether a path is one of a page of the console, and leads nowhere else in any browser.
fn is_page(page: &str) -> bool {
    let is_harmless =
        |c: char| c.is_ascii_graphic() && !matches!(c, '\\' | '"' | '<' | '>' | ';' | ',');
    page.starts_with('/')
        && !page.starts_with("//")
        && !page.starts_with("/sign-")
        && page.len() <= LONGEST_PATH
        && page.chars().all(is_harmless)
}

/// Receives the code of a person, and signs the person in.
pub(crate) async fn back(
    State(console): State<Console>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Response {
    let fields = Fields::parse(query.unwrap_or_default().as_bytes());
    let mut answer = match signed_in(&console, &headers, &fields).await {
        Ok(answer) => answer,
        Err(refusal) => refusal.into_response(),
    };
    // The secret of a sign-in is used once, however the sign-in ends.
    if let Ok(gone) = HeaderValue::from_str(&console.address().sign_in_cookie_end()) {
        answer.headers_mut().append(header::SET_COOKIE, gone);
    }
    answer
}

async fn signed_in(
    console: &Console,
    headers: &HeaderMap,
    fields: &Fields,
) -> Result<Response, Refusal> {
    let (flow, page) = flow_of(console, headers)
        .filter(|(flow, _)| digest(&flow.state()) == digest(fields.text("state")))
        .ok_or_else(|| {
            refused(
                console,
                "unknown_state",
                "This browser has not begun this sign-in, or it was used.",
            )
        })?;
    let ready = Ready::of(console).await?;
    if fields
        .given("iss")
        .is_some_and(|issuer| issuer != ready.provider.config().issuer)
    {
        let message = "The answer is that of another provider.";
        return Err(refused(console, "other_issuer", message));
    }
    let Some(code) = fields.given("code") else {
        let message = "The provider has not signed you in.";
        return Err(refused(console, "no_code", message));
    };
    if !console.live().use_up(&flow.state()) {
        let message = "This sign-in was used.";
        return Err(refused(console, "used_state", message));
    }
    let identity = identity(console, &ready, &flow, code).await?;
    let person = person_of(console, &identity)?;
    let cookie = open(console, &person, &ready, &identity).await?;
    // A browser sends the cookie of the session with a request that a page of the console causes, and not
    // with one to which the provider leads.
    let to = console.path(&page);
    let refresh = HeaderValue::from_str(&format!("0; url={to}"));
    let refresh = refresh.map_err(|error| Refusal::failed(console, error))?;
    let body = html! {
        h1 { "Signed in" }
        p { "You are signed in as " strong { (text(&person)) } "." }
        p { a href=(to) { "To the console" } }
    };
    let headers = [
        (header::SET_COOKIE, cookie),
        (HeaderName::from_static("refresh"), refresh),
    ];
    Ok((headers, plain(console, "Signed in", body)).into_response())
}

/// Returns the sign-in that this browser has begun, and the page to lead back to.
fn flow_of(console: &Console, headers: &HeaderMap) -> Option<(Flow, String)> {
    let value = cookie(headers, &console.address().sign_in_cookie_name())?;
    let fields = Fields::parse(value.as_bytes());
    let secret = fields.given(FIELDS[0])?;
    let page = Some(fields.text(FIELDS[1])).filter(|page| is_page(page));
    let flow = Flow::new(secret.to_owned());
    Some((flow, page.unwrap_or("/").to_owned()))
}

/// Exchanges the code for an identity token, and checks it.
async fn identity(
    console: &Console,
    ready: &Ready,
    flow: &Flow,
    code: &str,
) -> Result<Identity, Refusal> {
    let (verifier, redirect_uri) = (flow.verifier(), console.address().url(BACK));
    let code = AuthorizationCode {
        code,
        verifier: &verifier,
        redirect_uri: &redirect_uri,
    };
    let token = ready.client.id_token(&code).await;
    let token = token.map_err(|_| {
        let message = "The provider does not confirm the sign-in.";
        refused(console, "no_token", message)
    })?;
    let client = ready.client.id();
    let identity = ready
        .provider
        .identify(&ready.metadata, flow, client, &token);
    identity.await.map_err(|fault| {
        let (reason, message) = fault.words();
        refused(console, reason, message)
    })
}

/// Returns the person of the policy. The audit records each stranger: the provider knows them.
fn person_of(console: &Console, identity: &Identity) -> Result<String, Refusal> {
    let settings = console.settings();
    let people = &settings.config().console;
    let person = people.person_of(&identity.value);
    let person = person.filter(|person| people.role_of(person).is_some());
    person.map(str::to_owned).ok_or_else(|| {
        let now = Timestamp::now();
        let event = AuditEvent::login_refused(now, &identity.value, "unknown_person", 1);
        let _ = console.registry().record(&event);
        Refusal::stranger(console, &identity.value)
    })
}

/// Opens a session, as a link does, and returns its cookie.
async fn open(
    console: &Console,
    person: &str,
    ready: &Ready,
    identity: &Identity,
) -> Result<HeaderValue, Refusal> {
    let now = Timestamp::now();
    let link = console
        .state()
        .issue_console_link(person, now, link_end(now));
    let link = link
        .await
        .map_err(|error| Refusal::failed(console, error))?;
    let (issuer, subject) = (&ready.provider.config().issuer, &identity.subject);
    let how = format!("through {issuer}, where the person is {subject}");
    sign_in::open(console, link.expose(), person, Some(&how)).await
}

fn refused(console: &Console, reason: &str, message: &str) -> Refusal {
    note_refused(console, reason);
    Refusal::not_signed_in(console, message)
}

#[cfg(test)]
mod tests {
    use super::is_page;

    #[test]
    fn a_sign_in_leads_back_to_pages_of_the_console_only() {
        for page in ["/", "/waiting/0123456789ab", "/record?tool=a&role=b"] {
            assert!(is_page(page), "{page}");
        }
        for page in [
            "",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "/a; url=https://evil.example",
            "/a\r\nset-cookie:x=y",
            "/sign-out",
            "/sign-in/openid",
            "/<script>",
        ] {
            assert!(!is_page(page), "{page}");
        }
    }
}
