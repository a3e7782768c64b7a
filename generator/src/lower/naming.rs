//! Names the tools of a document: by the overlay, by the lock, by the operation alone, or by the
//! document.

use std::collections::BTreeSet;

use toolwright_model::{Kind, ServiceName, ToolName};

use super::operation::Selected;
use crate::{
    governance::classify,
    ir::NameSource,
    language::facts::OperationFacts,
    naming::{
        NameHints, Naming, NamingError,
        document::{Subject, decide},
        name_as,
    },
    parse::{
        lock::{Entry, Held, Lock},
        overlay::Curation,
    },
};

/// An operation that needs a name.
pub(super) struct Unnamed<'a> {
    pub(super) facts: &'a OperationFacts,
    pub(super) kind: Kind,
    pub(super) curation: &'a Curation,
    pub(super) held: &'a Held,
}

impl<'a> Unnamed<'a> {
    /// The kind is that of the operation alone, so that its name does not change with the document.
    pub(super) fn new(selected: &'a Selected<'_>) -> Self {
        Self {
            facts: &selected.facts,
            kind: classify(&selected.facts).kind,
            curation: &selected.curation,
            held: &selected.held,
        }
    }
}

/// The name of an operation.
pub(super) struct Named {
    /// The name, or why there is none.
    pub(super) name: Result<ToolName, NamingError>,
    /// The source of the name.
    pub(super) source: NameSource,
    /// The steps that led to the name.
    pub(super) derivation: Vec<String>,
}

/// A line of the lock without an operation in the document.
struct Absent<'a> {
    name: &'a ToolName,
    facts: OperationFacts,
    naming: Naming,
    kind: Kind,
}

/// Names the operations of a document, in their order.
pub(super) fn names(service: &ServiceName, operations: &[Unnamed<'_>], lock: &Lock) -> Vec<Named> {
    let namings: Vec<Naming> = operations
        .iter()
        .map(|unnamed| {
            name_as(
                unnamed.kind,
                service,
                unnamed.facts,
                hints(unnamed.curation),
            )
        })
        .collect();
    let absent = absent(service, operations, lock);
    let both = operations.iter().zip(&namings);
    let fixed: Vec<_> = both
        .map(|(unnamed, naming)| fixed(service, unnamed, naming))
        .collect();
    let present = operations
        .iter()
        .zip(&namings)
        .zip(&fixed)
        .map(|((unnamed, naming), fixed)| Subject {
            facts: unnamed.facts,
            naming,
            kind: unnamed.kind,
            fixed: fixed.map(|(name, _)| name),
            pinned: fixed.is_some_and(|(_, source)| source == NameSource::Lock),
            former: &unnamed.held.former,
            hints: hints(unnamed.curation),
        });
    let absent = absent.iter().map(|absent| Subject {
        facts: &absent.facts,
        naming: &absent.naming,
        kind: absent.kind,
        fixed: Some(absent.name),
        pinned: true,
        former: &[],
        hints: NameHints::default(),
    });
    let subjects: Vec<Subject<'_>> = present.chain(absent).collect();
    let decisions = decide(service, &subjects);
    let named = operations.iter().zip(&namings).zip(fixed).zip(decisions);
    named
        .map(|(((unnamed, naming), fixed), decision)| {
            let mut derivation = naming.derivation.clone();
            if let Some((name, source)) = fixed {
                if source == NameSource::Overlay && unnamed.curation.name.is_some() {
                    derivation = vec![format!("the overlay names it `{name}`")];
                } else if source == NameSource::Lock && naming.name.as_ref() != Ok(name) {
                    derivation.push(format!("the lock holds the name `{name}`"));
                }
                let name = Ok(name.clone());
                return Named {
                    name,
                    source,
                    derivation,
                };
            }
            let (name, source) = match decision {
                Some(decision) => {
                    derivation.extend(decision.derivation);
                    (decision.name, NameSource::Document)
                }
                None => (naming.name.clone(), NameSource::Operation),
            };
            Named {
                name,
                source,
                derivation,
            }
        })
        .collect()
}

/// Returns the name that the overlay or the lock fixes.
fn fixed<'a>(
    service: &ServiceName,
    unnamed: &Unnamed<'a>,
    naming: &'a Naming,
) -> Option<(&'a ToolName, NameSource)> {
    let curation = unnamed.curation;
    let named = curation.name.as_ref().map(|name| &name.value);
    let named = named.map(|name| (name, NameSource::Overlay));
    let kept = || Some((unnamed.held.kept(service, curation)?, NameSource::Lock));
    let noun = || {
        let name = naming.name.as_ref().ok()?;
        curation
            .noun
            .is_some()
            .then_some((name, NameSource::Overlay))
    };
    named.or_else(kept).or_else(noun)
}

/// Returns the lines of the lock that belong to no operation of the document that becomes a tool.
fn absent<'a>(
    service: &ServiceName,
    operations: &[Unnamed<'_>],
    lock: &'a Lock,
) -> Vec<Absent<'a>> {
    let held = operations.iter().flat_map(|unnamed| {
        let current = unnamed.held.current.iter().map(|current| &current.name);
        current.chain(&unnamed.held.former)
    });
    let held: BTreeSet<&ToolName> = held.collect();
    let others = lock.entries.iter().filter(|(name, _)| !held.contains(name));
    others
        .map(|(name, entry)| {
            let Entry {
                method,
                path,
                operation_id,
                ..
            } = &entry.value;
            let mut facts = OperationFacts::new(*method, path.clone());
            facts.operation_id.clone_from(operation_id);
            let kind = classify(&facts).kind;
            Absent {
                naming: name_as(kind, service, &facts, NameHints::default()),
                name,
                facts,
                kind,
            }
        })
        .collect()
}

/// Returns the parts of a name that the overlay sets.
fn hints(curation: &Curation) -> NameHints<'_> {
    NameHints {
        verb: curation.verb.as_ref().map(|verb| verb.value.as_str()),
        noun: curation.noun.as_ref().map(|noun| noun.value.as_str()),
    }
}
