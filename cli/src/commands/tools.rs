//! `toolwright tools`: the operator's switches.

use anstyle::{AnsiColor, Style};
use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use toolwright::{
    Registry, ToolName, ToolSpec,
    audit::{AuditEvent, AuditSink},
    availability::Override,
    config::Config,
    registry::Switch,
};

use crate::{
    Exit, Failure,
    context::Context,
    linked,
    operator::{PersonArguments, runtime},
    output::{Cell, FormatArguments, Table},
    skills, state,
    tools::{ChosenTools, ToolsArguments, find},
};

/// Show which tools are on, and switch them on or off while programs run
///
/// A switch is kept in the state until it is reset. It applies to all programs with the same state
/// within a second.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright tools states --service plane\n  \
    toolwright tools disable delete-plane-task --by 'your name' --why 'incident 7'\n  \
    toolwright tools reset delete-plane-task --by 'your name' --why 'incident 7 is over'")]
pub(crate) struct SwitchArguments {
    #[command(subcommand)]
    command: SwitchCommand,
}

#[derive(Debug, Subcommand)]
enum SwitchCommand {
    /// List the tools with what decides whether they are on
    States(StatesArguments),
    /// Switch a tool on
    Enable(ChangeArguments),
    /// Switch a tool off
    Disable(ChangeArguments),
    /// Remove the switch of a tool, so its default applies
    Reset(ChangeArguments),
}

#[derive(Debug, Args)]
struct StatesArguments {
    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

#[derive(Debug, Args)]
struct ChangeArguments {
    /// The name of the tool
    #[arg(value_name = "NAME")]
    name: String,

    #[command(flatten)]
    person: PersonArguments,
    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

/// The state of a tool as programs read it.
#[derive(Serialize)]
struct ListedState<'a> {
    tool: &'a ToolName,
    enabled: bool,
    default: bool,
    configured: bool,
    disabled: bool,
    #[serde(rename = "override", skip_serializing_if = "Option::is_none")]
    overridden: &'a Option<Override>,
}

impl SwitchArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        match self.command {
            SwitchCommand::States(arguments) => arguments.run(context),
            SwitchCommand::Enable(arguments) => arguments.run(Some(true), context),
            SwitchCommand::Disable(arguments) => arguments.run(Some(false), context),
            SwitchCommand::Reset(arguments) => arguments.run(None, context),
        }
    }
}

impl StatesArguments {
    fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let config = context.trusted_config()?;
        let tools = self.tools.choose(context, &config)?;
        let exit = tools.exit();
        let registry = registry(&tools, config.clone())?;
        let mut table = Table::new(["TOOL", "NOW", "DEFAULT", "DECIDED BY"]);
        for (spec, switch) in registry.switches() {
            if self.format.is_json() {
                context.output.json(&listed(&spec, &switch))?;
            }
            table.row([
                spec.name.as_str().into(),
                on_or_off(switch.is_on()),
                word(switch.default).into(),
                reason(&switch).into(),
            ]);
        }
        for (name, entry) in skill_switches(&config)? {
            table.row([
                name.as_str().into(),
                on_or_off(entry.enabled),
                word(true).into(),
                decided(&entry).into(),
            ]);
            if self.format.is_json() {
                context.output.json(&ListedState {
                    tool: &name,
                    enabled: entry.enabled,
                    default: true,
                    configured: true,
                    disabled: false,
                    overridden: &Some(entry),
                })?;
            }
        }
        if !self.format.is_json() {
            context.output.table(&table)?;
        }
        Ok(exit)
    }
}

