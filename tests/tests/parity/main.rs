//! Checks that typed and dynamic calls share one path.
//!
//! A compiled-in adapter and the same operation loaded from its specification have equal records. A
//! typed call and a JSON call send the same bytes, return the same result and write the same audit
//! events. A hand-written tool that repeats a generated one behaves the same as well.
#![cfg(test)]

mod bench;
mod by_hand;
mod calls;
mod methods;

use std::path::Path;

use toolwright::{EmbeddedTools, ToolSpec};
use toolwright_generator::{
    generate::{self, Input, Options},
    load::Disk,
};

/// Loads the records from a service's specification at run time.
fn load(service: &str) -> Vec<ToolSpec> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../specs")
        .join(service);
    let path = |file: &str| folder.join(file).display().to_string();
    let input = Input::new(path(toolwright_tests::document(service)))
        .overlay(path("overlay.toml"))
        .service(service);
    let outcome = generate::run(&[input], Options::default(), &Disk);
    outcome
        .catalog
        .expect("our specifications have no error")
        .tool_specs()
}

#[test]
fn a_compiled_in_adapter_and_a_loaded_operation_have_equal_records() {
    let linked = toolwright_generated::all();
    let services: Vec<_> = linked.iter().map(EmbeddedTools::service).collect();
    assert_eq!(services, toolwright_tests::services());
    for adapter in linked {
        let compiled = adapter.specs().unwrap();
        let loaded = load(adapter.service());
        for (compiled, loaded) in compiled.iter().zip(&loaded) {
            assert_eq!(compiled, loaded);
        }
        assert_eq!(compiled.len(), loaded.len());
    }
}

#[test]
fn the_readme_counts_the_tools_of_every_service() {
    let readme = include_str!("../../../README.md");
    let row = |service: &str| {
        let start = format!("| `{service}` |");
        readme.lines().find(|line| line.starts_with(&start))
    };
    for adapter in toolwright_generated::all() {
        let count = format!("| {} |", adapter.specs().unwrap().len());
        let row = row(adapter.service()).expect("the README has a row for each service");
        assert!(row.ends_with(&count), "{row}: there are {count}");
    }
}
