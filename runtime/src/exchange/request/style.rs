//! The styles of OpenAPI, which encode values as strings. They are the operators of RFC 6570.

use serde_json::Value;
use toolwright_model::Style;

/// The encoding of a single string.
pub(super) type Encode = fn(&str) -> String;

/// The way that the values of one parameter are joined.
struct Operator {
    /// The prefix before the first value.
    first: &'static str,
    /// The separator between two values.
    separator: &'static str,
    /// True if the name precedes the value.
    named: bool,
    /// The suffix of a name without a value.
    empty: &'static str,
}

const SIMPLE: Operator = Operator {
    first: "",
    separator: ",",
    named: false,
    empty: "",
};
const LABEL: Operator = Operator {
    first: ".",
    separator: ".",
    named: false,
    empty: "",
};
const MATRIX: Operator = Operator {
    first: ";",
    separator: ";",
    named: true,
    empty: "",
};
const FORM: Operator = Operator {
    first: "",
    separator: "&",
    named: true,
    empty: "=",
};
const COOKIE: Operator = Operator {
    first: "",
    separator: "; ",
    named: true,
    empty: "=",
};

/// A value as encoded strings.
enum StyledValue {
    One(String),
    Many(Vec<String>),
    Pairs(Vec<(String, String)>),
}

/// Returns a styled parameter with its value; none if the value is null or empty.
///
/// A value nested in an array or an object has no style of its own: it becomes JSON, except in
/// `deepObject`, which writes each step as one pair of brackets.
pub(super) fn expand(
    name: &str,
    value: &Value,
    style: Style,
    explode: bool,
    encode: Encode,
) -> Option<String> {
    match style {
        Style::Simple => SIMPLE.expand(name, value, explode, ",", encode),
        Style::Label => LABEL.expand(name, value, explode, ",", encode),
        Style::Matrix => MATRIX.expand(name, value, explode, ",", encode),
        Style::Form => FORM.expand(name, value, explode, ",", encode),
        Style::SpaceDelimited => FORM.expand(name, value, explode, "%20", encode),
        Style::PipeDelimited => FORM.expand(name, value, explode, "%7C", encode),
        Style::TabDelimited => FORM.expand(name, value, explode, "%09", encode),
        Style::Cookie => COOKIE.expand(name, value, explode, ",", encode),
        Style::DeepObject => {
            let mut pairs = Vec::new();
            deepen(encode(name), value, encode, &mut pairs);
            (!pairs.is_empty()).then(|| pairs.join("&"))
        }
    }
}

/// Returns a cookie parameter with its value; none if the value is null or empty. The style
/// `cookie` leaves values unencoded.
pub(super) fn expand_cookie(
    name: &str,
    value: &Value,
    style: Style,
    explode: bool,
) -> Option<String> {
    let encode = match style {
        Style::Cookie => super::encode::cookie,
        _ => super::encode::value,
    };
    expand(name, value, Style::Cookie, explode, encode)
}

/// Returns one value as a string: a string unchanged, anything else as JSON.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns the problem of a list or an object whose values a style cannot keep apart: one of them
/// contains the separator, which has the same spelling in a value.
pub(super) fn ambiguity(
    value: &Value,
    style: Style,
    explode: bool,
    allow_reserved: bool,
) -> Option<&'static str> {
    let (separator, problem) = match style {
        Style::SpaceDelimited => (' ', "has a value with a space, which separates the values"),
        Style::PipeDelimited => ('|', "has a value with `|`, which separates the values"),
        Style::TabDelimited => ('\t', "has a value with a tab, which separates the values"),
        Style::Form if allow_reserved => (',', "has a value with `,`, which separates the values"),
        _ => return None,
    };
    let joins = !explode && (value.is_array() || value.is_object());
    let splits = joins && texts_of(value).iter().any(|text| text.contains(separator));
    splits.then_some(problem)
}

/// Returns the strings of a value that a style joins, keys included.
pub(super) fn texts_of(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(key, field)| [key.clone(), plain(field)])
            .collect(),
        scalar => vec![plain(scalar)],
    }
}

