//! The class of a tool, and the rules that decide about its calls.

use maud::{Markup, html};
use toolwright::{Category, policy::Step};

use crate::shown::text;

/// Shows the class of a tool: its category with a sign and a colour, and whether it may destroy something.
pub(crate) fn class(category: Category, destructive: bool) -> Markup {
    let sign = match category {
        Category::Observe => "○",
        Category::Report => "◇",
        Category::Execute => "▲",
        Category::Approve => "★",
    };
    html! {
        span class={ "chip " (category.word()) } { span aria-hidden="true" { (sign) " " } (category) }
        @if destructive { " " span.chip.danger { span aria-hidden="true" { "⚠ " } "destructive" } }
    }
}

/// Shows the rules that were evaluated.
pub(crate) fn steps(steps: &[Step]) -> Markup {
    html! {
        ol.rules {
            @for step in steps {
                li class=(if step.passed { "pass" } else { "fail" }) {
                    span.verdict { (if step.passed { "passes" } else { "refuses" }) }
                    " " (text(&step.rule))
                    @if let Some(place) = &step.place { " " span.sub.mono { (text(place)) } }
                }
            }
        }
    }
}
