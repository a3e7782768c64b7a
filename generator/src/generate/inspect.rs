//! Describes a document as one JSON object, for measurements, reviews and tests.

use std::{borrow::Cow, collections::BTreeMap};

use serde::{Serialize, Serializer, ser::SerializeMap as _};
use serde_json::{Value, json};
use toolwright_model::{ServiceCredentials, ToolName, ToolSchema, ToolSpec};

use crate::{
    check::{CheckedService, tool_spec},
    document::{render, source::Sources},
    generate::{Outcome, Overview},
    ir::{LeftOut, Operation, types::Types},
};

/// The description of one input: its tools, the left-out operations with reasons, and all diagnostics
/// of the run. It is serialized as a JSON object.
///
/// The schemas of the tools refer to the `$defs` of the description. A document that cannot be read
/// has no tools, an empty `format` and no `service`.
#[derive(Debug)]
pub struct Description<'o> {
    outcome: &'o Outcome,
    overview: Overview,
    service: Option<&'o CheckedService>,
    specs: Vec<ToolSpec>,
}

/// Describes one input.
#[must_use]
pub fn document(outcome: &Outcome, input: usize) -> Description<'_> {
    let overview = outcome.overviews.get(input).cloned().unwrap_or_default();
    let service = service_of(outcome, &overview);
    Description {
        outcome,
        overview,
        service,
        specs: service.map(tool_spec::of_service).unwrap_or_default(),
    }
}

/// A document can have tens of thousands of tools, so each is described only while it is written.
impl Serialize for Description<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (outcome, sources) = (self.outcome, &self.outcome.sources);
        let none = Types::default();
        let types = self.service.map(|service| &service.service().types);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("file", &self.overview.document)?;
        map.serialize_entry("service", &self.overview.service)?;
        map.serialize_entry("format", &self.overview.format)?;
        map.serialize_entry("operations", &self.overview.operations)?;
        map.serialize_entry("tools", &Each(|| self.tools()))?;
        map.serialize_entry("$defs", &definitions(&self.specs))?;
        map.serialize_entry("credentials", &ServiceCredentials::for_tools(&self.specs))?;
        let left_out = self.service.map(|service| &service.service().left_out);
        let left_out = || left_out.into_iter().flatten();
        let left_out = || left_out().map(|operation| self::left_out(operation, sources));
        map.serialize_entry("left_out", &Each(left_out))?;
        let diagnostics = || {
            let diagnostics = outcome.diagnostics.iter();
            diagnostics.map(|diagnostic| render::json(diagnostic, sources, &outcome.documents))
        };
        map.serialize_entry("diagnostics", &Each(diagnostics))?;
        map.serialize_entry("types", &counts(types.unwrap_or(&none)))?;
        map.end()
    }
}

impl Description<'_> {
    fn tools(&self) -> impl Iterator<Item = Value> {
        let operations = operations(self.service);
        let specs = self.specs.iter();
        specs.map(move |spec| tool(spec, operations.get(&spec.name).copied()))
    }
}

/// An array whose items are made one after another while it is written.
struct Each<F>(F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0())
    }
}

/// Returns the definitions that the tools refer to, each once.
fn definitions(specs: &[ToolSpec]) -> BTreeMap<&str, &Value> {
    let mut all = BTreeMap::new();
    for schema in specs.iter().flat_map(ToolSpec::schemas) {
        schema.shared().reach(schema.root(), &mut all);
    }
    all
}

fn service_of<'o>(outcome: &'o Outcome, overview: &Overview) -> Option<&'o CheckedService> {
    let name = overview.service.as_ref()?;
    let services = outcome.catalog.as_ref()?.services();
    services
        .iter()
        .find(|service| service.service().name == *name)
}

/// Returns the operations by tool name.
fn operations(service: Option<&CheckedService>) -> BTreeMap<&ToolName, &Operation> {
    let tools = service.into_iter().flat_map(CheckedService::tools);
    tools.collect()
}

fn tool(spec: &ToolSpec, operation: Option<&Operation>) -> Value {
    // The path includes parts that are not sent, such as a fragment.
    let path = operation.map(|operation| operation.path.as_str());
    json!({
        "name": spec.name,
        "named_by": operation.map(|operation| operation.name_source.word()),
        "pinned": operation.is_some_and(|operation| operation.is_pinned(&spec.name)),
        "method": spec.endpoint().map(|(method, _)| method),
        "path": match spec.http() {
            Some(_) => path.map(Cow::Borrowed),
            None => spec.endpoint().map(|(_, path)| path),
        },
        "operation_id": spec.origin.operation_id,
        "pointer": spec.origin.pointer,
        "title": spec.title,
        "effect": spec.effect,
        "category": spec.category,
        "approval_required": spec.approval_required,
        "annotations": spec.hints,
        "evidence": spec.evidence,
        "reason": spec.reason,
        "input_schema": spec.input_schema.root(),
        "output_schema": spec.output_schema.as_ref().map(ToolSchema::root),
        "pagination": spec.pagination,
        "enabled_by_default": spec.enabled_by_default,
        "deprecated": spec.deprecated,
    })
}

fn left_out(operation: &LeftOut, sources: &Sources) -> Value {
    let at = sources.line_column(operation.place);
    json!({
        "method": operation.method,
        "path": operation.path,
        "operation_id": operation.operation_id,
        "line": at.line,
        "column": at.column,
        "why": operation.why.word(),
    })
}

/// Counts the types and the untyped types.
fn counts(types: &Types) -> Value {
    json!({"nodes": types.nodes(), "untyped": types.untyped()})
}
