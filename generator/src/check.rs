//! The check stage, which alone stops a run. A catalogue that passes can be emitted without errors.

mod exclusions;
mod held;
mod nouns;
mod remedy;
mod selectors;
mod unnamed;

pub(crate) mod tool_spec;

use std::{collections::BTreeMap, sync::Arc};

use toolwright_model::{ServiceName, TOOL_VERBS, ToolName, ToolSpec, most_similar};
use toolwright_schema::SharedDefinitions;

use crate::{
    document::diagnostic::{Code, Diagnostic, Diagnostics, Severity},
    ir::{
        Catalog, CuratedOperation, LeftOutBecause, NameSource, NamedOperation, Operation, Service,
    },
};

/// A catalogue with unique tool names and without contradictions.
#[derive(Debug)]
pub struct CheckedCatalog {
    services: Vec<CheckedService>,
}

/// A service of a [`CheckedCatalog`].
#[derive(Debug)]
pub struct CheckedService {
    service: Service<NamedOperation>,
    /// The definitions that the schemas of its tools share.
    definitions: Arc<SharedDefinitions>,
}

/// The handling of operations without a name or with a shared name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unnameable {
    /// Reports errors: the output must be complete.
    #[default]
    Refuse,
    /// Leaves them out with a warning. A difference from the lock is still an error, since only a
    /// person may accept it.
    LeaveOut,
    /// Also leaves out operations that differ from the lock, for documents that are inspected or
    /// served as they are.
    LeaveOutLocked,
}

/// The options of the check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The handling of operations without a name or with a shared name.
    pub unnameable: Unnameable,
    /// The accepted differences from the lock.
    pub accept: Accept,
}

/// The differences from the lock that a person accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accept {
    /// Accepts renames by the overlay.
    pub renames: bool,
    /// Accepts a lower category and the removal of a required approval.
    pub lowering: bool,
}

impl CheckedCatalog {
    /// Returns the services, in input order.
    #[must_use]
    pub fn services(&self) -> &[CheckedService] {
        &self.services
    }

    /// Returns the specifications of all tools, by name, for the loaded back end.
    #[must_use]
    pub fn tool_specs(&self) -> Vec<ToolSpec> {
        tool_spec::all(self)
    }
}

impl CheckedService {
    /// Takes the names of the operations. After the check, every operation has one.
    fn new(mut service: Service<CuratedOperation>) -> Self {
        let definitions = std::mem::take(&mut service.definitions);
        let service = service.convert(|curated| {
            Some(NamedOperation {
                name: curated.name.ok()?,
                operation: curated.operation,
            })
        });
        Self {
            service,
            definitions: Arc::new(definitions.into_iter().collect()),
        }
    }

    /// Returns the definitions that the schemas of the tools share.
    #[must_use]
    pub const fn definitions(&self) -> &Arc<SharedDefinitions> {
        &self.definitions
    }

    /// Returns the service.
    #[must_use]
    pub const fn service(&self) -> &Service<NamedOperation> {
        &self.service
    }

    /// Returns the specifications of the service's tools, by name.
    #[must_use]
    pub fn tool_specs(&self) -> Vec<ToolSpec> {
        tool_spec::of_service(self)
    }

    /// Counts the operations that cannot be tools, by reason. Those that the overlay leaves out are
    /// not among them.
    #[must_use]
    pub fn left_out(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for operation in &self.service.left_out {
            if operation.why != LeftOutBecause::Curated {
                *counts.entry(operation.why.word()).or_default() += 1;
            }
        }
        counts
    }

    /// Returns the tools whose names the document decided, by name.
    #[must_use]
    pub fn decided_by_document(&self) -> Vec<(&ToolName, &Operation)> {
        let decided =
            |(_, operation): &(_, &Operation)| operation.name_source == NameSource::Document;
        let mut tools: Vec<_> = self.tools().filter(decided).collect();
        tools.sort_by_key(|(name, _)| *name);
        tools
    }

    /// Returns the operations with their tool names, in document order.
    pub fn tools(&self) -> impl Iterator<Item = (&ToolName, &Operation)> {
        let operations = self.service.operations.iter();
        operations.map(|named| (&named.name, &named.operation))
    }
}

/// Checks a catalogue.
///
/// Returns `None` if this or an earlier stage reported an error.
pub(crate) fn check(
    mut catalog: Catalog<CuratedOperation>,
    options: Options,
    diagnostics: &mut Diagnostics,
) -> Option<CheckedCatalog> {
    let (severity, of_lock) = match options.unnameable {
        Unnameable::Refuse => (Severity::Error, Severity::Error),
        Unnameable::LeaveOut => (Severity::Warning, Severity::Error),
        Unnameable::LeaveOutLocked => (Severity::Warning, Severity::Warning),
    };
    let mut unsettled = Vec::new();
    for (index, service) in catalog.services.iter_mut().enumerate() {
        check_curated_names(service, diagnostics);
        unsettled.extend(unnamed::take(index, service, severity, diagnostics));
        let severities = held::Severities {
            of_new: severity,
            of_lock,
        };
        unsettled.extend(held::take(
            index,
            service,
            severities,
            options.accept,
            diagnostics,
        ));
    }
    unsettled.extend(unnamed::take_colliding(&mut catalog, severity));
    remedy::leave_out(unsettled, &mut catalog, diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    let services = catalog.services.into_iter();
    Some(CheckedCatalog {
        services: services.map(CheckedService::new).collect(),
    })
}

/// Checks that each name in the overlay begins with a verb and the service.
fn check_curated_names(service: &Service<CuratedOperation>, diagnostics: &mut Diagnostics) {
    for operation in &service.operations {
        let Some(name) = &operation.curation.name else {
            continue;
        };
        if let Some((message, help)) = name_fault(&name.value, &service.name) {
            let fault = Diagnostic::error(Code::UnknownValue, name.place, message);
            diagnostics.report(fault.help(help));
        }
    }
}

/// Returns the fault of a name and its fix.
fn name_fault(name: &ToolName, service: &ServiceName) -> Option<(String, String)> {
    let (verb, rest) = name.as_str().split_once('-').unwrap_or((name.as_str(), ""));
    if !TOOL_VERBS.contains(&verb) {
        let similar = most_similar(verb, TOOL_VERBS.iter().copied());
        let message = format!("`{verb}` is not a verb of tool names");
        return Some((message, verb_help(similar)));
    }
    if !rest.starts_with(&format!("{service}-")) {
        let message = format!("`{name}` does not contain its service after the verb");
        return Some((message, format!("begin it with `{verb}-{service}-`")));
    }
    None
}

fn verb_help(similar: Option<&str>) -> String {
    match similar {
        Some(similar) => format!("a similar verb is `{similar}`"),
        None => format!("the verbs are {}", TOOL_VERBS.join(", ")),
    }
}
