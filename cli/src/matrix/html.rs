//! The matrix as a page.

use maud::{Markup, html};
use toolwright::{Category, Role};

use super::{Matrix, MatrixCell, MatrixEntry, MatrixRow, MatrixService};
use crate::{
    output::plural,
    picture::{self, APPROVAL, Chip, Choice, DESTRUCTIVE, sign},
};

pub(super) fn render(matrix: &Matrix) -> String {
    let body = html! {
        h1 { "Who may do what" }
        p.sub {
            (plural(matrix.roles.len(), "role")) ", "
            (plural(matrix.tools(), "tool")) " of " (plural(matrix.services.len(), "service"))
        }
        (picture::legend(true))
        (picture::contents(&contents(matrix)))
        (picture::filter(&choices()))
        (sums(matrix))
        @for service in &matrix.services { (of_service(matrix, service)) }
    };
    picture::page("Who may do what", &body)
}

fn contents(matrix: &Matrix) -> Vec<(String, String, Option<usize>)> {
    let services = matrix.services.iter();
    let part = |service: &MatrixService| {
        let name = service.name.to_string();
        (name.clone(), name, Some(service.tools()))
    };
    services.map(part).collect()
}

fn choices() -> [Choice<'static>; 7] {
    let show = |id, label| Choice {
        id,
        label,
        checked: true,
    };
    [
        show("show-observe", "observe"),
        show("show-report", "report"),
        show("show-execute", "execute"),
        show("show-approve", "approve"),
        show("show-off", "switched off"),
        show("show-nobody", "granted to no role"),
        Choice {
            id: "only-destructive",
            label: "only destructive",
            checked: false,
        },
    ]
}

/// Counts the tools of each service that each role can call.
fn sums(matrix: &Matrix) -> Markup {
    html! {
        table.sums.stacked {
            thead { tr {
                th { "service" } th.number { "tools" }
                @for role in &matrix.roles { th { (role) } }
            } }
            tbody {
                @for service in &matrix.services {
                    tr {
                        td data-label="service" { a href={ "#" (service.name) } { (service.name) } }
                        td.number data-label="tools" { (service.tools()) }
                        @for role in &matrix.roles { td data-label=(role) { div { (sum(service, role)) } } }
                    }
                }
            }
        }
    }
}

fn sum(service: &MatrixService, role: &Role) -> Markup {
    let sum = service.sum(role);
    html! {
        @for &category in Category::ALL {
            @if let Some(number) = sum.by_category.get(&category) {
                span class={ "sum chip " (category.word()) } { (sign(category)) " " (number) }
            }
        }
        @if sum.approval > 0 { span.sub { " " (APPROVAL) " " (sum.approval) } }
        @if sum.off > 0 { span.sub { " (" (sum.off) " off)" } }
        @if sum == super::Sum::default() { span.sub { "–" } }
    }
}

fn of_service(matrix: &Matrix, service: &MatrixService) -> Markup {
    let has_nobody = service.has_ungranted();
    let mut head = "";
    html! {
        h2 id=(service.name) { (service.name) " " span.sub { (plural(service.tools(), "tool")) } }
        @if !service.workspaces.is_empty() {
            p.sub {
                "Workspaces: "
                @for (at, role) in matrix.roles.iter().enumerate() {
                    @if at > 0 { "; " }
                    (role) " " (service.workspaces_of(role).join(", "))
                }
            }
        }
        table.matrix.stacked {
            thead { tr {
                th.noun { "acts on" }
                @for role in &matrix.roles { th { (role) } }
                @if has_nobody { th.ungranted { "granted to no role" } }
            } }
            tbody {
                @for row in &service.rows {
                    @let first = row.noun.split('-').next().unwrap_or_default();
                    @let is_first = std::mem::replace(&mut head, first) != first;
                    tr.first[is_first] {
                        td.noun { (noun(row, is_first)) }
                        @for role in &matrix.roles { (cell(role, &row.cell(role))) }
                        @if has_nobody { (nobody(&row.nobody())) }
                    }
                }
            }
        }
    }
}

/// Returns the noun. The part that it shares with the row above is dimmed.
fn noun(row: &MatrixRow, is_first: bool) -> Markup {
    let text = row.noun.as_str();
    match text.split_once('-') {
        Some((head, rest)) if !is_first => html! { span.head { (head) "-" } (rest) },
        _ => html! { (text) },
    }
}

fn cell(role: &Role, cell: &MatrixCell<'_>) -> Markup {
    html! {
        @if cell.entries.is_empty() { td.none { "·" } } @else {
            td data-label=(role) { div { @for entry in &cell.entries { (chip(entry).render()) } } }
        }
    }
}

fn chip(entry: &MatrixEntry) -> Chip<'_> {
    Chip {
        approval: entry.approval_required,
        destructive: entry.destructive,
        off: !entry.on,
        ..Chip::new(&entry.label, entry.name.as_str(), entry.category)
    }
}

/// Returns the ungranted tools, dimmed.
fn nobody(cell: &MatrixCell<'_>) -> Markup {
    html! {
        td.ungranted data-label="granted to no role" {
            div {
                @for entry in &cell.entries {
                    span.chip.nobody.destructive[entry.destructive] title=(entry.name) {
                        span.sign { (sign(entry.category)) }
                        (entry.label)
                        @if entry.destructive { span.danger { (DESTRUCTIVE) } }
                        @if entry.approval_required { span.flag { (APPROVAL) } }
                    }
                    " "
                }
            }
        }
    }
}
