//! Emission: a checked catalogue becomes files. It cannot fail.
//!
//! A service is one folder with a module: a struct for the arguments of each tool, the types of
//! arguments, results and failures, and two tables. `tools.json` holds the records that the program
//! embeds, `manifest.json` the rows that a person reviews.
//!
//! `source` writes the large files, and `tokens` the small ones from quoted code. Both produce the
//! layout of prettyplease.

mod docs;
mod failures;
mod fields;
mod item;
mod lock;
mod manifest;
mod module;
mod new_crate;
mod output;
mod rust_type;
mod same;
mod skeleton;
mod source;
mod standalone;
mod tables;
mod tokens;
mod tools;
mod types;
mod workspace;

pub use fields::call_name;
pub use lock::render as lock;
pub use manifest::{Manifest, Row};
pub(crate) use module::entry;
pub use new_crate::{CrateOptions, ServiceFeature};
pub(crate) use output::MARK;
pub use output::OutputTree;
pub use skeleton::skeleton;
pub use standalone::standalone;
pub use types::{EmittedNode, typed_nodes};
pub use workspace::workspace;

use crate::{check::CheckedService, parallel};
use module::RootKind;

/// Returns the files of each service, relative to its folder, in the order of the services.
#[must_use]
pub fn services(services: &[CheckedService]) -> Vec<OutputTree> {
    parallel::map(services, service)
}

/// Returns the files of one service, relative to its folder.
#[must_use]
pub fn service(service: &CheckedService) -> OutputTree {
    let mut tree = OutputTree::new();
    tree.add("mod.rs", module::root(service, RootKind::Module));
    add_parts(&mut tree, "", service);
    tree
}

/// Adds all files except the root of the module.
fn add_parts(tree: &mut OutputTree, folder: &str, service: &CheckedService) {
    let at = |file: &str| format!("{folder}{file}");
    if service.tools().next().is_some() {
        tree.add(at("tools.rs"), tools::emit(service));
    }
    let reached = types::Reached::new(service);
    if failures::has_any(service) {
        tree.add(at("failures.rs"), failures::emit(service, &reached));
    }
    tree.add(at("types.rs"), types::emit(service, &reached));
    tables::add(tree, folder, service);
}
