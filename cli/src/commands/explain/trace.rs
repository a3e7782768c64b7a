//! Finds a tool in its specification: its place, and the derivation of its name.

use toolwright::ToolSpec;
use toolwright_generator::{generate::Outcome, internals::Operation};

use super::Trace;
use crate::{
    Failure,
    context::Context,
    specification::{AS_IT_IS, Specification, understand},
    tools::ToolsArguments,
    workspace,
};

/// Finds a tool in the named specification, or in the project's specification of its service.
/// Returns `None` if there is no specification, or if it no longer contains the tool.
pub(crate) fn trace(
    spec: &ToolSpec,
    tools: &ToolsArguments,
    context: &Context,
) -> Result<Option<Trace>, Failure> {
    let specification = match tools.specification() {
        Some(named) => Some(named),
        None => of_project(spec, context)?,
    };
    let Some(specification) = specification else {
        return Ok(None);
    };
    let outcome = understand(&[specification.input()], AS_IT_IS);
    Ok(operation(&outcome, spec).map(|operation| {
        let file = outcome.sources.path(operation.place.source);
        let at = outcome.sources.line_column(operation.place);
        Trace {
            place: Some(format!("{file}:{at}")),
            name_derivation: operation.name_derivation.clone(),
        }
    }))
}

fn of_project(spec: &ToolSpec, context: &Context) -> Result<Option<Specification>, Failure> {
    let specs = context.config()?.workspace.specs;
    if !specs.is_dir() {
        return Ok(None);
    }
    let services = workspace::services(&specs)?;
    let found = services
        .into_iter()
        .find(|files| files.name == spec.service);
    Ok(found.map(Into::into))
}

fn operation<'a>(outcome: &'a Outcome, spec: &ToolSpec) -> Option<&'a Operation> {
    let services = outcome.catalog.as_ref()?.services().iter();
    services
        .flat_map(|service| service.tools())
        .find(|(name, _)| **name == spec.name)
        .map(|(_, operation)| operation)
}
