//! Finds a tool in its specification: its place, and the derivation of its name.

use toolwright::ToolSpec;
use toolwright_generator::{generate::Outcome, internals::Operation};

use super::Trace;
use crate::{
    Failure,
    context::Context,
    specification::{AS_IT_IS, understand},
    tools::ToolsArguments,
};

/// Finds a tool in the named specifications, or in the project's specification of its service.
/// Returns `None` if there is no specification, or if it no longer contains the tool.
pub(crate) fn trace(
    spec: &ToolSpec,
    tools: &ToolsArguments,
    context: &Context,
) -> Result<Option<Trace>, Failure> {
    for specification in tools.origins(spec, context)? {
        let outcome = understand(&[specification.input()], AS_IT_IS);
        let Some(operation) = operation(&outcome, spec) else {
            continue;
        };
        let file = outcome.sources.path(operation.place.source);
        let at = outcome.sources.line_column(operation.place);
        return Ok(Some(Trace {
            place: Some(format!("{file}:{at}")),
            name_derivation: operation.name_derivation.clone(),
        }));
    }
    Ok(None)
}

fn operation<'a>(outcome: &'a Outcome, spec: &ToolSpec) -> Option<&'a Operation> {
    let services = outcome.catalog.as_ref()?.services().iter();
    services
        .flat_map(|service| service.tools())
        .find(|(name, _)| **name == spec.name)
        .map(|(_, operation)| operation)
}
