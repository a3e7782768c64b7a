//! The comparison finds planted faults in each of our documents: every kind, at several places.

use std::thread;

use regex::Regex;
use serde_json::{Value, json};

use crate::{
    PAIRS, Pair,
    reviewed::{REVIEWED, unreviewed},
};

/// The number of places of a document for each kind of fault.
const PLACES: usize = 3;

/// A kind of fault: a pattern of the JSON pointer and the content of a node, and a function that
/// plants the fault in the node and returns whether it changed.
struct Fault(&'static str, &'static str, fn(&mut Value) -> bool);

const SCHEME: &str = r"^/(components/securitySchemes|securityDefinitions)/[^/ ]+ ";
const PARAMETER: &str = r#"^\S*/parameters/[^/ ]+ \{.*"in":"#;
const QUERY: &str = r#"^\S*/parameters/[^/ ]+ \{.*"in":"query""#;
const STYLED: &str = r#"^\S*/parameters/[^/ ]+ \{[^{]*"in":"[^b].*"schema":"#;
const LIST: &str = r#"^\S*/parameters/[^/ ]+ \{[^{]*"type":"array""#;
const BODY: &str = r#"(?x) ^\S*/(requestBodies/[^/\x20]+|requestBody)\x20 .* "content":
    | ^\S*/parameters/[^/\x20]+\x20 .* "in":"body""#;
const CONTENT: &str = r"^\S*(/requestBody|/(requestBodies|responses)/[^/ ]+)/content ";
const PROPERTY: &str = r"^\S*/properties/[^/ ]+ ";
const SCHEMA: &str = r"(?x) ^\S* ( /(schema|items|additionalProperties) | /(allOf|oneOf|anyOf)/\d+
    | /(properties|parameters|definitions|schemas)/[^/\x20]+ ) \x20";

/// Places that are not compared, for a reviewed reason: properties that only our document has, and
/// null next to another type.
const NOT_COMPARED: &[(&str, &str)] = &[
    (
        "plane",
        r"^\S*/(Task/properties/(assignees|labels)|TaskMatches/properties/issues)[ /]",
    ),
    (
        "netbox",
        r"^\S*/properties/(cluster|device_type|location|platform|primary_ip.|rack|role|site|tenant|vrf) ",
    ),
];

const FAULTS: &[Fault] = &[
    Fault("another server", "^/servers/0 ", |node| append(node, "url")),
    Fault("another base path", r#"^ .*"basePath""#, |node| {
        append(node, "basePath")
    }),
    Fault("another path", "^/paths ", rename_first),
    Fault("another method", "^/paths/[^/ ]+ ", |node| {
        rename(node, "get", "trace") || rename(node, "post", "trace")
    }),
    Fault("another scheme", SCHEME, |node| append(node, "type")),
    Fault("another parameter", QUERY, |node| append(node, "name")),
    Fault("a parameter elsewhere", QUERY, |node| {
        set(node, "in", "header".into())
    }),
    Fault("a parameter required or not", PARAMETER, |node| {
        toggle(node, "required")
    }),
    Fault("another style", STYLED, |node| {
        set(node, "style", "label".into())
    }),
    Fault("another separator", LIST, |node| {
        set(node, "collectionFormat", "pipes".into())
    }),
    Fault("a body required or not", BODY, |node| {
        toggle(node, "required")
    }),
    Fault("another status", r"^/paths/\S*/responses ", rename_first),
    Fault("another media type", CONTENT, rename_first),
    Fault("other media types", r"^\S*/(consumes|produces) ", |node| {
        *node = json!(["text/planted"]);
        true
    }),
    Fault("another property", SCHEMA, |node| {
        node.get_mut("properties").is_some_and(rename_first)
    }),
    Fault("a property required or not", SCHEMA, toggle_required),
    Fault("a property read-only or not", PROPERTY, |node| {
        toggle(node, "readOnly")
    }),
    Fault("null allowed or not", PROPERTY, toggle_null),
    Fault("another type", SCHEMA, |node| {
        let is_boolean = node["type"] == "boolean";
        let other = if is_boolean { "integer" } else { "boolean" };
        node["type"].is_string() && set(node, "type", other.into())
    }),
    Fault("another format", SCHEMA, |node| {
        let is_plain = node["type"].is_string() && node["type"] != "object";
        is_plain && set(node, "format", "planted".into())
    }),
    Fault("a value less", SCHEMA, |node| {
        let values = node.get_mut("enum").and_then(Value::as_array_mut);
        values.is_some_and(|values| values.len() > 1 && values.pop().is_some())
    }),
    Fault("another limit", SCHEMA, |node| {
        node["type"] == "string" && set(node, "maxLength", 12_345.into())
    }),
    Fault("no elements", SCHEMA, |node| {
        let list = node.as_object_mut();
        list.is_some_and(|list| list.remove("items").is_some())
    }),
];

