//! This project's generator, wrapped as a program: one document in, one crate out.

use std::path::Path;

use toolwright_generator::{
    emit::{self, CrateOptions, OutputTree},
    generate::{self, Input, Options, Unnameable},
    load::Disk,
    reconcile::{self, Recorded, Stamp},
};
use toolwright_model::HttpBinding;

/// Generates the crate of a document unless the folder already contains it. Skips operations that
/// the naming rules reject, because the other generators have no such rules.
pub(crate) fn generate(document: &Path, folder: &Path) -> Result<(), String> {
    let path = document.to_string_lossy();
    if let Some((_, tree)) = Stamp::fresh(&path, &Disk, folder) {
        return write_tree(&tree, folder);
    }
    let options = Options {
        unnameable: Unnameable::LeaveOut,
        ..Options::default()
    };
    let files = Recorded::new(&Disk);
    let input = Input::new(&*path).service("measured");
    let read = generate::run(&[input], options, &files).into_catalog();
    let catalog = read.ok_or("the document has errors")?;
    let service = catalog
        .services()
        .first()
        .ok_or("the document defines no service")?;
    let options = CrateOptions {
        checkout: Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")),
        own_workspace: true,
    };
    let tree = emit::standalone(service, &options);
    write_tree(&tree, folder)?;
    let stamp = Stamp::new(path.into_owned(), files, &tree, String::new());
    stamp.write(folder).map_err(|error| error.to_string())
}

/// Returns the operations of a GraphQL schema, one for each tool.
pub(crate) fn operations(document: &Path) -> Result<String, String> {
    let options = Options {
        unnameable: Unnameable::LeaveOut,
        ..Options::default()
    };
    let input = Input::new(document.to_string_lossy()).service("measured");
    let outcome = generate::run(&[input], options, &Disk);
    let catalog = outcome.catalog.ok_or("the document has errors")?;
    let specs = catalog.tool_specs();
    let texts = specs
        .iter()
        .filter_map(|spec| spec.http().and_then(HttpBinding::graphql));
    Ok(texts.collect::<Vec<_>>().join("\n"))
}

fn write_tree(tree: &OutputTree, folder: &Path) -> Result<(), String> {
    let written = reconcile::write(tree, folder);
    written.map(drop).map_err(|error| error.to_string())
}
