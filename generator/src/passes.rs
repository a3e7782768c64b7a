//! The passes: they turn lowered operations into complete ones.

mod clean;
mod governance;
mod pagination;
mod patterns;
mod repeated;
mod texts;

use toolwright_schema::Definitions;

use crate::{
    document::diagnostic::Diagnostics,
    ir::{Catalog, CuratedOperation, LoweredOperation, Operation, Service},
};

/// Completes the operations of a catalogue with descriptions, governance and pagination, and cleans
/// the vendors' prose.
///
/// Reports mistakes in the governance of an overlay, and patterns that cannot be compiled.
pub(crate) fn run(
    catalog: Catalog<LoweredOperation>,
    diagnostics: &mut Diagnostics,
) -> Catalog<CuratedOperation> {
    let services = catalog.services.into_iter().map(|mut service| {
        patterns::run(&mut service, diagnostics);
        let mut service = curate(service, diagnostics);
        clean::run(&mut service);
        service
    });
    Catalog {
        services: services.collect(),
    }
}

fn curate(
    mut service: Service<LoweredOperation>,
    diagnostics: &mut Diagnostics,
) -> Service<CuratedOperation> {
    let name = service.name.clone();
    let definitions = std::mem::take(&mut service.definitions);
    let shared = Definitions::new(&definitions);
    let mut service = service.convert(|lowered| {
        let mut texts = texts::texts(&name, &lowered);
        let decision = governance::decide(&lowered, diagnostics);
        let category = decision.governance.category();
        let pagination = pagination::recognise(&lowered, category, &shared);
        if let Some(pagination) = &pagination {
            texts.description = format!("{}\n\n{pagination}", texts.description.trim_end());
        }
        Some(CuratedOperation {
            name: lowered.name,
            facts: lowered.facts,
            curation: lowered.curation,
            operation: Operation {
                place: lowered.place,
                pointer: lowered.pointer,
                method: lowered.method,
                path: lowered.path,
                operation_id: lowered.operation_id,
                deprecated: lowered.deprecated,
                held: lowered.held,
                name_source: lowered.name_source,
                name_derivation: lowered.name_derivation,
                texts,
                evidence: decision.evidence,
                governance: decision.governance,
                reason: decision.reason,
                arguments: lowered.arguments,
                output: lowered.output,
                failures: lowered.failures,
                pagination,
                projection: lowered.projection,
                binding: lowered.binding,
            },
        })
    });
    service.definitions = definitions;
    service
}