#[test]
fn a_fault_of_each_kind_is_found_in_each_document() {
    let missed_in = |pair: &Pair| -> Vec<String> {
        let mut nodes = Vec::new();
        collect(&pair.ours, "", &mut nodes);
        let missed = FAULTS.iter().flat_map(|fault| fault.missed(pair, &nodes));
        missed.collect()
    };
    let missed: Vec<_> = thread::scope(|scope| {
        let pairs = PAIRS.iter().flatten();
        let threads: Vec<_> = pairs
            .map(|pair| scope.spawn(move || missed_in(pair)))
            .collect();
        let missed = threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap());
        missed.collect()
    });
    crate::assert_none("undetected planted faults", &missed);
}

/// Collects the JSON pointers of all objects and lists, with their content.
fn collect(node: &Value, place: &str, found: &mut Vec<(String, String)>) {
    let step = |key: &str| format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"));
    match node {
        Value::Object(nodes) => nodes
            .iter()
            .for_each(|(key, node)| collect(node, &step(key), found)),
        Value::Array(nodes) => {
            let nodes = nodes.iter().enumerate();
            nodes.for_each(|(number, node)| collect(node, &step(&number.to_string()), found));
        }
        _ => return,
    }
    found.push((place.to_owned(), format!("{place} {node}")));
}

impl Fault {
    /// Returns the places of our document with an undetected fault.
    fn missed(&self, pair: &Pair, nodes: &[(String, String)]) -> Vec<String> {
        let Self(what, _, plant) = self;
        let places = self.places(pair, nodes);
        let mut missed = Vec::new();
        let mut is_unreviewed = places.is_empty();
        for place in places {
            let mut planted = pair.ours.clone();
            assert!(plant(planted.pointer_mut(place).unwrap()));
            let after = pair.theirs.differences(&planted);
            is_unreviewed |= !unreviewed(&REVIEWED, pair.service, &after).is_empty();
            if after == pair.found {
                missed.push(format!("{}: {what} at {place}", pair.service));
            }
        }
        if !is_unreviewed {
            missed.push(format!("{}: {what} is always reviewed", pair.service));
        }
        missed
    }

    /// Returns some possible places for the fault, spread over the document.
    fn places<'p>(&self, pair: &Pair, nodes: &'p [(String, String)]) -> Vec<&'p String> {
        let Self(_, site, plant) = self;
        let pattern = |text: &str| Regex::new(text).unwrap();
        let site = pattern(site);
        let not_compared = NOT_COMPARED
            .iter()
            .filter(|(service, _)| *service == pair.service);
        let not_compared: Vec<_> = not_compared.map(|(_, text)| pattern(text)).collect();
        let fits = |(place, text): &&(String, String)| {
            site.is_match(text)
                && !not_compared.iter().any(|pattern| pattern.is_match(text))
                && plant(&mut pair.ours.pointer(place).unwrap().clone())
        };
        let fitting: Vec<_> = nodes.iter().filter(fits).map(|(place, _)| place).collect();
        let step = fitting.len().div_ceil(PLACES).max(1);
        fitting.into_iter().step_by(step).collect()
    }
}

/// Appends to a string.
fn append(node: &mut Value, key: &str) -> bool {
    let text = node.get(key).and_then(Value::as_str);
    let other = text.map(|text| format!("{text}planted"));
    other.is_some_and(|other| set(node, key, json!(other)))
}

fn set(node: &mut Value, key: &str, value: Value) -> bool {
    let fields = node.as_object_mut();
    fields.is_some_and(|fields| fields.insert(key.to_owned(), value.clone()) != Some(value))
}

fn toggle(node: &mut Value, key: &str) -> bool {
    let is_set = node.get(key).and_then(Value::as_bool) == Some(true);
    set(node, key, json!(!is_set))
}

/// Lets a property be null or not, in the notation of its document.
fn toggle_null(node: &mut Value) -> bool {
    if let Some(types) = node.get_mut("type").and_then(Value::as_array_mut) {
        return types.pop().is_some();
    }
    let mut known = ["nullable", "x-nullable"].into_iter();
    match known.find(|key| node.get(*key).is_some()) {
        Some(key) => toggle(node, key),
        None => node["type"].is_string() && toggle(node, "nullable") && toggle(node, "x-nullable"),
    }
}

fn rename(node: &mut Value, from: &str, to: &str) -> bool {
    let value = node
        .as_object_mut()
        .and_then(|entries| entries.remove(from));
    value.is_some_and(|value| set(node, to, value))
}

fn first_key(node: &Value) -> Option<String> {
    node.as_object()?.keys().next().cloned()
}

fn rename_first(node: &mut Value) -> bool {
    first_key(node).is_some_and(|first| rename(node, &first, &format!("{first}planted")))
}

/// Makes the first property required or optional.
fn toggle_required(node: &mut Value) -> bool {
    let Some(first) = node.get("properties").and_then(first_key) else {
        return false;
    };
    let required = node.get("required").and_then(Value::as_array);
    let mut required = required.cloned().unwrap_or_default();
    let before = required.len();
    required.retain(|name| *name != first);
    if required.len() == before {
        required.push(json!(first));
    }
    set(node, "required", json!(required))
}
