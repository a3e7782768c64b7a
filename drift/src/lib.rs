//! Compares the tools of two specifications and reports the changes of capability.
//!
//! [`compare`] is a pure function of two [`Inventory`]s, the old tools and the new ones.
//! `docs/diff.md` describes the comparison and lists the kinds of change.
//!
//! `pairs` matches tools by their operation, and therefore recognises a renamed tool. A module for
//! each governed part compares a pair: `governance`, `reach` (target, credentials and form of a
//! request), `descriptions` (strings for agents), `paging`, and `schema` (arguments and results).
//! `report` collects the [`Change`]s: the same change of several tools is one change that reaches
//! them all. `subject` and `predicate` hold the words of the sentences.

mod change;
mod descriptions;
mod governance;
mod inventory;
mod outline;
mod paging;
mod pairs;
mod predicate;
mod reach;
mod report;
mod schema;
mod subject;

pub use change::{Change, ChangeKind, Class, State};
pub use inventory::{Inventory, NotAnInventory, Tool};
pub use predicate::Predicate;
pub use report::{Changed, Report, Totals};
pub use subject::{Field, Side, Subject};

use pairs::Pairs;
use report::Collector;

/// Compares the old tools with the new ones.
#[must_use]
pub fn compare(old: &Inventory, new: &Inventory) -> Report {
    let pairs = Pairs::new(old.tools(), new.tools());
    let mut found = Collector::new(old, new);
    for tool in &pairs.removed {
        found.add_for(tool, tool_removed(tool));
    }
    for tool in &pairs.added {
        found.add_for(tool, tool_added(tool));
    }
    let mut whole = Vec::new();
    for (old, new) in &pairs.matched {
        if old.name() != new.name() {
            found.add_for(new, tool_renamed(old, new));
        }
        for change in governance::compare(old, new) {
            found.add_for(new, change);
        }
        if let (Some(before), Some(after)) = (old.spec(), new.spec()) {
            let parts = [
                reach::compare(before, after),
                descriptions::compare(before, after),
                paging::compare(before, after).into_iter().collect(),
            ];
            for change in parts.into_iter().flatten() {
                found.add_for(new, change);
            }
            whole.push((*old, *new, before, after));
        } else {
            for change in outline::compare(old, new) {
                found.add_for(new, change);
            }
        }
    }
    schema::compare(&whole, &mut found);
    found.finish(&pairs)
}

fn tool_added(tool: &Tool) -> Change {
    let subject = format!("the tool for `{}`", tool.operation());
    Change::new(ChangeKind::ToolAdded, "", subject, Predicate::Added)
        .after(State::plain(tool.summary()))
}

fn tool_removed(tool: &Tool) -> Change {
    let subject = format!("the tool for `{}`", tool.operation());
    Change::new(ChangeKind::ToolRemoved, "", subject, Predicate::Removed)
        .before(State::plain(tool.summary()))
}

fn tool_renamed(old: &Tool, new: &Tool) -> Change {
    let subject = format!("the tool `{}`", old.name());
    Change::new(
        ChangeKind::ToolRenamed,
        "/name",
        subject,
        Predicate::Renamed,
    )
    .before(State::code(old.name()))
    .after(State::code(new.name()))
}
