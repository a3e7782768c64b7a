//! The gate of the arguments: what the operator pins is filled in, and the whole fits the schema.

use serde_json::{Map, Value};

use super::{Denial, record::Record, work::Route};
use crate::{
    audit::Reason,
    error::{ToolError, Violation},
    pins,
    registry::Entry,
};

/// The arguments that the call is made with.
pub(super) fn check(
    entry: &Entry,
    route: &Route<'_>,
    arguments: Value,
    record: &mut Record<'_>,
) -> Result<Map<String, Value>, Denial> {
    let mut arguments = match arguments {
        Value::Object(arguments) => arguments,
        Value::Null => Map::new(),
        _ => {
            let message = "the arguments are not an object".to_owned();
            let violation = Violation {
                pointer: String::new(),
                message,
            };
            return Err(misfit(entry, vec![violation]));
        }
    };
    let mut violations = pins::fill(&mut arguments, &route.pins());
    let arguments = Value::Object(arguments);
    record.is_with(&arguments);
    let schema = &entry.spec().input_schema;
    match entry.schema.violations(schema, &arguments) {
        Ok(more) => violations.extend(more),
        Err(message) => return Err(Denial::undecided(message)),
    }
    match arguments {
        Value::Object(arguments) if violations.is_empty() => Ok(arguments),
        _ => Err(misfit(entry, violations)),
    }
}

/// The denial of arguments that do not fit.
pub(super) fn misfit(entry: &Entry, violations: Vec<Violation>) -> Denial {
    let tool = entry.spec().name.clone();
    let error = ToolError::InvalidArguments { tool, violations };
    Denial::new(Reason::InvalidArguments, error)
}
