//! The events of the audit with a filter, the newest first, and their export.

use std::{borrow::Cow, io};

use axum::{
    extract::{RawQuery, State},
    http::header,
    response::{IntoResponse, Response},
};
use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};
use tokio::task::spawn_blocking;
use toolwright::{audit::ConsoleAction, config::ConsoleRole};
use toolwright_audit::search::{Bounds, Filter, Latest, latest, search};

use super::{events_table, parts};
use crate::{
    charts,
    console::Console,
    event::Event,
    form::{Fields, query},
    page::{Page, Part, csrf},
    refusal::Refusal,
    session::Submission,
    shown::plural,
    visitor::Visitor,
};

/// The number of events on a page.
const ON_A_PAGE: usize = 100;

/// The most bytes of the audit that are read for a page.
const MOST_BYTES: u64 = 32 << 20;

/// The most bytes of an export.
const LONGEST_EXPORT: usize = 64 << 20;

/// The fields of the filter, each with its label.
const FIELDS: [(&str, &str); 4] = [
    ("role", "Role"),
    ("tool", "Tool"),
    ("run", "Run"),
    ("since", "Since"),
];

/// The kinds that the filter offers.
const KINDS: [&str; 17] = [
    "decision",
    "outcome",
    "approval",
    "tool_switched",
    "standing_grant",
    "skill_moved",
    "skill_run",
    "definition_accepted",
    "definition_changed",
    "server_asked",
    "token_changed",
    "console",
    "login_refused",
    "scope_violation",
    "protected_path",
    "alert",
    "policy_loaded",
];

/// The decisions that the filter offers.
const DECISIONS: [&str; 4] = ["allow", "deny", "approved", "rejected"];

/// Returns the filter of a form, or what is wrong with it.
pub(super) fn filter_of(fields: &Fields) -> Result<Filter, String> {
    let given = |name| fields.given(name).map(str::to_owned);
    let since = match fields.given("since") {
        None => None,
        Some(text) => Some(time(text)?),
    };
    Ok(Filter {
        role: given("role"),
        run: given("run"),
        tool: given("tool"),
        decision: given("decision"),
        event: given("event"),
        since,
        ..Filter::default()
    })
}

/// Parses a time, or how long ago it was.
fn time(text: &str) -> Result<Timestamp, String> {
    if let Ok(time) = text.parse() {
        return Ok(time);
    }
    let wrong =
        |_| "write a time such as 2026-11-25T09:00:00Z, or a duration such as 90m".to_owned();
    let ago: SignedDuration = text.parse().map_err(wrong)?;
    Timestamp::now().checked_sub(ago).map_err(wrong)
}

/// Lists events.
pub(crate) async fn list(
    State(console): State<Console>,
    visitor: Visitor,
    RawQuery(raw): RawQuery,
) -> Result<Response, Refusal> {
    let fields = Fields::parse(raw.unwrap_or_default().as_bytes());
    let filter = filter_of(&fields).map_err(|message| Refusal::invalid(&console, message))?;
    let bounds = Bounds {
        before: fields.text("before").parse().ok(),
        most: ON_A_PAGE,
        bytes: MOST_BYTES,
    };
    let audit = console.settings().audit_file().to_owned();
    let read = spawn_blocking(move || latest(&audit, &filter, bounds)).await;
    let read = read.map_err(|error| Refusal::failed(&console, error))?;
    let Latest { lines, next, .. } = read.map_err(|error| Refusal::failed(&console, error))?;
    let events: Vec<Event> = lines.iter().filter_map(|line| Event::read(line)).collect();
    let now = Timestamp::now();
    let body = html! {
        h1 { "Record" }
        (parts(&console, "/record"))
        (controls(&console, &fields))
        div #events data-part data-version=(format!("{:?}", events.first().map(Event::seq))) {
            (charts::timeline(&events))
            (events_table(&console, &events, now))
            @if let Some(next) = next {
                nav.pages aria-label="Pages" {
                    a href=(older(&console, &fields, next)) { "Older" }
                    @if events.len() < ON_A_PAGE { span.sub { "searched back to event " (next) } }
                }
            }
        }
        (exporting(&console, &visitor, &fields))
    };
    let page = Page {
        console: &console,
        visitor: &visitor,
        part: Part::Record,
        title: "Record",
    };
    Ok(page.render(body).await)
}

fn controls(console: &Console, fields: &Fields) -> Markup {
    let choice = |name: &'static str, all: &'static str, words: &[&str]| {
        html! {
            select name=(name) {
                option value="" { (all) }
                @for word in words {
                    option value=(word) selected[fields.text(name) == *word] { (word) }
                }
            }
        }
    };
    html! {
        form.filter role="search" method="get" action=(console.path("/record")) {
            @for (name, label) in FIELDS {
                label { span { (label) } input name=(name) value=(fields.text(name)) autocomplete="off"
                    placeholder=[(name == "since").then_some("90m")]; }
            }
            label { span { "Event" } (choice("event", "every event", &KINDS)) }
            label { span { "Decision" } (choice("decision", "every decision", &DECISIONS)) }
            button { "Show" }
        }
    }
}

fn older(console: &Console, fields: &Fields, before: u64) -> String {
    let names = ["role", "tool", "run", "since", "event", "decision"];
    let mut set: Vec<(&str, Cow<'_, str>)> = Vec::new();
    set.extend(names.map(|name| (name, Cow::from(fields.text(name)))));
    set.push(("before", Cow::from(before.to_string())));
    console.path(&format!("/record{}", query(&set)))
}

fn exporting(console: &Console, visitor: &Visitor, fields: &Fields) -> Markup {
    html! {
        form.inline method="post" action=(console.path("/record/export")) {
            (csrf(visitor))
            @for name in ["role", "tool", "run", "since", "event", "decision"] {
                input type="hidden" name=(name) value=(fields.text(name));
            }
            button { "Export what is filtered" }
            span.sub { " as lines of JSON. The export is recorded." }
        }
    }
}

/// Answers with the lines of the events that the filter selects, unchanged.
pub(crate) async fn export(
    State(console): State<Console>,
    submission: Submission,
) -> Result<Response, Refusal> {
    let Submission { visitor, fields } = submission;
    visitor.must_be(ConsoleRole::Viewer, &console, "export events")?;
    let filter = filter_of(&fields).map_err(|message| Refusal::invalid(&console, message))?;
    let session = Some(&visitor.session);
    let about = format!("{filter:?}");
    let recorded = console.record(
        ConsoleAction::Exported,
        visitor.person(),
        session,
        Some(&about),
    );
    recorded.map_err(|error| Refusal::failed(&console, error))?;
    let audit = console.settings().audit_file().to_owned();
    let read = spawn_blocking(move || {
        let mut content = String::new();
        let searched = search(&audit, &filter, &mut |line, _| {
            if content.len() + line.len() > LONGEST_EXPORT {
                let limit = plural((LONGEST_EXPORT >> 20) as u64, "MiB");
                let message = format!(
                    "the export is longer than {limit}: use a narrower filter, or `toolwright audit export`"
                );
                return Err(io::Error::other(message));
            }
            content.push_str(line);
            content.push('\n');
            Ok(())
        });
        searched.map(|()| content)
    });
    let read = read
        .await
        .map_err(|error| Refusal::failed(&console, error))?;
    let content = read.map_err(|error| Refusal::failed(&console, error))?;
    let headers = [
        (header::CONTENT_TYPE, "application/jsonl; charset=utf-8"),
        (
            header::CONTENT_DISPOSITION,
            "attachment; filename=\"audit.jsonl\"",
        ),
    ];
    Ok((headers, content).into_response())
}
