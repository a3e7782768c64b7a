//! The matrix, zoomed: one cell for each tool and role.

use std::{borrow::Cow, collections::BTreeSet};

use axum::{
    extract::{RawQuery, State},
    response::Response,
};
use maud::{Markup, html};
use toolwright::{
    Role, ToolSpec,
    policy::{Decision, RefusalReason, Request, Snapshot, Variables, decide_offer},
};

use super::parts;
use crate::{
    console::Console,
    form::{Fields, query},
    governance::class,
    page::{Page, Part},
    shown::{plural, text},
    visitor::Visitor,
};

/// The path of the page. It is not below `/access`, where roles have their pages.
pub(super) const PATH: &str = "/matrix";

/// The number of tools on a page.
const ON_A_PAGE: usize = 50;

/// What a role may do with a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Granted,
    Approval,
    Off,
    Forbidden,
    NotGranted,
}

impl Cell {
    const ALL: [Self; 5] = [
        Self::Granted,
        Self::Approval,
        Self::Off,
        Self::Forbidden,
        Self::NotGranted,
    ];

    /// Returns the word of the filter, which is also the class of the cell.
    const fn word(self) -> &'static str {
        match self {
            Self::Granted => "granted",
            Self::Approval => "approval",
            Self::Off => "off",
            Self::Forbidden => "forbidden",
            Self::NotGranted => "none",
        }
    }

    /// Returns the words of the cell.
    const fn label(self) -> &'static str {
        match self {
            Self::Granted => "granted",
            Self::Approval => "asks a person",
            Self::Off => "switched off",
            Self::Forbidden => "forbidden",
            Self::NotGranted => "not granted",
        }
    }

    fn of(snapshot: &Snapshot, role: &Role, spec: &ToolSpec) -> Self {
        let (variables, exhausted) = (Variables::new(), BTreeSet::new());
        let request = Request {
            role,
            tool: spec.name.as_str(),
            node: None,
            allow_list: None,
            variables: &variables,
            exhausted: &exhausted,
            call: None,
        };
        match decide_offer(snapshot, &request) {
            Decision::Allow(_) if spec.approval_required => Self::Approval,
            Decision::Allow(_) => Self::Granted,
            Decision::Deny(refusal) => match refusal.reason {
                RefusalReason::Disabled => Self::Off,
                RefusalReason::Forbidden => Self::Forbidden,
                _ => Self::NotGranted,
            },
        }
    }
}

/// Which tools and roles are shown.
#[derive(Clone, Debug)]
struct Zoom {
    text: String,
    words: Vec<String>,
    service: String,
    role: String,
    cell: Option<Cell>,
}

impl Zoom {
    fn of(fields: &Fields) -> Self {
        let text = fields.text("q").to_lowercase();
        let cell = fields.text("cell");
        Self {
            words: text.split_whitespace().map(str::to_owned).collect(),
            text,
            service: fields.text("service").to_owned(),
            role: fields.text("role").to_owned(),
            cell: Cell::ALL.into_iter().find(|known| known.word() == cell),
        }
    }

    fn selects(&self, spec: &ToolSpec) -> bool {
        let name = spec.name.as_str();
        (self.service.is_empty() || spec.service.as_str() == self.service)
            && self.words.iter().all(|word| name.contains(word))
    }

    /// Checks whether a role has the cell that is asked for.
    fn has_cell(&self, snapshot: &Snapshot, roles: &[Role], spec: &ToolSpec) -> bool {
        self.cell.is_none_or(|cell| {
            let mut roles = roles.iter();
            roles.any(|role| Cell::of(snapshot, role, spec) == cell)
        })
    }

    fn query(&self, page: usize) -> String {
        let page = if page > 1 {
            page.to_string()
        } else {
            String::new()
        };
        query(&[
            ("q", Cow::from(&self.text)),
            ("service", Cow::from(&self.service)),
            ("role", Cow::from(&self.role)),
            ("cell", self.cell.map_or("", Cell::word).into()),
            ("page", Cow::from(page)),
        ])
    }
}

