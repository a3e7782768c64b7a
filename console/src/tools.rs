//! The tools of the program: which are on, who decided it, and the switches.

mod list;
mod many;
mod one;
mod running;

use jiff::Timestamp;
use maud::{Markup, html};
use toolwright::{ToolName, audit::AuditEvent, availability::Override, registry::Switch};

pub(crate) use list::list;
pub(crate) use many::{many, switch_many};
pub(crate) use one::{one, switch};

use crate::{console::Console, refusal::Refusal, shown::text, time::ago};

/// A change of switches by a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// Switches tools off.
    Off,
    /// Switches tools on.
    On,
    /// Removes the switches, so the defaults apply.
    Reset,
}

impl Change {
    fn from_word(word: &str) -> Option<Self> {
        match word {
            "off" => Some(Self::Off),
            "on" => Some(Self::On),
            "reset" => Some(Self::Reset),
            _ => None,
        }
    }

    const fn enabled(self) -> Option<bool> {
        match self {
            Self::Off => Some(false),
            Self::On => Some(true),
            Self::Reset => None,
        }
    }
}

/// Makes a change to tools. All of it is recorded before any of it is done, and it is done for all tools
/// or for none.
async fn apply(
    console: &Console,
    tools: &[ToolName],
    change: Change,
    person: &str,
    why: &str,
) -> Result<(), Refusal> {
    let now = Timestamp::now();
    let entry = Override::new(change.enabled().unwrap_or_default(), person, why, now);
    let entry = entry.map_err(|error| Refusal::invalid(console, error))?;
    let events = tools.iter();
    let events: Vec<AuditEvent> = events
        .map(|tool| AuditEvent::tool_switched(now, tool, change.enabled(), &entry))
        .collect();
    let recorded = console.registry().record_all(&events).await;
    recorded.map_err(|error| Refusal::failed(console, format!("{error}; nothing was switched")))?;
    let state = console.state();
    let as_of = std::time::Instant::now();
    let done = match change {
        Change::Reset => state.reset_all(tools).await.map(drop),
        Change::Off | Change::On => state.switch_all(tools, &entry).await,
    };
    done.map_err(|error| Refusal::failed(console, error))?;
    // The page that follows shows the change; other programs follow the state.
    let overrides = state.overrides().await;
    let overrides = overrides.map_err(|error| Refusal::failed(console, error))?;
    console.registry().availability().publish(overrides, as_of);
    Ok(())
}

/// Shows whether a tool is on.
fn on_or_off(switch: &Switch) -> Markup {
    let (class, word) = if switch.is_on() {
        ("on", "on")
    } else {
        ("off", "off")
    };
    html! { span class={ "state " (class) } { (word) } }
}

/// Tells what decides whether a tool is on.
fn decided_by(switch: &Switch, now: Timestamp) -> Markup {
    html! {
        @match &switch.overridden {
            _ if switch.disabled => { code { "disable" } " of toolwright.toml" }
            Some(entry) => { (text(&entry.by)) ", " (ago(entry.at, now)) ": " (text(&entry.why)) }
            None if switch.configured != switch.default => { code { "enable" } " of toolwright.toml" }
            None => span.sub { "the default" },
        }
    }
}
