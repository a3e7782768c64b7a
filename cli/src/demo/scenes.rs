//! The steps of the demo: each does something, shows it, and checks the result.

use std::io;

use jiff::Timestamp;
use serde_json::{Value, json};
use toolwright::{
    Category, Role, ToolError, ToolOutput, ToolSpec,
    approval::{ApprovalId, Decision, Verdict},
};

use super::{
    screen::Screen,
    setting::{ADAPTERS, SPECIFICATION, Setting},
    skill, trail,
};
use crate::{Failure, commands::list, output::Table};

/// The name under which the person of the demo approves.
pub(super) const PERSON: &str = "operator";

/// The reason why a step did not finish.
#[derive(Debug)]
pub(super) enum Mishap {
    /// The result differs from the announced one.
    Untold(String),
    /// Standard output is gone.
    Output(io::Error),
    /// Something else went wrong.
    Other(Failure),
}

/// Introduces the demo and its setting.
pub(super) fn opening(setting: &Setting, screen: &mut Screen<'_>) -> Result<(), Mishap> {
    screen.emphasise("One service, its tools, and two roles that may use some of them")?;
    screen.gap()?;
    screen.say(format_args!(
        "Depot, a small inventory service, listens at {}\n\
         and requires a bearer token. All other files are in {}",
        setting.address(),
        setting.folder().display()
    ))?;
    Ok(())
}

/// Shows the tools with the generator's evidence for each.
pub(super) fn what_was_generated(setting: &Setting, screen: &mut Screen<'_>) -> Result<(), Mishap> {
    screen.step("What was generated from the specification")?;
    let (specs, adapters) = (&setting.specs, &setting.adapters);
    ensure(!specs.is_empty(), "no tool was generated")?;
    screen.table(&table(specs))?;
    screen.gap()?;
    screen.say(format_args!(
        "{} tools from {SPECIFICATION}: {} files, {} kB in {ADAPTERS}, in {} ms.\n\
         Each class comes from the specification, and every tool records the evidence. Tools that\n\
         change something are off until the operator switches them on.",
        specs.len(),
        adapters.files,
        adapters.bytes / 1000,
        adapters.time.as_millis()
    ))?;
    Ok(())
}

/// The view of a role: what it was granted, and no more.
pub(super) fn what_a_reader_sees(setting: &Setting, screen: &mut Screen<'_>) -> Result<(), Mishap> {
    screen.step("What a reader sees")?;
    screen.say(
        "The operator's file, toolwright.toml, grants it the tools that only read:\n\n    \
                [roles.reader]\n    grant = [\"category:observe\"]",
    )?;
    screen.gap()?;
    let seen = setting.view(&reader()?).specs();
    let observes = setting
        .specs
        .iter()
        .filter(|spec| spec.category == Category::Observe);
    ensure(
        !seen.is_empty() && seen.len() == observes.count(),
        "the view differs from the grant",
    )?;
    screen.say(format_args!(
        "These {} of the {} tools are all that an agent of this role can list and call:",
        seen.len(),
        setting.specs.len()
    ))?;
    for spec in &seen {
        screen.say(format_args!("    {}", spec.name))?;
    }
    Ok(())
}

/// A call that passes every gate.
pub(super) async fn a_read_that_works(
    setting: &Setting,
    screen: &mut Screen<'_>,
) -> Result<(), Mishap> {
    screen.step("An allowed read")?;
    let arguments = json!({"status": "in_stock", "limit": 2});
    let ended = call(setting, screen, &reader()?, "list-depot-items", arguments).await?;
    let items = ended.map(|output| {
        output
            .value
            .get("items")
            .and_then(Value::as_array)
            .map(Vec::len)
    });
    ensure(items == Ok(Some(2)), "two items were expected")
}

/// Shows a call that the role may not make, and one that no role may make.
pub(super) async fn a_write_that_is_refused(
    setting: &Setting,
    screen: &mut Screen<'_>,
) -> Result<(), Mishap> {
    screen.step("A refused write")?;
    for (tool, reason) in [
        ("create-depot-item", "not_granted"),
        ("drop-depot-items", "unknown_tool"),
    ] {
        let ended = call(setting, screen, &reader()?, tool, new_item()).await?;
        let refused = matches!(ended, Err(ToolError::ToolNotPermitted { .. }));
        ensure(refused, "the call was not refused")?;
        let trail = setting.trail()?;
        let recorded = trail.last().map(|event| trail::text(event, "reason"));
        ensure(recorded == Some(reason), "the audit contains no reason")?;
        screen.say(format_args!("The audit contains the real reason: {reason}"))?;
        screen.gap()?;
    }
    screen.say("Both refusals look the same, so a caller does not learn which tools exist.")?;
    Ok(())
}

/// A call that waits for a person, passes once, and then waits again.
pub(super) async fn a_create_that_waits(
    setting: &Setting,
    screen: &mut Screen<'_>,
) -> Result<(), Mishap> {
    screen.step("A create that waits for approval")?;
    let clerk = clerk()?;
    let (tool, arguments) = ("create-depot-item", new_item());
    let ended = call(setting, screen, &clerk, tool, arguments.clone()).await?;
    let id = waiting_request(&ended)?;
    approve(setting, screen, &id).await?;

    screen.say("The same call now passes, once:")?;
    screen.gap()?;
    let ended = call(setting, screen, &clerk, tool, arguments.clone()).await?;
    let created = ended.map(|output| output.status);
    ensure(
        created == Ok(Some(201)),
        "the approved call did not create the item",
    )?;
    screen.gap()?;
    screen.say("The approval is used up. The next call waits again:")?;
    screen.gap()?;
    let ended = call(setting, screen, &clerk, tool, arguments).await?;
    let again = waiting_request(&ended)?;
    ensure(again != id, "the approval was used twice")
}

