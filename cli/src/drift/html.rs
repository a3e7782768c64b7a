//! The report as a page, with the roles and every tool.

use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, html};
use similar::ChangeTag;
use toolwright::{Category, ToolName};
use toolwright_drift::{ChangeKind, Class};
use toolwright_model::text::show_invisible;

use super::{
    Drift, Standing,
    view::{self, Block, Descriptions, DriftEntry, Sentence, Tool, capitalised},
};
use crate::{
    output::plural,
    picture::{self, chip},
};

/// The most tools that a role's row names.
const NAMED: usize = 40;

pub(super) fn render(drift: &Drift) -> String {
    let blocks = view::blocks(drift);
    let body = html! {
        @for block in &blocks { (style_block(drift, block)) }
    };
    picture::page(&format!("{} → {}", drift.old, drift.new), &body)
}

fn style_block(drift: &Drift, block: &Block<'_>) -> Markup {
    match block {
        Block::Title { old, new, tools } => html! {
            h1 { "What changed: " code { (old) } " → " code { (new) } }
            p.sub { (tools) }
        },
        Block::Classes(classes) => style_classes(classes),
        Block::Roles(roles) => style_roles(drift, roles),
        Block::Class(Class::Harmless, number) => html! {
            (PreEscaped("<details open>"))
            summary { (heading(Class::Harmless, *number)) }
        },
        Block::Class(class, number) => heading(*class, *number),
        Block::Kind(kind, number) => html! {
            h3 { span.kind { (kind.word()) } " " span.sub { (number) } }
            p.meaning { (kind.meaning()) }
        },
        Block::Tools(tools) => html! {
            table { tbody { @for tool in tools { (style_tool(tool)) } } }
        },
        Block::Sentences(sentences) => html! {
            ul.changes { @for sentence in sentences { (style_sentence(sentence)) } }
        },
        Block::EndOfClass(Class::Harmless) => PreEscaped("</details>".to_owned()),
        Block::EndOfClass(_) => html! {},
        Block::Index(entries) => style_index(entries),
    }
}

fn style_classes(classes: &[(Class, usize)]) -> Markup {
    let any = classes.iter().any(|(_, number)| *number > 0);
    html! {
        div.tiles {
            @for (class, number) in classes {
                div class={ "tile " (class.word()) } {
                    strong { (number) }
                    (class.word())
                    div.meaning { (class.meaning()) }
                }
            }
        }
        @if any { (picture::legend(false)) }
    }
}

fn heading(class: Class, number: usize) -> Markup {
    let number = plural(number, "change");
    html! { h2 class=(class.word()) { (capitalised(class.word())) ": " (number) } }
}

fn style_roles(drift: &Drift, roles: &[Standing]) -> Markup {
    html! {
        h2 { "Who may do what" }
        table {
            thead { tr {
                th { "role" } th.number { "tools before" } th.number { "now" } th { "gains" } th { "loses" }
            } }
            tbody {
                @for standing in roles {
                    tr {
                        td { strong { (standing.role) } }
                        td.number { (standing.before) }
                        td.number { (standing.after) }
                        td { (gained_tools(drift, &standing.gains)) }
                        td { (plain(&standing.loses)) }
                    }
                }
            }
        }
    }
}

/// Returns the category of an added tool, and whether its calls need approval.
fn class_of_added(drift: &Drift, name: &ToolName) -> Option<(Category, bool)> {
    let mut changes = drift.report.of_class(Class::Widening);
    let change = changes
        .find(|change| change.kind == ChangeKind::ToolAdded && change.tools.contains(name))?;
    let tool = view::whole_tools(change).next()?;
    Some((Category::from_word(tool.category)?, tool.approval))
}

fn gained_tools(drift: &Drift, names: &BTreeSet<ToolName>) -> Markup {
    html! {
        @for name in names.iter().take(NAMED) {
            @match class_of_added(drift, name) {
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

fn style_tool(tool: &Tool<'_>) -> Markup {
    let category = Category::from_word(tool.category).unwrap_or(Category::Execute);
    let first = tool.description.lines().next().unwrap_or_default();
    html! {
        tr {
            td { (chip(tool.name.as_str(), tool.name.as_str(), category, tool.approval, false)) }
            td { code { (show_invisible(tool.operation)) } }
            td {
                @if tool.description.trim() == first.trim() { (first) } @else {
                    details { summary { (first) } div.texts { (tool.description) } }
                }
            }
        }
    }
}

fn style_sentence(sentence: &Sentence<'_>) -> Markup {
    html! {
        li title=(sentence.place) {
            (prose(&sentence.words))
            @if let Some(descriptions) = &sentence.descriptions { (style_descriptions(descriptions)) }
            (reach(sentence.tools))
        }
    }
}

fn style_descriptions(descriptions: &Descriptions) -> Markup {
    let Descriptions { before, after } = descriptions;
    html! {
        div.texts {
            @if let Some(words) = descriptions.words() {
                @for (tag, part) in &words {
                    @match tag {
                        ChangeTag::Equal => (part),
                        ChangeTag::Delete => del { (part) },
                        ChangeTag::Insert => ins { (part) },
                    }
                }
            } @else {
                @if !before.is_empty() { del { (before) } }
                @if !before.is_empty() && !after.is_empty() { "\n" }
                @if !after.is_empty() { ins { (after) } }
            }
        }
    }
}

/// Renders a sentence, with the parts in backticks as code.
fn prose(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// Renders all affected tools, folded if they are many.
fn reach(tools: &[ToolName]) -> Markup {
    let short = view::reach(tools, ToString::to_string);
    let names: Vec<&str> = tools.iter().map(ToolName::as_str).collect();
    let all = names.join(", ");
    html! {
        div.reach {
            @if short == all { (all) } @else { details { summary { (short) } (all) } }
        }
    }
}

fn style_index(entries: &[DriftEntry<'_>]) -> Markup {
    html! {
        h2 { "Tool by tool" }
        table {
            thead { tr { th { "tool" } th { "class" } th { "operation" } th { "changes" } } }
            tbody {
                @for DriftEntry { tool, kinds } in entries {
                    tr {
                        td { code { (tool.name) } }
                        td { (tool.class.word()) }
                        td { code { (show_invisible(&tool.operation)) } }
                        td { (kinds) }
                    }
                }
            }
        }
    }
}
