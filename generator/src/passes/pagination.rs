//! Notes how the pages of a list follow one another, also in what agents read of the tool.

use crate::{ir::Catalog, pagination::recognise};

pub(super) fn run(catalog: &mut Catalog) {
    for service in &mut catalog.services {
        for operation in &mut service.operations {
            operation.pagination = recognise(operation, &service.definitions);
            if let Some(pagination) = &operation.pagination {
                let text = &mut operation.texts.description;
                *text = format!("{}\n\n{pagination}", text.trim_end());
            }
        }
    }
}