impl Operator {
    fn expand(
        &self,
        name: &str,
        value: &Value,
        explode: bool,
        delimiter: &str,
        encode: Encode,
    ) -> Option<String> {
        let name = encode(name);
        let pieces = match texts(value, encode)? {
            StyledValue::One(text) => vec![self.piece(&name, &text)],
            StyledValue::Many(items) if explode => {
                items.iter().map(|item| self.piece(&name, item)).collect()
            }
            StyledValue::Pairs(pairs) if explode => pairs
                .iter()
                .map(|(key, text)| self.pair(key, text))
                .collect(),
            StyledValue::Many(items) => vec![self.piece(&name, &items.join(delimiter))],
            StyledValue::Pairs(pairs) => {
                let flat: Vec<_> = pairs
                    .into_iter()
                    .flat_map(|(key, text)| [key, text])
                    .collect();
                vec![self.piece(&name, &flat.join(delimiter))]
            }
        };
        Some(format!("{}{}", self.first, pieces.join(self.separator)))
    }

    fn piece(&self, name: &str, text: &str) -> String {
        if self.named {
            self.pair(name, text)
        } else {
            text.to_owned()
        }
    }

    fn pair(&self, name: &str, text: &str) -> String {
        if text.is_empty() && self.named {
            format!("{name}{}", self.empty)
        } else {
            format!("{name}={text}")
        }
    }
}

fn texts(value: &Value, encode: Encode) -> Option<StyledValue> {
    let encoded = |value: &Value| encode(&plain(value));
    match value {
        Value::Null => None,
        Value::Array(items) => {
            let items: Vec<_> = items
                .iter()
                .filter(|item| !item.is_null())
                .map(encoded)
                .collect();
            (!items.is_empty()).then_some(StyledValue::Many(items))
        }
        Value::Object(fields) => {
            let pairs: Vec<_> = fields
                .iter()
                .filter(|(_, field)| !field.is_null())
                .map(|(key, field)| (encode(key), encoded(field)))
                .collect();
            (!pairs.is_empty()).then_some(StyledValue::Pairs(pairs))
        }
        scalar => Some(StyledValue::One(encoded(scalar))),
    }
}

