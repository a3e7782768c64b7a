//! The actions of single sentences.

use super::*;

fn first(sentence: &str) -> Option<(Kind, SignalPlace)> {
    statements(sentence)
        .first()
        .map(|statement| (statement.kind, statement.place))
}

#[test]
fn the_verb_comes_after_a_preamble() {
    for sentence in [
        "Returns the items.",
        "This lovely endpoint gets the photo.",
        "Use this API endpoint to retrieve an item",
        "Once a cursor has been retrieved, use this to paginate through all",
        "Starts returning the contents of a folder.",
        "List endpoint returns logs",
    ] {
        assert_eq!(
            first(sentence)
                .filter(|(_, place)| *place != SignalPlace::Loosely)
                .map(|(kind, _)| kind),
            Some(Kind::Read),
            "{sentence}"
        );
    }
    assert_eq!(first("An item of the list"), None);
    assert_eq!(first("Index inspection."), None);
}

#[test]
fn a_noun_is_no_verb() {
    assert_eq!(first("The update of an item"), None);
    assert_eq!(first("Share settings"), None);
    assert_eq!(
        first("Share a file"),
        Some((Kind::Action, SignalPlace::Loosely))
    );
    assert_eq!(first("Follow status for a brand"), None);
}

#[test]
fn every_verb_of_the_main_clause_counts() {
    let kinds = |sentence| -> Vec<Kind> {
        statements(sentence)
            .iter()
            .map(|found| found.kind)
            .collect()
    };
    assert_eq!(
        kinds("Gets a message and removes it"),
        [Kind::Read, Kind::Delete]
    );
    assert_eq!(
        kinds("Classify an image and saves it"),
        [Kind::Derive, Kind::Overwrite]
    );
    assert_eq!(
        kinds("List what the user can mount or unmount"),
        [Kind::Read]
    );
}

#[test]
fn what_is_got_may_be_a_power() {
    let grants = |sentence| {
        statements(sentence)
            .iter()
            .any(|found| found.kind == Kind::Action)
    };
    assert!(grants("Get an access token for the user"));
    assert!(grants("Get presigned URLs for uploading a file"));
    assert!(grants("Export the items to an S3 bucket"));
    assert!(!grants("Get the name of a token"));
}
