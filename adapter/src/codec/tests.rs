//! Tests of the codec as generated types use it.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng, rngs::StdRng};

use super::{
    Bytes, Codec, Extra, Nullable, Number, Reader, Value, Word, forward, forward_words, json,
    object,
};

#[derive(Clone)]
struct Cat {
    kind: String,
    lives: Option<i64>,
    friend: Option<Box<Pet>>,
    additional: Extra,
}

#[derive(Clone)]
struct Dog {
    kind: Kind,
    name: Nullable<String>,
    owner: Option<Nullable<String>>,
}

#[derive(Clone)]
enum Kind {
    Cat,
    Dog,
    Unlisted(String),
}

#[derive(Clone)]
enum Pet {
    Cat(Box<Cat>),
    Dog(Box<Dog>),
    Unlisted(Value),
}

impl Codec for Cat {
    fn read(value: Value, reader: &mut Reader) -> Self {
        let mut fields = reader.object(value);
        Self {
            kind: fields.take("kind"),
            lives: fields.take("lives"),
            friend: fields.take("friend"),
            additional: fields.rest(),
        }
    }

    fn encode(&self) -> Value {
        object(
            &[
                ("kind", &self.kind),
                ("lives", &self.lives),
                ("friend", &self.friend),
            ],
            &self.additional,
        )
    }
}

impl Codec for Dog {
    fn read(value: Value, reader: &mut Reader) -> Self {
        let mut fields = reader.object(value);
        let dog = Self {
            kind: fields.take("kind"),
            name: fields.take("name"),
            owner: fields.take("owner"),
        };
        fields.rest::<()>();
        dog
    }

    fn encode(&self) -> Value {
        object(
            &[
                ("kind", &self.kind),
                ("name", &self.name),
                ("owner", &self.owner),
            ],
            &(),
        )
    }
}

impl Word for Kind {
    fn from_word(word: String) -> Self {
        match word.as_str() {
            "cat" => Self::Cat,
            "dog" => Self::Dog,
            _ => Self::Unlisted(word),
        }
    }

    fn as_word(&self) -> &str {
        match self {
            Self::Cat => "cat",
            Self::Dog => "dog",
            Self::Unlisted(word) => word,
        }
    }

    fn is_unlisted(&self) -> bool {
        matches!(self, Self::Unlisted(_))
    }
}

impl Codec for Pet {
    fn read(value: Value, reader: &mut Reader) -> Self {
        reader
            .tagged_union(value, "kind")
            .tagged(&["cat"], Self::Cat)
            .tagged(&["dog"], Self::Dog)
            .or_unlisted(Self::Unlisted)
    }

    fn encode(&self) -> Value {
        match self {
            Self::Cat(cat) => cat.encode(),
            Self::Dog(dog) => dog.encode(),
            Self::Unlisted(value) => value.clone(),
        }
    }
}

forward!(Cat, Dog, Pet);
forward_words!(Kind);

/// Decodes the value and asserts that it encodes unchanged.
fn round_trip<T: Codec>(value: Value) -> T {
    let read = T::decode(value.clone()).unwrap();
    assert_eq!(read.encode(), value);
    read
}

fn read_error<T: Codec>(value: Value) -> String {
    T::decode(value).err().unwrap().to_string()
}

#[test]
fn unknown_fields_and_words_survive() {
    let cat: Cat = round_trip(json!({"kind": "lion", "claws": [1, {"a": null}], "b": 2}));
    assert_eq!(cat.additional.iter().count(), 2);
    let dog: Dog = round_trip(json!({"kind": "wolf", "name": null}));
    assert!(matches!(dog.kind, Kind::Unlisted(_)));
    assert_eq!(dog.kind.to_string(), "wolf");
}

#[test]
fn absent_and_null_differ_if_null_has_a_meaning() {
    let dog: Dog = round_trip(json!({"kind": "dog", "name": null, "owner": null}));
    assert_eq!(dog.owner, Some(Nullable::Null));
    let dog: Dog = round_trip(json!({"kind": "dog", "name": "a"}));
    assert_eq!(dog.owner, None);
    let mut cat: Cat = round_trip(json!({"kind": "a", "lives": null}));
    assert_eq!(cat.lives, None);
    cat.lives = Some(9);
    assert_eq!(cat.encode(), json!({"kind": "a", "lives": 9}));
    assert_eq!(round_trip::<Option<Value>>(json!(null)), Some(Value::Null));
}

#[test]
fn every_mismatch_is_reported_with_its_place_and_no_value() {
    let message = read_error::<Vec<Dog>>(json!([
        {"kind": 1, "name": "secret"},
        "secret",
        {"kind": "dog", "name": {"secret": 1}},
        {"kind": "dog"},
    ]));
    assert_eq!(
        message,
        "at `/0/kind`: expected a string, found a number; \
         at `/1`: expected an object, found a string; \
         at `/2/name`: expected a string, found an object; \
         at `/3/name`: expected a value, found nothing"
    );
    assert_eq!(
        read_error::<BTreeMap<String, bool>>(json!({"a/b": 1})),
        "at `/a~1b`: expected a boolean, found a number"
    );
}

