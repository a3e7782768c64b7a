//! Category, effect, approval, hints, and whether a tool is on.

use serde_json::json;
use toolwright_model::{Effect, Governance, Hints};

use super::{
    change::{ChangeKind, Found},
    inventory::Tool,
    moved,
};

pub(super) fn compare(old: &Tool, new: &Tool) -> Vec<Found> {
    let (before, after) = (old.governance(), new.governance());
    let mut found = Vec::new();
    found.extend(approval(before, after));
    if before.category == after.category {
        found.extend(effect(before, after));
    } else {
        found.push(category(before, after));
    }
    found.extend(hints(before.hints, after.hints));
    found.extend(default(before, after));
    found.extend(reason(old.reason(), new.reason()));
    found
}

fn reason(before: Option<&str>, after: Option<&str>) -> Option<Found> {
    let says = match (before, after) {
        (before, after) if before == after => return None,
        (None, _) => "a reason is given for a lower class",
        (_, None) => "no reason is given for a lower class any more",
        (Some(_), Some(_)) => "the reason for a lower class is another",
    };
    let change = moved(ChangeKind::ReasonChanged, "/reason", before, after);
    Some(change.says(says))
}

fn approval(before: Governance, after: Governance) -> Option<Found> {
    let (was, is) = (before.approval_required, after.approval_required);
    let kind = match (was, is) {
        (true, false) => ChangeKind::ApprovalLost,
        (false, true) => ChangeKind::ApprovalAdded,
        (true, true) | (false, false) => return None,
    };
    Some(moved(kind, "/approval_required", was, is))
}

/// The category says most of the effect, so one sentence has both.
fn category(before: Governance, after: Governance) -> Found {
    let effect = if before.effect == after.effect {
        String::new()
    } else {
        format!(" (effect {} → {})", before.effect, after.effect)
    };
    let meaning = if before.category.is_below(after.category) {
        "it can do more than it could"
    } else {
        "roles that may only read more may call it"
    };
    moved(
        ChangeKind::CategoryChanged,
        "/category",
        before.category,
        after.category,
    )
    .says(format!(
        "category {} → {}{effect}: {meaning}",
        before.category, after.category
    ))
}

fn effect(before: Governance, after: Governance) -> Option<Found> {
    let (was, is) = (before.effect, after.effect);
    if was == is {
        return None;
    }
    let kind = if danger(is) > danger(was) {
        ChangeKind::EffectRaised
    } else {
        ChangeKind::EffectLowered
    };
    Some(moved(kind, "/effect", was, is).says(format!("effect {was} → {is}")))
}

/// How much an effect can do to the service's state.
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

/// Each hint, with the value that warns.
fn hints(before: Hints, after: Hints) -> Vec<Found> {
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
            Found::new(kind, format!("/hints/{name}"))
                .before(json!(was))
                .after(json!(is))
                .says(format!("{name} {was} → {is}"))
        })
        .collect()
}

fn default(before: Governance, after: Governance) -> Option<Found> {
    let (was, is) = (before.enabled_by_default, after.enabled_by_default);
    let kind = match (was, is) {
        (false, true) => ChangeKind::OnByDefault,
        (true, false) => ChangeKind::OffByDefault,
        (true, true) | (false, false) => return None,
    };
    Some(moved(kind, "/enabled_by_default", was, is))
}
