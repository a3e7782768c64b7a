//! A request as a person reads it: what would be sent, in full, and what it would change.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde_json::Value;
use toolwright::approval::{ApprovalRequest, Change, Changes, ShownBody, ShownRequest, ShownStep};

use crate::{
    shown::{code, json, plural, short_json, text},
    time::exact,
};

/// Shows the request that would be sent.
pub(super) fn sent(request: &ApprovalRequest) -> Markup {
    let shown = &request.shown;
    html! {
        section aria-labelledby="sent" {
            h2 #sent { "What would be sent" }
            @match &shown.request {
                Some(sent) => (exact_request(sent)),
                None if !shown.steps.is_empty() => (steps(&shown.steps)),
                None => p { "Nothing is sent: a function of the program carries the call out." },
            }
        }
    }
}

fn exact_request(sent: &ShownRequest) -> Markup {
    html! {
        p.request.mono { strong { (text(&sent.method)) } " " (text(&sent.url)) }
        @if !sent.headers.is_empty() {
            dl.facts.mono {
                @for (name, value) in &sent.headers { dt { (text(name)) } dd { (text(value)) } }
            }
        }
        @match &sent.body {
            Some(ShownBody::Json(value)) => (json(value)),
            Some(ShownBody::Text(body)) => pre { (text(body)) },
            Some(ShownBody::Bytes { length, sha256 }) => {
                p { (plural(*length as u64, "byte")) ", SHA-256 " (code(sha256)) }
            },
            None => p.sub { "without a body" },
        }
        @for file in &sent.files {
            p {
                "File " (code(&file.handle.to_string()))
                @if let Some(name) = &file.name { " " (text(name)) }
                ", " (text(&file.media_type)) ", " (plural(file.size, "byte")) ", SHA-256 " (code(&file.sha256))
            }
        }
    }
}

/// Shows the calls of a run of a skill.
fn steps(steps: &[ShownStep]) -> Markup {
    let most = steps.iter().map(|step| step.most).sum::<u64>();
    html! {
        p { "At most " (plural(most, "call")) ", in this order:" }
        ol.steps {
            @for step in steps {
                li {
                    p {
                        strong.mono { (text(step.tool.as_str())) }
                        @if step.most > 1 { ", at most " (step.most) " times" }
                        @if step.approval_required { " " span.chip.execute { "covered by this approval" } }
                    }
                    p.sub { (text(&step.summary)) }
                    @match &step.request {
                        Some(sent) => (exact_request(sent)),
                        None => (json(&step.arguments)),
                    }
                    @for (at, source) in &step.from_results {
                        p.sub { "The value at " (code(at)) " comes from " (text(source)) }
                    }
                }
            }
        }
    }
}

/// Shows every argument in full, next to the value that it would replace.
pub(super) fn arguments(request: &ApprovalRequest) -> Markup {
    let (changes, note) = match &request.changes {
        Some(Changes::Read {
            tool,
            time,
            fields,
            further,
            ..
        }) => {
            let note = html! {
                "Values before: as " (code(tool.as_str())) " read them at " (exact(*time)) "."
                @if *further > 0 { " " (plural(*further as u64, "further field")) " is not listed." }
            };
            (fields.as_slice(), Some(note))
        }
        Some(Changes::Unread { reason }) => {
            let note = html! { "Values before: unknown, " (text(reason)) };
            ([].as_slice(), Some(note))
        }
        None => ([].as_slice(), None),
    };
    let by_argument = grouped(changes);
    let fields = request.shown.arguments.as_object();
    let has_changes = !changes.is_empty();
    html! {
        section aria-labelledby="arguments" {
            h2 #arguments { "Arguments" }
            @match fields {
                Some(fields) if fields.is_empty() => p.sub { "none" },
                Some(fields) => {
                    table.stacked.arguments {
                        thead { tr {
                            th { "argument" } th { "value" }
                            @if has_changes { th { "before" } }
                        } }
                        tbody {
                            @for (name, value) in fields {
                                (argument(name, value, by_argument.get(name.as_str()), has_changes))
                            }
                        }
                    }
                }
                None => (json(&request.shown.arguments)),
            }
            @if let Some(note) = note { p.sub { (note) } }
        }
    }
}

/// Groups changes by the argument that they are in.
fn grouped(changes: &[Change]) -> BTreeMap<&str, Vec<&Change>> {
    let mut groups: BTreeMap<&str, Vec<&Change>> = BTreeMap::new();
    for change in changes {
        let name = change.field.trim_start_matches('/').split('/').next();
        groups
            .entry(name.unwrap_or_default())
            .or_default()
            .push(change);
    }
    groups
}

fn argument(
    name: &str,
    value: &Value,
    changes: Option<&Vec<&Change>>,
    has_changes: bool,
) -> Markup {
    let is_changed = |change: &&Change| change.before.as_ref() != Some(&change.after);
    let changed = changes.is_some_and(|changes| changes.iter().any(is_changed));
    html! {
        tr.changed[changed] {
            th scope="row" data-label="argument" { (code(name)) @if changed { " " span.mark { "changed" } } }
            td data-label="value" { @if changed { ins { (json(value)) } } @else { (json(value)) } }
            @if has_changes {
                td data-label="before" {
                    @for change in changes.into_iter().flatten() { (before(change, name)) }
                }
            }
        }
    }
}

fn before(change: &Change, name: &str) -> Markup {
    let place = change.field.strip_prefix(&format!("/{name}"));
    let place = place.filter(|place| !place.is_empty());
    html! {
        div {
            @if let Some(place) = place { (code(place)) ": " }
            @match &change.before {
                Some(before) if *before == change.after => span.sub { "the same" },
                Some(before) => del { (short_json(before)) },
                None => span.sub { "not in the answer" },
            }
        }
    }
}
