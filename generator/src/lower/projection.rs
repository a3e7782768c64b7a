//! Projections: the schemas of responses of which a tool returns a part.
//!
//! The schema of a response is replaced by that of its parts before anything is made of it, so the JSON
//! Schema of the result and its Rust type follow. A projected value fits its projected schema: keywords
//! that could refuse it are left out, and `oneOf` becomes `anyOf`, since two variants may no longer differ.

mod reach;
mod shape;

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use toolwright_model::Projection;

use super::selection::Selection;
use crate::{
    document::{
        diagnostic::{Code, Diagnostic, Diagnostics},
        documents::Documents,
        source::{Place, Placed},
        tree::Node,
    },
    parse::{
        openapi::{BodyKind, Document, ParsedOperation, Protocol, Response},
        overlay::{Curation, Overlay, ResponseEntry},
    },
};
use reach::Reach;
use shape::Shaper;

/// The projections of a document's operations, and which paths of the overlay select something.
pub(super) struct Projections<'a> {
    documents: &'a Documents,
    used: BTreeSet<Place>,
    faults: Vec<Diagnostic>,
}

/// An operation whose responses are projected.
pub(super) struct Projected<'a> {
    pub(super) responses: Vec<Response<'a>>,
    pub(super) projection: Projection,
}

impl<'a> Projections<'a> {
    pub(super) const fn new(documents: &'a Documents) -> Self {
        Self {
            documents,
            used: BTreeSet::new(),
            faults: Vec::new(),
        }
    }

    /// Returns the projected responses of the operations that become tools, by their index.
    pub(super) fn of_document(
        &mut self,
        document: &Document<'a>,
        overlay: &Overlay,
        selection: &Selection<'_>,
    ) -> BTreeMap<usize, Projected<'a>> {
        let mut entries = overlay.operations.iter();
        if !entries.any(|(_, entry)| entry.response.is_some()) {
            return BTreeMap::new();
        }
        let operations = document.operations.iter().enumerate();
        let operations = operations.filter(|(_, operation)| overlay.includes(&operation.key));
        let projected = operations.filter_map(|(index, operation)| {
            let curation = selection.curation(&operation.key);
            Some((index, self.of_operation(operation, &curation)?))
        });
        projected.collect()
    }

    /// Returns the projected responses of an operation, if its entry in the overlay has a projection that
    /// selects something of them.
    fn of_operation(
        &mut self,
        operation: &ParsedOperation<'a>,
        curation: &Curation,
    ) -> Option<Projected<'a>> {
        let entry = curation.response.as_ref()?;
        if matches!(operation.protocol, Protocol::Eab(_)) {
            self.used.extend(entry.paths().map(|path| path.place));
            self.faults.push(of_a_domain_service(entry));
            return None;
        }
        let projection = self.selecting(operation, entry)?;
        let mask = projection.mask();
        let mut shaper = Shaper::new(self.documents);
        let mut responses = operation.responses.clone();
        for schema in json_schemas(&mut responses) {
            let projected = shaper.shape(schema, &mask);
            *schema = Cow::Owned(projected);
        }
        if shaper.is_exhausted() {
            let message = "the schema of this response has too many parts for a projection";
            let fault = Diagnostic::error(Code::UnmatchedOverlay, entry.place, message);
            self.faults
                .push(fault.help("remove the projection, or simplify the schema"));
            return None;
        }
        Some(Projected {
            responses,
            projection,
        })
    }

    /// Returns the paths of an entry that select something in the responses of an operation.
    fn selecting(
        &mut self,
        operation: &ParsedOperation<'a>,
        entry: &ResponseEntry,
    ) -> Option<Projection> {
        let mut responses = operation.responses.clone();
        let schemas: Vec<_> = json_schemas(&mut responses).collect();
        let reach = Reach::new(self.documents);
        let mut selecting = |paths: &[Placed<_>]| {
            let paths = paths.iter().filter(|path: &&Placed<_>| {
                let selects = schemas
                    .iter()
                    .any(|schema| reach.selects(schema, &path.value));
                if selects {
                    self.used.insert(path.place);
                }
                selects
            });
            paths.map(|path| path.value.clone()).collect::<Vec<_>>()
        };
        let projection = Projection {
            keep: selecting(&entry.keep),
            drop: selecting(&entry.drop),
            reason: entry.reason.clone(),
        };
        // An entry for several operations keeps nothing of one that has none of its parts; that one stays
        // whole.
        let lacks_all = projection.keep.is_empty() && !entry.keep.is_empty();
        let is_empty = projection.keep.is_empty() && projection.drop.is_empty();
        (!is_empty && !lacks_all).then_some(projection)
    }

    /// Reports the paths of the overlay that select nothing.
    pub(super) fn report(self, overlay: &Overlay, diagnostics: &mut Diagnostics) {
        diagnostics.append(self.faults.into_iter().collect());
        let entries = overlay.operations.iter();
        let entries = entries.filter_map(|(_, entry)| entry.response.as_ref());
        for path in entries.flat_map(ResponseEntry::paths) {
            if !self.used.contains(&path.place) {
                let message = format!("`{}` selects nothing of a response", path.value);
                let diagnostic = Diagnostic::error(Code::UnmatchedOverlay, path.place, message);
                diagnostics.report(diagnostic.help(
                    "write a path to a property that the schema of a successful response declares, such as `$.results[*].id`",
                ));
            }
        }
    }
}

/// Returns the schemas of the JSON in the responses that are no errors.
fn json_schemas<'r, 'a>(
    responses: &'r mut [Response<'a>],
) -> impl Iterator<Item = &'r mut Cow<'a, Node>> {
    let successes = responses
        .iter()
        .any(|response| response.status.is_success());
    let responses = responses
        .iter_mut()
        .filter(move |response| response.status.is_success() || !successes);
    let content = responses.flat_map(|response| &mut response.content);
    let json = content.filter(|media_type| BodyKind::parse(&media_type.name) == BodyKind::Json);
    json.filter_map(|media_type| media_type.schema.as_mut())
}

fn of_a_domain_service(entry: &ResponseEntry) -> Diagnostic {
    let message = "the response of a domain service cannot be projected";
    Diagnostic::error(Code::ContradictoryOverlay, entry.place, message)
        .note("its outcome is checked against the schema of the document as a whole")
        .help("remove `response`")
}
