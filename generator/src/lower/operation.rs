//! One operation: arguments, binding, result.

use toolwright_model::{
    Binding, Body, BodyShape, EabBinding, HttpBinding, HttpProtocol, McpBinding, Parameter,
    most_similar,
};

use super::{
    answers,
    arguments::{Arguments, Decided, OverlayEntries},
    body,
    naming::Named,
    parameters::{self, SetElsewhere},
    projection::Projected,
    schema::{LoweredSchemas, NameHint, SchemaLowering},
    security::Security,
};
use crate::{
    document::{
        diagnostic::{Code, Diagnostic, Diagnostics},
        documents::Documents,
        source::Placed,
    },
    governance::Classification,
    ir::LoweredOperation,
    language::facts::OperationFacts,
    parse::{
        eab,
        lock::Held,
        openapi::{self, Protocol},
        overlay::{Curation, Overlay},
    },
};

/// An operation that becomes a tool, before it is named and lowered.
pub(super) struct Selected<'a> {
    pub(super) operation: &'a openapi::ParsedOperation<'a>,
    pub(super) curation: Curation,
    pub(super) elsewhere: SetElsewhere,
    pub(super) held: Held,
    pub(super) other_paths: Vec<String>,
    pub(super) base_url: Option<String>,
    pub(super) projected: Option<&'a Projected<'a>>,
    pub(super) facts: OperationFacts,
    pub(super) classification: Classification,
}

