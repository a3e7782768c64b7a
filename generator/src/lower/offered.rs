//! The operations that no tool offers, although they are sound.

use toolwright_model::{Method, ReservedFor};

use super::{
    arguments::OverlayEntries,
    parameters::{SetElsewhere, slot_of},
    siblings::{Siblings, TooMany},
};
use crate::{
    document::diagnostic::{Code, Diagnostic},
    parse::openapi::{Parameter, ParsedOperation, Protocol},
};

/// Checks that an operation can be offered as a tool. Returns the paths of others that a value of
/// its path could lead to.
pub(super) fn check(
    operation: &ParsedOperation<'_>,
    words: &OverlayEntries<'_>,
    elsewhere: &SetElsewhere,
    siblings: &Siblings,
) -> Result<Vec<String>, Box<Diagnostic>> {
    let key = &operation.key;
    match &operation.protocol {
        Protocol::Eab(_) | Protocol::Mcp(_) | Protocol::Graphql(_) => return Ok(Vec::new()),
        Protocol::Grpc(method) if method.client_streaming => {
            return Err(Box::new(client_stream(operation)));
        }
        Protocol::Http | Protocol::Grpc(_) => {}
    }
    if key.method == Method::Trace {
        return Err(Box::new(trace(operation)));
    }
    if let Some(refusal) = find_reserved(operation, words, elsewhere) {
        return Err(Box::new(refusal));
    }
    let may_have_separators = |name: &str| words.allow_separators(name);
    siblings
        .reachable(key.method, &key.path, may_have_separators)
        .map_err(|TooMany| Box::new(ambiguous(operation)))
}

fn ambiguous(operation: &ParsedOperation<'_>) -> Diagnostic {
    let path = &operation.key.path;
    let message = format!("values in `{path}` could match too many other operations");
    Diagnostic::warning(Code::PathParameter, operation.key.place, message)
        .label("this operation is left out")
        .note("a tool lists all paths that its values must not match")
}

fn find_reserved(
    operation: &ParsedOperation<'_>,
    words: &OverlayEntries<'_>,
    elsewhere: &SetElsewhere,
) -> Option<Diagnostic> {
    let mut parameters = operation.parameters.iter();
    parameters.find_map(|parameter| {
        let slot = slot_of(parameter);
        let is_decided = words.decide(&slot) || slot.is_always_sent() || elsewhere.sets(parameter);
        let reserved = slot
            .reserved()
            .filter(|_| parameter.required && !is_decided)?;
        Some(needs_reserved(operation, parameter, reserved))
    })
}

fn trace(operation: &ParsedOperation<'_>) -> Diagnostic {
    let message = "TRACE operations are not offered as tools";
    Diagnostic::warning(Code::MethodNotOffered, operation.key.place, message)
        .label("this operation is left out")
        .note(
            "a service answers TRACE with the request that it received, including the credentials",
        )
}

fn client_stream(operation: &ParsedOperation<'_>) -> Diagnostic {
    let message = "methods that receive a stream of messages are not offered as tools";
    Diagnostic::warning(Code::MethodNotOffered, operation.key.place, message)
        .label("this method is left out")
        .note("a call of a tool has one request")
}

fn needs_reserved(
    operation: &ParsedOperation<'_>,
    parameter: &Parameter<'_>,
    reserved: ReservedFor,
) -> Diagnostic {
    let (location, name) = (parameter.location, &parameter.name);
    let message =
        format!("the operation requires `{name}` in the {location}, which no tool may offer");
    Diagnostic::warning(Code::ReservedParameter, parameter.place, message)
        .also(operation.key.place, "this operation is left out")
        .note(format!("it would let an agent control {}", reserved.word()))
        .help(format!(
            "pin `{name}` under `[pin]` in the overlay; only you can choose a safe value"
        ))
}
