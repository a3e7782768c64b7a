//! The comparison finds each fault that is planted in the small documents of `planted`.

use std::collections::BTreeSet;

use crate::{
    compare::Vendor,
    document::{dangling, read},
    prose,
    reviewed::{self, unreviewed},
};

const VENDOR: &str = include_str!("planted/vendor.yaml");
/// The same facts in another notation and with other names.
const OURS: &str = include_str!("planted/ours.yaml");
/// A document in Swagger 2.0, which is compared with itself.
const SWAGGER: &str = include_str!("planted/swagger.yaml");

fn differences(ours: &str, vendor: &str) -> BTreeSet<String> {
    let ours = read(ours);
    Vendor::new(read(vendor), &ours).differences(&ours)
}

#[test]
fn each_planted_fault_is_found_at_its_place() {
    let faults = include_str!("planted/faults.yaml");
    let swagger_faults = include_str!("planted/swagger-faults.yaml");
    for (ours, vendor, faults) in [(OURS, VENDOR, faults), (SWAGGER, SWAGGER, swagger_faults)] {
        assert_eq!(differences(ours, vendor), BTreeSet::new());
        let faults: Vec<[String; 3]> = serde_json::from_value(read(faults)).unwrap();
        for [from, to, expected] in faults {
            assert!(ours.contains(&from), "`{from}` is not in our document");
            let found = differences(&ours.replace(&from, &to), vendor);
            assert!(found.contains(&expected), "`{from}` → `{to}`: {found:#?}");
        }
    }
}

#[test]
fn a_review_covers_only_its_own_difference() {
    let faulty = OURS.replace("maxLength: 20", "maxLength: 21");
    let found = differences(&faulty.replace("format: double", "format: float"), VENDOR);
    assert_eq!(found.len(), 2, "{found:?}");
    let entries = reviewed::read(
        "[[difference]]
        service = 'boxes'
        places = ['*: argument `name`', '*: argument `size`']
        what = ' has the bound `maxLength` *'
        reason = 'the vendor has miscounted'",
    );
    let unused = entries[0].unused(&found);
    assert_eq!(unused, ["*: argument `size` has the bound `maxLength` *"]);
    let left = |service| unreviewed(&entries, service, &found).len();
    assert_eq!((left("boxes"), left("crates")), (1, 2));
}

#[test]
fn copied_sentences_are_found() {
    let vendor = read("info: {description: 'One. The name of the box, in full.'}");
    let copied = read("paths: {x: {summary: 'the name of the box - in full'}}");
    let own = read("paths: {x: {summary: 'what people call the whole box'}}");
    let found = prose::copied(&copied, &vendor);
    assert_eq!(found, ["the name of the box in full"]);
    assert_eq!(prose::copied(&own, &vendor), [""; 0]);
}

#[test]
fn an_unresolved_reference_is_found() {
    let document = read("a: {$ref: '#/b'}\nb: {$ref: '#/c'}");
    assert_eq!(dangling(&document), ["#/c"]);
}
