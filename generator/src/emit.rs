//! Emission: a checked catalogue becomes files. It cannot fail.
//!
//! A service is one folder with a module: a struct for the arguments of each tool, the types that
//! they, the results and the failures reach, and two tables. `tools.json` holds the records that the program
//! embeds, `manifest.json` is what a person reviews.

mod docs;
mod failures;
mod fields;
mod item;
mod module;
mod rust_type;
mod same;
mod skeleton;
mod source;
mod standalone;
mod tables;
mod tools;
mod types;
mod workspace;

pub use fields::call_name;
pub use skeleton::{OWN_FILES, skeleton};
pub use standalone::standalone;
pub use types::{EmittedNode, typed_nodes};
pub use workspace::workspace;

use crate::{check::CheckedService, output::OutputTree, parallel};
use module::Place;

/// The files of several services, each seen from its folder, in their order.
#[must_use]
pub fn services(services: &[CheckedService]) -> Vec<OutputTree> {
    parallel::map(services, service)
}

/// The files of one service, seen from its folder.
#[must_use]
pub fn service(service: &CheckedService) -> OutputTree {
    let mut tree = OutputTree::new();
    tree.add("mod.rs", module::root(service, Place::Module));
    add_parts(&mut tree, "", service);
    tree
}

/// All files but the root of the module.
fn add_parts(tree: &mut OutputTree, folder: &str, service: &CheckedService) {
    let at = |file: &str| format!("{folder}{file}");
    if service.tools().next().is_some() {
        tree.add(at("tools.rs"), tools::emit(service));
    }
    let reached = types::Reached::of(service);
    if failures::has_any(service) {
        tree.add(at("failures.rs"), failures::emit(service, &reached));
    }
    tree.add(at("types.rs"), types::emit(service, &reached));
    tables::add(tree, folder, service);
}
