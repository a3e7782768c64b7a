//! Calls of the tools of discovery. One that calls another tool becomes the call of that tool, with its
//! gates, errors and events.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolwright_model::{Category, ToolSpec};

use super::{
    Callee, Denial, arguments,
    consent::Consent,
    record::{CallRecord, Purpose},
    run_and_wait,
};
use crate::{
    boundary::{core::RegisteredTool, menu::Menu, secrets::CallSecrets, view::ScopedToolView},
    discovery::DiscoveryTool,
    error::ToolError,
    output::ToolOutput,
    render::mcp::{self, OutputSchemas},
    system::offload,
};

/// The number of results of a search that names no limit.
const DEFAULT_LIMIT: u64 = 5;

/// A call of a tool of discovery, with arguments that fit it.
pub(super) enum Discovery {
    /// The call of a tool of the category.
    Call(Category, String, Value),
    Search(String, usize),
    Describe(String),
}

/// Carries out a call of a tool of discovery.
pub(super) async fn call(
    view: &ScopedToolView,
    tool: DiscoveryTool,
    menu: Arc<Menu>,
    arguments: Value,
) -> Result<ToolOutput, ToolError> {
    let (core, scope) = (view.core(), view.scope());
    let record = CallRecord::new(core, scope, Callee::Tool(tool.name()), Purpose::Call);
    let (discovery, record) = read(view, tool, &menu, arguments, record)?;
    let value = match discovery {
        Discovery::Call(category, name, arguments) => {
            let view = view.through(category);
            return run_and_wait(&view, Callee::Tool(&name), arguments).await;
        }
        Discovery::Describe(name) => match menu.tool(&name) {
            Some(spec) => described(spec),
            None => return Err(record.deny(not_permitted(view, &name))),
        },
        Discovery::Search(query, limit) => {
            let found = offload(move || found(&menu.search(&query, limit))).await;
            match found {
                Ok(found) => found,
                Err(_) => return Err(record.deny(Denial::undecided("the program ends"))),
            }
        }
    };
    let result = Ok(ToolOutput::native(value));
    record.allow(&Consent::NotNeeded).await?.finish(&result);
    result
}

/// Checks the arguments of a call. The record has the tool of discovery and the arguments.
pub(super) fn read<'r>(
    view: &ScopedToolView,
    tool: DiscoveryTool,
    menu: &Menu,
    arguments: Value,
    mut record: CallRecord<'r>,
) -> Result<(Discovery, CallRecord<'r>), ToolError> {
    let Some(entry) = menu.entry(tool) else {
        let denial = not_permitted(view, tool.name());
        return Err(record.deny(denial));
    };
    record.set_permitted(entry);
    let arguments = match arguments::Given::new(arguments).object() {
        Ok(arguments) => Value::Object(arguments),
        Err(fault) => return Err(record.deny(arguments::misfit(entry, vec![fault]))),
    };
    match check(view, tool, entry, &arguments, &mut record) {
        Ok(()) => Ok((discovery(tool, arguments), record)),
        Err(denial) => Err(record.deny(denial)),
    }
}

fn check(
    view: &ScopedToolView,
    tool: DiscoveryTool,
    entry: &RegisteredTool,
    arguments: &Value,
    record: &mut CallRecord<'_>,
) -> Result<(), Denial> {
    let violations = entry.violations(arguments).map_err(Denial::undecided)?;
    if violations.is_empty() && matches!(tool, DiscoveryTool::Call(_)) {
        // The call that it becomes has a record of its own.
        return Ok(());
    }
    let described = view.core().audit.describe(arguments);
    record.set_arguments(described.map_err(|error| Denial::undecided(error.to_string()))?);
    match arguments {
        Value::Object(arguments) if violations.is_empty() => {
            record.set_values(entry, arguments, &CallSecrets::default());
            Ok(())
        }
        _ => Err(arguments::misfit(entry, violations)),
    }
}

/// Returns the call with these arguments, which fit the tool.
fn discovery(tool: DiscoveryTool, mut arguments: Value) -> Discovery {
    let mut take = |name: &str| arguments.get_mut(name).map(Value::take).unwrap_or_default();
    let text = |value: Value| value.as_str().unwrap_or_default().to_owned();
    match tool {
        DiscoveryTool::Search => {
            let limit = take("limit")
                .as_f64()
                .map_or(DEFAULT_LIMIT, |limit| limit as u64);
            let limit = usize::try_from(limit).unwrap_or_default();
            Discovery::Search(text(take("query")), limit)
        }
        DiscoveryTool::Describe => Discovery::Describe(text(take("tool"))),
        DiscoveryTool::Call(category) => {
            Discovery::Call(category, text(take("tool")), take("arguments"))
        }
    }
}

pub(super) fn not_permitted(view: &ScopedToolView, name: &str) -> Denial {
    let (core, scope) = (view.core(), view.scope());
    let why = scope.permits(core, &core.policy(), name).err();
    let why = why.unwrap_or(super::permission::UNKNOWN);
    Denial::new(why, Callee::Tool(name).not_permitted(&scope.role))
}

/// Returns the results of a search.
fn found(tools: &[&Arc<ToolSpec>]) -> Value {
    let tools = tools.iter().map(|spec| {
        let schema = spec.input_schema.root();
        let required = schema.get("required").cloned();
        let mut entry = Map::new();
        let mut insert = |key: &str, value: Value| entry.insert(key.to_owned(), value);
        insert("name", spec.name.as_str().into());
        insert("short", spec.short.as_str().into());
        insert("call_with", call_tool(spec.category).into());
        insert("required", required.unwrap_or_else(|| json!([])));
        for (key, is_set) in [
            ("approval_required", spec.approval_required),
            ("deprecated", spec.deprecated),
        ] {
            if is_set {
                insert(key, true.into());
            }
        }
        Value::Object(entry)
    });
    json!({ "tools": tools.collect::<Vec<_>>() })
}

/// Returns the description of a tool: the tool object of MCP, and the name of the tool that calls it.
fn described(spec: &ToolSpec) -> Value {
    json!({
        "tool": mcp::tool(spec, OutputSchemas::Cut),
        "call_with": call_tool(spec.category),
    })
}

const fn call_tool(category: Category) -> &'static str {
    DiscoveryTool::Call(category).name()
}
