//! Our own generator, as a program like the others: one document in, one crate out.

use std::path::Path;

use toolwright_generator::{
    emit,
    generate::{self, Input, Options, Unnameable},
    load::Disk,
    output::OutputTree,
    reconcile::{self, Recorded, Stamp},
};

/// Writes the crate of a document, unless it is there already. Operations without a name are left
/// out, as the other generators have no rule of names to hold them to.
pub(crate) fn generate(document: &Path, folder: &Path) -> Result<(), String> {
    let path = document.to_string_lossy();
    if let Some((_, tree)) = Stamp::fresh(&path, &Disk, folder) {
        return written(&tree, folder);
    }
    let options = Options {
        unnameable: Unnameable::LeaveOut,
        ..Options::default()
    };
    let files = Recorded::new(&Disk);
    let outcome = generate::run(&[Input::new(&*path).service("measured")], options, &files);
    let catalog = outcome.catalog.ok_or("the document has errors")?;
    let service = catalog.services().first().ok_or("there is no service")?;
    let adapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapter");
    let tree = emit::standalone(service, Some(&adapter));
    written(&tree, folder)?;
    let stamp = Stamp::new(path.into_owned(), files, &tree, String::new());
    stamp.write(folder).map_err(|error| error.to_string())
}

fn written(tree: &OutputTree, folder: &Path) -> Result<(), String> {
    let written = reconcile::write(tree, folder);
    written.map(drop).map_err(|error| error.to_string())
}
