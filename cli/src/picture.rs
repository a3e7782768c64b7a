//! Parts that the pictures of governance share: a self-contained page, and a sign for each
//! category, which differs in shape and colour.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use toolwright::Category;

/// The style for screens and paper.
const STYLE: &str = include_str!("picture/style.css");

/// The sign of a person's approval.
pub(crate) const APPROVAL: &str = "⚑";

/// One page, which needs no network and no script.
pub(crate) fn page(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    };
    page.into_string()
}

/// The sign of a category.
pub(crate) const fn sign(category: Category) -> &'static str {
    match category {
        Category::Observe => "○",
        Category::Report => "◇",
        Category::Execute => "▲",
        Category::Approve => "★",
    }
}

/// A tool, or a part of its name, with the sign and the colour of its category.
pub(crate) fn chip(
    label: &str,
    name: &str,
    category: Category,
    approval: bool,
    off: bool,
) -> Markup {
    let state = if off { " off" } else { "" };
    html! {
        span class={ "chip " (category.word()) (state) } title=(name) {
            span.sign { (sign(category)) }
            (label)
            @if approval { span.flag { (APPROVAL) } }
        }
        " "
    }
}

/// Explains the signs.
pub(crate) fn legend(with_off: bool) -> Markup {
    html! {
        p.legend {
            @for &category in Category::ALL {
                span { (chip(category.word(), "", category, false, false)) (meaning(category)) }
            }
            span { (APPROVAL) " a person approves each call" }
            @if with_off {
                span { (chip("name", "", Category::Execute, false, true)) "granted, but switched off" }
            }
        }
    }
}

/// Describes a category in a few words.
pub(crate) const fn meaning(category: Category) -> &'static str {
    match category {
        Category::Observe => "reads",
        Category::Report => "derives, changes nothing",
        Category::Execute => "changes state",
        Category::Approve => "takes part in an approval",
    }
}
