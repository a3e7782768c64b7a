//! The matrix as a page.

use maud::{Markup, html};
use toolwright::{Category, Role};

use super::{Matrix, MatrixCell, MatrixRow, MatrixService};
use crate::{
    output::plural,
    picture::{self, APPROVAL, chip, sign},
};

pub(super) fn render(matrix: &Matrix) -> String {
    let body = html! {
        h1 { "Who may do what" }
        p.sub {
            (plural(matrix.roles.len(), "role")) ", "
            (plural(matrix.tools(), "tool")) " of " (plural(matrix.services.len(), "service"))
        }
        (picture::legend(true))
        (sums(matrix))
        @for service in &matrix.services { (of_service(matrix, service)) }
    };
    picture::page("Who may do what", &body)
}

/// Counts the tools of each service that each role can call.
fn sums(matrix: &Matrix) -> Markup {
    html! {
        table.sums {
            thead { tr {
                th { "service" } th.number { "tools" }
                @for role in &matrix.roles { th { (role) } }
            } }
            tbody {
                @for service in &matrix.services {
                    tr {
                        td { a href={ "#" (service.name) } { (service.name) } }
                        td.number { (service.tools()) }
                        @for role in &matrix.roles { td { (sum(service, role)) } }
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
        table.matrix {
            thead { tr {
                th.noun { "acts on" }
                @for role in &matrix.roles { th { (role) } }
                @if has_nobody { th { "granted to no role" } }
            } }
            tbody {
                @for row in &service.rows {
                    @let first = row.noun.split('-').next().unwrap_or_default();
                    @let is_first = std::mem::replace(&mut head, first) != first;
                    tr.first[is_first] {
                        td.noun { (noun(row, is_first)) }
                        @for role in &matrix.roles { (cell(&row.cell(role))) }
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

fn cell(cell: &MatrixCell<'_>) -> Markup {
    html! {
        @if cell.entries.is_empty() { td.none { "·" } } @else {
            td {
                @for entry in &cell.entries {
                    (chip(&entry.label, entry.name.as_str(), entry.category, entry.approval_required, !entry.on))
                }
            }
        }
    }
}

/// Returns the ungranted tools, dimmed.
fn nobody(cell: &MatrixCell<'_>) -> Markup {
    html! {
        td {
            @for entry in &cell.entries {
                span.chip.nobody title=(entry.name) {
                    span.sign { (sign(entry.category)) }
                    (entry.label)
                    @if entry.approval_required { span.flag { (APPROVAL) } }
                }
                " "
            }
        }
    }
}
