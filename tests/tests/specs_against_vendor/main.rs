//! Compares our specifications with the vendors' own documents.
//!
//! Ours are shorter: they omit operations, parameters and properties. Everything that they declare
//! must match the vendor's document. `toolwright_drift` compares the tools of both, our document
//! being the old version and the vendor's the new one; `compare` lists the changes that are no
//! differences, and `reviewed` the deliberate differences, each with its reason.
//!
//! The comparison of tools does not see all facts of a document. `arrange` therefore
//! writes them in a form that it sees, as far as this is possible:
//!
//! | fact | how it is compared |
//! |---|---|
//! | the statuses, media types and schemas of answers, also of failures | as the results of operations of their own |
//! | the headers of answers | as the arguments of these operations |
//! | whether a property is read-only or write-only | as its description |
//! | the format `int64`, which permits every whole number | as another format |
//! | the final slash of a path | operations are matched by it |
//! | whether a body is required | as the path of an operation of its own |
//! | the style of a parameter whose value has no parts | as its description |
//! | a fault in our document | every diagnostic is a difference |
//! | whether a value whose type differs for a reviewed reason may be null | not at all |
//! | bounds that permit everything, such as `minLength: 0` | not at all |
//! | further servers and media types in our document | not at all: ours have one of each |

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the helpers of a test fail as the test does"
)]

mod arrange;
mod compare;
mod document;
mod faults;
mod planted;
mod prose;
mod reviewed;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use serde_json::Value;

use compare::Vendor;
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

/// A service with our document, the vendor's, and their differences.
#[derive(Debug)]
struct Pair {
    service: &'static str,
    ours: Value,
    theirs: Vendor,
    found: BTreeSet<String>,
}

/// All pairs, or `None` without the vendors' documents. These are large, so each is read once.
static PAIRS: LazyLock<Option<Vec<Pair>>> = LazyLock::new(|| {
    let shared = shared()?;
    let pair = |(service, path): &(&'static str, &str)| {
        let ours = ours(service);
        let theirs = Vendor::new(document::load(&shared.join(path)), &ours);
        Pair {
            service,
            found: theirs.differences(&ours),
            ours,
            theirs,
        }
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
fn ours(service: &str) -> Value {
    let path = format!("../specs/{service}/openapi.yaml");
    document::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join(path))
}

fn assert_none(message: &str, wrong: &[String]) {
    assert!(wrong.is_empty(), "{message}:\n  {}", wrong.join("\n  "));
}

#[test]
fn our_documents_match_the_vendors() {
    let mut wrong = Vec::new();
    for pair in PAIRS.iter().flatten() {
        for difference in unreviewed(&REVIEWED, pair.service, &pair.found) {
            wrong.push(format!("{}: {difference}", pair.service));
        }
    }
    assert_none("unreviewed differences from the vendor's document", &wrong);
}

#[test]
fn every_reviewed_difference_still_exists() {
    let mut wrong = Vec::new();
    for pair in PAIRS.iter().flatten() {
        for entry in REVIEWED.iter().filter(|one| one.service == pair.service) {
            let unused = entry.unused(&pair.found).into_iter();
            wrong.extend(unused.map(|pattern| format!("{}: {pattern}", pair.service)));
        }
    }
    assert_none("reviewed differences that no longer exist", &wrong);
}

#[test]
fn every_reviewed_difference_names_a_service_and_a_reason() {
    for entry in REVIEWED.iter() {
        assert!(VENDORS.iter().any(|(service, _)| *service == entry.service));
        assert!(entry.reason.len() > 20, "{entry:?}");
    }
}

#[test]
fn our_descriptions_are_not_copied() {
    let mut wrong = Vec::new();
    for pair in PAIRS.iter().flatten() {
        let copied = prose::copied(&pair.ours, &pair.theirs.document).into_iter();
        wrong.extend(copied.map(|text| format!("{}: {text}", pair.service)));
    }
    assert_none("copied from the vendor's document", &wrong);
}

#[test]
fn our_references_resolve() {
    for (service, _) in VENDORS {
        let dangling = document::dangling(&ours(service));
        assert_none(&format!("{service}: unresolved references"), &dangling);
    }
}
