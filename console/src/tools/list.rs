//! The list of the tools, with a filter.

use std::{borrow::Cow, collections::BTreeSet};

use axum::{
    extract::{RawQuery, State},
    response::Response,
};
use jiff::Timestamp;
use maud::{Markup, html};
use toolwright::{Category, ToolSpec, config::ConsoleRole, registry::Switch};

use super::{decided_by, on_or_off};
use crate::{
    console::Console,
    form::{Fields, query},
    governance::class,
    page::{Page, Part},
    refusal::Refusal,
    shown::{plural, text},
    visitor::Visitor,
};

/// The number of tools on a page.
const ON_A_PAGE: usize = 50;

/// The states that the filter knows, each with its words.
const STATES: [(&str, &str); 4] = [
    ("", "any state"),
    ("on", "on"),
    ("off", "off"),
    ("switched", "switched by a person"),
];

/// Which tools are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Filter {
    words: Vec<String>,
    text: String,
    pub(super) service: String,
    pub(super) category: Option<Category>,
    state: String,
}

impl Filter {
    pub(super) fn of(fields: &Fields) -> Self {
        let text = fields.text("q").to_lowercase();
        Self {
            words: text.split_whitespace().map(str::to_owned).collect(),
            text,
            service: fields.text("service").to_owned(),
            category: Category::from_word(fields.text("category")),
            state: fields.text("state").to_owned(),
        }
    }

    /// Checks whether a tool is of the chosen service and category.
    pub(super) fn selects(&self, spec: &ToolSpec) -> bool {
        (self.service.is_empty() || spec.service.as_str() == self.service)
            && self
                .category
                .is_none_or(|category| spec.category == category)
    }

    fn matches(&self, spec: &ToolSpec, switch: &Switch) -> bool {
        let is_in_state = match self.state.as_str() {
            "on" => switch.is_on(),
            "off" => !switch.is_on(),
            "switched" => switch.overridden.is_some(),
            _ => true,
        };
        is_in_state && self.selects(spec) && self.words.iter().all(|word| has(spec, word))
    }

    fn query(&self, page: usize) -> String {
        let category = self.category.map_or("", Category::word);
        let page = if page > 1 {
            page.to_string()
        } else {
            String::new()
        };
        query(&[
            ("q", Cow::from(&self.text)),
            ("service", Cow::from(&self.service)),
            ("category", Cow::from(category)),
            ("state", Cow::from(&self.state)),
            ("page", Cow::from(page)),
        ])
    }
}

/// Checks whether the name or the summary of a tool contains a word in lower case.
fn has(spec: &ToolSpec, word: &str) -> bool {
    spec.name.as_str().contains(word) || spec.short.to_lowercase().contains(word)
}

/// Lists the tools that the filter selects.
pub(crate) async fn list(
    State(console): State<Console>,
    visitor: Visitor,
    RawQuery(raw): RawQuery,
) -> Result<Response, Refusal> {
    let fields = Fields::parse(raw.unwrap_or_default().as_bytes());
    let filter = Filter::of(&fields);
    let page = fields.number("page").max(1);
    let skip = (page - 1).saturating_mul(ON_A_PAGE);
    let mut services = BTreeSet::new();
    let (mut found, mut shown) = (0, Vec::new());
    let switches: Vec<_> = console.registry().switches().collect();
    for (spec, switch) in &switches {
        services.insert(spec.service.as_str());
        if filter.matches(spec, switch) {
            if found >= skip && shown.len() < ON_A_PAGE {
                shown.push((spec.as_ref(), switch.clone()));
            }
            found += 1;
        }
    }
    let states = shown.iter();
    let states = states.map(|(spec, switch)| format!("{}{}", spec.name, switch.is_on()));
    let version = format!("{found}:{}", states.collect::<Vec<_>>().join(","));
    let body = html! {
        div.title {
            h1 { "Tools" }
            @if visitor.may(ConsoleRole::Operator) {
                a.button href=(console.path("/tools/switch")) { "Switch many off" }
            }
        }
        (controls(&console, &filter, &services))
        div #results data-part data-version=(version) {
            p.sub role="status" { (plural(found as u64, "tool")) }
            (table(&console, &shown))
            (pages(&console, &filter, page, skip + ON_A_PAGE >= found))
        }
    };
    let page = Page {
        console: &console,
        visitor: &visitor,
        part: Part::Tools,
        title: "Tools",
    };
    Ok(page.render(body).await)
}

fn controls(console: &Console, filter: &Filter, services: &BTreeSet<&str>) -> Markup {
    html! {
        form.filter role="search" method="get" action=(console.path("/tools")) data-search="results" {
            label { span { "Search" } input type="search" name="q" value=(filter.text) autocomplete="off" data-key="/"; }
            label { span { "Service" } (services_of(services, &filter.service)) }
            label { span { "Category" } (categories(filter.category)) }
            label {
                span { "State" }
                select name="state" {
                    @for (word, label) in STATES {
                        option value=(word) selected[filter.state == word] { (label) }
                    }
                }
            }
            button { "Show" }
        }
    }
}

/// Offers the services.
pub(super) fn services_of(services: &BTreeSet<&str>, chosen: &str) -> Markup {
    html! {
        select name="service" {
            option value="" { "every service" }
            @for service in services {
                option value=(service) selected[*service == chosen] { (text(service)) }
            }
        }
    }
}

/// Offers the categories.
pub(super) fn categories(chosen: Option<Category>) -> Markup {
    html! {
        select name="category" {
            option value="" { "every category" }
            @for &category in Category::ALL {
                option value=(category) selected[chosen == Some(category)] { (category) }
            }
        }
    }
}

fn table(console: &Console, tools: &[(&ToolSpec, Switch)]) -> Markup {
    let now = Timestamp::now();
    html! {
        table.stacked.tools {
            thead { tr { th { "tool" } th { "now" } th { "class" } th { "decided by" } } }
            tbody {
                @for (spec, switch) in tools {
                    tr {
                        th scope="row" data-label="tool" {
                            a.mono href=(console.path(&format!("/tools/{}", spec.name))) data-row { (text(spec.name.as_str())) }
                            div.sub { (text(&spec.short)) }
                        }
                        td data-label="now" { (on_or_off(switch)) }
                        td data-label="class" { (class(spec.category, spec.hints.destructive)) }
                        td data-label="decided by" { (decided_by(switch, now)) }
                    }
                }
            }
        }
    }
}

fn pages(console: &Console, filter: &Filter, page: usize, is_last: bool) -> Markup {
    let link = |page| console.path(&format!("/tools{}", filter.query(page)));
    html! {
        @if page > 1 || !is_last {
            nav.pages aria-label="Pages" {
                @if page > 1 { a href=(link(page - 1)) { "Previous" } }
                span.sub { "page " (page) }
                @if !is_last { a href=(link(page + 1)) { "Next" } }
            }
        }
    }
}
