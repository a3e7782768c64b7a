//! The gate of the arguments: fills in the pinned ones and checks the whole against the schema.

use std::sync::Arc;

use serde_json::{Map, Value};
use toolwright_policy::{RefusalReason, VariableFault};

use super::{Denial, record::CallRecord, work::Route};
use crate::{
    audit::{Arguments, AuditError, Reason},
    boundary::{
        core::{Core, RegisteredTool},
        pins,
        view::ScopedToolView,
        workspaces::Chosen,
    },
    error::ToolError,
    schema::Violation,
    system::offload,
};

/// The deepest nesting of arguments. JSON with deeper nesting is not read either.
const DEEPEST: usize = 128;

/// The number of values from which arguments are checked on another thread.
const MANY_VALUES: usize = 2_000;

/// The number of bytes of strings from which arguments are checked on another thread.
const MANY_BYTES: usize = 64 * 1024;

/// The arguments of the caller. They are never nested so deeply that a recursive function would
/// exhaust the stack.
pub(super) struct Given {
    value: Value,
    too_deep: bool,
}

impl Given {
    pub(super) fn new(value: Value) -> Self {
        let too_deep = is_deeper_than(&value, DEEPEST);
        let value = if too_deep { dismantle(value) } else { value };
        Self { value, too_deep }
    }

    /// Returns an argument.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.value.get(name)
    }

    /// Removes an argument.
    pub(super) fn remove(&mut self, name: &str) {
        if let Value::Object(arguments) = &mut self.value {
            arguments.remove(name);
        }
    }

    pub(super) fn object(self) -> Result<Map<String, Value>, Violation> {
        let fault = |message: &str| Violation {
            pointer: String::new(),
            message: message.to_owned(),
        };
        match self.value {
            _ if self.too_deep => Err(fault(&format!(
                "the arguments are nested more than {DEEPEST} levels deep"
            ))),
            Value::Object(arguments) => Ok(arguments),
            Value::Null => Ok(Map::new()),
            _ => Err(fault("the arguments are not an object")),
        }
    }
}

/// Returns the arguments for the call, with the pinned ones.
pub(super) async fn check(
    view: &ScopedToolView,
    entry: &Arc<RegisteredTool>,
    route: &Route<'_>,
    chosen: &Chosen,
    arguments: Given,
    record: &mut CallRecord<'_>,
) -> Result<Map<String, Value>, Denial> {
    let core = view.core();
    let arguments = arguments.object();
    let mut arguments = arguments.map_err(|fault| misfit(entry, vec![fault]))?;
    let by_policy = view.scope().pins(&core.policy(), &entry.spec().name);
    let by_policy = by_policy.map_err(|fault| unresolved(entry, &fault))?;
    let by_policy = by_policy.iter().map(|(name, value)| (name.as_str(), value));
    let mut violations = pins::fill(&mut arguments, &by_policy.collect());
    violations.extend(pins::fill(&mut arguments, &route.pins()));
    let arguments = Value::Object(arguments);
    let (arguments, checked) = inspect(core, entry, arguments).await?;
    let described = checked.described;
    record.set_arguments(described.map_err(|error| Denial::undecided(error.to_string()))?);
    violations.extend(checked.found.map_err(Denial::undecided)?);
    if violations.is_empty() {
        violations.extend(chosen.refuse_argument(&arguments));
    }
    match arguments {
        Value::Object(arguments) if violations.is_empty() => Ok(arguments),
        _ => Err(misfit(entry, violations)),
    }
}

/// Digests the arguments and validates them against the tool's schema. Large arguments are checked
/// on a thread that may block, to keep other calls responsive.
async fn inspect(
    core: &Arc<Core>,
    entry: &Arc<RegisteredTool>,
    arguments: Value,
) -> Result<(Value, Inspected), Denial> {
    if !is_large(&arguments) {
        let inspected = Inspected::new(core, entry, &arguments);
        return Ok((arguments, inspected));
    }
    let (core, entry) = (Arc::clone(core), Arc::clone(entry));
    let work = move || {
        let inspected = Inspected::new(&core, &entry, &arguments);
        (arguments, inspected)
    };
    let interrupted = |_| Denial::undecided("the program ends");
    offload(work).await.map_err(interrupted)
}

/// The digest and the violations of arguments. Computing them takes time in proportion to the
/// arguments.
struct Inspected {
    described: Result<Arguments, AuditError>,
    found: Result<Vec<Violation>, String>,
}

impl Inspected {
    fn new(core: &Core, entry: &RegisteredTool, arguments: &Value) -> Self {
        let found = entry.violations(arguments);
        Self {
            described: core.audit.describe(arguments),
            found: found.map_err(str::to_owned),
        }
    }
}

/// Checks whether a value is nested more than `most` levels deep, without recursion.
fn is_deeper_than(value: &Value, most: usize) -> bool {
    let mut unseen = vec![(value, 1)];
    while let Some((value, level)) = unseen.pop() {
        if level > most {
            return true;
        }
        match value {
            Value::Array(items) => unseen.extend(items.iter().map(|item| (item, level + 1))),
            Value::Object(fields) => unseen.extend(fields.values().map(|field| (field, level + 1))),
            _ => {}
        }
    }
    false
}

/// Drops a value level by level and returns null. Dropping the value as a whole would recurse.
fn dismantle(value: Value) -> Value {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::Array(items) => rest.extend(items),
            Value::Object(fields) => rest.extend(fields.into_iter().map(|(_, field)| field)),
            _ => {}
        }
    }
    Value::Null
}

/// Checks whether a value takes long to check.
fn is_large(value: &Value) -> bool {
    let (mut values, mut bytes) = (0, 0);
    let mut unseen = vec![value];
    while let Some(value) = unseen.pop() {
        values += 1;
        match value {
            Value::Array(items) if items.len() > MANY_VALUES => return true,
            Value::Array(items) => unseen.extend(items),
            Value::Object(fields) if fields.len() > MANY_VALUES => return true,
            Value::Object(fields) => unseen.extend(fields.values()),
            Value::String(text) => bytes += text.len(),
            _ => {}
        }
        if values > MANY_VALUES || bytes > MANY_BYTES {
            return true;
        }
    }
    false
}

/// Creates the denial of a call whose scope refers to a variable that cannot be inserted.
fn unresolved(entry: &RegisteredTool, fault: &VariableFault) -> Denial {
    let error = ToolError::OutOfScope {
        tool: entry.spec().name.clone(),
        reason: RefusalReason::VariableMissing,
        rule: Some(fault.variable.clone()),
    };
    Denial::new(Reason::Policy(RefusalReason::VariableMissing), error)
}

/// Creates the denial of arguments that do not fit.
pub(super) fn misfit(entry: &RegisteredTool, violations: Vec<Violation>) -> Denial {
    let tool = entry.spec().name.clone();
    let error = ToolError::InvalidArguments { tool, violations };
    Denial::new(Reason::InvalidArguments, error)
}
