//! The report as a page, with the roles and every tool.

use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, html};
use similar::ChangeTag;
use toolwright::{Category, ToolName};
use toolwright_drift::{ChangeKind, Class};
use toolwright_model::text::show_invisible;

use super::{
    Drift, Standing,
    view::{self, Block, Descriptions, DriftEntry, HIDDEN, Sentence, Tool, capitalised},
};
use crate::{
    output::plural,
    picture::{self, Chip, Choice},
};

/// The most tools that a role's row names.
const NAMED: usize = 40;

pub(super) fn render(drift: &Drift) -> String {
    let blocks = view::blocks(drift);
    let body = html! {
        @for block in &blocks {
            (style_block(drift, block))
            @if matches!(block, Block::Classes(_)) { (navigation(&blocks)) }
        }
    };
    picture::page(&format!("{} → {}", drift.old, drift.new), &body)
}

/// The contents of the page, and the choice of what it shows.
fn navigation(blocks: &[Block<'_>]) -> Markup {
    let part = |id: &str, title: &str, number| (id.to_owned(), title.to_owned(), number);
    let parts = blocks.iter().filter_map(|block| match block {
        Block::Roles(_) => Some(part("roles", "Who may do what", None)),
        Block::Class(class, number) => {
            let title = capitalised(class.word());
            Some(part(class.word(), &title, Some(*number)))
        }
        Block::Kind(kind, number) => Some(part(kind.word(), kind.word(), Some(*number))),
        Block::Index(entries) => Some(part("tools", "Tool by tool", Some(entries.len()))),
        _ => None,
    });
    let parts: Vec<_> = parts.collect();
    let classes = blocks.iter().filter_map(|block| match block {
        Block::Class(class, _) => Some((format!("show-{}", class.word()), class.word())),
        _ => None,
    });
    let classes: Vec<_> = classes.collect();
    let choices = classes.iter().map(|(id, label)| Choice {
        id,
        label,
        checked: true,
    });
    let destructive = Choice {
        id: "only-destructive",
        label: "of added and removed tools, only destructive ones",
        checked: false,
    };
    let choices: Vec<_> = choices.chain([destructive]).collect();
    html! {
        @if !parts.is_empty() {
            (picture::contents(&parts))
            (picture::filter(&choices))
        }
    }
}

fn style_block(drift: &Drift, block: &Block<'_>) -> Markup {
    match block {
        Block::Title { old, new, tools } => html! {
            h1 { "What changed: " code { (old) } " → " code { (new) } }
            p.sub { (tools) }
        },
        Block::Classes(classes) => style_classes(classes),
        Block::Needless(corrections) => html! {
            p.meaning { (view::NEEDLESS) ":" }
            ul.changes { @for one in *corrections { li { (show_invisible(one)) } } }
        },
        Block::Roles(roles) => style_roles(drift, roles),
        Block::Class(class, number) => html! {
            (PreEscaped(format!("<section class=\"part {0}\" id=\"{0}\">", class.word())))
            (heading(*class, *number))
        },
        Block::Kind(kind, number) => html! {
            h3 id=(kind.word()) { span.kind { (kind.word()) } " " span.sub { (number) } }
            p.meaning { (kind.meaning()) }
        },
        Block::Tools(tools) => html! {
            table.stacked { tbody { @for tool in tools { (style_tool(tool)) } } }
        },
        Block::Sentences(sentences) => html! {
            ul.changes { @for sentence in sentences { (style_sentence(sentence)) } }
        },
        Block::EndOfClass(_) => PreEscaped("</section>".to_owned()),
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
                    span.word { (class_sign(*class)) " " (class.word()) }
                    div.meaning { (class.meaning()) }
                }
            }
        }
        @if any { (picture::legend(false)) }
    }
}

/// The sign of a class, so that the colour is not the only difference.
const fn class_sign(class: Class) -> &'static str {
    match class {
        Class::Widening => "▲",
        Class::Breaking => "✕",
        Class::Texts => "¶",
        Class::Harmless => "○",
    }
}

