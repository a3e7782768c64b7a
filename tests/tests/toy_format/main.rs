//! A format that is no part of the generator, added as `CONTRIBUTING.md` describes: a reader in a crate of its
//! own, and nothing else. It goes through every stage.
#![cfg(test)]

mod reader;

use reader::Menu;
use serde_json::Value;
use toolwright_generator::{
    emit,
    generate::{self, Input, Options, Outcome, inspect},
    load::Memory,
};

const BAKERY: &str = "menu 1 https://bakery.example\n\
    get /cakes listCakes Lists the cakes.\n\
    get /cakes/{cake} getCake Gets a cake.\n\
    delete /cakes/{cake} deleteCake Deletes a cake.\n";

/// Runs the stages for a menu with other files.
fn run(menu: &str, files: &[(&str, &str)]) -> Outcome {
    let menu = [("bakery.menu", menu)];
    let files = menu.iter().chain(files);
    let files = files.map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    let files = Memory(files.collect());
    let mut input = Input::new("bakery.menu");
    for (path, is_overlay) in [("overlay.toml", true), ("names.lock", false)] {
        if files.0.contains_key(path) {
            input = match is_overlay {
                true => input.overlay(path),
                false => input.lock(path),
            };
        }
    }
    generate::run_with(&[input], Options::default(), &files, &[&Menu])
}

/// Returns the diagnostics, each on one line with its place.
fn faults(outcome: &Outcome) -> Vec<String> {
    let faults = outcome.diagnostics.iter();
    faults
        .map(|fault| {
            let place = fault.primary.place;
            let at = outcome.sources.line_column(place);
            format!("{at}: {}: {}", fault.code, fault.message)
        })
        .collect()
}

#[test]
fn a_document_is_inspected_and_generated() {
    let outcome = run(BAKERY, &[]);
    let described = serde_json::to_value(inspect::document(&outcome, 0)).unwrap();
    assert_eq!(
        (&described["format"], &described["service"]),
        (&"menu 1".into(), &"bakery".into())
    );
    let tools = described["tools"].as_array().unwrap();
    let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(
        names,
        ["delete-bakery-cake", "get-bakery-cake", "list-bakery-cakes"]
    );
    let catalog = outcome.catalog.unwrap();
    let specs = catalog.tool_specs();
    assert!(specs[0].approval_required && specs[1].hints.read_only);
    let mut tree = emit::OutputTree::new();
    tree.add_below("", emit::service(&catalog.services()[0]));
    for file in ["tools.rs", "types.rs", "manifest.json"] {
        assert!(
            tree.file(file).is_some_and(|text| !text.is_empty()),
            "{file}"
        );
    }
    assert!(tree.file("tools.rs").unwrap().contains("`bakery.menu`"));
}

#[test]
fn overlays_and_locks_apply() {
    let overlay = "[operations.listCakes]\nwhen_to_use = \"Before a cake is ordered.\"\n\
        [operations.deleteCake]\nnoun = \"tart\"\n";
    let outcome = run(BAKERY, &[("overlay.toml", overlay)]);
    let catalog = outcome
        .catalog
        .as_ref()
        .unwrap_or_else(|| panic!("{:?}", faults(&outcome)));
    let specs = catalog.tool_specs();
    assert_eq!(specs[0].name.as_str(), "delete-bakery-tart");
    assert_eq!(
        specs[2].when_to_use.as_deref(),
        Some("Before a cake is ordered.")
    );
    let lock = emit::lock(&catalog.services()[0]);
    let renamed = BAKERY.replace("listCakes Lists the cakes", "showAll Shows all");
    let kept = run(&renamed, &[("names.lock", &lock)]);
    let names = kept.catalog.as_ref().map(|catalog| catalog.tool_specs());
    let names = names.unwrap_or_else(|| panic!("{:?}", faults(&kept)));
    assert!(
        names
            .iter()
            .any(|spec| spec.name.as_str() == "list-bakery-cakes")
    );
}

#[test]
fn faults_of_every_stage_have_their_places_in_the_text() {
    for (menu, expected) in [
        ("", "1:1: syntax: this is not a menu"),
        ("menu 2 https://a.example\n", "1:6: unsupported-version: "),
        (
            "menu 1 https://a.example\nfetch /a a A.\n",
            "2:1: unknown-value: `fetch`",
        ),
        ("menu 1 https://a.example\n\n  get /a\n", "3:3: syntax: "),
    ] {
        let outcome = run(menu, &[]);
        assert!(outcome.catalog.is_none(), "{menu}");
        let found = faults(&outcome);
        assert!(
            found.iter().any(|fault| fault.starts_with(expected)),
            "{menu}: {found:?}"
        );
    }
    // The parameters of an operation are read by a later stage, which knows the text by its places alone.
    let twice = format!("{BAKERY}get /tarts/{{tart}}/{{tart}} getTart Gets a tart.\n");
    let found = faults(&run(&twice, &[]));
    assert_eq!(
        found,
        ["5:26: duplicate-parameter: duplicate parameter `tart`"]
    );
}

#[test]
fn other_documents_are_read_as_before() {
    let files = Memory([("bakery.menu".to_owned(), BAKERY.into())].into());
    let outcome = generate::run(&[Input::new("bakery.menu")], Options::default(), &files);
    assert!(
        outcome.catalog.is_none(),
        "without the reader, it is no specification"
    );
}
