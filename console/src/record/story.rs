//! A call from its decision to its end, and a run in the order of its events.

use std::collections::BTreeMap;

use axum::{
    extract::{Path, RawQuery, State},
    response::Response,
};
use maud::{Markup, html};
use tokio::task::spawn_blocking;
use toolwright_audit::search::{Bounds, Filter, latest};

use super::{
    events::{all_fields, reason, verdict},
    parts,
};
use crate::{
    console::Console,
    event::Event,
    form::Fields,
    page::{Page, Part},
    refusal::Refusal,
    shown::{plural, text},
    time::exact,
    visitor::Visitor,
};

/// The most events of a story.
const MOST_EVENTS: usize = 500;

/// The most bytes of the audit that are read for a story.
const MOST_BYTES: u64 = 256 << 20;

/// Shows the events of one call, and of the calls that it made.
pub(crate) async fn call(
    State(console): State<Console>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let filter = Filter {
        call: Some(id.clone()),
        ..Filter::default()
    };
    let events = read(&console, filter).await?;
    if events.is_empty() {
        return Err(Refusal::not_found(&console, "The audit has no such call."));
    }
    let body = html! {
        h1 { "Call " span.mono { (text(&id)) } }
        (parts(&console, "/record"))
        @for event in &events {
            section {
                h2 { (text(event.text("event"))) " " (verdict(event)) }
                (all_fields(event))
            }
        }
        @if has_no_end(&events, &id) {
            p { "No end was recorded: the call still runs, or its process was killed." }
        }
    };
    let page = Page {
        console: &console,
        visitor: &visitor,
        part: Part::Record,
        title: "Call",
    };
    Ok(page.render(body).await)
}

fn has_no_end(events: &[Event], id: &str) -> bool {
    let own = || {
        events
            .iter()
            .filter(|event| event.text("correlation_id") == id)
    };
    own().any(|event| event.text("event") == "decision" && event.text("decision") == "allow")
        && !own().any(|event| event.text("event") == "outcome")
}

/// Shows a run as a story: its calls in order, each with what became of it.
pub(crate) async fn run(
    State(console): State<Console>,
    visitor: Visitor,
    RawQuery(raw): RawQuery,
) -> Result<Response, Refusal> {
    let fields = Fields::parse(raw.unwrap_or_default().as_bytes());
    let run = fields.text("run").to_owned();
    let filter = Filter {
        run: Some(run.clone()),
        ..Filter::default()
    };
    let events = read(&console, filter).await?;
    if events.is_empty() {
        return Err(Refusal::not_found(&console, "The audit has no such run."));
    }
    let calls = grouped(&events);
    let body = html! {
        h1 { "Run " (text(&run)) }
        (parts(&console, "/record"))
        p.sub {
            (plural(calls.len() as u64, "call"))
            @if let Some(time) = events.first().and_then(Event::time) { ", from " (exact(time)) }
            @if let Some(time) = events.last().and_then(Event::time) { " to " (exact(time)) }
            @if events.len() == MOST_EVENTS { ". Only the last events are shown." }
        }
        ol.story { @for (_, events) in &calls { (chapter(&console, events)) } }
    };
    let page = Page {
        console: &console,
        visitor: &visitor,
        part: Part::Record,
        title: "Run",
    };
    Ok(page.render(body).await)
}

/// Groups events by their calls, in the order of the first event of each.
fn grouped(events: &[Event]) -> Vec<(u64, Vec<&Event>)> {
    let mut groups: BTreeMap<&str, Vec<&Event>> = BTreeMap::new();
    let mut calls = Vec::new();
    for event in events {
        match event.text("correlation_id") {
            "" => calls.push((event.seq(), vec![event])),
            call => groups.entry(call).or_default().push(event),
        }
    }
    calls.extend(groups.into_values().map(|events| {
        let first = events.first().map_or(0, |event| event.seq());
        (first, events)
    }));
    calls.sort_by_key(|(first, _)| *first);
    calls
}

fn chapter(console: &Console, events: &[&Event]) -> Markup {
    let Some(first) = events.first() else {
        return html! {};
    };
    let is_bad = events.iter().any(|event| event.verdict().1 == Some(false));
    let call = first.text("correlation_id");
    let subject = match first.text("tool") {
        "" => first.text("event"),
        tool => tool,
    };
    html! {
        li.bad[is_bad] {
            p {
                @if let Some(time) = first.time() { span.sub { (exact(time)) " " } }
                @if call.is_empty() { strong.mono { (text(subject)) } } @else {
                    a.mono href=(console.path(&format!("/record/call/{call}"))) data-row { (text(subject)) }
                }
                span.sub { " by " (text(first.text("role"))) }
            }
            ul.plain {
                @for event in events {
                    li { (text(event.text("event"))) " " (verdict(event)) " " (reason(event)) }
                }
            }
        }
    }
}

/// Reads the events that a filter selects, the oldest first.
async fn read(console: &Console, filter: Filter) -> Result<Vec<Event>, Refusal> {
    let audit = console.settings().audit_file().to_owned();
    let bounds = Bounds {
        before: None,
        most: MOST_EVENTS,
        bytes: MOST_BYTES,
    };
    let read = spawn_blocking(move || latest(&audit, &filter, bounds)).await;
    let read = read.map_err(|error| Refusal::failed(console, error))?;
    let found = read.map_err(|error| Refusal::failed(console, error))?;
    let lines = found.lines.iter().rev();
    Ok(lines.filter_map(|line| Event::read(line)).collect())
}
