//! The operations that no tool offers, although they are sound.

use toolwright_model::{Method, ReservedFor};

use super::{
    arguments::Words,
    parameters::{is_set_elsewhere, slot_of},
    siblings::{Siblings, TooMany},
};
use crate::{
    document::diagnostic::{Code, Diagnostic},
    parse::openapi::{Operation, Parameter},
};

/// Checks that an operation can be offered as a tool. Returns the paths of others that a value of
/// its path could lead to.
pub(super) fn check(
    operation: &Operation<'_>,
    words: &Words<'_>,
    siblings: &Siblings,
) -> Result<Vec<String>, Box<Diagnostic>> {
    let key = &operation.key;
    if operation.eab.is_some() {
        return Ok(Vec::new());
    }
    if key.method == Method::Trace {
        return Err(Box::new(trace(operation)));
    }
    if let Some(refusal) = reserved(operation, words) {
        return Err(Box::new(refusal));
    }
    let may_have_separators = |name: &str| words.allow_separators(name);
    siblings
        .reachable(key.method, &key.path, may_have_separators)
        .map_err(|TooMany| Box::new(ambiguous(operation)))
}

fn ambiguous(operation: &Operation<'_>) -> Diagnostic {
    let path = &operation.key.path;
    let message = format!("values of `{path}` could lead to too many other operations");
    Diagnostic::warning(Code::PathParameter, operation.key.place, message)
        .label("this operation is left out")
        .note("a tool carries the paths that its values must not lead to")
}

fn reserved(operation: &Operation<'_>, words: &Words<'_>) -> Option<Diagnostic> {
    let mut parameters = operation.parameters.iter();
    parameters.find_map(|parameter| {
        let slot = slot_of(parameter);
        let is_decided = words.decide(&slot) || is_set_elsewhere(parameter, &operation.security);
        let reserved = slot
            .reserved()
            .filter(|_| parameter.required && !is_decided)?;
        Some(needs_reserved(operation, parameter, reserved))
    })
}

fn trace(operation: &Operation<'_>) -> Diagnostic {
    let message = "operations of the method TRACE are not offered";
    Diagnostic::warning(Code::MethodNotOffered, operation.key.place, message)
        .label("this operation is left out")
        .note("a service answers TRACE with the request that it has received, credentials included")
}

fn needs_reserved(
    operation: &Operation<'_>,
    parameter: &Parameter<'_>,
    reserved: ReservedFor,
) -> Diagnostic {
    let (location, name) = (parameter.location, &parameter.name);
    let message = format!("the operation needs `{name}` of the {location}, which no tool offers");
    Diagnostic::warning(Code::ReservedParameter, parameter.place, message)
        .also(operation.key.place, "this operation is left out")
        .note(format!(
            "it would let an agent decide about {}",
            reserved.word()
        ))
        .help(format!(
            "pin it in the overlay: `[pin]` and `{name} = {{ value = … }}`"
        ))
}
