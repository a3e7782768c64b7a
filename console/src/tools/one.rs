//! The page of one tool, and its switch.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    response::{IntoResponse, Redirect, Response},
};
use jiff::Timestamp;
use maud::{Markup, html};
use toolwright::{ToolSpec, config::ConsoleRole, registry::Switch};
use toolwright_audit::search::Filter;
use toolwright_state::WaitingPage;

use super::{
    Change, apply, decided_by, on_or_off,
    running::{events, running},
};
use crate::{
    console::Console,
    event::Event,
    governance::class,
    page::{Page, Part, csrf},
    record::events_table,
    refusal::Refusal,
    session::Submission,
    shown::{code, plural, prose, text},
    time::{ago, left},
    visitor::Visitor,
};

/// The most calls that wait that the page lists.
const MOST_WAITING: usize = 20;

/// The most events that the page lists.
const MOST_EVENTS: usize = 20;

/// Shows one tool.
pub(crate) async fn one(
    State(console): State<Console>,
    visitor: Visitor,
    Path(tool): Path<String>,
) -> Result<Response, Refusal> {
    let (spec, switch) = found(&console, &tool)?;
    let now = Timestamp::now();
    let waiting = console
        .state()
        .waiting_for_tool(&spec.name, now, MOST_WAITING)
        .await;
    let waiting = waiting.map_err(|error| Refusal::failed(&console, error))?;
    let filter = Filter {
        tool: Some(spec.name.to_string()),
        ..Filter::default()
    };
    let events = events(&console, filter, MOST_EVENTS).await;
    let version = format!("{switch:?}:{}", waiting.total);
    let body = html! {
        div.title { h1.mono { (text(spec.name.as_str())) } (class(spec.category, spec.hints.destructive)) }
        p.lead { (text(&spec.short)) }
        div.review {
            div.content {
                section { h2 { "What it does" } (prose(&spec.description)) (facts(&spec)) }
                section aria-labelledby="waits" { h2 #waits { "Waits" } (waits(&console, &waiting, now)) }
                section aria-labelledby="runs" { h2 #runs { "Runs" } (runs(&console, &events, now)) }
                section aria-labelledby="last" { h2 #last { "Last events" } (events_table(&console, &events, now)) }
            }
            aside.side {
                section.decision #switch data-part data-version=(version) aria-labelledby="state" {
                    h2 #state { "State" }
                    p { (on_or_off(&switch)) " " (decided_by(&switch, now)) }
                    p.sub { "By default it is " (if switch.default { "on" } else { "off" }) "." }
                    @if visitor.may(ConsoleRole::Operator) { (form(&console, &visitor, &spec, &switch)) }
                    @else { p.sub { "Your role sees the switch and does not change it." } }
                }
                p.sub { a href=(console.path(&format!("/record?tool={}", spec.name))) { "Its record" } }
            }
        }
    };
    let page = Page {
        console: &console,
        visitor: &visitor,
        part: Part::Tools,
        title: spec.name.as_str(),
    };
    Ok(page.render(body).await)
}

fn found(console: &Console, tool: &str) -> Result<(Arc<ToolSpec>, Switch), Refusal> {
    let registry = console.registry();
    let found = registry.spec(tool).zip(registry.switch(tool));
    found.ok_or_else(|| Refusal::not_found(console, "There is no such tool."))
}

fn facts(spec: &ToolSpec) -> Markup {
    html! {
        dl.facts {
            dt { "service" } dd { (text(spec.service.as_str())) }
            dt { "effect" } dd { (spec.effect) }
            dt { "approval" } dd { (if spec.approval_required { "a person approves each call" } else { "not needed" }) }
            @if let Some((method, path)) = spec.endpoint() { dt { "request" } dd { (code(&format!("{method} {path}"))) } }
            dt { "declared in" } dd { (text(&spec.origin.document)) " " (code(&spec.origin.pointer)) }
        }
    }
}

fn waits(console: &Console, waiting: &WaitingPage, now: Timestamp) -> Markup {
    html! {
        p { (plural(waiting.total, "call")) " waiting" @if waiting.total > 0 { ". If the tool is switched off, they are refused." } }
        ul.plain {
            @for request in &waiting.requests {
                li {
                    a.mono href=(console.path(&format!("/waiting/{}", request.handle))) { (request.handle) }
                    " role " (text(request.role.as_str())) " " (left(request.expires, now))
                }
            }
        }
    }
}

/// Shows the calls that were allowed and have no end yet.
fn runs(console: &Console, events: &[Event], now: Timestamp) -> Markup {
    let open = running(events, now);
    html! {
        @if open.is_empty() { p.sub { "No call of the last hour is without an end." } }
        ul.plain {
            @for event in open {
                li {
                    a.mono href=(console.path(&format!("/record/call/{}", event.text("correlation_id")))) { (event.text("correlation_id")) }
                    " role " (text(event.text("role")))
                    @if let Some(time) = event.time() { " began " (ago(time, now)) }
                }
            }
        }
    }
}

fn form(console: &Console, visitor: &Visitor, spec: &ToolSpec, switch: &Switch) -> Markup {
    html! {
        form.decide method="post" action=(console.path(&format!("/tools/{}", spec.name))) {
            (csrf(visitor))
            label for="reason" { "Reason" }
            textarea #reason name="reason" rows="2" maxlength="500" required {}
            div.buttons {
                @if switch.is_on() {
                    button.reject name="change" value="off" { "Switch off" }
                } @else if switch.disabled {
                    p.sub { code { "disable" } " of toolwright.toml keeps it off." }
                } @else {
                    button name="change" value="on" { "Switch on" }
                }
                @if switch.overridden.is_some() {
                    button name="change" value="reset" { "Remove the switch" }
                }
            }
        }
    }
}

/// Switches a tool.
pub(crate) async fn switch(
    State(console): State<Console>,
    Path(tool): Path<String>,
    submission: Submission,
) -> Result<Response, Refusal> {
    let Submission { visitor, fields } = submission;
    visitor.must_be(ConsoleRole::Operator, &console, "switch a tool")?;
    let (spec, switch) = found(&console, &tool)?;
    let change = Change::from_word(fields.text("change"));
    let change = change.ok_or_else(|| Refusal::invalid(&console, "choose what to do"))?;
    if change == Change::On && switch.disabled {
        let message = "`disable` of toolwright.toml wins over switches";
        return Err(Refusal::invalid(&console, message));
    }
    let why = fields.line("reason").unwrap_or_default();
    let tools = [spec.name.clone()];
    apply(&console, &tools, change, visitor.person(), &why).await?;
    let page = console.path(&format!("/tools/{}", spec.name));
    Ok(Redirect::to(&page).into_response())
}
