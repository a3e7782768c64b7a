//! Parts that the pictures of governance share: a self-contained page, and a sign for each
//! category, which differs in shape and colour.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use toolwright::Category;

/// The style for screens and paper.
const STYLE: &str = include_str!("picture/style.css");

/// The sign of a person's approval.
pub(crate) const APPROVAL: &str = "⚑";

/// The sign of a tool that may replace or delete something.
pub(crate) const DESTRUCTIVE: &str = "✖";

/// The explanation of the sign.
pub(crate) const DESTRUCTIVE_MEANING: &str = "destructive: may replace or delete something";

/// A tool, or a part of its name, with its signs.
#[derive(Clone, Copy)]
pub(crate) struct Chip<'a> {
    /// The visible words.
    pub(crate) label: &'a str,
    /// The whole name.
    pub(crate) name: &'a str,
    pub(crate) category: Category,
    pub(crate) approval: bool,
    pub(crate) destructive: bool,
    /// True if it is granted and switched off.
    pub(crate) off: bool,
}

/// A choice of what a page shows. The style sheet hides the rest, without a script.
pub(crate) struct Choice<'a> {
    /// The id, which the style sheet knows.
    pub(crate) id: &'a str,
    pub(crate) label: &'a str,
    pub(crate) checked: bool,
}

/// One page, which needs no network and no script.
pub(crate) fn page(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
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

impl<'a> Chip<'a> {
    /// A chip of a category without any other sign.
    pub(crate) const fn new(label: &'a str, name: &'a str, category: Category) -> Self {
        Self {
            label,
            name,
            category,
            approval: false,
            destructive: false,
            off: false,
        }
    }

    /// Renders the chip, with the signs and the colour of its category.
    pub(crate) fn render(self) -> Markup {
        let danger = if self.destructive { " destructive" } else { "" };
        let state = if self.off { " off" } else { "" };
        html! {
            span class={ "chip " (self.category.word()) (danger) (state) } title=(self.name) {
                span.sign { (sign(self.category)) }
                (self.label)
                @if self.destructive { span.danger { (DESTRUCTIVE) } }
                @if self.approval { span.flag { (APPROVAL) } }
            }
            " "
        }
    }
}

/// Explains the signs.
pub(crate) fn legend(with_off: bool) -> Markup {
    html! {
        p.legend {
            @for &category in Category::ALL {
                span { (Chip::new(category.word(), "", category).render()) (meaning(category)) }
            }
            span { span.danger { (DESTRUCTIVE) } " " (DESTRUCTIVE_MEANING) }
            span { span.flag { (APPROVAL) } " a person approves each call" }
            @if with_off {
                span {
                    (Chip { off: true, ..Chip::new("name", "", Category::Execute) }.render())
                    "granted, but switched off"
                }
            }
        }
    }
}

/// Offers choices of what the page shows.
pub(crate) fn filter(choices: &[Choice<'_>]) -> Markup {
    html! {
        fieldset.filter {
            legend { "Show" }
            @for choice in choices {
                label {
                    input type="checkbox" id=(choice.id) checked[choice.checked];
                    " " (choice.label)
                }
            }
        }
    }
}

/// Lists the parts of a page: the id, the title and the number of entries of each.
pub(crate) fn contents(parts: &[(String, String, Option<usize>)]) -> Markup {
    html! {
        nav.contents aria-label="Contents" {
            @for (id, title, number) in parts {
                a href={ "#" (id) } {
                    (title)
                    @if let Some(number) = number { " " span.sub { (number) } }
                }
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
