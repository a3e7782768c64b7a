//! Tests of values in parts.

use super::*;

fn items(count: usize) -> Value {
    let items = (0..count).map(|id| json!({"id": id, "name": format!("item {id}")}));
    json!({"count": count, "next": null, "results": items.collect::<Vec<_>>()})
}

#[test]
fn a_part_ends_between_two_elements() {
    let whole = items(1_000);
    let part = part(&whole, 1_000);
    assert!(length(&part.value) <= 1_000);
    assert_eq!(part.value["count"], 1_000);
    let kept = part.value["results"].as_array().unwrap();
    assert!(kept.len() > 20, "{}", kept.len());
    assert_eq!(kept[..], whole["results"].as_array().unwrap()[..kept.len()]);
    let omitted = json!({"place": "/results", "from": kept.len(), "of": 1_000});
    assert_eq!(part.omitted[0].to_json(), omitted);
    assert_eq!(part.count, 1);
}

#[test]
fn a_small_value_is_whole() {
    let part = part(&items(3), 10_000);
    assert_eq!(part.value, items(3));
    assert_eq!((part.omitted.len(), part.count), (0, 0));
}

#[test]
fn a_large_string_is_left_out_with_its_place() {
    let whole = json!({"id": 1, "a/b": "é".repeat(5_000), "last": true});
    let part = part(&whole, 300);
    assert_eq!(part.value, json!({"id": 1, "last": true}));
    assert_eq!(
        part.omitted[0].to_json(),
        json!({"place": "/a~1b", "of": 5_000})
    );
}

#[test]
fn windows_lead_through_everything() {
    let whole = items(500);
    let results = whole.pointer("/results").unwrap();
    let place = JsonPointer::from_iter(["results"]);
    let mut read = Vec::new();
    let mut from = Some(0);
    while let Some(next) = from {
        let window = window(results, &place, next, 700);
        assert!(length(&window.part.value) <= 700);
        read.extend(window.part.value.as_array().unwrap().clone());
        assert_eq!(window.of, Some(500));
        from = window.next;
    }
    assert_eq!(Value::from(read), *results);

    let text = "aé\n\"漢".repeat(300);
    let mut read = String::new();
    let mut from = Some(0);
    while let Some(next) = from {
        let window = window(&json!(text), &JsonPointer::root(), next, 100);
        assert!(length(&window.part.value) <= 100);
        read.push_str(window.part.value.as_str().unwrap());
        from = window.next;
    }
    assert_eq!(read, text);

    let members = (0..300).map(|number| (format!("key {number}"), json!(number)));
    let object = Value::Object(members.collect());
    let mut read = Map::new();
    let mut from = Some(0);
    while let Some(next) = from {
        let window = window(&object, &JsonPointer::root(), next, 200);
        assert!(length(&window.part.value) <= 200);
        read.extend(window.part.value.as_object().unwrap().clone());
        from = window.next;
    }
    assert_eq!(Value::Object(read), object);
}

/// However little room there is, each window has something new or says what it lacks.
#[test]
fn a_window_never_stands_still() {
    let values = [
        json!(["x".repeat(1_000), "y"]),
        json!([[["x".repeat(1_000)]], 2]),
        json!({"a": "x".repeat(1_000), "b": 1}),
        json!([{"a": "x".repeat(1_000)}, 2]),
    ];
    for value in values {
        let first = window(&value, &JsonPointer::root(), 0, 50);
        assert_eq!(first.next, Some(1), "{value}");
        assert!(first.part.count > 0, "{value}");
        assert!(length(&first.part.value) <= 50, "{value}");
        let second = window(&value, &JsonPointer::root(), 1, 50);
        assert_eq!((second.next, second.part.count), (None, 0), "{value}");
    }
}

#[test]
fn hostile_values_stay_within_the_room_and_the_list() {
    let many: Map<String, Value> = (0..10_000)
        .map(|number| (format!("{number}"), json!("x".repeat(100))))
        .collect();
    let mut deep = json!("x".repeat(10_000));
    for _ in 0..100 {
        deep = json!([deep]);
    }
    let long_key = json!({"k".repeat(50_000): ["x".repeat(50_000)], "a": 1});
    for value in [
        Value::Object(many),
        deep,
        long_key,
        json!([[], {}, "x".repeat(9_000)]),
    ] {
        let part = part(&value, 2_000);
        assert!(length(&part.value) <= 2_000, "{}", length(&part.value));
        assert!(part.count > 0);
        let listed: Vec<_> = part.omitted.iter().map(Omitted::to_json).collect();
        assert!(length(&listed.into()) <= ENVELOPE - 1_024);
    }
}
