//! The comparison finds planted faults in each of our documents: every kind, at several places.

use serde_json::{Map, Value, json};

use crate::{
    PAIRS, Pair,
    compare::{Difference, Kind, differences},
    document::Document,
    reviewed::{REVIEWED, unreviewed},
    sites::{Site, sites},
};

/// The number of places of a document for each kind of fault.
const PLACES: usize = 3;

/// A kind of fault.
#[derive(Debug)]
struct Fault {
    what: &'static str,
    site: Site,
    /// Plants it in a node and returns whether the node changed.
    plant: fn(&mut Value) -> bool,
}

const FAULTS: &[Fault] = &[
    fault("another server", Site::Document, |node| {
        let server = node.pointer_mut("/servers/0");
        server.is_some_and(|server| rewrite(server, "url"))
    }),
    fault("another path", Site::Paths, rename_first),
    fault("another method", Site::Path, |node| {
        rename(node, "get", "trace") || rename(node, "post", "trace")
    }),
    fault("another scheme", Site::Scheme, |node| rewrite(node, "type")),
    fault("another parameter", Site::Parameter, |node| {
        node["in"] == "query" && rewrite(node, "name")
    }),
    fault("a parameter in another place", Site::Parameter, |node| {
        node["in"] == "query" && set(node, "in", json!("header"))
    }),
    fault("a parameter required or not", Site::Parameter, |node| {
        toggle(node, "required")
    }),
    fault("a parameter in another style", Site::Parameter, |node| {
        set(node, "style", json!("label"))
    }),
    fault("a body required or not", Site::Body, |node| {
        toggle(node, "required")
    }),
    fault("another status", Site::Answers, rename_first),
    fault("another media type", Site::Content, rename_first),
    fault("another property", Site::Schema, |node| {
        rename_first(&mut node["properties"])
    }),
    fault("a property required or not", Site::Schema, toggle_required),
    fault("a property read-only or not", Site::Property, |node| {
        toggle(node, "readOnly")
    }),
    fault("null allowed or not", Site::Property, |node| {
        node["type"].is_string() && toggle(node, "nullable")
    }),
    fault("another type", Site::Schema, |node| {
        let other = if node["type"] == "boolean" {
            "integer"
        } else {
            "boolean"
        };
        node["type"].is_string() && set(node, "type", json!(other))
    }),
    fault("another format", Site::Schema, |node| {
        let plain = node["type"].is_string() && node["type"] != "object";
        plain && set(node, "format", json!("planted"))
    }),
    fault("a value less", Site::Schema, |node| {
        let values = node["enum"].as_array_mut();
        values.is_some_and(|values| values.len() > 1 && values.pop().is_some())
    }),
    fault("another limit", Site::Schema, |node| {
        node["type"] == "string" && set(node, "maxLength", json!(12_345))
    }),
    fault("no elements", Site::Schema, |node| {
        let list = node.as_object_mut();
        list.is_some_and(|list| list.remove("items").is_some())
    }),
];

const fn fault(what: &'static str, site: Site, plant: fn(&mut Value) -> bool) -> Fault {
    Fault { what, site, plant }
}

#[test]
fn a_fault_of_each_kind_is_found_in_each_document() {
    let mut missed = Vec::new();
    for pair in PAIRS.iter().flatten() {
        let before = differences(&pair.ours, &pair.theirs);
        for fault in FAULTS {
            missed.extend(fault.missed(pair, &before));
        }
    }
    crate::assert_none("undetected planted faults", &missed);
}

impl Fault {
    /// Returns the places of our document with an undetected fault.
    fn missed(&self, pair: &Pair, before: &[Difference]) -> Vec<String> {
        let places = self.places(pair);
        let mut missed = Vec::new();
        let mut unreviewed_ones = 0;
        for place in &places {
            let planted = Document::new(self.planted(pair.ours.root(), place));
            let after = differences(&planted, &pair.theirs);
            unreviewed_ones += usize::from(!unreviewed(REVIEWED, pair.service, &after).is_empty());
            if after == before {
                missed.push(format!("{}: {} at {place}", pair.service, self.what));
            }
        }
        if !places.is_empty() && unreviewed_ones == 0 {
            missed.push(format!(
                "{}: {} is always reviewed",
                pair.service, self.what
            ));
        }
        missed
    }

    /// Returns some possible places for the fault, spread over the document.
    fn places(&self, pair: &Pair) -> Vec<String> {
        let fits = |place: &String| {
            let mut node = pair.ours.root().pointer(place).unwrap().clone();
            (self.plant)(&mut node) && !ours_alone(pair.service, place)
        };
        let sites = sites(&pair.ours, self.site);
        let fitting: Vec<_> = sites.into_iter().filter(fits).collect();
        let step = fitting.len().div_ceil(PLACES).max(1);
        fitting.into_iter().step_by(step).collect()
    }

    fn planted(&self, root: &Value, place: &str) -> Value {
        let mut planted = root.clone();
        assert!((self.plant)(planted.pointer_mut(place).unwrap()));
        planted
    }
}

/// Checks whether a place is in a property that only ours has, for a reviewed reason. Nothing can
/// be compared with it.
fn ours_alone(service: &str, place: &str) -> bool {
    let entries = REVIEWED
        .iter()
        .filter(|entry| entry.service == service && entry.kind == Kind::Extra);
    let mut properties = entries
        .flat_map(|entry| entry.places)
        .filter_map(|place| place.split_once('.'));
    properties.any(|(name, property)| {
        place.starts_with(&format!("/components/schemas/{name}/properties/{property}"))
    })
}

/// Appends to a string.
fn rewrite(node: &mut Value, key: &str) -> bool {
    let text = node.get(key).and_then(Value::as_str);
    let other = text.map(|text| format!("{text}planted"));
    other.is_some_and(|other| set(node, key, json!(other)))
}

fn set(node: &mut Value, key: &str, value: Value) -> bool {
    let changed = node.get(key) != Some(&value);
    node[key] = value;
    changed
}

fn toggle(node: &mut Value, key: &str) -> bool {
    let on = node.get(key).and_then(Value::as_bool) == Some(true);
    set(node, key, json!(!on))
}

fn rename(node: &mut Value, from: &str, to: &str) -> bool {
    let entries = node.as_object_mut();
    entries.is_some_and(|entries| {
        let moved = entries.remove(from);
        moved.is_some_and(|value| entries.insert(to.to_owned(), value).is_none())
    })
}

fn rename_first(node: &mut Value) -> bool {
    let first = node.as_object().and_then(|entries| entries.keys().next());
    let first = first.cloned();
    first.is_some_and(|first| rename(node, &first, &format!("{first}planted")))
}

/// Makes the first property required or optional.
fn toggle_required(node: &mut Value) -> bool {
    let properties = node["properties"].as_object().and_then(|p| p.keys().next());
    let Some(first) = properties.cloned() else {
        return false;
    };
    let empty = Map::new();
    let entries = node.as_object().unwrap_or(&empty);
    let mut required: Vec<_> = entries
        .get("required")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let before = required.len();
    required.retain(|name| *name != first);
    if required.len() == before {
        required.push(json!(first));
    }
    set(node, "required", json!(required))
}