fn deepen(prefix: String, value: &Value, encode: Encode, pairs: &mut Vec<String>) {
    match value {
        Value::Null => {}
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                deepen(format!("{prefix}%5B{index}%5D"), item, encode, pairs);
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                deepen(
                    format!("{prefix}%5B{}%5D", encode(key)),
                    field,
                    encode,
                    pairs,
                );
            }
        }
        scalar => pairs.push(format!("{prefix}={}", encode(&plain(scalar)))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::exchange::request::encode;

    /// The table "Style Examples" of the OpenAPI 3.1 specification, row by row: the style, whether
    /// it explodes, and what an empty string, a string, an array and an object become.
    const TABLE: &[(Style, bool, [&str; 4])] = &[
        (
            Style::Matrix,
            false,
            [
                ";color",
                ";color=blue",
                ";color=blue,black,brown",
                ";color=R,100,G,200,B,150",
            ],
        ),
        (
            Style::Matrix,
            true,
            [
                ";color",
                ";color=blue",
                ";color=blue;color=black;color=brown",
                ";R=100;G=200;B=150",
            ],
        ),
        (
            Style::Label,
            false,
            [".", ".blue", ".blue,black,brown", ".R,100,G,200,B,150"],
        ),
        (
            Style::Label,
            true,
            [".", ".blue", ".blue.black.brown", ".R=100.G=200.B=150"],
        ),
        (
            Style::Simple,
            false,
            ["", "blue", "blue,black,brown", "R,100,G,200,B,150"],
        ),
        (
            Style::Simple,
            true,
            ["", "blue", "blue,black,brown", "R=100,G=200,B=150"],
        ),
        (
            Style::Form,
            false,
            [
                "color=",
                "color=blue",
                "color=blue,black,brown",
                "color=R,100,G,200,B,150",
            ],
        ),
        (
            Style::Form,
            true,
            [
                "color=",
                "color=blue",
                "color=blue&color=black&color=brown",
                "R=100&G=200&B=150",
            ],
        ),
        (
            Style::SpaceDelimited,
            false,
            [
                "color=",
                "color=blue",
                "color=blue%20black%20brown",
                "color=R%20100%20G%20200%20B%20150",
            ],
        ),
        (
            Style::PipeDelimited,
            false,
            [
                "color=",
                "color=blue",
                "color=blue%7Cblack%7Cbrown",
                "color=R%7C100%7CG%7C200%7CB%7C150",
            ],
        ),
        (
            Style::TabDelimited,
            false,
            [
                "color=",
                "color=blue",
                "color=blue%09black%09brown",
                "color=R%09100%09G%09200%09B%09150",
            ],
        ),
        (
            Style::DeepObject,
            true,
            [
                "color=",
                "color=blue",
                "color%5B0%5D=blue&color%5B1%5D=black&color%5B2%5D=brown",
                "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150",
            ],
        ),
    ];

    #[test]
    fn the_style_table_of_openapi() {
        let values = [
            json!(""),
            json!("blue"),
            json!(["blue", "black", "brown"]),
            json!({"R": 100, "G": 200, "B": 150}),
        ];
        for (style, explode, expected) in TABLE {
            for (value, expected) in values.iter().zip(expected) {
                let text = expand("color", value, *style, *explode, encode::value).unwrap();
                assert_eq!(text, *expected, "{style} explode={explode} {value}");
            }
        }
    }

    #[test]
    fn empty_values_are_left_out() {
        for value in [
            json!(null),
            json!([]),
            json!({}),
            json!([null]),
            json!({"a": null}),
        ] {
            for &style in Style::ALL {
                assert_eq!(
                    expand("x", &value, style, true, encode::value),
                    None,
                    "{style} {value}"
                );
            }
        }
    }

    #[test]
    fn the_delimiter_of_a_form_is_encoded_in_a_value() {
        let list = json!(["a,b", "c d", "e|f", "g&h"]);
        let text = expand("x", &list, Style::Form, false, encode::value).unwrap();
        assert_eq!(text, "x=a%2Cb,c%20d,e%7Cf,g%26h");
    }

    #[test]
    fn a_value_with_the_delimiter_of_another_style_is_ambiguous() {
        for (style, reserved, text) in [
            (Style::SpaceDelimited, false, "c d"),
            (Style::PipeDelimited, false, "c|d"),
            (Style::TabDelimited, false, "c\td"),
            (Style::Form, true, "c,d"),
        ] {
            let is_ambiguous =
                |value, explode| ambiguity(&value, style, explode, reserved).is_some();
            assert!(is_ambiguous(json!(["a", text]), false), "{style}");
            assert!(is_ambiguous(json!({"a": text}), false), "{style}");
            assert!(is_ambiguous(json!({text: 1}), false), "{style}");
            assert!(!is_ambiguous(json!(["a", text]), true), "{style}");
            assert!(!is_ambiguous(json!(text), false), "{style}");
            assert!(!is_ambiguous(json!(["a", "b"]), false), "{style}");
        }
        let list = json!(["a,b", "c d|e"]);
        assert_eq!(ambiguity(&list, Style::Form, false, false), None);
    }

    #[test]
    fn scalars_are_json_and_nested_values_too() {
        for (value, expected) in [
            (json!(true), "x=true"),
            (json!(-1.5), "x=-1.5"),
            (json!(0), "x=0"),
            (json!([{"a": 1}, [2]]), "x=%7B%22a%22%3A1%7D&x=%5B2%5D"),
        ] {
            let text = expand("x", &value, Style::Form, true, encode::value).unwrap();
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn deep_objects_are_nested() {
        let value = json!({"a": {"b c": [1, {"d": "&"}]}, "e": null});
        assert_eq!(
            expand("f", &value, Style::DeepObject, true, encode::value).unwrap(),
            "f%5Ba%5D%5Bb%20c%5D%5B0%5D=1&f%5Ba%5D%5Bb%20c%5D%5B1%5D%5Bd%5D=%26"
        );
    }

    #[test]
    fn cookies_are_joined_as_cookies() {
        let value = json!({"a": 1, "b": "x y"});
        let expand = |style| expand_cookie("c", &value, style, true).unwrap();
        assert_eq!(expand(Style::Form), "a=1; b=x%20y");
        assert_eq!(expand(Style::Cookie), "a=1; b=x y");
    }
}
