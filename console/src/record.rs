//! The record: the audit as a table, a call and a run as stories, the use of tools, and the chain.

mod chain;
mod events;
mod list;
mod story;
mod usage;

pub(crate) use chain::{chain, verify};
pub(crate) use events::{events_table, run_path};
pub(crate) use list::{export, list};
pub(crate) use story::{call, run};
pub(crate) use usage::usage;

use maud::{Markup, html};

use crate::console::Console;

/// The parts of the record, each with its path and its title.
const PARTS: [(&str, &str); 3] = [
    ("/record", "Events"),
    ("/record/use", "Use"),
    ("/record/verify", "Chain"),
];

/// Shows the parts of the record.
fn parts(console: &Console, current: &str) -> Markup {
    html! {
        nav.tabs aria-label="Record" {
            @for (path, title) in PARTS {
                a href=(console.path(path)) aria-current=[(path == current).then_some("page")] { (title) }
            }
        }
    }
}
