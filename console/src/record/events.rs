//! A table of events, and all fields of one.

use jiff::Timestamp;
use maud::{Markup, html};
use serde_json::Value;

use crate::{
    console::Console,
    event::Event,
    form::query,
    shown::{short_json, text},
    time::ago,
};

/// Shows how an event went.
pub(crate) fn verdict(event: &Event) -> Markup {
    let (word, is_good) = event.verdict();
    let class = match is_good {
        Some(true) => "good",
        Some(false) => "bad",
        None => "",
    };
    html! { @if !word.is_empty() { span class={ "outcome " (class) } { (text(word)) } } }
}

/// Shows the reason of an event, or what is closest to one.
pub(crate) fn reason(event: &Event) -> Markup {
    html! {
        @for name in ["reason", "error", "rule", "why"] {
            @if !event.text(name).is_empty() { span.break { (text(event.text(name))) } " " }
        }
        @if !event.text("person").is_empty() { span.sub { "by " (text(event.text("person"))) } }
    }
}

/// Shows events as a table, in their order.
pub(crate) fn events_table(console: &Console, events: &[Event], now: Timestamp) -> Markup {
    html! {
        @if events.is_empty() { p.sub { "No event." } } @else {
            table.stacked.events {
                thead { tr { th { "time" } th { "event" } th { "role" } th { "about" } th { "result" } th { "reason" } } }
                tbody { @for event in events { (row(console, event, now)) } }
            }
        }
    }
}

fn row(console: &Console, event: &Event, now: Timestamp) -> Markup {
    let (call, run) = (event.text("correlation_id"), event.text("run"));
    html! {
        tr {
            td data-label="time" { @if let Some(time) = event.time() { (ago(time, now)) } }
            td data-label="event" {
                @if call.is_empty() { (text(event.text("event"))) } @else {
                    a href=(console.path(&format!("/record/call/{call}"))) data-row { (text(event.text("event"))) }
                }
                " " span.sub { (event.seq()) }
            }
            td data-label="role" {
                (text(event.text("role")))
                @if !run.is_empty() {
                    div.sub { "run " a href=(run_path(console, run)) { (text(run)) } }
                }
            }
            td.mono.break data-label="about" { (text(event.subject())) }
            td data-label="result" { (verdict(event)) }
            td data-label="reason" { (reason(event)) }
        }
    }
}

/// Returns the path of the story of a run.
pub(crate) fn run_path(console: &Console, run: &str) -> String {
    let query = query(&[("run", run.into())]);
    console.path(&format!("/record/run{query}"))
}

/// Shows all fields of an event.
pub(crate) fn all_fields(event: &Event) -> Markup {
    html! {
        dl.facts.mono {
            @for (name, value) in event.fields() {
                dt { (text(name)) }
                dd.break {
                    @match value { Value::String(value) => (text(value)), other => (short_json(other)) }
                }
            }
        }
    }
}
