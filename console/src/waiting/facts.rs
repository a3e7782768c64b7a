//! The facts besides the request: the caller, the evidence, the rules, and the events of the run before
//! it.

use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};
use serde_json::{Map, Value};
use tokio::task::spawn_blocking;
use toolwright::{ToolSpec, approval::ApprovalRequest, eab::RunContext};
use toolwright_audit::search::{Bounds, Filter, latest};

use crate::{
    console::Console,
    event::Event,
    governance::steps,
    record::events_table,
    shown::{code, text},
    time::exact,
};

/// The most events of the run that are shown.
const MOST_EVENTS: usize = 20;

/// The most bytes of the audit that are read for them.
const MOST_BYTES: u64 = 8 << 20;

/// The greatest distance of the request from its decision in the audit.
const AROUND: SignedDuration = SignedDuration::from_secs(30);

/// The events of the audit about a request.
pub(super) struct Told {
    /// The decision that left the call waiting.
    pub(super) call: Option<Event>,
    /// The last events of the run before it, the newest first.
    before: Vec<Event>,
    /// True if there may be more events of the run, in a part of the audit that was not read.
    is_cut: bool,
}

impl Told {
    /// Reads the events about a request.
    pub(super) async fn read(console: &Console, request: &ApprovalRequest) -> Self {
        let audit = console.settings().audit_file().to_owned();
        let request = request.clone();
        let read = spawn_blocking(move || {
            let (before, is_cut) = before(&audit, &request);
            Self {
                call: decision(&audit, &request),
                before,
                is_cut,
            }
        });
        read.await.unwrap_or(Self {
            call: None,
            before: Vec::new(),
            is_cut: true,
        })
    }
}

fn decision(audit: &Path, request: &ApprovalRequest) -> Option<Event> {
    let filter = Filter {
        role: Some(request.role.to_string()),
        tool: Some(request.tool.to_string()),
        event: Some("decision".to_owned()),
        since: request.requested.checked_sub(AROUND).ok(),
        until: request.requested.checked_add(AROUND).ok(),
        ..Filter::default()
    };
    let (found, _) = find(audit, &filter, 200);
    let mut events = found.into_iter();
    events.find(|event| event.text("approval") == request.id.as_str())
}

fn before(audit: &Path, request: &ApprovalRequest) -> (Vec<Event>, bool) {
    let Some(run) = &request.shown.run else {
        return (Vec::new(), false);
    };
    let filter = Filter {
        run: Some(run.clone()),
        until: Some(request.requested),
        ..Filter::default()
    };
    find(audit, &filter, MOST_EVENTS)
}

/// Returns the last events that match, and whether there may be more.
fn find(audit: &Path, filter: &Filter, most: usize) -> (Vec<Event>, bool) {
    let bounds = Bounds {
        before: None,
        most,
        bytes: MOST_BYTES,
    };
    let found = latest(audit, filter, bounds).unwrap_or_default();
    let lines = found.lines.iter();
    let events = lines.filter_map(|line| Event::read(line));
    (events.collect(), found.next.is_some())
}

/// Shows who calls.
pub(super) fn who(request: &ApprovalRequest, told: &Told) -> Markup {
    let shown = &request.shown;
    let of_call = |name: &str| {
        let event = told.call.as_ref();
        let found = event.map(|event| event.text(name).to_owned());
        found.filter(|text| !text.is_empty())
    };
    let workspace = shown.workspace.as_ref().map(ToString::to_string);
    let facts = [
        ("role", Some(request.role.to_string())),
        ("agent", of_call("agent")),
        ("client", of_call("client")),
        ("authenticated as", of_call("principal")),
        ("run", shown.run.clone()),
        ("node", shown.node.clone()),
        ("work item", shown.work_item.clone()),
        ("started by", shown.started_by.clone()),
        ("workspace", workspace.or_else(|| of_call("workspace"))),
        ("service", Some(shown.service.to_string())),
        ("asked", Some(exact(request.requested))),
        ("expires", Some(exact(request.expires))),
    ];
    html! {
        section aria-labelledby="who" {
            h2 #who { "Who" }
            dl.facts {
                @for (name, value) in &facts {
                    @if let Some(value) = value { dt { (name) } dd { (text(value)) } }
                }
            }
        }
    }
}

/// Shows why the tool needs a person.
pub(super) fn evidence(spec: Option<&ToolSpec>) -> Markup {
    html! {
        section aria-labelledby="why" {
            h2 #why { "Why a person is asked" }
            @match spec {
                None => p { "This program does not have the tool." },
                Some(spec) => {
                    @if let Some(reason) = &spec.reason {
                        p { "The overlay: " (text(reason)) }
                    }
                    @if spec.evidence.is_empty() { p.sub { "The record of the tool names no evidence." } }
                    ul.evidence {
                        @for evidence in &spec.evidence {
                            li.outweighed[!evidence.decided] {
                                (evidence.source) " " (code(&evidence.found))
                                " suggests " strong { (evidence.suggests) }
                                @if !evidence.decided { span.sub { " (did not decide)" } }
                            }
                        }
                    }
                    p.sub { "Declared in " (text(&spec.origin.document)) " at " (code(&spec.origin.pointer)) }
                }
            }
        }
    }
}

/// Shows the rules of the policy that decide about the call now.
pub(super) fn rules(console: &Console, request: &ApprovalRequest) -> Markup {
    let run = RunContext {
        run: request.shown.run.clone(),
        node: request.shown.node.clone(),
        ..RunContext::default()
    };
    let view = console.registry().for_agent(&request.role).in_run(run);
    let arguments = match &request.shown.arguments {
        Value::Object(arguments) => arguments.clone(),
        _ => Map::new(),
    };
    let explained = view.explain(request.tool.as_str(), arguments);
    html! {
        section aria-labelledby="rules" {
            h2 #rules { "Rules" }
            (steps(&explained.steps))
            p.sub {
                "The policy of now, for the arguments as they are shown: masked values and variables of the run are not known here."
            }
        }
    }
}

/// Shows what the run did before.
pub(super) fn before_it(
    console: &Console,
    request: &ApprovalRequest,
    told: &Told,
    now: Timestamp,
) -> Markup {
    html! {
        section aria-labelledby="before" {
            h2 #before { "What the run did before" }
            @match &request.shown.run {
                None => p.sub { "The call names no run." },
                Some(run) if told.before.is_empty() => {
                    p.sub {
                        "Nothing of the run " (text(run)) " is recorded "
                        @if told.is_cut { "shortly " } "before the call."
                    }
                }
                Some(_) => (events_table(console, &told.before, now)),
            }
        }
    }
}
