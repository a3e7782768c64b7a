//! The use of tools, as charts.

use axum::{
    extract::{RawQuery, State},
    response::Response,
};
use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};
use tokio::task::spawn_blocking;
use toolwright_audit::{
    Entry,
    search::{Bounds, Filter, latest},
    usage::Usage,
};

use super::parts;
use crate::{
    charts,
    console::Console,
    form::Fields,
    page::{Page, Part},
    refusal::Refusal,
    shown::plural,
    visitor::Visitor,
};

/// The periods that the page offers, each with its hours.
const PERIODS: [(&str, &str, i64); 3] = [
    ("hour", "the last hour", 1),
    ("day", "the last day", 24),
    ("week", "the last week", 24 * 7),
];

/// The most events that are counted.
const MOST_EVENTS: usize = 100_000;

/// The most bytes of the audit that are read.
const MOST_BYTES: u64 = 128 << 20;

/// Shows the use of tools in a period.
pub(crate) async fn usage(
    State(console): State<Console>,
    visitor: Visitor,
    RawQuery(raw): RawQuery,
) -> Result<Response, Refusal> {
    let fields = Fields::parse(raw.unwrap_or_default().as_bytes());
    let [_, day, _] = PERIODS;
    let mut periods = PERIODS.iter();
    let period = periods.find(|(word, ..)| *word == fields.text("period"));
    let (word, _, hours) = *period.unwrap_or(&day);
    let since = Timestamp::now().checked_sub(SignedDuration::from_hours(hours));
    let filter = Filter {
        since: since.ok(),
        ..Filter::default()
    };
    let audit = console.settings().audit_file().to_owned();
    let read = spawn_blocking(move || count(&audit, &filter)).await;
    let read = read.map_err(|error| Refusal::failed(&console, error))?;
    let (usage, is_whole) = read.map_err(|error| Refusal::failed(&console, error))?;
    let body = html! {
        h1 { "Use" }
        (parts(&console, "/record/use"))
        nav.tabs aria-label="Period" {
            @for (each, label, _) in PERIODS {
                a href=(console.path(&format!("/record/use?period={each}"))) aria-current=[(each == word).then_some("true")] { (label) }
            }
        }
        @if !is_whole { p.sub { "Only the last " (MOST_EVENTS) " events are counted." } }
        (sums(&usage))
        h2 { "Calls by tool" }
        (charts::bars(&counted(&usage.tools)))
        h2 { "Calls by role" }
        (charts::bars(&counted(&usage.roles)))
        h2 { "Refused calls by reason" }
        (charts::bars(&refused(&usage)))
    };
    let page = Page {
        console: &console,
        visitor: &visitor,
        part: Part::Record,
        title: "Use",
    };
    Ok(page.render(body).await)
}

fn count(audit: &std::path::Path, filter: &Filter) -> std::io::Result<(Usage, bool)> {
    let bounds = Bounds {
        before: None,
        most: MOST_EVENTS,
        bytes: MOST_BYTES,
    };
    let found = latest(audit, filter, bounds)?;
    let mut usage = Usage::default();
    for line in found.lines.iter().rev() {
        if let Some(entry) = Entry::read(line.as_bytes()) {
            usage.add(&entry);
        }
    }
    Ok((usage.finish(), found.next.is_none()))
}

fn sums(usage: &Usage) -> Markup {
    let total = &usage.total;
    let alerts = usage.alerts.values().sum::<u64>();
    html! {
        ul.tiles {
            li { strong { (total.allowed) } " allowed" }
            li { strong { (total.denied) } " refused" }
            li { strong { (total.failed) } " failed" }
            li { strong { (total.median_ms) " ms" } " median" }
            li { strong { (usage.scope_violations) } " outside of a scope" }
            li { strong { (alerts) } " " (plural(alerts, "alert").trim_start_matches(char::is_numeric).trim()) }
        }
    }
}

/// Returns the calls of each name, the most called first.
fn counted(
    calls: &std::collections::BTreeMap<String, toolwright_audit::usage::Calls>,
) -> Vec<charts::Bar> {
    let bars = calls.iter().map(|(name, calls)| charts::Bar {
        name: name.clone(),
        good: calls.allowed,
        bad: calls.denied,
    });
    charts::largest(bars.collect())
}

fn refused(usage: &Usage) -> Vec<charts::Bar> {
    let bars = usage.denials.iter().map(|(reason, number)| charts::Bar {
        name: reason.clone(),
        good: 0,
        bad: *number,
    });
    charts::largest(bars.collect())
}
