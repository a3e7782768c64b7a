//! The redactor: every form of a secret is found, and ordinary words are not.

use std::time::{Duration, Instant};

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::json;

use super::*;

const SECRET: &str = "S3CRET/token+0123456789&abcdef";

fn redactor(secrets: &[&str]) -> Redactor {
    let secrets: Vec<_> = secrets
        .iter()
        .map(|text| Secret::new((*text).to_owned()))
        .collect();
    Redactor::new(&secrets)
}

#[test]
fn a_secret_is_removed_from_values_keys_and_numbers() {
    let redactor = redactor(&["se/cret-token", "se/cret-token-longer", "4711471147114711"]);
    assert_eq!(
        redactor.error("a se/cret-token-longer b SE/CRET-TOKEN c"),
        "a [redacted] b [redacted] c"
    );
    assert_eq!(
        redactor.value(json!({"se/cret-token": ["x se/cret-token", 1, 4_711_471_147_114_711_u64]})),
        json!({"[redacted]": ["x [redacted]", 1, "[redacted]"]})
    );
}

#[test]
fn base64_is_recognised_wherever_the_secret_begins() {
    let redactor = redactor(&[SECRET]);
    for before in ["", "a", "ab", "abc", "Bearer ", "user:"] {
        for after in ["", "x", "xy", " and more"] {
            let encoded = BASE64_STANDARD.encode(format!("{before}{SECRET}{after}"));
            let found = redactor.value(json!(format!("data: {encoded};")));
            assert_eq!(found, "data: [redacted];", "{before:?} {after:?}");
        }
    }
}

#[test]
fn base64_of_an_encoded_secret_is_searched() {
    let redactor = redactor(&[SECRET]);
    let utf16: Vec<u8> = SECRET.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [utf16, hex_of(SECRET), SECRET.bytes().rev().collect()] {
        let encoded = BASE64_STANDARD.encode(bytes);
        assert_eq!(
            redactor.value(json!({ "content": encoded })),
            json!({"content": "[redacted]"})
        );
    }
}

fn hex_of(text: &str) -> Vec<u8> {
    toolwright_model::hex(text).into_bytes()
}

#[test]
fn a_short_secret_is_removed_from_errors_and_if_it_is_the_whole_value() {
    let redactor = redactor(&["name"]);
    assert_eq!(
        redactor.value(json!({"names": "x name"})),
        json!({"names": "x name"})
    );
    assert_eq!(redactor.value(json!(["name"])), json!(["[redacted]"]));
    assert_eq!(redactor.error("no name"), "no [redacted]");
}

#[test]
fn bytes_that_were_cut_never_end_within_a_secret() {
    let redactor = redactor(&[SECRET]);
    for form in [SECRET.to_owned(), BASE64_STANDARD.encode(SECRET)] {
        for length in 1..form.len() {
            let mut bytes = format!("text {}", &form.get(..length).unwrap()).into_bytes();
            redactor.cut(&mut bytes);
            assert_eq!(
                String::from_utf8(bytes).unwrap(),
                "text ",
                "{length} of {form}"
            );
        }
    }
    let mut bytes = "…".as_bytes().to_vec();
    redactor.cut(&mut bytes);
    assert_eq!(bytes, "…".as_bytes());
}

#[test]
fn urls_in_errors_lose_their_user_information() {
    let nothing = Redactor::default();
    for (text, clean) in [
        (
            "connect postgres://u:p@db/x",
            "connect postgres://[redacted]@db/x",
        ),
        (
            "`amqp://u:p@q@host`, http://a b@c",
            "`amqp://[redacted]@host`, http://a b@c",
        ),
        ("https://host/a@b", "https://host/a@b"),
    ] {
        assert_eq!(nothing.error(text), clean);
    }
}

/// A service can repeat a secret in one long word, or encode it in each of many words.
#[test]
fn many_secrets_in_one_string_take_linear_time() {
    let redactor = redactor(&[SECRET]);
    let encoded = BASE64_STANDARD.encode(SECRET);
    let run = encoded.trim_end_matches('=').repeat(25_000);
    let words = (0..12_000).map(|number| BASE64_STANDARD.encode(format!("{encoded}{number}")));
    let words: Vec<_> = words.collect();
    let begin = Instant::now();
    assert_eq!(redactor.text(run), REDACTED);
    let clean = redactor.text(words.join(" "));
    assert_eq!(clean, vec![REDACTED; words.len()].join(" "));
    assert!(begin.elapsed() < Duration::from_secs(30));
}
