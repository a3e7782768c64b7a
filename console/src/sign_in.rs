//! Signing in by a link that works once, signing out, and the list of sessions.

use axum::{
    extract::{Path, Request, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};
use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};
use toolwright::{
    Statement,
    audit::{AuditEvent, ConsoleAction},
    config::ConsoleRole,
};
use toolwright_state::StoredSession;
use url::Url;

use crate::{
    console::Console,
    page::{Page, Part, csrf, plain},
    refusal::Refusal,
    session::{Submission, read},
    shown::text,
    time::{ago, left},
    visitor::Visitor,
};

/// The most sessions that a page lists.
const MOST_SESSIONS: usize = 100;

/// The reason of the end of a session whose person signed out.
const SIGNED_OUT: &str = "signed out";

/// Asks the person of a link to sign in. Only the form uses the link up, so a program that merely opens
/// it does not.
pub(crate) async fn ask(
    State(console): State<Console>,
    Path(link): Path<String>,
) -> Result<Response, Refusal> {
    let person = person_of(&console, &link).await?;
    let role = console.settings().role_of(&person);
    let body = html! {
        h1 { "Sign in" }
        p { "You sign in as " strong { (text(&person)) }
            @if let Some(role) = role { ", with the role " strong { (role) } } "." }
        form method="post" action=(console.path("/sign-in")) {
            input type="hidden" name="link" value=(link);
            button.primary autofocus { "Sign in as " (text(&person)) }
        }
        p.sub { "This link works once. What you do is recorded with your name." }
    };
    Ok(plain(&console, "Sign in", body))
}

/// Signs the person of a link in.
pub(crate) async fn sign_in(
    State(console): State<Console>,
    request: Request,
) -> Result<Response, Refusal> {
    let fields = read(request, &console).await?;
    let link = fields.text("link");
    let person = person_of(&console, link).await?;
    if console.settings().role_of(&person).is_none() {
        return Err(Refusal::used_link(&console));
    }
    let cookie = open(&console, link, &person, None).await?;
    let home = Redirect::to(&console.path("/"));
    Ok(([(header::SET_COOKIE, cookie)], home).into_response())
}

/// Uses a link up, opens a session of its person, and returns the cookie of the session. `how` tells the
/// audit how the person has signed in, if not with the link of a command.
pub(crate) async fn open(
    console: &Console,
    link: &str,
    person: &str,
    how: Option<&str>,
) -> Result<HeaderValue, Refusal> {
    let failed = |error: &dyn std::fmt::Display| Refusal::failed(console, error);
    let settings = console.settings();
    let now = Timestamp::now();
    let length = SignedDuration::try_from(settings.session()).map_err(|error| failed(&error))?;
    let until = now.saturating_add(length).map_err(|error| failed(&error))?;
    let opened = console.state().open_console_session(link, now, until).await;
    let opened = opened.map_err(|error| failed(&error))?;
    let opened = opened.ok_or_else(|| Refusal::used_link(console))?;
    let session = &opened.session;
    let recorded = console.record(ConsoleAction::SignedIn, person, Some(session), how);
    if let Err(error) = recorded {
        end(console, session, person, "the sign-in was not recorded").await?;
        return Err(failed(&error));
    }
    let cookie = format!(
        "{}={}; Max-Age={}{}",
        console.address().cookie(),
        opened.secret.expose(),
        length.as_secs(),
        console.address().cookie_attributes()
    );
    HeaderValue::from_str(&cookie).map_err(|error| failed(&error))
}

/// Returns the person of a link. The audit records a refused link.
async fn person_of(console: &Console, link: &str) -> Result<String, Refusal> {
    let now = Timestamp::now();
    let person = console.state().console_link(link, now).await;
    let person = person.map_err(|error| Refusal::failed(console, error))?;
    person.ok_or_else(|| {
        note_refused(console, "unknown link");
        Refusal::used_link(console)
    })
}

/// Records that nobody was signed in. A flood is few events.
pub(crate) fn note_refused(console: &Console, reason: &str) {
    if let Some(count) = console.live().refused_sign_ins() {
        let event = AuditEvent::login_refused(Timestamp::now(), "console", reason, count);
        let _ = console.registry().record(&event);
    }
}

/// Ends the session of the person.
pub(crate) async fn sign_out(
    State(console): State<Console>,
    submission: Submission,
) -> Result<Response, Refusal> {
    let visitor = &submission.visitor;
    let (person, session) = (visitor.person(), &visitor.session);
    end(&console, session, person, SIGNED_OUT).await?;
    let _ = console.record(ConsoleAction::SignedOut, person, Some(session), None);
    let cookie = format!(
        "{}=; Max-Age=0{}",
        console.address().cookie(),
        console.address().cookie_attributes()
    );
    let cookie = HeaderValue::from_str(&cookie);
    let cookie = cookie.map_err(|error| Refusal::failed(&console, error))?;
    let elsewhere = sign_out_elsewhere(&console).await;
    let body = html! {
        h1 { "Signed out" }
        p { "Your session has ended." }
        @if let Some(url) = elsewhere {
            p.sub { "You may still be signed in at the provider. " a href=(url) { "Sign out there" } "." }
        }
    };
    let page = plain(&console, "Signed out", body);
    Ok(([(header::SET_COOKIE, cookie)], page).into_response())
}

