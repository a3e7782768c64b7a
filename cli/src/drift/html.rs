//! The report as a page: what changed, and what it means for who may do what.

use std::collections::BTreeSet;

use maud::{Markup, html};
use similar::ChangeTag;
use toolwright::{Category, ToolName};
use toolwright_generator::drift::{Change, ChangeKind, Class};

use super::{
    Drift, Standing,
    words::{self, Group, Said, Texts, Whole},
};
use crate::{
    output::plural,
    picture::{self, chip},
};

/// The most tools that a role's row names.
const NAMED: usize = 40;

pub(super) fn render(drift: &Drift) -> String {
    let report = &drift.report;
    let body = html! {
        h1 { "What changed: " code { (drift.old) } " → " code { (drift.new) } }
        p.sub { (words::tools(&report.totals)) }
        div.tiles {
            @for class in Class::ALL {
                div class={ "tile " (class.word()) } {
                    strong { (words::number(report, class)) }
                    (class.word())
                    div.meaning { (class.meaning()) }
                }
            }
        }
        @if !report.is_empty() {
            (picture::legend(false))
            (roles(drift))
            @for class in Class::ALL { (section(drift, class)) }
            (tools(drift))
        }
    };
    picture::page(&format!("{} → {}", drift.old, drift.new), &body)
}

/// Who may do what: of each role, what it can call that it could not, and the other way round.
fn roles(drift: &Drift) -> Markup {
    html! {
        @if !drift.roles.is_empty() {
            h2 { "Who may do what" }
            table {
                thead { tr {
                    th { "role" } th.number { "tools before" } th.number { "now" } th { "gains" } th { "loses" }
                } }
                tbody {
                    @for standing in &drift.roles { (standing_row(drift, standing)) }
                }
            }
        }
    }
}

fn standing_row(drift: &Drift, standing: &Standing) -> Markup {
    html! {
        tr {
            td { strong { (standing.role) } }
            td.number { (standing.before) }
            td.number { (standing.after) }
            td { (gained(drift, &standing.gains)) }
            td { (plain(&standing.loses)) }
        }
    }
}

/// Tools with their categories, as far as the report knows them.
fn gained(drift: &Drift, names: &BTreeSet<ToolName>) -> Markup {
    let added = |name: &ToolName| {
        let mut changes = drift.report.of_class(Class::Widening);
        let change = changes
            .find(|change| change.kind == ChangeKind::ToolAdded && change.tools.contains(name))?;
        let whole = Whole::of(change);
        Some((Category::from_word(whole.category)?, whole.approval))
    };
    html! {
        @for name in names.iter().take(NAMED) {
            @match added(name) {
                Some((category, approval)) => (chip(name.as_str(), name.as_str(), category, approval, false)),
                None => { span.chip.nobody { (name) } " " }
            }
        }
        (others(names.len()))
    }
}

fn plain(names: &BTreeSet<ToolName>) -> Markup {
    html! {
        @for name in names.iter().take(NAMED) { span.chip.nobody { (name) } " " }
        (others(names.len()))
    }
}

fn others(number: usize) -> Markup {
    html! {
        @if number > NAMED { span.sub { "and " (number - NAMED) " others" } }
    }
}

fn section(drift: &Drift, class: Class) -> Markup {
    let groups = words::groups(&drift.report, class);
    let title = format!(
        "{}: {}",
        words::capitalised(class.word()),
        plural(words::number(&drift.report, class), "change")
    );
    let heading = html! { h2 class=(class.word()) { (title) } };
    let body = html! { @for of_kind in &groups { (group(of_kind)) } };
    html! {
        @if !groups.is_empty() {
            @if class == Class::Harmless {
                details open { summary { (heading) } (body) }
            } @else {
                (heading)
                (body)
            }
        }
    }
}

fn group(group: &Group<'_>) -> Markup {
    let kind = group.kind;
    html! {
        h3 { span.kind { (kind.word()) } " " span.sub { (group.changes.len()) } }
        p.meaning { (kind.meaning()) }
        @if matches!(kind, ChangeKind::ToolAdded | ChangeKind::ToolRemoved) {
            table {
                tbody { @for change in &group.changes { (whole(change)) } }
            }
        } @else {
            ul.changes { @for said in group.said() { (one(&said)) } }
        }
    }
}

/// A tool that is new or gone.
fn whole(change: &Change) -> Markup {
    let whole = Whole::of(change);
    let category = Category::from_word(whole.category).unwrap_or(Category::Execute);
    let first = whole.description.lines().next().unwrap_or_default();
    html! {
        @for name in &change.tools {
            tr {
                td { (chip(name.as_str(), name.as_str(), category, whole.approval, false)) }
                td { code { (words::visible(whole.operation)) } }
                td {
                    @if whole.description.trim() == first.trim() { (first) } @else {
                        details { summary { (first) } div.texts { (whole.description) } }
                    }
                }
            }
        }
    }
}

fn one(said: &Said<'_>) -> Markup {
    let change = said.change;
    html! {
        li title=(change.place) {
            (prose(&said.says))
            @match words::texts(change) {
                Some(Texts::Words(parts)) => div.texts {
                    @for (tag, part) in &parts {
                        @match tag {
                            ChangeTag::Equal => (part),
                            ChangeTag::Delete => del { (part) },
                            ChangeTag::Insert => ins { (part) },
                        }
                    }
                },
                Some(Texts::Whole { before, after }) => div.texts {
                    @if !before.is_empty() { del { (before) } }
                    @if !before.is_empty() && !after.is_empty() { "\n" }
                    @if !after.is_empty() { ins { (after) } }
                },
                None => {},
            }
            (reach(change))
        }
    }
}

/// A sentence, what is in backticks as code.
fn prose(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// The tools that a change reaches; all of them, folded where they are many.
fn reach(change: &Change) -> Markup {
    let (named, rest) = words::named(&change.tools);
    let list = |names: &[ToolName]| {
        let names: Vec<&str> = names.iter().map(ToolName::as_str).collect();
        names.join(", ")
    };
    html! {
        div.reach {
            @if rest == 0 { (list(named)) } @else {
                details {
                    summary { (list(named)) " and " (rest) " more" }
                    (list(&change.tools))
                }
            }
        }
    }
}

/// What became of each tool.
fn tools(drift: &Drift) -> Markup {
    let report = &drift.report;
    html! {
        h2 { "Tool by tool" }
        table {
            thead { tr { th { "tool" } th { "class" } th { "operation" } th { "changes" } } }
            tbody {
                @for tool in &report.tools {
                    tr {
                        td { code { (tool.name) } }
                        td { (tool.class.word()) }
                        td { code { (words::visible(&tool.operation)) } }
                        td { (words::kinds(report, tool)) }
                    }
                }
            }
        }
    }
}
