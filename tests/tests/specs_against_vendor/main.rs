//! Compares our specifications with the vendors' own documents.
//!
//! Ours are shorter: they omit operations, parameters and properties. Everything that they declare
//! must match the vendor's document: each operation, parameter and type, with its name, place, type,
//! format, values and whether it is required. `reviewed` lists the deliberate differences with
//! their reasons.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the helpers of a test fail as the test does"
)]

mod compare;
mod document;
mod faults;
mod planted;
mod prose;
mod reviewed;
mod rules;
mod shape;
mod sites;
mod swagger;

use std::{
    path::{Path, PathBuf},
    sync::LazyLock,
};

use compare::differences;
use document::Document;
use reviewed::{REVIEWED, unreviewed};

/// The vendors' documents, as paths in the shared folder.
const VENDORS: &[(&str, &str)] = &[
    (
        "azure",
        "services/azure-containerinstance/containerinstance-containerInstance.json",
    ),
    ("dify", "services/dify/openapi_service.json"),
    ("inventree", "services/inventree/api.yaml"),
    ("keycloak", "services/keycloak/openapi.json"),
    ("netbox", "services/netbox/openapi.yaml"),
    ("nomad", "services/nomad/openapi.yaml"),
    ("outline", "services/outline/spec3.yml"),
    ("plane", "services/plane/openapi.json"),
    ("portainer", "services/portainer/client-api-go-swagger.yaml"),
    ("woodpecker", "services/woodpecker/swagger.json"),
];

/// A service with our document and the vendor's.
#[derive(Debug)]
struct Pair {
    service: &'static str,
    ours: Document,
    theirs: Document,
}

/// All pairs, or `None` without the vendors' documents. These are large, so each is read once.
static PAIRS: LazyLock<Option<Vec<Pair>>> = LazyLock::new(|| {
    let shared = shared()?;
    let pair = |(service, path): &(&'static str, &str)| Pair {
        service,
        ours: ours(service),
        theirs: Document::load(&shared.join(path)),
    };
    Some(VENDORS.iter().map(pair).collect())
});

/// Returns the folder of the vendors' documents, if present.
fn shared() -> Option<PathBuf> {
    let folder = toolwright_tests::shared::folder();
    if folder.join("services").is_dir() {
        return Some(folder);
    }
    eprintln!(
        "skipped: the vendors' documents are not in {}; TOOLWRIGHT_SHARED names another folder",
        folder.display()
    );
    None
}

/// Reads our document of a service.
fn ours(service: &str) -> Document {
    let path = format!("../specs/{service}/openapi.yaml");
    Document::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join(path))
}

fn assert_none(message: &str, wrong: &[String]) {
    assert!(wrong.is_empty(), "{message}:\n  {}", wrong.join("\n  "));
}

#[test]
fn our_documents_match_the_vendors() {
    let mut wrong = Vec::new();
    for pair in PAIRS.iter().flatten() {
        let found = differences(&pair.ours, &pair.theirs);
        for difference in unreviewed(REVIEWED, pair.service, &found) {
            wrong.push(format!("{}: {difference}", pair.service));
        }
    }
    assert_none("unreviewed differences from the vendor's document", &wrong);
}

#[test]
fn every_reviewed_difference_still_exists() {
    let mut wrong = Vec::new();
    for pair in PAIRS.iter().flatten() {
        let found = differences(&pair.ours, &pair.theirs);
        let entries = REVIEWED
            .iter()
            .filter(|entry| entry.service == pair.service);
        wrong.extend(entries.flat_map(|entry| entry.unused(&found)));
    }
    assert_none("reviewed differences that no longer exist", &wrong);
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
fn our_descriptions_are_not_copied() {
    let mut wrong = Vec::new();
    for pair in PAIRS.iter().flatten() {
        let copied = prose::copied(&pair.ours, &pair.theirs);
        wrong.extend(
            copied
                .iter()
                .map(|text| format!("{}: {text}", pair.service)),
        );
    }
    assert_none("copied from the vendor's document", &wrong);
}

#[test]
fn our_references_resolve() {
    for (service, _) in VENDORS {
        let dangling = ours(service).dangling();
        assert_none(&format!("{service}: unresolved references"), &dangling);
    }
}