/// Lowers the operations of one document.
pub(super) struct Lowering<'a> {
    documents: &'a Documents,
    schemas: SchemaLowering<'a>,
    overlay: &'a Overlay,
    decided: Decided,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(
        documents: &'a Documents,
        document: &openapi::Document<'_>,
        overlay: &'a Overlay,
    ) -> Self {
        Self {
            documents,
            schemas: SchemaLowering::new(documents, document.source, document.dialect)
                .with_typed_formats(&overlay.typed_formats),
            overlay,
            decided: Decided::default(),
        }
    }

    /// Lowers an operation. The passes add its descriptions, its governance and its pagination.
    pub(super) fn operation(&mut self, selected: Selected<'a>, named: Named) -> LoweredOperation {
        let Selected {
            operation,
            curation,
            elsewhere,
            held,
            other_paths,
            projected,
            facts,
            classification: Classification { kind, evidence },
            ..
        } = selected;
        let Named {
            name,
            source: name_source,
            derivation: name_derivation,
        } = named;
        let key = &operation.key;
        let hint = NameHint::new(&name.as_ref().map_or_else(
            |_| format!("{} {}", facts.method, facts.path),
            ToString::to_string,
        ));
        let mut arguments = Arguments::new(OverlayEntries::new(&curation, self.overlay));
        let parameters = parameters::lower(
            &operation.parameters,
            &elsewhere,
            &hint,
            &mut arguments,
            self.documents,
            &mut self.schemas,
        );
        let body = operation.body.as_ref().and_then(|body| {
            let (documents, schemas) = (self.documents, &mut self.schemas);
            body::lower(body, &hint, &mut arguments, documents, schemas)
        });
        let responses = projected.map_or(&operation.responses, |projected| &projected.responses);
        let binding = self.binding(
            operation,
            elsewhere.security,
            parameters,
            body,
            arguments.withheld(),
            other_paths,
        );
        let (arguments, decided) = arguments.finish();
        self.decided.take(decided);
        LoweredOperation {
            place: key.place,
            pointer: key.pointer.clone(),
            method: key.method,
            path: key.path.clone(),
            operation_id: key.operation_id.clone(),
            deprecated: operation.deprecated,
            facts,
            curation,
            held,
            name,
            name_source,
            name_derivation,
            kind,
            evidence,
            arguments,
            output: answers::output(
                operation,
                responses,
                &hint,
                self.documents,
                &mut self.schemas,
            ),
            failures: answers::failures(operation, &hint, self.documents, &mut self.schemas),
            projection: projected.map(|projected| projected.projection.clone()),
            has_link_header: answers::have_link(operation),
            binding,
        }
    }

    /// Reports what cannot be hidden, and what is pinned or hidden that no operation has.
    pub(super) fn report_values(&mut self, diagnostics: &mut Diagnostics) {
        diagnostics.append(
            std::mem::take(&mut self.decided.faults)
                .into_iter()
                .collect(),
        );
        let entries = self.overlay.operations.iter().map(|(_, entry)| entry);
        let pins = entries.clone().flat_map(|entry| &entry.pins);
        let pins = self.overlay.pins.iter().chain(pins).map(|pin| &pin.name);
        let hidden = entries.clone().flat_map(|entry| &entry.hidden);
        let hidden = self.overlay.hidden.iter().chain(hidden);
        let separators = entries.flat_map(|entry| &entry.separators);
        let separators = self.overlay.separators.iter().chain(separators);
        let values = pins
            .chain(hidden)
            .map(|name| (name, "parameter or body field"));
        let separators = separators.map(|entry| (&entry.name, "path parameter"));
        for (name, kind) in values.chain(separators) {
            if !self.decided.used.contains(&name.place) {
                diagnostics.report(self.unused(name, kind));
            }
        }
    }

    fn unused(&self, Placed { value, place }: &Placed<String>, kind: &str) -> Diagnostic {
        let message = format!("no {kind} is named `{value}`");
        let diagnostic = Diagnostic::error(Code::UnmatchedOverlay, *place, message);
        let wires = self.decided.wires.iter().map(String::as_str);
        let wires = wires.filter(|wire| wire != value);
        match most_similar(value, wires) {
            Some(similar) => diagnostic.help(format!("a similar name exists: `{similar}`")),
            None => diagnostic.help("write the name that requests contain, or remove the line"),
        }
    }

    pub(super) fn finish(self) -> LoweredSchemas {
        self.schemas.finish()
    }

    fn binding(
        &self,
        operation: &openapi::ParsedOperation<'_>,
        security: Security,
        parameters: Vec<Parameter>,
        body: Option<Body>,
        withheld: Vec<String>,
        other_paths: Vec<String>,
    ) -> Binding {
        let key = &operation.key;
        let shape = |body: Option<Body>| {
            body.map_or_else(|| BodyShape::Fields(Vec::new()), |body| body.shape)
        };
        let name = || key.operation_id.clone().unwrap_or_default();
        let protocol = match &operation.protocol {
            Protocol::Eab(call) => {
                return Binding::Eab(Box::new(method_binding(name(), call, shape(body))));
            }
            Protocol::Mcp(_) => {
                return Binding::Mcp(Box::new(McpBinding {
                    tool: name(),
                    arguments: shape(body),
                }));
            }
            Protocol::Graphql(operation) => Some(HttpProtocol::Graphql(operation.text.clone())),
            Protocol::Grpc(method) => Some(HttpProtocol::Grpc(Box::new(method.call.clone()))),
            Protocol::Http => None,
        };
        // All operations of GraphQL are at the endpoint.
        let (path, mut all) = match &operation.protocol {
            Protocol::Graphql(_) => Default::default(),
            _ => parameters::split_path(&key.path),
        };
        all.extend(parameters);
        Binding::Http(Box::new(HttpBinding {
            method: key.method,
            path,
            base_url: None,
            parameters: all,
            body,
            answers: answers::table(operation, self.documents),
            security,
            other_paths,
            withheld,
            protocol,
        }))
    }
}

fn method_binding(method: String, call: &eab::EabCall, params: BodyShape) -> EabBinding {
    let service = &call.service;
    EabBinding {
        service: service.name.clone(),
        domain: service.domain.clone(),
        api_version: service.api_version,
        method,
        timeout_seconds: call.timeout_seconds,
        params,
        transports: service.transports.clone(),
        artifact_types: service.artifact_types.clone(),
        interface_types: service.interface_types.clone(),
    }
}
