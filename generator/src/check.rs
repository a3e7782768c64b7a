//! The check stage, which alone stops a run. A catalogue that passes can be emitted without errors.

mod held;

pub(crate) mod tool_spec;

use std::{collections::BTreeMap, sync::Arc};

use toolwright_model::{ServiceName, TOOL_VERBS, ToolName, ToolSpec, most_similar};
use toolwright_schema::SharedDefinitions;

use crate::{
    document::diagnostic::{Code, Diagnostic, Diagnostics, Severity},
    ir::{
        Catalog, CuratedOperation, LeftOut, LeftOutBecause, NameSource, NamedOperation, Operation,
        Service,
    },
    language::words,
    naming::{NameHints, NamingError, name_as},
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
    for service in &mut catalog.services {
        check_curated_names(service, diagnostics);
        leave_out_unnamed(service, severity, diagnostics);
        held::check(service, of_lock, options.accept, diagnostics);
    }
    check_collisions(&mut catalog, severity, diagnostics);
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

fn leave_out_unnamed(
    service: &mut Service<CuratedOperation>,
    severity: Severity,
    diagnostics: &mut Diagnostics,
) {
    service.operations.retain(|operation| {
        let Err(error) = &operation.name else {
            return true;
        };
        diagnostics.report(unnameable(&service.name, operation, error, severity));
        let left_out = leave_out(&operation.operation, LeftOutBecause::Unnamed);
        service.left_out.push(left_out);
        false
    });
}

/// Creates the diagnostic for an operation without a name. A fault in the overlay is an error at
/// its place; otherwise the caller sets the severity.
fn unnameable(
    service: &ServiceName,
    operation: &CuratedOperation,
    error: &NamingError,
    severity: Severity,
) -> Diagnostic {
    let message = error.to_string();
    let curation = &operation.curation;
    let (said, help) = match error {
        NamingError::UnknownVerb { similar, .. } => (curation.verb.as_ref(), verb_help(*similar)),
        NamingError::NounGrammar { .. } => {
            let help = "write words such as `work-items`";
            (curation.noun.as_ref(), help.to_owned())
        }
        NamingError::TooLong { .. } | NamingError::Indistinct { .. } | NamingError::NoNoun => (
            curation.noun.as_ref(),
            overlay_line(
                &selector(&operation.operation, &[]),
                suggested_noun(service, operation).as_ref(),
            ),
        ),
    };
    match said {
        Some(said) => Diagnostic::error(Code::Unnameable, said.place, message)
            .also(operation.operation.place, "the operation")
            .help(help),
        None => Diagnostic {
            severity,
            ..Diagnostic::error(Code::Unnameable, operation.operation.place, message).help(help)
        },
    }
}

/// Returns the overlay lines that set the noun of an operation.
fn overlay_line(selector: &str, noun: Option<&String>) -> String {
    let noun = noun.map_or("…", String::as_str);
    format!("add to the overlay:\n\n[operations.{selector:?}]\nnoun = \"{noun}\"")
}

/// Returns the overlay selector of an operation: its id if that is unique, otherwise its endpoint.
fn selector(operation: &Operation, others: &[&Operation]) -> String {
    let shared = |id: &String| {
        let mut others = others.iter();
        let is_other = |other: &&Operation| other.place != operation.place;
        others.any(|other| is_other(other) && other.operation_id.as_ref() == Some(id))
    };
    match &operation.operation_id {
        Some(id) if !shared(id) => id.clone(),
        _ => format!("{} {}", operation.method, operation.path),
    }
}

/// Returns the noun that an operation has without its line of the overlay; if the name with it was
/// refused, the noun with the key of the last parameter of the path.
fn suggested_noun(service: &ServiceName, operation: &CuratedOperation) -> Option<String> {
    let verb = operation.curation.verb.as_ref();
    let hints = NameHints {
        verb: verb.map(|verb| verb.value.as_str()),
        noun: None,
    };
    let kind = operation.operation.governance.kind;
    let naming = name_as(kind, service, &operation.facts, hints);
    let refused = |noun: &String| {
        let name = ToolName::new(format!("{}-{service}-{noun}", naming.verb));
        name.is_err() || name.ok().as_ref() == operation.name.as_ref().ok()
    };
    let key = operation.facts.path_parameters.last();
    let by = key.map(|key| format!("{}-by-{}", naming.noun, words(key).join("-")));
    let nouns = [Some(naming.noun.clone()), by].into_iter().flatten();
    nouns.into_iter().find(|noun| !refused(noun))
}

/// The position of a tool in a catalogue: service and operation.
type Position = (usize, usize);

/// Checks that names are unique across all services. Reports each of several equal names.
fn check_collisions(
    catalog: &mut Catalog<CuratedOperation>,
    severity: Severity,
    diagnostics: &mut Diagnostics,
) {
    let mut by_name: BTreeMap<ToolName, Vec<Position>> = BTreeMap::new();
    for (index, service) in catalog.services.iter().enumerate() {
        for (position, operation) in service.operations.iter().enumerate() {
            if let Ok(name) = &operation.name {
                by_name
                    .entry(name.clone())
                    .or_default()
                    .push((index, position));
            }
        }
    }
    let shared: Vec<_> = by_name
        .into_iter()
        .filter(|(_, positions)| positions.len() > 1)
        .collect();
    let mut colliding = Vec::new();
    for (name, positions) in &shared {
        let curated: Vec<_> = positions
            .iter()
            .filter_map(|position| at(catalog, *position))
            .collect();
        let operations: Vec<_> = curated.iter().map(|curated| &curated.operation).collect();
        for ((index, _), curated) in positions.iter().zip(curated) {
            let operation = &curated.operation;
            let service = catalog.services.get(*index);
            let noun = service.and_then(|service| suggested_noun(&service.name, curated));
            let help = overlay_line(&selector(operation, &operations), noun.as_ref());
            diagnostics.report(collision(name, operation, &operations, severity).help(help));
        }
        colliding.extend(positions.iter().copied());
    }
    colliding.sort_unstable();
    remove(catalog, &colliding);
}

fn at(
    catalog: &Catalog<CuratedOperation>,
    (service, operation): Position,
) -> Option<&CuratedOperation> {
    catalog.services.get(service)?.operations.get(operation)
}

fn collision(
    name: &ToolName,
    operation: &Operation,
    all: &[&Operation],
    severity: Severity,
) -> Diagnostic {
    let diagnostic = Diagnostic {
        severity,
        ..Diagnostic::error(
            Code::NameCollision,
            operation.place,
            format!("{} operations map to the tool name `{name}`", all.len()),
        )
    };
    let others = all
        .iter()
        .filter(|other| other.place != operation.place)
        .take(3);
    others.fold(diagnostic, |diagnostic, other| {
        let text = format!("{} {}", other.method, other.path);
        diagnostic.also(other.place, format!("`{text}` maps to it too"))
    })
}

/// Moves operations to the left-out list. The positions are sorted.
fn remove(catalog: &mut Catalog<CuratedOperation>, positions: &[Position]) {
    for (index, service) in catalog.services.iter_mut().enumerate() {
        let all = std::mem::take(&mut service.operations);
        for (position, operation) in all.into_iter().enumerate() {
            if positions.binary_search(&(index, position)).is_ok() {
                let left_out = leave_out(&operation.operation, LeftOutBecause::Unnamed);
                service.left_out.push(left_out);
            } else {
                service.operations.push(operation);
            }
        }
    }
}

fn leave_out(operation: &Operation, why: LeftOutBecause) -> LeftOut {
    LeftOut {
        method: operation.method,
        path: operation.path.clone(),
        operation_id: operation.operation_id.clone(),
        place: operation.place,
        why,
    }
}
