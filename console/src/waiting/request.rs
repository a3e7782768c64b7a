//! The page of one request.

use axum::{
    extract::{Path, State},
    response::{IntoResponse, Redirect, Response},
};
use jiff::Timestamp;
use maud::{Markup, html};
use toolwright::{
    approval::{ApprovalHandle, ApprovalId, ApprovalRequest},
    config::ConsoleRole,
};
use toolwright_state::ExportedApproval;

use super::{
    class_of,
    facts::{self, Told},
    sheet,
};
use crate::{
    console::Console,
    page::{Page, Part, csrf},
    refusal::Refusal,
    shown::text,
    time::{ago, exact, left},
    visitor::Visitor,
};

/// A request, and what became of it.
pub(super) struct Found {
    pub(super) request: ApprovalRequest,
    stored: ExportedApproval,
}

impl Found {
    /// Returns the request with a handle, whether it waits or was decided.
    pub(super) async fn read(console: &Console, handle: &str) -> Result<Self, Refusal> {
        let unknown = || Refusal::not_found(console, "There is no such request.");
        let handle: ApprovalHandle = handle.parse().map_err(|_| unknown())?;
        let stored = console.state().approval(&handle).await;
        let stored = stored.map_err(|error| Refusal::failed(console, error))?;
        let stored = stored.ok_or_else(unknown)?;
        let request = serde_json::from_value(stored.request.clone());
        let request = request.map_err(|error| Refusal::failed(console, error))?;
        Ok(Self { request, stored })
    }

    /// Checks whether a person can decide it.
    pub(super) fn is_open(&self, now: Timestamp) -> bool {
        self.stored.standing == "waiting" && self.request.is_live(now)
    }

    /// Tells what became of the request.
    pub(super) fn standing(&self, now: Timestamp) -> Markup {
        let decision = self.stored.decision.as_ref();
        let field = |name: &str| decision.and_then(|decision| decision.get(name)?.as_str());
        let verdict = field("verdict").unwrap_or(&self.stored.standing);
        html! {
            @if let Some(person) = field("person") {
                strong { (text(verdict)) } " by " (text(person))
                @if let Some(time) = field("time").and_then(|time| time.parse::<Timestamp>().ok()) {
                    ", " (ago(time, now))
                }
                @if let Some(why) = field("why") { ": " q { (text(why)) } }
                @if let Some(used) = self.stored.used_at { ". Used at " (exact(used)) }
            } @else if self.stored.standing == "waiting" {
                strong { "expired" } ": nobody decided in time"
            } @else { strong { (text(&self.stored.standing)) } }
        }
    }
}

/// Shows one request.
pub(crate) async fn request(
    State(console): State<Console>,
    visitor: Visitor,
    Path(handle): Path<String>,
) -> Result<Response, Refusal> {
    if let Some(handle) = handle_of(&console, &handle).await? {
        let page = console.path(&format!("/waiting/{handle}"));
        return Ok(Redirect::to(&page).into_response());
    }
    let found = Found::read(&console, &handle).await?;
    Ok(page(&console, &visitor, &found, None).await)
}

/// Returns the handle of a request that is named by its id, as clients of agents name it.
async fn handle_of(console: &Console, name: &str) -> Result<Option<ApprovalHandle>, Refusal> {
    let Ok(id) = name.parse::<ApprovalId>() else {
        return Ok(None);
    };
    let stored = console.state().approval_of_id(&id).await;
    let stored = stored.map_err(|error| Refusal::failed(console, error))?;
    Ok(stored.and_then(|stored| stored.request.get("handle")?.as_str()?.parse().ok()))
}

/// Renders the page of a request. `problem` is the reason why the last decision was not taken.
pub(super) async fn page(
    console: &Console,
    visitor: &Visitor,
    found: &Found,
    problem: Option<Markup>,
) -> Response {
    let request = &found.request;
    let now = Timestamp::now();
    let told = Told::read(console, request).await;
    let spec = console.registry().spec(request.tool.as_str());
    let body = html! {
        div.title {
            h1.mono { (text(request.tool.as_str())) }
            (class_of(&request.shown))
        }
        p.lead { (text(&request.shown.summary)) }
        @if let Some(problem) = &problem { div.problem role="alert" { (problem) } }
        div.review {
            div.content {
                (sheet::arguments(request))
                (sheet::sent(request))
                (facts::before_it(console, request, &told, now))
                (facts::evidence(spec.as_deref()))
                (facts::rules(console, request))
                @if found.is_open(now) { a.button.jump href="#decision" { "To the decision" } }
            }
            aside.side {
                (decision(console, visitor, found, now))
                (facts::who(request, &told))
                p.sub { "Digest " code.break { (request.digest()) } }
            }
        }
    };
    let page = Page {
        console,
        visitor,
        part: Part::Waiting,
        title: request.tool.as_str(),
    };
    page.render(body).await
}

/// Shows the form of the decision, or what was decided.
fn decision(console: &Console, visitor: &Visitor, found: &Found, now: Timestamp) -> Markup {
    let request = &found.request;
    let version = if found.is_open(now) { "open" } else { "closed" };
    html! {
        section.decision #decision data-part data-version=(version) aria-labelledby="decide" {
            h2 #decide { "Decision" }
            @if !found.is_open(now) {
                p.decided role="status" { (found.standing(now)) }
            } @else {
                p { (left(request.expires, now)) }
                (approvers(request))
                @if let Some(hindrance) = hindrance(console, visitor) {
                    p.sub { (hindrance) }
                } @else {
                    (form(console, visitor, request))
                }
            }
        }
    }
}

fn approvers(request: &ApprovalRequest) -> Markup {
    html! {
        @if let Some(approvers) = &request.shown.approvers {
            p.sub { "May approve: " (text(&approvers.join(", "))) }
        }
    }
}

/// Checks whether the visitor is among those who may approve the request, if it names them.
pub(super) fn may_approve(request: &ApprovalRequest, visitor: &Visitor) -> bool {
    let approvers = request.shown.approvers.as_ref();
    approvers.is_none_or(|names| names.iter().any(|name| name == visitor.person()))
}

/// Returns why the visitor cannot decide, if so.
fn hindrance(console: &Console, visitor: &Visitor) -> Option<&'static str> {
    if !visitor.may(ConsoleRole::Approver) {
        return Some("Your role sees the request and does not decide.");
    }
    if console.approver_key().is_none() {
        return Some("This console has no approver's key, so nobody decides here.");
    }
    None
}

fn form(console: &Console, visitor: &Visitor, request: &ApprovalRequest) -> Markup {
    let path = console.path(&format!("/waiting/{}", request.handle));
    html! {
        form.decide method="post" action=(path) {
            (csrf(visitor))
            input type="hidden" name="digest" value=(request.digest());
            label for="reason" { "Reason" span.sub { " (needed to reject)" } }
            textarea #reason name="reason" rows="2" maxlength="500" {}
            div.buttons {
                @if may_approve(request, visitor) {
                    button.approve name="verdict" value="approved" data-key="a" { "Approve" kbd { "a" } }
                }
                button.reject name="verdict" value="rejected" data-key="r" { "Reject" kbd { "r" } }
            }
            p.sub { "An approval lets exactly this request pass, once." }
        }
    }
}