/// Everything that was decided and done, by role.
pub(super) fn the_audit_trail(setting: &Setting, screen: &mut Screen<'_>) -> Result<(), Mishap> {
    screen.step("The audit trail")?;
    let trail = setting.trail()?;
    ensure(
        trail.len() == 17 + skill::EVENTS,
        "another number of events was expected",
    )?;
    screen.table(&trail::table(&trail))?;
    screen.gap()?;
    screen.say(format_args!(
        "One line of JSON for each event, in {}\n\
         A line contains the names and a digest of the arguments, but neither values nor the token.",
        setting.audit_file().display()
    ))?;
    Ok(())
}

/// Suggests the next steps.
pub(super) fn closing(
    setting: &Setting,
    screen: &mut Screen<'_>,
    keep: bool,
) -> Result<(), Mishap> {
    screen.gap()?;
    screen.emphasise("What to try next")?;
    let program = program();
    for (what, command) in [
        (
            "The evidence for a tool's class:",
            "explain create-depot-item",
        ),
        ("The tools of your own API:", "inspect YOUR-OPENAPI.yaml"),
        (
            "An MCP server for an agent:",
            "serve --role me --grant category:observe --spec YOUR-OPENAPI.yaml",
        ),
    ] {
        screen.gap()?;
        screen.say(what)?;
        screen.say(format_args!("    {program} {command}"))?;
    }
    if keep {
        screen.gap()?;
        screen.say(format_args!(
            "The folder is kept: {}",
            setting.folder().display()
        ))?;
    }
    Ok(())
}

/// Returns the command line of this program: cargo in a checkout, otherwise its name.
fn program() -> &'static str {
    if std::env::var_os("CARGO").is_some() {
        "cargo run --release --"
    } else {
        "toolwright"
    }
}

/// Makes a call and shows it.
pub(super) async fn call(
    setting: &Setting,
    screen: &mut Screen<'_>,
    role: &Role,
    tool: &str,
    arguments: Value,
) -> Result<Result<ToolOutput, ToolError>, Mishap> {
    let ended = setting.view(role).call_json(tool, arguments.clone()).await;
    screen.call(role, tool, &arguments, &ended)?;
    Ok(ended)
}

/// Shows a person the call that waits, and approves it in the person's name.
async fn approve(
    setting: &Setting,
    screen: &mut Screen<'_>,
    id: &ApprovalId,
) -> Result<(), Mishap> {
    let untold = |error: &dyn std::fmt::Display| Mishap::Untold(error.to_string());
    let (approvals, now) = (setting.registry.approvals(), Timestamp::now());
    let pending = approvals
        .pending(now)
        .await
        .map_err(|error| untold(&error))?;
    let request = pending.iter().find(|request| request.id == *id);
    let request = request.ok_or_else(|| Mishap::Untold("the call does not wait".to_owned()))?;
    screen.gap()?;
    screen.say(format_args!(
        "A person reads the request and records a decision:\n\n    \
         toolwright approve {} --by {PERSON}",
        request.handle
    ))?;
    screen.gap()?;
    let decision = Decision::new(Verdict::Approved, PERSON, now).map_err(|error| untold(&error))?;
    let decision = decision.signed(&setting.approver, request);
    let decided = setting
        .registry
        .decide(request.handle.clone(), decision)
        .await;
    decided.map_err(|error| untold(&error))?;
    Ok(())
}

/// The id under which a call waits.
fn waiting_request(ended: &Result<ToolOutput, ToolError>) -> Result<ApprovalId, Mishap> {
    match ended {
        Err(ToolError::ApprovalRequired { id, .. }) => Ok(id.clone()),
        _ => Err(Mishap::Untold(
            "the call does not wait for approval".to_owned(),
        )),
    }
}

/// The tools with their governance.
fn table(specs: &[ToolSpec]) -> Table {
    let mut table = Table::new(["TOOL", "CATEGORY", "EFFECT", "APPROVAL", "HINTS"]);
    for spec in specs {
        table.row([
            spec.name.as_str().into(),
            list::category(spec.category),
            spec.effect.word().into(),
            list::approval(spec.approval_required),
            list::hints(spec.hints).into(),
        ]);
    }
    table
}

/// The item that the roles try to create.
fn new_item() -> Value {
    json!({"sku": "CLOCK-060", "name": "Wall clock", "quantity": 3})
}

pub(super) fn reader() -> Result<Role, Mishap> {
    role("reader")
}

pub(super) fn clerk() -> Result<Role, Mishap> {
    role("clerk")
}

fn role(name: &str) -> Result<Role, Mishap> {
    Role::new(name).map_err(|error| Mishap::Untold(error.to_string()))
}

pub(super) fn ensure(holds: bool, otherwise: &str) -> Result<(), Mishap> {
    if holds {
        Ok(())
    } else {
        Err(Mishap::Untold(otherwise.to_owned()))
    }
}

impl From<io::Error> for Mishap {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<Failure> for Mishap {
    fn from(failure: Failure) -> Self {
        Self::Other(failure)
    }
}
