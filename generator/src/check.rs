//! The check: the only gate. What passes it can be emitted, and emission cannot fail.

mod held;

use std::collections::BTreeMap;

use toolwright_model::{ServiceName, ToolName, ToolSpec, most_similar};

use crate::{
    diagnostic::{Code, Diagnostic, Diagnostics, Severity},
    ir::{Catalog, LeftOut, LeftOutBecause, Operation, Service},
    naming::{NamingError, VERBS, suggested_nouns},
    tool_spec,
};

/// A catalogue in which every tool has a name of its own and nothing contradicts itself.
#[derive(Debug)]
pub struct CheckedCatalog {
    services: Vec<CheckedService>,
}

/// A service of a [`CheckedCatalog`].
#[derive(Debug)]
pub struct CheckedService {
    service: Service,
}

/// What is done about operations that have no name, or share theirs with another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unnameable {
    /// They are errors: what is generated has to be complete.
    #[default]
    Refuse,
    /// They are left out with a warning, all of those that share a name: a document is looked at
    /// or served as it is.
    LeaveOut,
}

/// How a catalogue is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What is done about operations that have no name, or share theirs with another.
    pub unnameable: Unnameable,
    /// What may differ from the lock.
    pub accept: Accept,
}

/// What may differ from the lock, since a person has said so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accept {
    /// That the overlay gives a tool another name.
    pub renames: bool,
    /// That a tool has a lower category, or needs no approval any more.
    pub lowering: bool,
}

impl CheckedCatalog {
    /// The services, in the order in which they were given.
    #[must_use]
    pub fn services(&self) -> &[CheckedService] {
        &self.services
    }

    /// The records of all tools, by name: what the loaded back end serves.
    #[must_use]
    pub fn tool_specs(&self) -> Vec<ToolSpec> {
        tool_spec::all(self)
    }
}

impl CheckedService {
    /// The service.
    #[must_use]
    pub const fn service(&self) -> &Service {
        &self.service
    }

    /// The operations with the names of their tools, in the document's order.
    pub fn tools(&self) -> impl Iterator<Item = (&ToolName, &Operation)> {
        let operations = self.service.operations.iter();
        operations.filter_map(|operation| Some((operation.name.as_ref().ok()?, operation)))
    }
}

