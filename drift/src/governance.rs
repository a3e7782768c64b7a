//! Category, effect, approval, hints, and the default state of a tool.

use toolwright_model::{Effect, Governance, Hints};

use super::{
    change::{Change, ChangeKind, State},
    inventory::Tool,
    predicate::Predicate,
};

pub(super) fn compare(old: &Tool, new: &Tool) -> Vec<Change> {
    let (before, after) = (old.governance(), new.governance());
    let mut changes = Vec::new();
    changes.extend(approval(before, after));
    if before.category() == after.category() {
        changes.extend(effect(before, after));
    } else {
        changes.push(category(before, after));
    }
    changes.extend(hints(before.hints, after.hints));
    changes.extend(default(before, after));
    changes.extend(reason(old.reason(), new.reason()));
    changes
}

fn reason(before: Option<&str>, after: Option<&str>) -> Option<Change> {
    let predicate = match (before, after) {
        (before, after) if before == after => return None,
        (None, _) => Predicate::Added,
        (_, None) => Predicate::Removed,
        (Some(_), Some(_)) => Predicate::Replaced,
    };
    let subject = "the reason for a lower class";
    let change = Change::new(ChangeKind::ReasonChanged, "/reason", subject, predicate);
    Some(
        change
            .before(State::plain(before))
            .after(State::plain(after)),
    )
}

fn approval(before: Governance, after: Governance) -> Option<Change> {
    let (was, is) = (before.approval_required, after.approval_required);
    let (kind, predicate) = match (was, is) {
        (true, false) => (ChangeKind::ApprovalLost, Predicate::ApprovalLost),
        (false, true) => (ChangeKind::ApprovalAdded, Predicate::ApprovalAdded),
        (true, true) | (false, false) => return None,
    };
    let change = Change::new(kind, "/approval_required", "a call", predicate);
    Some(change.before(State::plain(was)).after(State::plain(is)))
}

/// Compares the categories. The category mostly decides the effect, so one sentence has both.
fn category(before: Governance, after: Governance) -> Change {
    let state = |governance: Governance| {
        let words = if before.effect() == after.effect() {
            governance.category().to_string()
        } else {
            format!("{} (effect {})", governance.category(), governance.effect())
        };
        State::described(governance.category(), words)
    };
    let predicate = if before.category().is_below(after.category()) {
        Predicate::CategoryRaised
    } else {
        Predicate::CategoryLowered
    };
    Change::new(
        ChangeKind::CategoryChanged,
        "/category",
        "the category",
        predicate,
    )
    .before(state(before))
    .after(state(after))
}

fn effect(before: Governance, after: Governance) -> Option<Change> {
    let (was, is) = (before.effect(), after.effect());
    if was == is {
        return None;
    }
    let kind = if danger(is) > danger(was) {
        ChangeKind::EffectRaised
    } else {
        ChangeKind::EffectLowered
    };
    let change = Change::new(kind, "/effect", "the effect", Predicate::Changed);
    Some(change.before(State::plain(was)).after(State::plain(is)))
}

/// Ranks effects by the harm that they can do to the service's state.
const fn danger(effect: Effect) -> u8 {
    match effect {
        Effect::Read => 0,
        Effect::Annotate => 1,
        Effect::Create => 2,
        Effect::Update => 3,
        Effect::Action => 4,
        Effect::Delete => 5,
    }
}

/// Compares each hint. The last field of an entry is the value that warns.
fn hints(before: Hints, after: Hints) -> Vec<Change> {
    let all = [
        ("readOnlyHint", before.read_only, after.read_only, false),
        (
            "destructiveHint",
            before.destructive,
            after.destructive,
            true,
        ),
        ("idempotentHint", before.idempotent, after.idempotent, false),
        ("openWorldHint", before.open_world, after.open_world, true),
    ];
    let changed = all.into_iter().filter(|(_, was, is, _)| was != is);
    changed
        .map(|(name, was, is, warns)| {
            let kind = if is == warns {
                ChangeKind::HintHardened
            } else {
                ChangeKind::HintWeakened
            };
            let (place, subject) = (format!("/hints/{name}"), format!("the hint `{name}`"));
            Change::new(kind, place, subject, Predicate::Changed)
                .before(State::plain(was))
                .after(State::plain(is))
        })
        .collect()
}

fn default(before: Governance, after: Governance) -> Option<Change> {
    let (was, is) = (before.enabled_by_default, after.enabled_by_default);
    let (kind, predicate) = match (was, is) {
        (false, true) => (ChangeKind::OnByDefault, Predicate::SwitchedOn),
        (true, false) => (ChangeKind::OffByDefault, Predicate::SwitchedOff),
        (true, true) | (false, false) => return None,
    };
    let change = Change::new(kind, "/enabled_by_default", "the tool", predicate);
    Some(change.before(State::plain(was)).after(State::plain(is)))
}
