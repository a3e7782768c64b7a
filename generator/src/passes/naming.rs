//! Names the tools: by the overlay, by the lock, or by the rules.

use toolwright_model::ServiceName;

use crate::{
    ir::{Catalog, Operation},
    lower::name_hints,
    naming::name_of,
};

pub(super) fn run(catalog: &mut Catalog) {
    for service in &mut catalog.services {
        for operation in &mut service.operations {
            name(&service.name, operation);
        }
    }
}

fn name(service: &ServiceName, operation: &mut Operation) {
    if let Some(name) = &operation.curation.name {
        operation.name_derivation = vec![format!("the overlay names it `{}`", name.value)];
        operation.name = Some(name.value.clone());
        return;
    }
    let naming = name_of(service, &operation.facts, name_hints(&operation.curation));
    operation.name_derivation = naming.derivation;
    let kept = operation.held.kept(service, &operation.curation);
    if let Some(name) = kept.filter(|name| naming.name.as_ref() != Ok(*name)) {
        let line = format!("the lock holds the name `{name}`");
        operation.name_derivation.push(line);
    }
    match kept.cloned().map_or(naming.name, Ok) {
        Ok(name) => operation.name = Some(name),
        Err(error) => operation.name_error = Some(error),
    }
}
