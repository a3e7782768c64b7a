//! Holds our specifications of Plane, Outline and Nomad against the vendors' own documents.
//!
//! Ours are shorter: they leave operations, parameters and properties out. What they do say has to
//! be what the vendor says: every operation, parameter and type, with its name, place, type, format,
//! values and whether it is required. Where ours differs on purpose, `reviewed` says why.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what helps a test fails as the test does"
)]

mod compare;
mod document;
mod planted;
mod prose;
mod reviewed;
mod shape;

use std::path::{Path, PathBuf};

use compare::differences;
use document::Document;
use reviewed::{REVIEWED, unreviewed};

/// Where the vendors' documents lie, seen from the shared folder.
const VENDORS: &[(&str, &str)] = &[
    ("plane", "services/plane/openapi.json"),
    ("outline", "services/outline/spec3.yml"),
    ("nomad", "services/nomad/openapi.yaml"),
];

/// The folder of the vendors' documents, unless it is not there.
fn shared() -> Option<PathBuf> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let folder = std::env::var_os("TOOLWRIGHT_SHARED").map_or_else(default, PathBuf::from);
    if folder.join("services").is_dir() {
        return Some(folder);
    }
    eprintln!(
        "skipped: the vendors' documents are not in {}; TOOLWRIGHT_SHARED names another folder",
        folder.display()
    );
    None
}

/// Our document of a service.
fn ours(service: &str) -> Document {
    let path = format!("../specs/{service}/openapi.yaml");
    Document::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join(path))
}

fn assert_none(what: &str, wrong: &[String]) {
    assert!(wrong.is_empty(), "{what}:\n  {}", wrong.join("\n  "));
}

#[test]
fn ours_says_what_the_vendor_says() {
    let Some(shared) = shared() else { return };
    let mut wrong = Vec::new();
    let mut found = Vec::new();
    for (service, path) in VENDORS {
        let differences = differences(&ours(service), &Document::load(&shared.join(path)));
        found.extend(
            differences
                .into_iter()
                .map(|difference| (*service, difference)),
        );
    }
    for (service, difference) in unreviewed(REVIEWED, &found) {
        wrong.push(format!("{service}: {difference}"));
    }
    assert_none("these differ from the vendor's document", &wrong);
}

#[test]
fn every_reviewed_difference_is_still_there() {
    let Some(shared) = shared() else { return };
    let mut wrong = Vec::new();
    for (service, path) in VENDORS {
        let found = differences(&ours(service), &Document::load(&shared.join(path)));
        let entries = REVIEWED.iter().filter(|entry| entry.service == *service);
        wrong.extend(entries.flat_map(|entry| entry.unused(&found)));
    }
    assert_none("these reviewed differences are gone", &wrong);
}

#[test]
fn every_reviewed_difference_names_a_service_and_a_reason() {
    for entry in REVIEWED {
        assert!(VENDORS.iter().any(|(service, _)| *service == entry.service));
        assert!(
            !entry.places.is_empty() && entry.reason.len() > 20,
            "{entry:?}"
        );
    }
}

#[test]
fn our_words_are_our_own() {
    let Some(shared) = shared() else { return };
    for (service, path) in VENDORS {
        let copied = prose::copied(&ours(service), &Document::load(&shared.join(path)));
        assert_none(&format!("{service}: these words are the vendor's"), &copied);
    }
}

#[test]
fn our_references_lead_somewhere() {
    for (service, _) in VENDORS {
        let dangling = ours(service).dangling();
        assert_none(
            &format!("{service}: these references lead nowhere"),
            &dangling,
        );
    }
}
