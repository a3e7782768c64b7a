//! Drift: what a change of a specification does to the tools, as a change of capability.
//!
//! [`compare`] is a pure function of two [`Inventory`]s, the tools as they were and as they are.
//! `docs/diff.md` says what is compared and has the table of kinds.
//!
//! Tools are matched by their operation (`pairs`), so that another name is a rename. Of a pair,
//! each thing that is governed is compared by a module of its own: `governance`, `reach` (where
//! and as whom a request goes), `texts` (what an agent reads), `paging`, and `schema`
//! (arguments and results). What they find is put together by `report`: the same change of
//! several tools is one change that reaches them all.

mod change;
mod governance;
mod inventory;
mod outline;
mod paging;
mod pairs;
mod reach;
mod report;
mod schema;
mod texts;

pub use change::{Change, ChangeKind, Class};
pub use inventory::{Inventory, NotAnInventory, Tool};
pub use report::{Changed, Report, Totals};

use change::{Found, Shown};
use pairs::Pairs;
use report::Collector;
use serde_json::json;

/// Compares the tools as they were with the tools as they are.
#[must_use]
pub fn compare(old: &Inventory, new: &Inventory) -> Report {
    let pairs = Pairs::of(old.tools(), new.tools());
    let mut found = Collector::new(old, new);
    for tool in &pairs.removed {
        found.of(tool, removed(tool));
    }
    for tool in &pairs.added {
        found.of(tool, added(tool));
    }
    let mut whole = Vec::new();
    for (old, new) in &pairs.matched {
        if old.name() != new.name() {
            found.of(new, renamed(old, new));
        }
        for change in governance::compare(old, new) {
            found.of(new, change);
        }
        if let (Some(before), Some(after)) = (old.spec(), new.spec()) {
            let parts = [
                reach::compare(before, after),
                texts::compare(before, after),
                paging::compare(before, after).into_iter().collect(),
            ];
            for change in parts.into_iter().flatten() {
                found.of(new, change);
            }
            whole.push((*old, *new, before, after));
        } else {
            for change in outline::compare(old, new) {
                found.of(new, change);
            }
        }
    }
    schema::compare(&whole, &mut found);
    found.finish(&pairs)
}

fn added(tool: &Tool) -> Found {
    Found::new(ChangeKind::ToolAdded, "")
        .after(tool.shown())
        .says(format!("a tool is new: {}", tool.operation()))
}

fn removed(tool: &Tool) -> Found {
    Found::new(ChangeKind::ToolRemoved, "")
        .before(tool.shown())
        .says(format!("a tool is gone: {}", tool.operation()))
}

fn renamed(old: &Tool, new: &Tool) -> Found {
    Found::new(ChangeKind::ToolRenamed, "/name")
        .before(json!(old.name()))
        .after(json!(new.name()))
        .says(format!("`{}` is now `{}`", old.name(), new.name()))
}

/// Every change of a field from one word to another.
fn moved(kind: ChangeKind, place: &str, before: impl Shown, after: impl Shown) -> Found {
    Found::new(kind, place)
        .before(before.shown())
        .after(after.shown())
}
