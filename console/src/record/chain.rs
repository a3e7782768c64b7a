//! The chain of the audit: whether something happened to an event.

use axum::{extract::State, response::Response};
use maud::{Markup, html};
use tokio::task::spawn_blocking;
use toolwright::{
    config::ConsoleRole,
    private::{self, Links},
};
use toolwright_audit::{
    AuditKey,
    verify::{Request, Verified, verify as verify_audit},
};

use super::parts;
use crate::{
    console::Console,
    page::{Page, Part, csrf},
    refusal::Refusal,
    session::Submission,
    shown::{code, plural, text},
    visitor::Visitor,
};

/// The most findings that the page shows.
const MOST_FINDINGS: usize = 100;

/// The greatest length of the file of a key, in bytes.
const LONGEST_KEY: u64 = 256;

/// Asks whether to verify the chain: it reads the whole audit.
pub(crate) async fn chain(State(console): State<Console>, visitor: Visitor) -> Response {
    page(&console, &visitor, None).await
}

/// Verifies the chain.
pub(crate) async fn verify(
    State(console): State<Console>,
    submission: Submission,
) -> Result<Response, Refusal> {
    let visitor = &submission.visitor;
    visitor.must_be(ConsoleRole::Viewer, &console, "verify the audit")?;
    let settings = console.settings();
    let read = spawn_blocking(move || {
        let key = private::read(&settings.audit_key(), Links::Refuse, LONGEST_KEY);
        let key = key
            .ok()
            .and_then(|text| AuditKey::from_text(text.trim()).ok());
        verify_audit(&Request {
            audit: settings.audit_file().to_owned(),
            key: key.as_ref(),
            trusted: Vec::new(),
            expected: None,
        })
    });
    let read = read
        .await
        .map_err(|error| Refusal::failed(&console, error))?;
    let verified = read.map_err(|error| Refusal::failed(&console, error))?;
    Ok(page(&console, visitor, Some(&verified)).await)
}

async fn page(console: &Console, visitor: &Visitor, verified: Option<&Verified>) -> Response {
    let body = html! {
        h1 { "Chain" }
        (parts(console, "/record/verify"))
        p { "Each event contains the hash of the one before it. Verifying reads all of them." }
        form.inline method="post" action=(console.path("/record/verify")) {
            (csrf(visitor))
            button.primary { "Verify the chain" }
        }
        @if let Some(verified) = verified { (result(verified)) }
    };
    let page = Page {
        console,
        visitor,
        part: Part::Record,
        title: "Chain",
    };
    page.render(body).await
}

fn result(verified: &Verified) -> Markup {
    let (last, hash) = &verified.last;
    html! {
        section role="status" {
            @match verified.first_finding() {
                None => h2.good { "Nothing was changed" },
                Some(first) => h2.bad { "It breaks at event " (first.seq) ": " (first.kind) },
            }
            dl.facts {
                dt { "events" } dd { (verified.events) " in " (plural(verified.files, "file")) ", from " (verified.first) " to " (last) }
                dt { "last hash" } dd.break { (code(&hash.to_string())) }
                dt { "checkpoints" } dd { (verified.checkpoints) ", up to event " (verified.covered) }
                dt { "lines" } dd { (if verified.authenticated { "authenticated with the secret key" } else { "not authenticated: the secret key cannot be read here" }) }
            }
            @for note in &verified.notes { p.sub { (text(note)) } }
            @if !verified.findings.is_empty() {
                table.stacked {
                    thead { tr { th { "event" } th { "fault" } th { "place" } th { "detail" } } }
                    tbody {
                        @for finding in verified.findings.iter().take(MOST_FINDINGS) {
                            tr {
                                td data-label="event" { (finding.seq) }
                                td data-label="fault" { (finding.kind) }
                                td.break data-label="place" { (text(&finding.place)) }
                                td.break data-label="detail" { (text(&finding.detail)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
