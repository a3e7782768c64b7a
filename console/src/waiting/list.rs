//! The list of the calls that wait.

use axum::{
    extract::{RawQuery, State},
    response::Response,
};
use jiff::Timestamp;
use maud::{Markup, html};
use toolwright::approval::ApprovalRequest;

use super::class_of;
use crate::{
    console::Console,
    form::Fields,
    page::{Page, Part},
    refusal::Refusal,
    shown::{plural, text},
    time::{ago, left},
    visitor::Visitor,
};

/// The number of calls on a page.
const ON_A_PAGE: usize = 50;

/// Lists the calls that wait, the oldest first.
pub(crate) async fn list(
    State(console): State<Console>,
    visitor: Visitor,
    RawQuery(query): RawQuery,
) -> Result<Response, Refusal> {
    let fields = Fields::parse(query.unwrap_or_default().as_bytes());
    let page = fields.number("page").max(1);
    let now = Timestamp::now();
    let skip = (page - 1).saturating_mul(ON_A_PAGE);
    let waiting = console.state().waiting_page(now, skip, ON_A_PAGE).await;
    let waiting = waiting.map_err(|error| Refusal::failed(&console, error))?;
    let handles = waiting.requests.iter();
    let handles: Vec<&str> = handles.map(|request| request.handle.as_str()).collect();
    let version = format!("{}:{}", waiting.total, handles.join(","));
    let is_last = (skip + ON_A_PAGE) as u64 >= waiting.total;
    let body = html! {
        h1 { "Waiting" }
        div #waiting data-part data-version=(version) {
            p.sub role="status" {
                @match waiting.total {
                    0 => "No call is waiting for a decision.",
                    total => { (plural(total, "call")) " waiting, the oldest first" }
                }
            }
            ol.rows {
                @for request in &waiting.requests { (row(&console, request, now)) }
            }
            (pages(&console, page, is_last))
        }
        p.keys.sub { kbd { "j" } " " kbd { "k" } " next, previous · " kbd { "Enter" } " open" }
    };
    let page = Page {
        console: &console,
        visitor: &visitor,
        part: Part::Waiting,
        title: "Waiting",
    };
    Ok(page.render(body).await)
}

fn row(console: &Console, request: &ApprovalRequest, now: Timestamp) -> Markup {
    let shown = &request.shown;
    let path = format!("/waiting/{}", request.handle);
    html! {
        li {
            a.row href=(console.path(&path)) data-row {
                span.head {
                    strong.mono { (text(request.tool.as_str())) } " " (class_of(shown))
                }
                span.end { (left(request.expires, now)) }
                span.body { (text(&shown.summary)) }
                span.body.mono.clip {
                    @match &shown.request {
                        Some(sent) => { (text(&sent.method)) " " (text(&sent.url)) }
                        None if !shown.steps.is_empty() => (plural(shown.steps.len() as u64, "call")),
                        None => "a function of the program",
                    }
                }
                span.foot.sub {
                    "role " (text(request.role.as_str()))
                    @if let Some(run) = &shown.run { " · run " (text(run)) }
                    @if let Some(person) = &shown.started_by { " · started by " (text(person)) }
                    @if let Some(workspace) = &shown.workspace { " · workspace " (text(workspace.as_str())) }
                    " · asked " (ago(request.requested, now))
                }
            }
        }
    }
}

fn pages(console: &Console, page: usize, is_last: bool) -> Markup {
    let link = |page: usize| console.path(&format!("/?page={page}"));
    html! {
        @if page > 1 || !is_last {
            nav.pages aria-label="Pages" {
                @if page > 1 { a href=(link(page - 1)) { "Earlier" } }
                span.sub { "page " (page) }
                @if !is_last { a href=(link(page + 1)) { "Later" } }
            }
        }
    }
}
