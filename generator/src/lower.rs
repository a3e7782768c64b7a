//! The lowering stage: from the documents to the catalogue.
//!
//! The parts of a request become arguments and a binding, the responses a result. Pinned values are
//! not arguments. An operation is classified and named during the lowering, since its types have
//! its name; the passes add descriptions and the overlay's governance.

mod answers;
mod arguments;
mod body;
mod effects;
mod extension;
mod facts;
mod headers;
mod naming;
mod offered;
mod operation;
mod parameters;
mod projection;
pub(crate) mod schema;
mod security;
mod selection;
mod servers;
mod siblings;
mod streams;
mod values;

use toolwright_model::{Binding, ServiceName, Transport};

use crate::governance::classify_all;
use crate::{
    document::{diagnostic::Diagnostics, documents::Documents},
    ir::{LeftOut, LeftOutBecause, LoweredOperation, Service},
    language::facts::OperationFacts,
    parse::{
        lock::{Holdings, Lock},
        openapi::{Document, OperationKey},
        overlay::Overlay,
    },
};
use arguments::OverlayEntries;
use headers::Headers;
use naming::Unnamed;
use operation::{Lowering, Selected};
use parameters::SetElsewhere;
use projection::Projections;
use security::Securities;
use selection::Selection;
use servers::Servers;
use siblings::Siblings;

/// The facts of a document's operations, in its order, without lowering them.
#[must_use]
pub(crate) fn facts_of(document: &Document<'_>, documents: &Documents) -> Vec<OperationFacts> {
    let operations = document.operations.iter();
    operations
        .map(|operation| facts::gather(operation, documents))
        .collect()
}

/// Lowers a document with its overlay. The lock holds the previous names of its tools.
///
/// Entries of the overlay that match nothing are reported as errors, anything else as warnings.
pub(crate) fn service(
    name: ServiceName,
    document: &Document<'_>,
    overlay: &Overlay,
    lock: Lock,
    documents: &Documents,
    diagnostics: &mut Diagnostics,
) -> Service<LoweredOperation> {
    let holdings = Holdings::new(&lock, document.keys());
    let overlay = &extension::with_extensions(overlay, document, diagnostics);
    let selection = Selection::new(document, overlay, diagnostics);
    let mut projections = Projections::new(documents);
    let projected = projections.of_document(document, overlay, &selection);
    let mut lowering = Lowering::new(documents, document, overlay);
    let servers = Servers::new(&document.servers, overlay, diagnostics);
    let mut securities = Securities::new(document, overlay, diagnostics);
    let mut headers = Headers::new(overlay, diagnostics);
    let siblings = Siblings::from_document(document);
    let mut selected = Vec::new();
    let mut left_out = Vec::new();
    let facts = facts_of(document, documents);
    let classes = classify_all(&facts);
    let operations = document.operations.iter().zip(facts).zip(classes);
    for (index, ((operation, facts), classification)) in operations.enumerate() {
        if overlay.includes(&operation.key) {
            let curation = selection.curation(&operation.key);
            let words = OverlayEntries::new(&curation, overlay);
            let elsewhere = SetElsewhere {
                security: securities.of_operation(operation, &curation),
                headers: headers.of_operation(operation, &curation),
            };
            let other_paths = match offered::check(operation, &words, &elsewhere, &siblings) {
                Ok(paths) => paths,
                Err(why) => {
                    diagnostics.report(*why);
                    left_out.push(leave_out(&operation.key, LeftOutBecause::NotOffered));
                    continue;
                }
            };
            selected.push(Selected {
                base_url: servers.base_url(operation, curation.server.as_ref(), diagnostics),
                projected: projected.get(&index),
                operation,
                curation,
                elsewhere,
                held: holdings.held(&operation.key),
                other_paths,
                classification,
                facts,
            });
        } else {
            left_out.push(leave_out(&operation.key, LeftOutBecause::Curated));
        }
    }
    securities.report(diagnostics);
    projections.report(overlay, diagnostics);
    headers.report(diagnostics);
    for key in &document.broken {
        let why = if overlay.includes(key) {
            LeftOutBecause::Broken
        } else {
            diagnostics.forget(key.place);
            LeftOutBecause::Curated
        };
        left_out.push(leave_out(key, why));
    }
    let unnamed: Vec<Unnamed<'_>> = selected.iter().map(Unnamed::new).collect();
    let named = naming::names(&name, &unnamed, &lock);
    let mut operations = Vec::with_capacity(selected.len());
    for (mut selected, named) in selected.into_iter().zip(named) {
        let base_url = selected.base_url.take();
        let mut lowered = lowering.operation(selected, named);
        set_base_url(base_url, &mut lowered.binding);
        operations.push(lowered);
    }
    lowering.report_values(diagnostics);
    values::report(documents, diagnostics);
    let schemas = lowering.finish();
    diagnostics.append(schemas.diagnostics);
    Service {
        name,
        source: document.source,
        document: document.file_name.clone(),
        format: document.format.clone(),
        title: document.title.clone(),
        version: document.version.clone(),
        operations_in_document: document.operation_count(),
        operations,
        left_out,
        lock,
        types: schemas.types,
        definitions: schemas.definitions,
        patterns: schemas.patterns,
    }
}

/// Sets the base URL of an operation's requests.
fn set_base_url(base_url: Option<String>, binding: &mut Binding) {
    match (binding, base_url) {
        (Binding::Http(http), base_url) => http.base_url = base_url,
        (Binding::Eab(eab), Some(base_url)) => eab.transports = vec![Transport::Http { base_url }],
        (Binding::Eab(_), None) | (Binding::Mcp(_) | Binding::Native, _) => {}
    }
}

fn leave_out(key: &OperationKey, why: LeftOutBecause) -> LeftOut {
    LeftOut {
        method: key.method,
        path: key.path.clone(),
        operation_id: key.operation_id.clone(),
        place: key.place,
        why,
    }
}
