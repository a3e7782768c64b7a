//! Properties of the operations, on random schemas and on the schemas of the checked-in tools.
#![cfg(test)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    ops::RangeInclusive,
    path::Path,
};

use jsonschema::{Validator, draft202012};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Map, Value, json};
use toolwright_schema::{
    Definitions, Example, Extent, Root, SharedDefinitions, json_length, map_references,
    only_variant, patterns, reference, walk, walk_mut,
};

/// The number of random schemas.
const ROUNDS: u64 = 2_000;

/// The names of definitions, including one that is not defined.
const NAMES: [&str; 5] = ["a", "b", "c", "d.e_f-1", "none"];

/// The records of a service in the generator's format.
struct Service {
    name: String,
    definitions: Map<String, Value>,
    /// The schemas of arguments and results, which refer to the definitions.
    schemas: Vec<Value>,
}

/// Returns the checked-in services.
fn services() -> Vec<Service> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../generated/src");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().join("tools.json"))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    let services = files.iter().map(|file| {
        let table: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let tools = table["tools"].as_array().unwrap();
        let schemas = tools
            .iter()
            .flat_map(|tool| [tool.get("input_schema"), tool.get("output_schema")]);
        Service {
            name: table["service"].as_str().unwrap().to_owned(),
            definitions: table["$defs"].as_object().cloned().unwrap_or_default(),
            schemas: schemas.flatten().cloned().collect(),
        }
    });
    services.collect()
}

/// Returns a random schema, with references to itself and to [`NAMES`], and with data that looks like
/// a schema.
fn schema(random: &mut StdRng, depth: usize) -> Value {
    let kinds = if depth == 0 { 6 } else { 16 };
    let inner = |random: &mut StdRng| schema(random, depth.saturating_sub(1));
    match random.random_range(0..kinds) {
        0 => json!(random.random_bool(0.8)),
        1 => json!({"$ref": format!("#/$defs/{}", NAMES[random.random_range(0..NAMES.len())])}),
        2 => {
            json!({"$ref": (["#", "#/items", "#/%24defs/a", "other#"])[random.random_range(0..4)]})
        }
        3 => json!({"type": "string", "maxLength": random.random_range(0..9)}),
        4 => json!({"type": ["integer", "null"], "minimum": random.random_range(-5..5)}),
        5 => json!({"enum": [{"$ref": "#/$defs/a"}, "x", null, 7]}),
        6 => {
            json!({"type": "array", "items": inner(random), "minItems": random.random_range(0..3)})
        }
        7 => json!({"prefixItems": [inner(random), inner(random)], "contains": inner(random)}),
        8 | 9 => json!({
            "type": "object",
            "properties": {"p": inner(random), "q/~": inner(random)},
            "required": (["p", "q/~"])[..random.random_range(0..3)],
        }),
        10 => {
            json!({"additionalProperties": inner(random), "patternProperties": {"^x": inner(random)}})
        }
        11 => json!({"allOf": [inner(random), inner(random)]}),
        12 => json!({"anyOf": [inner(random), {"type": "null"}]}),
        13 => json!({"oneOf": [inner(random), inner(random), inner(random)]}),
        14 => json!({"not": inner(random), "default": {"$ref": "#/$defs/b"}}),
        _ => json!({"if": inner(random), "then": inner(random), "else": inner(random)}),
    }
}

/// Returns random definitions, each with one of [`NAMES`] but the last.
fn definitions(random: &mut StdRng) -> Map<String, Value> {
    let names = NAMES.iter().take(NAMES.len() - 1);
    names
        .map(|name| ((*name).to_owned(), schema(random, 2)))
        .collect()
}

/// Returns a random value.
fn value(random: &mut StdRng, depth: usize) -> Value {
    match random.random_range(0..if depth == 0 { 5 } else { 8 }) {
        0 => Value::Null,
        1 => json!(random.random_range(-6..6)),
        2 => json!("x".repeat(random.random_range(0..9))),
        3 => json!({"$ref": "#/$defs/a"}),
        4 => json!(random.random_bool(0.5)),
        5 => json!([value(random, depth - 1), value(random, depth - 1)]),
        _ => json!({"p": value(random, depth - 1), "q/~": value(random, depth - 1)}),
    }
}

