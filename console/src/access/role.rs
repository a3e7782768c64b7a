//! The page of a role: the tools that it is granted, with their limits.

use std::{borrow::Cow, collections::BTreeSet};

use axum::{
    extract::{Path, RawQuery, State},
    response::Response,
};
use maud::{Markup, html};
use toolwright::{Role, ToolSpec, policy::Snapshot};

use super::{declared, parts};
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

/// Shows the tools of a role.
pub(crate) async fn role(
    State(console): State<Console>,
    visitor: Visitor,
    Path(name): Path<String>,
    RawQuery(raw): RawQuery,
) -> Result<Response, Refusal> {
    let role = declared(&console, &name)?;
    let fields = Fields::parse(raw.unwrap_or_default().as_bytes());
    let (search, service) = (fields.text("q").to_lowercase(), fields.text("service"));
    let page = fields.number("page").max(1);
    let skip = (page - 1).saturating_mul(ON_A_PAGE);
    let registry = console.registry();
    let snapshot = registry.snapshot();
    let offered = snapshot.offered(&role);
    let tools = registry.granted(&role).into_iter();
    let tools = tools.filter_map(|name| registry.spec(name.as_str()));
    let tools: Vec<_> = tools
        .filter(|spec| service.is_empty() || spec.service.as_str() == service)
        .filter(|spec| {
            search
                .split_whitespace()
                .all(|word| spec.name.as_str().contains(word))
        })
        .collect();
    let shown: Vec<(&ToolSpec, bool)> = tools
        .iter()
        .skip(skip)
        .take(ON_A_PAGE)
        .map(|spec| (spec.as_ref(), offered.contains(&spec.name)))
        .collect();
    let body = html! {
        h1 { "Role " (text(role.as_str())) }
        (parts(&console, "/access"))
        form.filter role="search" method="get" action=(console.path(&format!("/access/{role}"))) data-search="results" {
            label { span { "Search" } input type="search" name="q" value=(search) autocomplete="off" data-key="/"; }
            label { span { "Service" } input name="service" value=(service) autocomplete="off"; }
            button { "Show" }
        }
        (why_form(&console, &role))
        div #results data-part data-version=(format!("{search}{service}{page}")) {
            p.sub role="status" {
                "granted " (plural(tools.len() as u64, "tool")) ", offered "
                (tools.iter().filter(|spec| offered.contains(&spec.name)).count())
            }
            (table(&console, &role, &shown, &snapshot))
            (pages(&console, &role, &[("q", search.as_str().into()), ("service", service.into())], page, skip + ON_A_PAGE >= tools.len()))
        }
    };
    let page = Page {
        console: &console,
        visitor: &visitor,
        part: Part::Access,
        title: role.as_str(),
    };
    Ok(page.render(body).await)
}

/// Asks about any tool, also one that the role is not granted.
fn why_form(console: &Console, role: &Role) -> Markup {
    html! {
        form.inline method="get" action=(console.path("/why")) {
            input type="hidden" name="role" value=(role);
            label { "Why, or why not: " input name="tool" required autocomplete="off" placeholder="name of a tool"; }
            button { "Explain" }
        }
    }
}

fn table(
    console: &Console,
    role: &Role,
    tools: &[(&ToolSpec, bool)],
    snapshot: &Snapshot,
) -> Markup {
    html! {
        table.stacked {
            thead { tr { th { "tool" } th { "offered" } th { "class" } th { "limits" } } }
            tbody {
                @for (spec, is_offered) in tools {
                    tr {
                        th scope="row" data-label="tool" {
                            a.mono href=(console.path(&format!("/access/{role}/{}", spec.name))) data-row { (text(spec.name.as_str())) }
                        }
                        td data-label="offered" {
                            @if *is_offered { span.state.on { "yes" } } @else { span.state.off { "switched off" } }
                        }
                        td data-label="class" {
                            (class(spec.category, spec.hints.destructive))
                            @if spec.approval_required { " " span.sub { "approval" } }
                        }
                        td data-label="limits" { (limits(&snapshot.limits_of(role, &spec.name))) }
                    }
                }
            }
        }
    }
}

fn limits(limits: &BTreeSet<String>) -> Markup {
    html! { ul.plain { @for limit in limits { li.mono.break { (text(limit)) } } } }
}

fn pages(
    console: &Console,
    role: &Role,
    set: &[(&str, Cow<'_, str>)],
    page: usize,
    is_last: bool,
) -> Markup {
    let link = |page: usize| {
        let fields = [set, &[("page", Cow::from(page.to_string()))]].concat();
        console.path(&format!("/access/{role}{}", query(&fields)))
    };
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
