//! Compares our document with the vendor's by `toolwright_drift`.

use std::collections::BTreeSet;

use serde_json::Value;
use toolwright_drift::{Change, ChangeKind, Inventory, Predicate};
use toolwright_generator::{
    generate::{self, Input, Options, Unnameable},
    load::Memory,
};

use crate::{
    arrange::{paths, with_paths},
    document::operations,
};

/// The parts of a tool's record that a document states. The others, such as the name, governance
/// and pages, follow from these or from descriptions.
const COMPARED: &[&str] = &["/$defs", "/binding", "/deprecated", "/input", "/output"];

/// Checks whether a change is no difference.
type Ignores = fn(&Change) -> bool;

/// The changes that are no differences, each with its reason. Our document is the old version.
const IGNORED: &[(Ignores, &str)] = {
    use ChangeKind::*;
    &[
        (
            |change| matches!(change.kind, ToolAdded | ArgumentAdded | ResultAdded),
            "our document is shorter",
        ),
        (
            |change| change.kind == RequiredArgumentAdded && is_read_only(change),
            "a read-only property is never sent, even if it is required",
        ),
        (
            |change| change.predicate == Predicate::BoundAdded && !ends(change, "/format"),
            "a bound of the vendor's alone, which the service checks",
        ),
        (
            |change| change.kind == HostChanged && change.before.value().is_null(),
            "our document leaves the server to the operator",
        ),
        (
            |change| change.kind == AuthenticationOffered,
            "the vendor offers a further credential",
        ),
        (
            |change| change.kind == DescriptionChanged && !is_fact(change),
            "titles, examples and further defaults are only advice",
        ),
    ]
};

fn is_ignored(change: &Change) -> bool {
    let is_compared = |part: &&str| change.place.starts_with(*part);
    let is_tool = change.place.is_empty();
    let mut ignored = IGNORED.iter();
    !is_tool && !COMPARED.iter().any(is_compared) || ignored.any(|(ignores, _)| ignores(change))
}

/// Checks whether a description is a mark, or a default one of our document.
fn is_fact(change: &Change) -> bool {
    let is_default = ends(change, "/default") && change.predicate != Predicate::Added;
    is_default || ends(change, "/description")
}

fn is_read_only(change: &Change) -> bool {
    change.after.value()["description"] == "readOnly"
}

fn ends(change: &Change, keyword: &str) -> bool {
    change.place.ends_with(keyword)
}

/// A vendor's document with the tools that are compared with those of our document.
#[derive(Debug)]
pub(crate) struct Vendor {
    pub(crate) document: Value,
    paths: Value,
    tools: Tools,
}

/// The tools of an arranged document.
#[derive(Debug)]
struct Tools {
    inventory: Inventory,
    /// The diagnostics. An operation without a tool has one.
    diagnostics: BTreeSet<String>,
}

impl Vendor {
    pub(crate) fn new(document: Value, ours: &Value) -> Self {
        let paths = paths(&document, ours);
        Self {
            tools: Tools::new(&document, &paths),
            paths,
            document,
        }
    }

    /// Returns every difference in a sentence that takes our document for the old version and the
    /// vendor's for the new one: what `was removed` is in our document only.
    pub(crate) fn differences(&self, ours: &Value) -> BTreeSet<String> {
        let own = Tools::new(ours, &paths(ours, ours));
        let theirs = paths(&self.document, ours);
        if theirs == self.paths {
            own.differences(&self.tools)
        } else {
            own.differences(&Tools::new(&self.document, &theirs))
        }
    }
}

impl Tools {
    /// Generates the tools with numbers as names, since a document may lack good ones.
    fn new(document: &Value, paths: &Value) -> Self {
        let document = with_paths(document, paths);
        let operations = operations(&document);
        let rows = operations.iter().enumerate().map(|(number, operation)| {
            let selector = format!("{} {}", operation.method.to_uppercase(), operation.path);
            format!("[operations.{selector:?}]\nname = \"get-vendor-t{number}\"\n")
        });
        let files = [
            ("document.json".to_owned(), document.to_string().into()),
            ("overlay.toml".to_owned(), rows.collect::<String>().into()),
        ];
        let input = Input::new("document.json").overlay("overlay.toml");
        let options = Options {
            unnameable: Unnameable::LeaveOut,
            ..Options::default()
        };
        let outcome = generate::run(&[input.service("vendor")], options, &Memory(files.into()));
        let specs = outcome.catalog.map(|catalog| catalog.tool_specs());
        let diagnostics = outcome.diagnostics.into_iter();
        Self {
            inventory: Inventory::of_specs(specs.unwrap_or_default()),
            diagnostics: diagnostics.map(|one| one.message).collect(),
        }
    }

    fn differences(&self, theirs: &Self) -> BTreeSet<String> {
        let report = toolwright_drift::compare(&self.inventory, &theirs.inventory);
        let mut found = self.diagnostics.clone();
        for tool in &report.tools {
            let changes = tool.changes.iter().map(|index| &report.changes[*index]);
            for change in changes.filter(|change| !is_ignored(change)) {
                // A shared definition and the server belong to no single operation.
                let is_shared = change.place.starts_with("/$defs") || ends(change, "base_url");
                let sentence = change.sentence();
                found.insert(match is_shared {
                    true => sentence,
                    false => format!("{}: {sentence}", tool.operation),
                });
            }
        }
        found
    }
}