/// Compiles a schema whose definitions form no circle: a circle may make a validator recurse without
/// end.
fn validator(schema: &Value) -> Option<Validator> {
    let definitions = schema.get("$defs").and_then(Value::as_object);
    let definitions = shared(definitions.into_iter().flatten());
    let is_circle = |(name, schema)| definitions.reached(schema).contains_key(name);
    if definitions.reached(schema).into_iter().any(is_circle) {
        return None;
    }
    draft202012::options().offline().build(schema).ok()
}

/// Returns owned definitions.
fn shared<'a>(all: impl IntoIterator<Item = (&'a String, &'a Value)>) -> SharedDefinitions {
    let all = all.into_iter();
    all.map(|(name, schema)| (name.clone(), schema.clone()))
        .collect()
}

/// Returns the schema with all definitions.
fn with_all(schema: &Value, definitions: &Map<String, Value>) -> Value {
    let mut all = schema.clone();
    if let Some(all) = all.as_object_mut() {
        all.insert("$defs".to_owned(), Value::Object(definitions.clone()));
    }
    all
}

#[test]
fn a_bundle_accepts_exactly_what_the_original_accepts() {
    let mut compared = 0;
    for seed in 0..ROUNDS {
        let random = &mut StdRng::seed_from_u64(seed);
        let definitions = definitions(random);
        let original = schema(random, 3);
        let bundled = shared(&definitions).bundle(original.clone());
        // References of other forms, such as to the root, are not those of definitions.
        let is_other = |reference: &str| !reference.starts_with(Definitions::PREFIX);
        let mut schemas = walk(&bundled).map(|subschema| subschema.schema);
        if schemas.any(|schema| reference(schema).is_some_and(is_other)) {
            continue;
        }
        let all = with_all(&original, &definitions);
        let (Some(before), Some(after)) = (validator(&all), validator(&bundled)) else {
            continue;
        };
        compared += 1;
        for _ in 0..20 {
            let value = value(random, 2);
            assert_eq!(
                before.is_valid(&value),
                after.is_valid(&value),
                "{value} {bundled}"
            );
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn a_cut_schema_accepts_what_the_original_accepts() {
    let (mut cut, mut accepted) = (0, 0);
    for seed in 0..ROUNDS {
        let random = &mut StdRng::seed_from_u64(seed);
        let definitions = definitions(random);
        let original = schema(random, 3);
        let shared = shared(&definitions);
        let whole = shared.bundle(original.clone());
        let limit = random.random_range(0..=whole.to_string().len());
        let smaller = shared.cut(&original, limit, "cut");
        if smaller == whole || smaller.get("$comment").is_none() {
            continue;
        }
        let all = with_all(&original, &definitions);
        let (Some(before), Some(after)) = (validator(&all), validator(&smaller)) else {
            continue;
        };
        cut += 1;
        for _ in 0..20 {
            let value = value(random, 2);
            if before.is_valid(&value) {
                accepted += 1;
                assert!(after.is_valid(&value), "{value} {all} {smaller}");
            }
        }
    }
    assert!(cut > 100 && accepted > 500, "{cut} {accepted}");
}

#[test]
fn a_bundle_contains_every_target_and_nothing_that_is_not_mentioned() {
    for seed in 0..ROUNDS {
        let random = &mut StdRng::seed_from_u64(seed);
        let definitions = definitions(random);
        let bundled = shared(&definitions).bundle(schema(random, 3));
        let mentioned: BTreeSet<&str> = Definitions::mentioned(&bundled).into_iter().collect();
        let own = bundled.get("$defs").and_then(Value::as_object);
        let own: BTreeSet<&str> = own
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .collect();
        let known: BTreeSet<&str> = definitions.keys().map(String::as_str).collect();
        assert_eq!(own, &mentioned & &known, "{bundled}");
    }
}

#[test]
fn the_length_is_that_of_the_text() {
    let odd = json!(["\u{0}\u{7f}\u{8}\u{c}\n\r\t\"\\/é\u{2028}", -0.0, 1e300, u64::MAX, {"": []}]);
    assert_eq!(json_length(&odd), odd.to_string().len());
    for seed in 0..ROUNDS {
        let schema = schema(&mut StdRng::seed_from_u64(seed), 4);
        assert_eq!(json_length(&schema), schema.to_string().len(), "{schema}");
    }
}

#[test]
fn both_walks_visit_each_subschema_once() {
    for seed in 0..ROUNDS {
        let random = &mut StdRng::seed_from_u64(seed);
        let schema = schema(random, 4);
        let mut visited = BTreeMap::new();
        let mut subschemas = walk(&schema);
        while let Some(subschema) = subschemas.next() {
            let pointer = subschemas.pointer();
            assert_eq!(schema.pointer(pointer.as_str()), Some(subschema.schema));
            let twice = visited.insert(pointer, subschema.keyword);
            assert!(twice.is_none());
        }
        let mut count = 0;
        walk_mut(&mut schema.clone(), |_, _| count += 1);
        assert_eq!(count, visited.len());
    }
}

#[test]
fn replaced_references_are_those_that_the_walk_finds() {
    for seed in 0..ROUNDS {
        let random = &mut StdRng::seed_from_u64(seed);
        let mut schema = schema(random, 4);
        let references = |schema: &Value| -> Vec<String> {
            let found = walk(schema).filter_map(|subschema| reference(subschema.schema));
            found.map(ToOwned::to_owned).collect()
        };
        let before = references(&schema);
        map_references(&mut schema, |reference| Some(format!("{reference}!")));
        let after: Vec<String> = before.iter().map(|before| format!("{before}!")).collect();
        assert_eq!(references(&schema), after);
        map_references(&mut schema, |_| None);
        assert_eq!(references(&schema), after);
    }
}

#[test]
fn every_operation_ends_on_every_schema() {
    for seed in 0..ROUNDS {
        let random = &mut StdRng::seed_from_u64(seed);
        let definitions = definitions(random);
        let mut all = with_all(&schema(random, 4), &definitions);
        let root = Root::new(&all);
        for subschema in walk(&all) {
            let schema = subschema.schema;
            let resolved = root.resolve(schema);
            assert!(resolved.is_none_or(|resolved| reference(resolved).is_none()));
            assert!(root.parts(schema).len() <= 256);
            assert!(!root.in_words(schema).is_empty());
            let _ = (root.summary(schema), only_variant(schema));
        }
        for extent in [Extent::Least, Extent::Most] {
            assert!(Example::new(&all, extent).attempts().count() > 0);
        }
        let found = patterns::patterns(&all);
        let found = found.into_iter().map(ToOwned::to_owned).collect();
        patterns::Unusable::new(&found, []).take_out(&mut all);
        assert!(patterns::patterns(&all).is_empty());
    }
}

/// Makes strings for the patterns of the checked-in tools.
fn sample(pattern: &str, lengths: RangeInclusive<usize>) -> Option<String> {
    let compiled = draft202012::new(&json!({"pattern": pattern})).ok()?;
    let words = [
        "a", "A", "abc-1", "a/b", "1.2.3", "a@b.cd", "00:00", "#aabbcc", "/a",
    ];
    let zeros = (1..=64).map(|length| "0".repeat(length));
    let mut words = words.map(ToOwned::to_owned).into_iter().chain(zeros);
    words.find(|word| lengths.contains(&word.len()) && compiled.is_valid(&json!(word)))
}

#[test]
fn examples_conform_to_the_schemas_of_the_checked_in_tools() {
    let (mut conforming, mut all) = (0, 0);
    for service in services() {
        let definitions = shared(&service.definitions);
        for schema in service.schemas {
            let bundled = definitions.bundle(schema);
            let validator = draft202012::new(&bundled).unwrap();
            for extent in [Extent::Least, Extent::Most] {
                let example = Example::new(&bundled, extent).with_patterns(&sample);
                let conforms = example.attempts().any(|value| validator.is_valid(&value));
                assert!(conforms, "{} {extent:?} {bundled:#}", service.name);
                conforming += usize::from(conforms);
                all += 1;
            }
        }
    }
    assert!(all > 500, "{all}");
    assert_eq!(conforming, all);
}

#[test]
fn the_bundles_of_the_checked_in_tools_resolve() {
    for service in services() {
        let definitions = Definitions::new(&service.definitions);
        let shared = shared(&service.definitions);
        for schema in service.schemas {
            let bundled = shared.bundle(schema.clone());
            let root = Root::new(&bundled);
            for subschema in walk(&bundled) {
                let resolved = root.resolve(subschema.schema);
                assert!(resolved.is_some(), "{} {}", service.name, subschema.schema);
                let by_name = definitions.resolve(subschema.schema);
                assert_eq!(resolved, Some(by_name));
            }
        }
    }
}
