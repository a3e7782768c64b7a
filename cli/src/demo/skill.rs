//! The step of the demo that is about skills: a person reviews one, and an agent runs it.

use jiff::Timestamp;
use serde_json::{Value, json};
use toolwright_model::Standing;
use toolwright_skills::{
    KnownTools,
    standing::{Decided, move_skill},
};

use super::{
    scenes::{Mishap, PERSON, call, ensure, reader},
    screen::Screen,
    setting::{SKILL, Setting},
};

/// The number of audit events of this step: two moves, the call of the skill, its end, and its calls.
pub(super) const EVENTS: usize = 2 + 2 + 1 + 2 * CALLS;

/// The number of calls of the run: the report, and one for each item that runs low.
const CALLS: usize = 6;

/// A sequence of calls that a person has reviewed, as one tool.
pub(super) async fn a_skill(setting: &Setting, screen: &mut Screen<'_>) -> Result<(), Mishap> {
    screen.step("A skill: several calls as one tool")?;
    screen.say(format_args!(
        "skills/{SKILL}/skill.toml gets the stock report, and then each item\n\
         that runs low. Nobody can run it before a person has read and activated it:\n"
    ))?;
    for (verb, to) in [
        ("review", Standing::Reviewed),
        ("activate", Standing::Active),
    ] {
        screen.say(format_args!(
            "    toolwright skill {verb} {SKILL} --by {PERSON} --why 'stocktaking'"
        ))?;
        decide(setting, to).await?;
    }
    screen.gap()?;
    let ended = call(setting, screen, &reader()?, SKILL, json!({})).await?;
    let output = ended.map(|output| output.value);
    let calls = output.as_ref().ok().and_then(|value| value.get("calls"));
    ensure(
        calls.and_then(Value::as_u64) == u64::try_from(CALLS).ok(),
        "the skill did not make its calls",
    )?;
    screen.say(format_args!(
        "The agent made one call in place of {CALLS}. Each of them passed every gate as the reader,\n\
         and has its own events in the audit."
    ))?;
    Ok(())
}

/// Moves the skill as `toolwright skill` does.
async fn decide(setting: &Setting, to: Standing) -> Result<(), Mishap> {
    let untold = |error: &dyn std::fmt::Display| Mishap::Untold(error.to_string());
    let known = KnownTools::new(&setting.specs);
    let decided = Decided {
        to,
        person: PERSON,
        why: "stocktaking",
        at: Timestamp::now(),
    };
    let record = |event: &_| setting.registry.record(event);
    for loaded in setting.skills.skills() {
        let moved = move_skill(&setting.state, record, &loaded.skill, &known, decided).await;
        moved.map_err(|error| untold(&error))?;
    }
    let read = setting.skills.refresh().await;
    read.map_err(|error| untold(&error))
}
