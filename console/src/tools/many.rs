//! The switch of many tools at once: of a service, of a category, or of everything.

use std::collections::{BTreeMap, BTreeSet};

use axum::{
    extract::{RawQuery, State},
    response::{IntoResponse, Redirect, Response},
};
use jiff::Timestamp;
use maud::{Markup, html};
use toolwright::{ToolName, config::ConsoleRole};
use toolwright_audit::search;

use super::{
    Change, apply,
    list::{Filter, categories, services_of},
    running::{LONGEST_RUN, events, running},
};
use crate::{
    console::Console,
    event::Event,
    form::Fields,
    page::{Page, Part, csrf},
    refusal::Refusal,
    session::Submission,
    shown::{plural, text},
    time::ago,
    visitor::Visitor,
};

/// The most tools and calls that the page lists.
const MOST_SHOWN: usize = 20;

/// The most events among which calls that run are searched.
const MOST_EVENTS: usize = 2_000;

/// Asks which tools to switch off, and shows how many there are.
pub(crate) async fn many(
    State(console): State<Console>,
    visitor: Visitor,
    RawQuery(raw): RawQuery,
) -> Result<Response, Refusal> {
    visitor.must_be(ConsoleRole::Operator, &console, "switch many tools")?;
    let fields = Fields::parse(raw.unwrap_or_default().as_bytes());
    let filter = Filter::of(&fields);
    let tools: Vec<_> = console.registry().tools().collect();
    let services: BTreeSet<&str> = tools
        .iter()
        .map(|(spec, _)| spec.service.as_str())
        .collect();
    let off = selected(&console, &filter, Change::Off);
    let switched = selected(&console, &filter, Change::Reset);
    let now = Timestamp::now();
    let effect = Effect::of(&console, &filter, now).await?;
    let body = html! {
        h1 { "Switch many off" }
        p { "Without a service and a category, these are all tools." }
        form.filter method="get" action=(console.path("/tools/switch")) data-search="chosen" {
            label { span { "Service" } (services_of(&services, &filter.service)) }
            label { span { "Category" } (categories(filter.category)) }
            button { "Choose" }
        }
        div #chosen data-part data-version=(format!("{filter:?}{}{}", off.len(), switched.len())) {
            h2 { (what(&filter)) }
            p {
                (plural(off.len() as u64, "tool")) (if off.len() == 1 { " is on." } else { " are on." })
            }
            (effect.shown(&console, now))
            (form(&console, &visitor, &filter, off.len(), switched.len()))
        }
    };
    let page = Page {
        console: &console,
        visitor: &visitor,
        part: Part::Tools,
        title: "Switch many off",
    };
    Ok(page.render(body).await)
}

/// The calls that a switch of tools would meet.
struct Effect {
    /// The calls that wait, by tool.
    waiting: BTreeMap<ToolName, u64>,
    /// The events that began the calls which run.
    running: Vec<Event>,
}

impl Effect {
    async fn of(console: &Console, filter: &Filter, now: Timestamp) -> Result<Self, Refusal> {
        let registry = console.registry();
        let selects = |tool: &str| {
            registry
                .spec(tool)
                .is_some_and(|spec| filter.selects(&spec))
        };
        let waiting = console.state().waiting_by_tool(now).await;
        let mut waiting = waiting.map_err(|error| Refusal::failed(console, error))?;
        waiting.retain(|tool, _| selects(tool.as_str()));
        let recent = search::Filter {
            since: now.checked_sub(LONGEST_RUN).ok(),
            ..search::Filter::default()
        };
        let events = events(console, recent, MOST_EVENTS).await;
        let open = running(&events, now).into_iter();
        let running = open.filter(|event| selects(event.text("tool"))).cloned();
        Ok(Self {
            waiting,
            running: running.collect(),
        })
    }

    /// Tells what becomes of the calls.
    fn shown(&self, console: &Console, now: Timestamp) -> Markup {
        let waiting = self.waiting.values().sum();
        html! {
            h3 { (plural(waiting, "call")) " waiting" }
            p.sub { "They are refused once their tools are off." }
            ul.plain {
                @for (tool, number) in self.waiting.iter().take(MOST_SHOWN) {
                    li { a.mono href=(console.path(&format!("/tools/{tool}"))) { (text(tool.as_str())) } " " (number) }
                }
            }
            h3 { (plural(self.running.len() as u64, "call")) " running" }
            p.sub { "They end as they would: what was sent to a service cannot be taken back." }
            ul.plain {
                @for event in self.running.iter().take(MOST_SHOWN) {
                    li {
                        a.mono href=(console.path(&format!("/record/call/{}", event.text("correlation_id")))) { (text(event.text("tool"))) }
                        " role " (text(event.text("role")))
                        @if let Some(time) = event.time() { " began " (ago(time, now)) }
                    }
                }
            }
        }
    }
}

/// Returns the tools that a change concerns: those that are on, or those that a person has switched.
fn selected(console: &Console, filter: &Filter, change: Change) -> Vec<ToolName> {
    let tools = console.registry().switches();
    let concerned = tools.filter(|(spec, switch)| {
        let has_effect = match change {
            Change::Off => switch.is_on(),
            Change::On => false,
            Change::Reset => switch.overridden.is_some(),
        };
        has_effect && filter.selects(spec)
    });
    concerned.map(|(spec, _)| spec.name.clone()).collect()
}

fn what(filter: &Filter) -> Markup {
    html! {
        @match (filter.service.as_str(), filter.category) {
            ("", None) => "Everything",
            ("", Some(category)) => { "The category " (category) }
            (service, None) => { "The service " (text(service)) }
            (service, Some(category)) => { "The category " (category) " of the service " (text(service)) }
        }
    }
}

fn form(
    console: &Console,
    visitor: &Visitor,
    filter: &Filter,
    off: usize,
    switched: usize,
) -> Markup {
    html! {
        form.decide method="post" action=(console.path("/tools/switch")) {
            (csrf(visitor))
            input type="hidden" name="service" value=(filter.service);
            input type="hidden" name="category" value=(filter.category.map_or("", |category| category.word()));
            label for="reason" { "Reason" }
            textarea #reason name="reason" rows="2" maxlength="500" required {}
            div.buttons {
                @if off > 0 {
                    button.reject name="change" value="off" { "Switch " (plural(off as u64, "tool")) " off" }
                }
                @if switched > 0 {
                    button name="change" value="reset" { "Remove the switches of " (plural(switched as u64, "tool")) }
                }
            }
        }
    }
}

/// Switches many tools.
pub(crate) async fn switch_many(
    State(console): State<Console>,
    submission: Submission,
) -> Result<Response, Refusal> {
    let Submission { visitor, fields } = submission;
    visitor.must_be(ConsoleRole::Operator, &console, "switch many tools")?;
    let change = Change::from_word(fields.text("change"));
    let change = change.filter(|change| *change != Change::On);
    let change = change.ok_or_else(|| Refusal::invalid(&console, "choose what to do"))?;
    let tools = selected(&console, &Filter::of(&fields), change);
    let why = fields.line("reason").unwrap_or_default();
    apply(&console, &tools, change, visitor.person(), &why).await?;
    let page = console.path("/tools?state=switched");
    Ok(Redirect::to(&page).into_response())
}
