//! Holds our specifications against the vendors' own documents.
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

/// Where the vendors' documents lie, seen from the shared folder.
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

/// A service, our document of it, and the vendor's.
#[derive(Debug)]
struct Pair {
    service: &'static str,
    ours: Document,
    theirs: Document,
}

/// All pairs, unless the vendors' documents are not there. They are large, so each is read once.
static PAIRS: LazyLock<Option<Vec<Pair>>> = LazyLock::new(|| {
    let shared = shared()?;
    let pair = |(service, path): &(&'static str, &str)| Pair {
        service,
        ours: ours(service),
        theirs: Document::load(&shared.join(path)),
    };
    Some(VENDORS.iter().map(pair).collect())
});

/// The folder of the vendors' documents, unless it is not there.
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
    let mut wrong = Vec::new();
    for pair in PAIRS.iter().flatten() {
        let found = differences(&pair.ours, &pair.theirs);
        for difference in unreviewed(REVIEWED, pair.service, &found) {
            wrong.push(format!("{}: {difference}", pair.service));
        }
    }
    assert_none("these differ from the vendor's document", &wrong);
}

#[test]
fn every_reviewed_difference_is_still_there() {
    let mut wrong = Vec::new();
    for pair in PAIRS.iter().flatten() {
        let found = differences(&pair.ours, &pair.theirs);
        let entries = REVIEWED
            .iter()
            .filter(|entry| entry.service == pair.service);
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
    let mut wrong = Vec::new();
    for pair in PAIRS.iter().flatten() {
        let copied = prose::copied(&pair.ours, &pair.theirs);
        wrong.extend(
            copied
                .iter()
                .map(|text| format!("{}: {text}", pair.service)),
        );
    }
    assert_none("these words are the vendor's", &wrong);
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
