//! Resolves scalars by the core schema of YAML 1.2.

use saphyr_parser::Tag;

use crate::document::tree::{Data, json::number};

/// Returns the value of a scalar. Only plain (unquoted) scalars can be other than strings, unless a
/// tag changes the type.
pub(super) fn resolve(text: &str, plain: bool, tag: Option<&Tag>) -> Data {
    match tag {
        Some(tag) if tag.is_yaml_core_schema() && tag.suffix != "str" => untagged(text),
        Some(tag) if tag.is_yaml_core_schema() || tag.suffix.is_empty() => {
            Data::String(text.to_owned())
        }
        _ if plain => untagged(text),
        _ => Data::String(text.to_owned()),
    }
}

fn untagged(text: &str) -> Data {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Data::Null,
        "true" | "True" | "TRUE" => Data::Bool(true),
        "false" | "False" | "FALSE" => Data::Bool(false),
        _ => numeric(text).unwrap_or_else(|| Data::String(text.to_owned())),
    }
}

/// Parses a number. `.inf` and `.nan`, which JSON lacks, remain strings.
fn numeric(text: &str) -> Option<Data> {
    if let Some(value) = radix(text) {
        return Some(Data::Number(value.into()));
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !is_decimal(unsigned) {
        return None;
    }
    if let Ok(whole) = text.parse::<i64>() {
        return Some(Data::Number(whole.into()));
    }
    if let Ok(whole) = text.parse::<u64>() {
        return Some(Data::Number(whole.into()));
    }
    let float = text.parse::<f64>().ok()?;
    serde_json::Number::from_f64(float)
        .map_or_else(|| Some(number(text)), |n| Some(Data::Number(n)))
}

/// Parses `0o17` and `0xff`.
fn radix(text: &str) -> Option<u64> {
    let (digits, radix) = match text.strip_prefix("0o") {
        Some(digits) => (digits, 8),
        None => (text.strip_prefix("0x")?, 16),
    };
    let only_digits = digits.chars().all(|digit| digit.is_digit(radix));
    only_digits.then(|| u64::from_str_radix(digits, radix).ok())?
}

/// Checks `(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent = exponent.is_none_or(|exponent| {
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !unsigned.is_empty() && digits(unsigned)
    });
    digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty()) && exponent
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::document::{
        source::{Place, Sources},
        tree::Node,
    };

    fn value(text: &str) -> Value {
        let place = Place::start_of(Sources::new().add("a.yaml", ""));
        let data = resolve(text, true, None);
        Node { place, data }.to_value()
    }

    #[test]
    fn plain_scalars_follow_the_core_schema() {
        for (text, expected) in [
            ("", Value::Null),
            ("~", Value::Null),
            ("true", json!(true)),
            ("FALSE", json!(false)),
            ("12", json!(12)),
            ("-0", json!(0)),
            ("+7", json!(7)),
            ("007", json!(7)),
            ("0o17", json!(15)),
            ("0xfF", json!(255)),
            ("18446744073709551615", json!(u64::MAX)),
            ("1.5", json!(1.5)),
            (".5", json!(0.5)),
            ("2.", json!(2.0)),
            ("1e3", json!(1000.0)),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
        for text in [
            "yes", "on", "1_000", "1.2.3", ".", "e5", "1e", "0x", "-", ".inf", ".NaN", "1e999",
            "0b1",
        ] {
            assert_eq!(value(text), text, "{text}");
        }
    }

    #[test]
    fn quotes_and_tags_decide() {
        assert!(matches!(resolve("12", false, None), Data::String(_)));
        let tag = |suffix: &str| Tag {
            handle: "tag:yaml.org,2002:".to_owned(),
            suffix: suffix.to_owned(),
        };
        assert!(matches!(
            resolve("12", true, Some(&tag("str"))),
            Data::String(_)
        ));
        assert!(matches!(
            resolve("12", false, Some(&tag("int"))),
            Data::Number(_)
        ));
    }
}
