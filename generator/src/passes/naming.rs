//! Names the tools: by the overlay, or by the rules.

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
    match naming.name {
        Ok(name) => operation.name = Some(name),
        Err(error) => operation.name_error = Some(error),
    }
}
