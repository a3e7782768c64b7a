//! Runs within the emitted crate of the document in this folder.

use toolwright::codec::{json, Codec};
use toolwright_zoo::{CreateZooAnimal, ListZooAnimals, required, types::*};

#[test]
fn described_values_survive_a_round_trip() {
    for value in [
        json!({"place": [1.5, "a"], "null_or_text": null}),
        json!({
            "place": [1, "a"], "null_or_text": "x", "either": 5, "big": u64::MAX, "amount": 5.0,
            "bytes": "aGk=", "option": {"String": "s", "additional": "a", "more": [1]},
            "free": {"a": {"b": null}}, "anything": null, "shape": {"side": 2},
            "closed": {"a": true, "b": "newer than the document"}, "unknown": {"x": 1},
        }),
    ] {
        assert_eq!(Everything::decode(value.clone()).unwrap().encode(), value);
    }
}

#[test]
fn variants_are_distinguished() {
    let cat = json!({"kind": "cat", "name": "Tom", "nickname": null, "friend": {"kind": "emu"}});
    let Animal::Cat(tom) = Animal::decode(cat.clone()).unwrap() else {
        panic!("it is a cat");
    };
    assert_eq!(tom.encode(), cat);
    let dog = json!({"kind": "Dog", "age": 3, "tricks": {"sit": 0.5}});
    assert!(matches!(Animal::decode(dog).unwrap(), Animal::Dog(_)));
    let everything = json!({"place": [1, "a"], "null_or_text": null, "shape": {"side": 2}});
    let everything = Everything::decode(everything).unwrap();
    assert!(matches!(everything.shape, Some(EverythingShape::Square(_))));
}

#[test]
fn arguments_are_easy_to_construct() {
    let list = ListZooAnimals::default().with_type("cat");
    assert_eq!(list.encode(), json!({"type": "cat"}));
    let create = CreateZooAnimal::new(required::CreateZooAnimal { kind: "cat".into(), name: "Tom".into() });
    assert_eq!(create.encode(), json!({"kind": "cat", "name": "Tom"}));
    assert_eq!(format!("{create:?}"), r#"CreateZooAnimal {"kind":"cat","name":"Tom"}"#);
    assert_eq!(create, create.clone());
    assert_eq!(serde_of(&create), create);
}

fn serde_of<T: Codec + PartialEq>(value: &T) -> T {
    T::decode(value.encode()).unwrap()
}
