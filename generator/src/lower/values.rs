//! Names and values that are not what they seem: they have characters that cannot be seen, or more
//! digits than a number holds.
//!
//! They are sent as the document has them, as far as that is possible. Whoever reads the tool
//! cannot see the difference, so it is reported.

use std::collections::BTreeSet;

use toolwright_model::text::{escape_invisible, has_invisible};

use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    documents::Documents,
    source::Place,
    tree::{Data, Node},
};

/// The least number that is too large for a whole number of 64 bits.
const TOO_LARGE: f64 = 18_446_744_073_709_551_616.0;

/// The least whole number of 64 bits.
const LEAST: f64 = -9_223_372_036_854_775_808.0;

/// The most of them that are reported in one document.
const MOST: usize = 20;

/// The longest quotation, in characters.
const QUOTED: usize = 60;

/// Reports what an agent or a person would send without seeing it, and numbers that are not exact.
pub(super) fn report(documents: &Documents, diagnostics: &mut Diagnostics) {
    let mut found: BTreeSet<(Place, String)> = BTreeSet::new();
    let mut inexact: BTreeSet<Place> = BTreeSet::new();
    let mut open: Vec<&Node> = documents.roots().collect();
    while let Some(node) = open.pop() {
        open.extend(node.items());
        for (key, value) in node.fields() {
            open.push(value);
            match key {
                "enum" | "const" | "default" => {
                    values(value, &mut found);
                    numbers(value, &mut inexact);
                }
                "example" | "examples" => numbers(value, &mut inexact),
                "properties" => names(value, &mut found),
                "name" if node.get("in").is_some() => values(value, &mut found),
                _ => {}
            }
        }
    }
    for place in inexact.into_iter().take(MOST) {
        diagnostics.report(
            Diagnostic::warning(
                Code::InexactNumber,
                place,
                "this number cannot be represented exactly",
            )
            .note("integers are limited to 64 bits")
            .help("write it as a string if the service accepts one"),
        );
    }
    for (place, text) in found.into_iter().take(MOST) {
        let quoted: String = text.chars().take(QUOTED).collect();
        let quoted = escape_invisible(&quoted);
        diagnostics.report(
            Diagnostic::warning(
                Code::InvisibleCharacters,
                place,
                format!("`{quoted}` contains invisible characters"),
            )
            .note("requests contain them, but people and agents who read the tool cannot see them")
            .help("remove the characters unless the service needs them"),
        );
    }
}

/// The strings of a value.
fn values(value: &Node, found: &mut BTreeSet<(Place, String)>) {
    let own = std::iter::once(value).chain(value.items());
    for node in own {
        found.extend(
            node.as_str()
                .and_then(|text| find_invisible(text, node.place)),
        );
    }
}

/// The numbers of a value, or in it, that are too large for a whole number of 64 bits.
fn numbers(value: &Node, found: &mut BTreeSet<Place>) {
    let mut open = vec![value];
    while let Some(node) = open.pop() {
        open.extend(node.items());
        open.extend(node.fields().map(|(_, field)| field));
        if let Data::Number(number) = &node.data
            && number.is_f64()
            && number
                .as_f64()
                .is_some_and(|float| !(LEAST..TOO_LARGE).contains(&float))
        {
            found.insert(node.place);
        }
    }
}

fn names(properties: &Node, found: &mut BTreeSet<(Place, String)>) {
    let names = properties.as_object().into_iter().flatten();
    found.extend(names.filter_map(|(name, field)| find_invisible(name, field.key)));
}

fn find_invisible(text: &str, place: Place) -> Option<(Place, String)> {
    has_invisible(text).then(|| (place, text.to_owned()))
}
