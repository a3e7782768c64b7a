//! `toolwright policy check`: the faults of a policy, what is new, and what a change does.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use toolwright::{
    Registry,
    config::Config,
    policy::{Pending, PolicyLock, RoleChange},
};

use super::registry;
use crate::{
    Exit, Failure,
    context::Context,
    failure::Code,
    output::{FormatArguments, Output, plural},
    project,
    tools::{ChosenTools, ToolsArguments},
};

/// Check the policy: its faults, the tools that wait for acceptance, and what a change does
///
/// With `--against`, lists what each role gains and loses in comparison with an older file. The exit
/// code is 4 if tools wait for acceptance, or if there are such differences.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright policy check\n  \
    toolwright policy check --against old.toml\n  \
    toolwright policy check --accept")]
pub(super) struct PolicyCheckArguments {
    /// List what each role gains and loses in comparison with this toolwright.toml
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,

    /// Accept all tools that the selectors match now, and write the policy lock
    #[arg(long)]
    accept: bool,

    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

/// The findings of a check.
struct Findings {
    roles: usize,
    has_lock: bool,
    pending: Vec<Pending>,
    changes: Vec<RoleChange>,
}

impl PolicyCheckArguments {
    pub(super) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let file = context.needed_file()?;
        let (config, problems) = self.read(&file)?;
        let tools = self.tools.choose(context, &config)?;
        tools.must_be_complete()?;
        if !problems.is_empty() {
            return Err(all_faults(problems, &tools, config));
        }
        let lock_path = config.lock_path();
        let lock = config.policy_lock.clone();
        let registry = registry(&tools, config)?;
        let changes = match &self.against {
            Some(old) => changes_since(old, &registry, &tools)?,
            None => Vec::new(),
        };
        let mut findings = Findings {
            roles: registry.roles().len(),
            has_lock: lock.is_some() || self.accept,
            pending: registry.pending(),
            changes,
        };
        if self.accept {
            let kept = lock.as_ref().filter(|_| tools.is_a_part());
            write_lock(&lock_path, kept, &registry)?;
            findings.pending.clear();
        }
        findings.print(self.format, &mut context.output)?;
        Ok(findings.exit())
    }

    /// Reads the configuration, with its faults and those of the policy lock.
    fn read(&self, file: &Path) -> Result<(Config, Vec<String>), Failure> {
        let text =
            std::fs::read_to_string(file).map_err(|error| Failure::file("read", file, &error))?;
        let (config, mut problems) = Config::parse_all(file, &text);
        let locked = config.clone().with_lock_file();
        let config = locked.unwrap_or_else(|error| {
            // Without the lock, `--accept` writes a new one.
            if !self.accept {
                problems.extend(error.problems);
            }
            config
        });
        Ok((config, problems.iter().map(ToString::to_string).collect()))
    }
}

/// Returns the faults of the file together with those of the policy.
fn all_faults(mut faults: Vec<String>, tools: &ChosenTools<'_>, config: Config) -> Failure {
    if let Err(error) = tools.registry().config(config).build() {
        faults.extend(error.problems.iter().map(ToString::to_string));
    }
    Failure::all(faults).code(Code::InvalidConfiguration)
}

fn changes_since(
    old: &Path,
    new: &Registry,
    tools: &ChosenTools<'_>,
) -> Result<Vec<RoleChange>, Failure> {
    let text = std::fs::read_to_string(old).map_err(|error| Failure::file("read", old, &error))?;
    let config = Config::parse(old, &text).map_err(|error| project::invalid(&error))?;
    let old = registry(tools, config)?;
    Ok(old.snapshot().changes_to(&new.snapshot()))
}

/// Writes the lock. If only a part of the tools is known, what was accepted of the others is kept.
fn write_lock(path: &Path, kept: Option<&PolicyLock>, registry: &Registry) -> Result<(), Failure> {
    let mut lock = registry.matched();
    if let Some(kept) = kept {
        lock.extend(kept);
    }
    std::fs::write(path, lock.to_toml()).map_err(|error| Failure::file("write", path, &error))
}

impl Findings {
    fn exit(&self) -> Exit {
        if self.pending.is_empty() && self.changes.is_empty() {
            Exit::Done
        } else {
            Exit::Differs
        }
    }

    fn print(&self, format: FormatArguments, output: &mut Output) -> Result<(), Failure> {
        if format.is_json() {
            output.json(&json!({
                "roles": self.roles,
                "pending": self.pending,
                "changes": self.changes,
            }))?;
            return Ok(());
        }
        for pending in &self.pending {
            for tool in &pending.tools {
                output.text(&format!(
                    "new: `{tool}`, by `{}` of `{}` ({})",
                    pending.selector, pending.owner, pending.place
                ))?;
            }
        }
        for change in &self.changes {
            print_change(change, output)?;
        }
        let roles = plural(self.roles, "role");
        match (self.pending.is_empty(), self.has_lock) {
            (true, true) => output.text(&format!("{roles}, no tool waits for acceptance"))?,
            (true, false) => output.text(&format!(
                "{roles}; without a policy lock, new tools are granted as soon as a selector matches them (`--accept` writes one)"
            ))?,
            (false, _) => output.text(&format!(
                "{roles}; to grant the new tools, run `toolwright policy check --accept`"
            ))?,
        }
        Ok(())
    }
}

fn print_change(change: &RoleChange, output: &mut Output) -> Result<(), Failure> {
    let role = &change.role;
    for tool in &change.gains {
        output.text(&format!("{role}: + {tool}"))?;
    }
    for tool in &change.loses {
        output.text(&format!("{role}: - {tool}"))?;
    }
    for (tool, limits) in &change.limits {
        output.text(&format!("{role}: ~ {tool}"))?;
        for before in &limits.before {
            output.text(&format!("    before: {before}"))?;
        }
        for after in &limits.after {
            output.text(&format!("    after: {after}"))?;
        }
    }
    Ok(())
}