#[test]
fn a_union_takes_the_variant_of_its_tag_or_the_one_that_fits_best() {
    assert!(matches!(round_trip(json!({"kind": "cat"})), Pet::Cat(_)));
    assert!(matches!(
        round_trip(json!({"kind": "dog", "name": "a"})),
        Pet::Dog(_)
    ));
    let unnamed = json!({"kind": "wolf", "name": null, "owner": "a"});
    assert!(
        matches!(round_trip(unnamed), Pet::Dog(_)),
        "it has no stranger but the word"
    );
    assert!(matches!(
        round_trip(json!({"kind": "dog"})),
        Pet::Unlisted(_)
    ));
    assert!(matches!(round_trip(json!([1])), Pet::Unlisted(_)));
}

#[test]
fn a_hostile_union_costs_no_more_than_its_size_allows() {
    let mut value = json!(1);
    for _ in 0..100 {
        value = json!({"friend": value, "kind": 1});
    }
    assert!(matches!(round_trip(value), Pet::Unlisted(_)));
}

#[test]
fn numbers_survive() {
    for number in [
        json!(5),
        json!(5.0),
        json!(-1),
        json!(u64::MAX),
        json!(1e300),
    ] {
        round_trip::<Number>(number);
    }
    round_trip::<u64>(json!(u64::MAX));
    assert_eq!(i64::decode(json!(5.0)).unwrap(), 5);
    assert!(read_error::<i64>(json!(u64::MAX)).contains("2^63"));
    assert!(read_error::<i64>(json!(0.5)).contains("2^63"));
    assert!(read_error::<u64>(json!(-1)).contains("from 0"));
    assert!(Number::from(u64::MAX) > Number::from(1));
}

#[test]
fn tuples_have_their_length() {
    round_trip::<(String, i64)>(json!(["a", 1]));
    assert_eq!(
        read_error::<(String, i64)>(json!(["a"])),
        "at ``: expected an array of 2, found an array; \
         at `/1`: expected a whole number, found null"
    );
}

#[test]
fn a_number_keeps_its_last_digit() {
    for text in [
        "0.014317417106767573",
        "1.8508440362185578e+25",
        "1169.1832095168065",
    ] {
        let number = Number::decode(text.parse().unwrap()).unwrap();
        assert_eq!(number.encode().to_string(), text);
    }
}

#[test]
fn bytes_keep_their_original_base64() {
    assert_eq!(Bytes::new("hé").to_vec().unwrap(), "hé".as_bytes());
    assert!(round_trip::<Bytes>(json!("not base64!")).to_vec().is_err());
}

#[test]
fn debug_equality_and_serde_use_the_codec() {
    let cat: Cat = round_trip(json!({"kind": "cat", "x": 1}));
    assert_eq!(format!("{cat:?}"), r#"Cat {"kind":"cat","x":1}"#);
    assert_eq!(cat, cat.clone());
    #[cfg(feature = "serde")]
    {
        let text = serde_json::to_string(&cat).unwrap();
        assert_eq!(serde_json::from_str::<Cat>(&text).unwrap(), cat);
        let error = serde_json::from_str::<Cat>("{}").unwrap_err();
        assert!(error.to_string().contains("/kind"), "{error}");
    }
}

/// Values of all kinds, the same in every run.
struct Values(StdRng);

impl Values {
    fn number(&mut self, below: u64) -> u64 {
        self.0.random_range(0..below)
    }

    /// The types' own keys and words, and so values often nearly fit.
    fn word(&mut self) -> &'static str {
        let words = [
            "kind", "lives", "friend", "name", "owner", "cat", "dog", "", "~/",
        ];
        words[usize::try_from(self.number(9)).unwrap()]
    }

    fn value(&mut self, depth: u64) -> Value {
        match self.number(if depth == 0 { 6 } else { 9 }) {
            0 => Value::Null,
            1 => Value::Bool(self.number(2) == 0),
            2 => json!(self.number(u64::MAX >> 34)),
            3 => json!(-0.5),
            4 | 5 => json!(self.word()),
            6 => (0..self.number(4)).map(|_| self.value(depth - 1)).collect(),
            _ => (0..self.number(12))
                .map(|_| (self.word().to_owned(), self.value(depth - 1)))
                .collect(),
        }
    }
}

#[test]
fn accepted_values_survive_a_round_trip() {
    let mut values = Values(StdRng::seed_from_u64(1));
    let (mut read, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let value = values.value(5);
        let pet = Pet::decode(value.clone()).unwrap();
        if matches!(pet, Pet::Unlisted(_)) {
            assert_eq!(pet.encode(), value);
        }
        match Dog::decode(value.clone()) {
            Ok(dog) => {
                assert_eq!(Dog::decode(dog.encode()).unwrap(), dog);
                read += 1;
            }
            Err(error) => {
                assert!(
                    error
                        .pointers()
                        .all(|at| value.pointer(&at).is_some() || at.len() > 1)
                );
                refused += 1;
            }
        }
    }
    assert!(read > 20 && refused > 1000, "{read} {refused}");
}