/// Checks a catalogue.
///
/// `None` when this or an earlier stage reported an error.
pub fn check(
    mut catalog: Catalog,
    options: Options,
    diagnostics: &mut Diagnostics,
) -> Option<CheckedCatalog> {
    let severity = match options.unnameable {
        Unnameable::Refuse => Severity::Error,
        Unnameable::LeaveOut => Severity::Warning,
    };
    for service in &mut catalog.services {
        check_curated_names(service, diagnostics);
        leave_out_unnamed(service, severity, diagnostics);
        held::check(service, severity, options.accept, diagnostics);
    }
    check_collisions(&mut catalog, severity, diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    let services = catalog.services.into_iter();
    Some(CheckedCatalog {
        services: services.map(|service| CheckedService { service }).collect(),
    })
}

/// A name from the overlay has to begin as all names do: with a verb and the service.
fn check_curated_names(service: &Service, diagnostics: &mut Diagnostics) {
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

/// What is wrong with a name, and what to do about it.
fn name_fault(name: &ToolName, service: &ServiceName) -> Option<(String, String)> {
    let (verb, rest) = name.as_str().split_once('-').unwrap_or((name.as_str(), ""));
    if !VERBS.contains(&verb) {
        let similar = most_similar(verb, VERBS.iter().copied());
        let message = format!("`{verb}` is not a verb of tool names");
        return Some((message, verb_help(similar)));
    }
    if !rest.starts_with(&format!("{service}-")) {
        let message = format!("`{name}` does not name its service behind the verb");
        return Some((message, format!("begin it with `{verb}-{service}-`")));
    }
    None
}

fn verb_help(similar: Option<&str>) -> String {
    match similar {
        Some(similar) => format!("a similar verb is `{similar}`"),
        None => format!("the verbs are {}", VERBS.join(", ")),
    }
}

fn leave_out_unnamed(service: &mut Service, severity: Severity, diagnostics: &mut Diagnostics) {
    service.operations.retain(|operation| {
        let Err(error) = &operation.name else {
            return true;
        };
        diagnostics.report(unnameable(&service.name, operation, error, severity));
        let left_out = leave_out(operation, LeftOutBecause::Unnamed);
        service.left_out.push(left_out);
        false
    });
}

/// What the overlay says of a part of the name is an error where it stands; that the rules give no
/// name is of the severity that the caller wants.
fn unnameable(
    service: &ServiceName,
    operation: &Operation,
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
        NamingError::TooLong { .. } | NamingError::NoNoun => (
            curation.noun.as_ref(),
            overlay_line(&selector(operation, &[]), nouns(service, operation).first()),
        ),
    };
    match said {
        Some(said) => Diagnostic::error(Code::Unnameable, said.place, message)
            .also(operation.place, "the operation")
            .help(help),
        None => Diagnostic {
            severity,
            ..Diagnostic::error(Code::Unnameable, operation.place, message).help(help)
        },
    }
}

/// The lines of the overlay that decide for an operation, with a noun to choose.
fn overlay_line(selector: &str, noun: Option<&String>) -> String {
    let noun = noun.map_or("…", String::as_str);
    format!("add to the overlay:\n\n[operations.{selector:?}]\nnoun = \"{noun}\"")
}

/// How the overlay names an operation: by its id, where none of the others has it too.
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

/// The nouns that may be suggested for an operation instead of the one that it has.
fn nouns(service: &ServiceName, operation: &Operation) -> Vec<String> {
    let verb = operation.curation.verb.as_ref();
    let verb = verb.map(|said| said.value.as_str());
    suggested_nouns(
        service,
        &operation.facts,
        verb,
        operation.name.as_ref().ok(),
    )
}

/// Where a tool stands in a catalogue.
type Position = (usize, usize);

/// Names are unique across all services; each of several that are the same is reported.
fn check_collisions(catalog: &mut Catalog, severity: Severity, diagnostics: &mut Diagnostics) {
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
        let operations: Vec<&Operation> = positions
            .iter()
            .filter_map(|position| at(catalog, *position))
            .collect();
        let mut taken = Vec::new();
        for ((index, _), operation) in positions.iter().zip(&operations) {
            let service = catalog.services.get(*index).map(|service| &service.name);
            let noun = service
                .into_iter()
                .flat_map(|service| nouns(service, operation))
                .find(|noun| !taken.contains(noun));
            let help = overlay_line(&selector(operation, &operations), noun.as_ref());
            diagnostics.report(collision(name, operation, &operations, severity).help(help));
            taken.extend(noun);
        }
        colliding.extend(positions.iter().copied());
    }
    colliding.sort_unstable();
    remove(catalog, &colliding);
}

fn at(catalog: &Catalog, (service, operation): Position) -> Option<&Operation> {
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
            format!("several operations would be the tool `{name}`"),
        )
    };
    let others = all
        .iter()
        .filter(|other| other.place != operation.place)
        .take(3);
    others.fold(diagnostic, |diagnostic, other| {
        let text = format!("{} {}", other.method, other.path);
        diagnostic.also(other.place, format!("`{text}` would be it too"))
    })
}

/// Moves operations to those that are left out. The positions are sorted.
fn remove(catalog: &mut Catalog, positions: &[Position]) {
    for (index, service) in catalog.services.iter_mut().enumerate() {
        let all = std::mem::take(&mut service.operations);
        for (position, operation) in all.into_iter().enumerate() {
            if positions.binary_search(&(index, position)).is_ok() {
                let left_out = leave_out(&operation, LeftOutBecause::Unnamed);
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