impl ChangeArguments {
    fn run(self, enabled: Option<bool>, context: &mut Context) -> Result<Exit, Failure> {
        let config = context.trusted_config()?;
        let tools = self.tools.choose(context, &config)?;
        let disabled = match enabled {
            Some(true) => disabled(&tools, &config)?,
            _ => Vec::new(),
        };
        let specs = tools.records()?;
        let tool = match skills::named(&config, &self.name)? {
            Some(skill) => skill,
            None => find(&specs, &self.name)?.name.clone(),
        };
        check_allowed(&tool, &disabled)?;
        let now = Timestamp::now();
        let entry = Override::new(
            enabled.unwrap_or_default(),
            &self.person.by,
            &self.person.why,
            now,
        );
        let entry = entry.map_err(|error| Failure::usage(error.to_string()))?;
        runtime()?.block_on(async {
            let state = state::open(&config).await?;
            // As with approvals: what cannot be recorded is not done.
            let event = AuditEvent::tool_switched(now, &tool, enabled, &entry);
            let recorded = config.audit.open().record(&event);
            recorded.map_err(|error| Failure::new(format!("{error}; nothing was switched")))?;
            match enabled {
                Some(_) => state.switch(&tool, &entry).await?,
                None => drop(state.reset(&tool).await?),
            }
            Ok::<_, Failure>(())
        })?;
        if self.format.is_json() {
            let change = json!({"tool": tool, "override": enabled});
            context.output.json(&change)?;
            return Ok(Exit::Done);
        }
        let done = match enabled {
            Some(true) => "is switched on",
            Some(false) => "is switched off",
            None => "has its default again",
        };
        context.output.line(format_args!("`{tool}` {done}"))?;
        Ok(Exit::Done)
    }
}

/// Returns the tools that `disable` keeps off.
fn disabled(tools: &ChosenTools<'_>, config: &Config) -> Result<Vec<ToolName>, Failure> {
    let registry = registry(tools, config.clone())?;
    let disabled = registry.switches().filter(|(_, switch)| switch.disabled);
    Ok(disabled.map(|(spec, _)| spec.name.clone()).collect())
}

/// Refuses to switch on a tool that `disable` keeps off: it would stay off.
fn check_allowed(tool: &ToolName, disabled: &[ToolName]) -> Result<(), Failure> {
    if disabled.contains(tool) {
        return Err(Failure::new(format!("`{tool}` cannot be switched on"))
            .note("`disable` of `[tools]` in toolwright.toml wins over switches")
            .help("remove it from `disable`"));
    }
    Ok(())
}

/// A registry of the tools with the switches of the state.
fn registry(tools: &ChosenTools<'_>, config: Config) -> Result<Registry, Failure> {
    let availability = runtime()?.block_on(async {
        let state = state::open(&config).await?;
        Ok::<_, Failure>(state.availability(config.state.grace).await?)
    })?;
    let builder = tools.registry().config(config);
    let registry = builder.availability(availability).partial().build();
    registry.map_err(|error| linked::wrong(&error))
}

/// Returns the switches of the project's skills that have one. Without one, the standing decides alone.
fn skill_switches(config: &Config) -> Result<Vec<(ToolName, Override)>, Failure> {
    let names = skills::names(config)?;
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let mut overrides = runtime()?.block_on(async {
        let state = state::open(config).await?;
        Ok::<_, Failure>(state.overrides().await?)
    })?;
    let switched = names.into_iter();
    let switched = switched.filter_map(|name| overrides.remove_entry(&name));
    Ok(switched.collect())
}

fn listed<'a>(spec: &'a ToolSpec, switch: &'a Switch) -> ListedState<'a> {
    ListedState {
        tool: &spec.name,
        enabled: switch.is_on(),
        default: switch.default,
        configured: switch.configured,
        disabled: switch.disabled,
        overridden: &switch.overridden,
    }
}

/// Describes what decides whether a tool is on.
fn reason(switch: &Switch) -> String {
    match &switch.overridden {
        _ if switch.disabled => "toolwright.toml: `disable`".to_owned(),
        Some(entry) => decided(entry),
        None if switch.configured != switch.default => "toolwright.toml: `enable`".to_owned(),
        None => "the default".to_owned(),
    }
}

/// Describes who decided about a switch.
fn decided(entry: &Override) -> String {
    format!("{}, {:.0}: {}", entry.by, entry.at, entry.why)
}

const fn word(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

fn on_or_off(on: bool) -> Cell {
    let style = if on {
        AnsiColor::Green.on_default()
    } else {
        Style::new().dimmed()
    };
    Cell::styled(word(on), style)
}