fn heading(class: Class, number: usize) -> Markup {
    let number = plural(number, "change");
    html! {
        h2 class=(class.word()) { (class_sign(class)) " " (capitalised(class.word())) ": " (number) }
        p.meaning { (capitalised(class.meaning())) "." }
    }
}

fn style_roles(drift: &Drift, roles: &[Standing]) -> Markup {
    html! {
        h2 id="roles" { "Who may do what" }
        table.stacked {
            thead { tr {
                th { "role" } th.number { "tools before" } th.number { "now" } th { "gains" } th { "loses" }
            } }
            tbody {
                @for standing in roles {
                    tr {
                        td data-label="role" { strong { (standing.role) } }
                        td.number data-label="tools before" { (standing.before) }
                        td.number data-label="now" { (standing.after) }
                        td data-label="gains" { div { (gained_tools(drift, &standing.gains)) } }
                        td data-label="loses" { div { (plain(&standing.loses)) } }
                    }
                }
            }
        }
    }
}

/// Returns an added tool with its signs.
fn added_tool<'a>(drift: &'a Drift, name: &'a ToolName) -> Option<Chip<'a>> {
    let mut changes = drift.report.of_class(Class::Widening);
    let change = changes
        .find(|change| change.kind == ChangeKind::ToolAdded && change.tools.contains(name))?;
    let tool = view::whole_tools(change).next()?;
    let category = Category::from_word(tool.category)?;
    Some(Chip {
        approval: tool.approval,
        destructive: tool.destructive,
        ..Chip::new(name.as_str(), name.as_str(), category)
    })
}

fn gained_tools(drift: &Drift, names: &BTreeSet<ToolName>) -> Markup {
    html! {
        @for name in names.iter().take(NAMED) {
            @match added_tool(drift, name) {
                Some(chip) => (chip.render()),
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
    let chip = Chip {
        approval: tool.approval,
        destructive: tool.destructive,
        ..Chip::new(tool.name.as_str(), tool.name.as_str(), category)
    };
    let first = tool.description.lines().next().unwrap_or_default();
    html! {
        tr.tool.destructive[tool.destructive] {
            td { (chip.render()) }
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
            @if sentence.has_hidden() { " " strong.danger { (HIDDEN) } }
            @if let Some(descriptions) = &sentence.descriptions { (style_descriptions(descriptions)) }
            (reach(sentence.tools))
        }
    }
}

fn style_descriptions(descriptions: &Descriptions) -> Markup {
    let Descriptions { before, after, .. } = descriptions;
    html! {
        div.texts {
            @if let Some(words) = descriptions.words() {
                @for (tag, part) in &words {
                    @match tag {
                        ChangeTag::Equal => (marked(part)),
                        ChangeTag::Delete => del { (marked(part)) },
                        ChangeTag::Insert => ins { (marked(part)) },
                    }
                }
            } @else {
                @if !before.is_empty() { del { (marked(before)) } }
                @if !before.is_empty() && !after.is_empty() { "\n" }
                @if !after.is_empty() { ins { (marked(after)) } }
            }
        }
    }
}

/// Renders a text, with the codes of its invisible characters marked.
fn marked(text: &str) -> Markup {
    let mut parts = text.split("\\u{");
    let first = parts.next().unwrap_or_default();
    html! {
        (first)
        @for part in parts {
            @match part.split_once('}') {
                Some((code, rest)) => { mark { "\\u{" (code) "}" } (rest) }
                None => { "\\u{" (part) }
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
        h2 id="tools" { "Tool by tool" }
        table.stacked {
            thead { tr { th { "tool" } th { "class" } th { "operation" } th { "changes" } } }
            tbody {
                @for DriftEntry { tool, kinds } in entries {
                    tr class={ "part " (tool.class.word()) } {
                        td data-label="tool" { code { (tool.name) } }
                        td data-label="class" { (class_sign(tool.class)) " " (tool.class.word()) }
                        td data-label="operation" { code { (show_invisible(&tool.operation)) } }
                        td data-label="changes" { (kinds) }
                    }
                }
            }
        }
    }
}
