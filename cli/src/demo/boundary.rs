//! The steps of the demo that are about the boundary: a scope, a switch, and a standing grant.

use std::time::Instant;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use toolwright::{
    ToolError, ToolName,
    approval::{StandingGrant, StandingTerms},
    audit::AuditEvent,
    availability::Override,
};

use super::{
    scenes::{Mishap, PERSON, call, clerk, ensure},
    screen::Screen,
    setting::Setting,
    trail,
};

/// The tool that these steps call.
const TOOL: &str = "create-depot-item";

/// The reason that the person of the demo gives.
const WHY: &str = "stocktaking";

/// A call outside of the scope of the role's profile.
pub(super) async fn a_scope(setting: &Setting, screen: &mut Screen<'_>) -> Result<(), Mishap> {
    screen.step("A call outside of its scope")?;
    screen.say(
        "The clerk has the tool by a profile, and the profile limits an argument:\n\n    \
         [[profiles.stock.scopes]]\n    arguments.sku = { pattern = \"CLOCK-[0-9]+\" }",
    )?;
    screen.gap()?;
    let arguments = json!({"sku": "SAFE-001", "name": "Safe", "quantity": 1});
    let ended = call(setting, screen, &clerk()?, TOOL, arguments).await?;
    let refused = matches!(ended, Err(ToolError::OutOfScope { .. }));
    ensure(refused, "the scope did not refuse the call")?;
    let events = setting.trail()?;
    let rule = events.last().map(|event| trail::text(event, "rule"));
    let rule = rule.unwrap_or_default();
    ensure(rule.starts_with("arguments.sku"), "the audit has no rule")?;
    screen.say(format_args!("The audit contains the rule: {rule}"))?;
    Ok(())
}

/// A tool that the operator switches off and on again while the program runs.
pub(super) async fn a_switch(setting: &Setting, screen: &mut Screen<'_>) -> Result<(), Mishap> {
    screen.step("A tool that is switched off")?;
    screen.say(format_args!(
        "toolwright tools disable {TOOL} --by {PERSON} --why '{WHY}'"
    ))?;
    screen.gap()?;
    switch(setting, false).await?;
    let ended = call(setting, screen, &clerk()?, TOOL, item()).await?;
    let refused = matches!(ended, Err(ToolError::ToolNotPermitted { .. }));
    ensure(refused, "the tool that is off was called")?;
    switch(setting, true).await?;
    screen.say("To the agent, a tool that is off does not exist. It is now switched on again.")?;
    Ok(())
}

/// Calls that a person approves in advance.
pub(super) async fn a_standing_grant(
    setting: &Setting,
    screen: &mut Screen<'_>,
) -> Result<(), Mishap> {
    screen.step("A standing grant")?;
    screen.say(format_args!(
        "A person approves one call in advance:\n\n    \
         toolwright approvals grant clerk {TOOL} \\\n        \
         --uses 1 --minutes 5 --by {PERSON} --why '{WHY}'"
    ))?;
    screen.gap()?;
    grant(setting).await?;
    let ended = call(setting, screen, &clerk()?, TOOL, item()).await?;
    let created = ended.map(|output| output.status);
    ensure(
        created == Ok(Some(201)),
        "the call did not pass by the standing grant",
    )?;
    screen.say("It was counted, and nobody was asked.")?;
    Ok(())
}

/// Switches the tool as `toolwright tools` does: it records the switch, and then stores it.
async fn switch(setting: &Setting, enabled: bool) -> Result<(), Mishap> {
    let (tool, now) = (tool()?, Timestamp::now());
    let entry = Override::new(enabled, PERSON, WHY, now).map_err(|error| untold(&error))?;
    let event = AuditEvent::tool_switched(now, &tool, Some(enabled), &entry);
    let (registry, state) = (&setting.registry, &setting.state);
    registry.record(&event).map_err(|error| untold(&error))?;
    let stored = state.switch(&tool, &entry).await;
    stored.map_err(|error| untold(&error))?;
    // A server follows the state by itself.
    let as_of = Instant::now();
    let overrides = state.overrides().await.map_err(|error| untold(&error))?;
    registry.availability().publish(overrides, as_of);
    Ok(())
}

/// Grants one call as `toolwright approvals grant` does.
async fn grant(setting: &Setting) -> Result<(), Mishap> {
    let now = Timestamp::now();
    let until = now.saturating_add(SignedDuration::from_mins(5));
    let terms = StandingTerms {
        role: clerk()?,
        tool: tool()?,
        workspace: None,
        arguments: Map::new(),
        uses: 1,
        until: until.unwrap_or(now),
        why: WHY.to_owned(),
    };
    let grant = StandingGrant::new(terms, PERSON, now, &setting.approver);
    let grant = grant.map_err(|error| untold(&error))?;
    let event = AuditEvent::standing_grant(now, grant.beginning());
    let recorded = setting.registry.record(&event);
    recorded.map_err(|error| untold(&error))?;
    let stored = setting.state.grant(&grant).await;
    stored.map_err(|error| untold(&error))
}

fn item() -> Value {
    json!({"sku": "CLOCK-061", "name": "Desk clock", "quantity": 2})
}

fn tool() -> Result<ToolName, Mishap> {
    TOOL.parse().map_err(|error| untold(&error))
}

fn untold(error: &dyn std::fmt::Display) -> Mishap {
    Mishap::Untold(error.to_string())
}
