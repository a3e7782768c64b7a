//! The matrix from afar: how many tools of each service each role is offered.

use std::collections::{BTreeMap, BTreeSet};

use axum::{extract::State, response::Response};
use maud::{Markup, html};
use toolwright::{Category, Role, ServiceName, ToolName, ToolSpec};

use super::{matrix::PATH, parts};
use crate::{
    console::Console,
    form::query,
    page::{Page, Part},
    shown::{plural, text},
    visitor::Visitor,
};

/// The most services that the page lists.
const MOST_SERVICES: usize = 200;

/// The tools of a service that a role is offered, by category.
type Sum = BTreeMap<Category, u64>;

/// Shows how many tools of each service each role is offered.
pub(crate) async fn overview(State(console): State<Console>, visitor: Visitor) -> Response {
    let registry = console.registry();
    let roles = registry.roles();
    let snapshot = registry.snapshot();
    let mut services: BTreeMap<&ServiceName, Vec<&ToolSpec>> = BTreeMap::new();
    let tools: Vec<_> = registry.tools().map(|(spec, _)| spec).collect();
    for spec in &tools {
        services.entry(&spec.service).or_default().push(spec);
    }
    let offered: Vec<(&Role, BTreeSet<&ToolName>)> = roles
        .iter()
        .map(|role| (role, snapshot.offered(role)))
        .collect();
    let body = html! {
        h1 { "Who may what" }
        (parts(&console, "/access"))
        p.sub {
            (plural(roles.len() as u64, "role")) ", " (plural(services.len() as u64, "service"))
            ". A number is that of the tools that a role is offered now. Open a service, a role or a number to see which."
        }
        div.scroll tabindex="0" role="region" aria-label="Tools by service and role" {
            table.matrix {
                thead { tr {
                    th { "service" } th.number { "tools" }
                    @for role in &roles {
                        th { a href=(console.path(&format!("/access/{role}"))) { (text(role.as_str())) } }
                    }
                } }
                tbody {
                    @for (service, tools) in services.iter().take(MOST_SERVICES) {
                        tr {
                            th.mono scope="row" {
                                a href=(zoomed(&console, service)) data-row { (text(service.as_str())) }
                            }
                            td.number { (tools.len()) }
                            @for (role, offered) in &offered {
                                td { (sum(&console, service, role, tools, offered)) }
                            }
                        }
                    }
                }
            }
        }
    };
    let page = Page {
        console: &console,
        visitor: &visitor,
        part: Part::Access,
        title: "Who may what",
    };
    page.render(body).await
}

/// Returns the path of the tools of a service with their roles.
fn zoomed(console: &Console, service: &ServiceName) -> String {
    let query = query(&[("service", service.as_str().into())]);
    console.path(&format!("{PATH}{query}"))
}

fn sum(
    console: &Console,
    service: &ServiceName,
    role: &Role,
    tools: &[&ToolSpec],
    offered: &BTreeSet<&ToolName>,
) -> Markup {
    let mut sum = Sum::new();
    for spec in tools.iter().filter(|spec| offered.contains(&spec.name)) {
        *sum.entry(spec.category).or_default() += 1;
    }
    let query = query(&[("service", service.as_str().into())]);
    let path = console.path(&format!("/access/{role}{query}"));
    html! {
        @if sum.is_empty() { span.sub { "–" } } @else {
            a.sums href=(path) {
                @for (category, number) in &sum {
                    span class={ "chip " (category.word()) } { (number) " " (category) } " "
                }
            }
        }
    }
}
