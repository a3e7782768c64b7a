//! Our own generator, as a program like the others: one document in, one crate out.

use std::path::Path;

use toolwright_generator::{
    emit,
    generate::{self, Input, Options, Unnameable},
    load::Disk,
    reconcile,
};

/// Writes the crate of a document. Operations without a name are left out, as the other generators
/// have no rule of names to hold them to.
pub(crate) fn generate(document: &Path, folder: &Path) -> Result<(), String> {
    let options = Options {
        unnameable: Unnameable::LeaveOut,
        ..Options::default()
    };
    let input = Input::new(document.to_string_lossy()).service("measured");
    let outcome = generate::run(&[input], options, &Disk);
    let catalog = outcome.catalog.ok_or("the document has errors")?;
    let service = catalog.services().first().ok_or("there is no service")?;
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime");
    let tree = emit::standalone(service, Some(&runtime));
    reconcile::write(&tree, folder).map_err(|error| error.to_string())?;
    Ok(())
}
