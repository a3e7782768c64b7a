//! The switch of many tools at once: of a service, of a category, or of everything.

use std::collections::BTreeSet;

use axum::{
    extract::{RawQuery, State},
    response::{IntoResponse, Redirect, Response},
};
use maud::{Markup, html};
use toolwright::{ToolName, config::ConsoleRole};

use super::{
    Change, apply,
    list::{Filter, categories, services_of},
};
use crate::{
    console::Console,
    form::Fields,
    page::{Page, Part, csrf},
    refusal::Refusal,
    session::Submission,
    shown::{plural, text},
    visitor::Visitor,
};

/// Asks which tools to switch off, and shows how many there are.
pub(crate) async fn many(
    State(console): State<Console>,
    visitor: Visitor,
    RawQuery(raw): RawQuery,
) -> Result<Response, Refusal> {
    visitor.must_be(ConsoleRole::Operator, &console, "switch many tools")?;
    let fields = Fields::parse(raw.unwrap_or_default().as_bytes());
    let filter = Filter::of(&fields);
    let services: BTreeSet<&str> = console
        .registry()
        .tools()
        .map(|(spec, _)| spec.service.as_str())
        .collect();
    let off = selected(&console, &filter, Change::Off);
    let switched = selected(&console, &filter, Change::Reset);
    let waiting = console.live().waiting(console.state()).await;
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
                (plural(off.len() as u64, "tool")) " of them " (if off.len() == 1 { "is" } else { "are" }) " on. "
                (plural(waiting, "call")) " waiting in all: those of tools that are off are refused."
            }
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