/// Shows what each role may do with each tool.
pub(crate) async fn matrix(
    State(console): State<Console>,
    visitor: Visitor,
    RawQuery(raw): RawQuery,
) -> Response {
    let fields = Fields::parse(raw.unwrap_or_default().as_bytes());
    let zoom = Zoom::of(&fields);
    let page = fields.number("page").max(1);
    let skip = (page - 1).saturating_mul(ON_A_PAGE);
    let registry = console.registry();
    let snapshot = registry.snapshot();
    let all = registry.roles();
    let roles = all.iter();
    let roles: Vec<Role> = roles
        .filter(|role| zoom.role.is_empty() || role.as_str() == zoom.role)
        .cloned()
        .collect();
    let mut services = BTreeSet::new();
    let (mut found, mut shown) = (0, Vec::new());
    let tools: Vec<_> = registry.tools().map(|(spec, _)| spec).collect();
    for spec in &tools {
        services.insert(spec.service.as_str());
        if zoom.selects(spec) && zoom.has_cell(&snapshot, &roles, spec) {
            if found >= skip && shown.len() < ON_A_PAGE {
                shown.push(spec.as_ref());
            }
            found += 1;
        }
    }
    let rows: Vec<(&ToolSpec, Vec<Cell>)> = shown
        .iter()
        .map(|spec| (*spec, cells(&snapshot, &roles, spec)))
        .collect();
    let body = html! {
        h1 { "Who may what" }
        (parts(&console, PATH))
        (controls(&console, &zoom, &services, &all))
        div #results data-part data-version=(version(&zoom, found, page, &rows)) {
            p.sub role="status" { (plural(found as u64, "tool")) ", " (plural(roles.len() as u64, "role")) ". A cell leads to its reasons." }
            (table(&console, &roles, &rows))
            (pages(&console, &zoom, page, skip + ON_A_PAGE >= found))
        }
    };
    let page = Page {
        console: &console,
        visitor: &visitor,
        part: Part::Access,
        title: "Tools and roles",
    };
    page.render(body).await
}

fn cells(snapshot: &Snapshot, roles: &[Role], spec: &ToolSpec) -> Vec<Cell> {
    let cells = roles.iter().map(|role| Cell::of(snapshot, role, spec));
    cells.collect()
}

/// Returns a version of the results: it changes with what they show.
fn version(zoom: &Zoom, found: usize, page: usize, rows: &[(&ToolSpec, Vec<Cell>)]) -> String {
    let cells = rows.iter().flat_map(|(_, cells)| cells);
    let letters: String = cells
        .filter_map(|cell| cell.word().chars().next())
        .collect();
    format!("{}:{found}:{letters}", zoom.query(page))
}

fn controls(console: &Console, zoom: &Zoom, services: &BTreeSet<&str>, roles: &[Role]) -> Markup {
    html! {
        form.filter role="search" method="get" action=(console.path(PATH)) data-search="results" {
            label { span { "Search" } input type="search" name="q" value=(zoom.text) autocomplete="off" data-key="/"; }
            label {
                span { "Service" }
                select name="service" {
                    option value="" { "every service" }
                    @for service in services {
                        option value=(service) selected[*service == zoom.service] { (text(service)) }
                    }
                }
            }
            label {
                span { "Role" }
                select name="role" {
                    option value="" { "every role" }
                    @for role in roles {
                        option value=(role) selected[role.as_str() == zoom.role] { (text(role.as_str())) }
                    }
                }
            }
            label {
                span { "Some role" }
                select name="cell" {
                    option value="" { "any" }
                    @for cell in Cell::ALL {
                        option value=(cell.word()) selected[zoom.cell == Some(cell)] { (cell.label()) }
                    }
                }
            }
            button { "Show" }
        }
    }
}

fn table(console: &Console, roles: &[Role], rows: &[(&ToolSpec, Vec<Cell>)]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Roles by tool" {
            table.matrix.cells {
                thead { tr {
                    th { "tool" } th { "class" }
                    @for role in roles {
                        th { a href=(console.path(&format!("/access/{role}"))) { (text(role.as_str())) } }
                    }
                } }
                tbody {
                    @for (spec, cells) in rows {
                        tr {
                            th.mono scope="row" {
                                a href=(console.path(&format!("/tools/{}", spec.name))) data-row { (text(spec.name.as_str())) }
                            }
                            td { (class(spec.category, spec.hints.destructive)) }
                            @for (role, cell) in roles.iter().zip(cells) {
                                td { a class={ "cell " (cell.word()) } href=(console.path(&format!("/access/{role}/{}", spec.name))) { (cell.label()) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn pages(console: &Console, zoom: &Zoom, page: usize, is_last: bool) -> Markup {
    let link = |page| console.path(&format!("{PATH}{}", zoom.query(page)));
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