/// Returns the URL at which the person signs out of the provider, if there is one.
async fn sign_out_elsewhere(console: &Console) -> Option<Url> {
    let provider = console.provider()?;
    let metadata = provider.metadata().await.ok()?;
    let client = console.registry().sign_in_client(provider.config());
    metadata.sign_out(client.await.ok()?.id())
}

/// Lists the sessions: an operator sees all, everybody else their own.
pub(crate) async fn sessions(
    State(console): State<Console>,
    visitor: Visitor,
) -> Result<Response, Refusal> {
    let sessions = console.state().console_sessions(MOST_SESSIONS).await;
    let sessions = sessions.map_err(|error| Refusal::failed(&console, error))?;
    let sees_all = visitor.may(ConsoleRole::Operator);
    let seen = |session: &&StoredSession| sees_all || session.person == visitor.person();
    let now = Timestamp::now();
    let body = html! {
        h1 { "Sessions" }
        p.sub {
            "A person signs in with a link that " code { "toolwright console link --by NAME" } " prints"
            @if let Some(provider) = console.provider() { ", or through " (text(&provider.config().issuer)) }
            "."
        }
        table.stacked {
            thead { tr { th { "person" } th { "signed in" } th { "last use" } th { "ends" } th { "session" } td {} } }
            tbody {
                @for session in sessions.iter().filter(seen) { (row(&console, &visitor, session, now)) }
            }
        }
    };
    let page = Page {
        console: &console,
        visitor: &visitor,
        part: Part::Sessions,
        title: "Sessions",
    };
    Ok(page.render(body).await)
}

fn row(console: &Console, visitor: &Visitor, session: &StoredSession, now: Timestamp) -> Markup {
    let is_own = session.id == visitor.session.id;
    html! {
        tr {
            td data-label="person" { (text(&session.person)) @if is_own { " " span.sub { "this one" } } }
            td data-label="signed in" { (ago(session.opened_at, now)) }
            td data-label="last use" { (ago(session.used_at, now)) }
            td data-label="ends" {
                @match &session.ended_at {
                    Some(at) => {
                        span.sub { "ended " (ago(*at, now)) ": " (text(session.reason.as_deref().unwrap_or_default())) }
                    }
                    None => (left(session.expires_at, now)),
                }
            }
            td data-label="session" { code { (session.id) } }
            td data-label="" {
                @if session.is_live(now) {
                    form.inline method="post" action=(console.path(&format!("/sessions/{}", session.id))) {
                        (csrf(visitor))
                        input name="reason" required maxlength="500" placeholder="reason"
                            aria-label={ "Reason to end the session " (session.id) };
                        button { "End" }
                    }
                }
            }
        }
    }
}

/// Ends a session. An operator may end all, everybody else their own.
pub(crate) async fn end_session(
    State(console): State<Console>,
    Path(id): Path<String>,
    submission: Submission,
) -> Result<Response, Refusal> {
    let Submission { visitor, fields } = submission;
    let found = console.state().console_session_with_id(&id).await;
    let found = found.map_err(|error| Refusal::failed(&console, error))?;
    let session = found.ok_or_else(|| Refusal::not_found(&console, "There is no such session."))?;
    if session.person != visitor.person() {
        visitor.must_be(ConsoleRole::Operator, &console, "end a session")?;
    }
    let why = fields.line("reason").unwrap_or_default();
    let person = visitor.person();
    Statement::new(person, &why).map_err(|error| Refusal::invalid(&console, error))?;
    let recorded = console.record(
        ConsoleAction::SessionEnded,
        person,
        Some(&session),
        Some(&why),
    );
    recorded.map_err(|error| Refusal::failed(&console, error))?;
    end(&console, &session, person, &why).await?;
    let sessions = Redirect::to(&console.path("/sessions"));
    Ok((StatusCode::SEE_OTHER, sessions).into_response())
}

async fn end(
    console: &Console,
    session: &StoredSession,
    person: &str,
    why: &str,
) -> Result<(), Refusal> {
    let statement = Statement::new(person, why);
    let statement = statement.map_err(|error| Refusal::invalid(console, error))?;
    let ended = console
        .state()
        .end_console_session(&session.id, &statement, Timestamp::now())
        .await;
    ended
        .map(drop)
        .map_err(|error| Refusal::failed(console, error))
}
