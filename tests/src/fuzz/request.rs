//! The target `request`: for any arguments, a planned request matches its template, reaches no
//! other operation and keeps pinned values.
//!
//! The checks share no code with the planner.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a fuzz target panics if an invariant does not hold"
)]

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};
use toolwright::{
    binding::HttpBinding,
    request::{PlanError, PlannedRequest, Values, plan},
};
use url::Url;

use super::Bytes;

const BASE: &str = "http://host.example/api";
const CONSTANT: &str = "acme";
const LITERALS: &[&str] = &[
    "items", "search", "a b", "é", "v1.0", "secrets", "x;y", "%41",
];
const BEFORE: &[&str] = &["", "", "", "v", "@"];
const AFTER: &[&str] = &["", "", "", ":cancel", ".json", "-x"];
const BETWEEN: &[&str] = &["-", ".", ":", "..."];
const STYLES: &[&str] = &["simple", "simple", "label", "matrix"];

/// A segment of the template: the literals before, between and after its placeholders.
struct Segment {
    before: &'static str,
    between: Option<&'static str>,
    after: &'static str,
    /// The number of placeholders, at most two.
    count: usize,
}

/// An operation and the arguments of a call.
struct Case {
    binding: HttpBinding,
    segments: Vec<Segment>,
    arguments: Map<String, Value>,
    has_matrix: bool,
}

/// Plans a request that the bytes describe, and checks it.
///
/// # Panics
/// If an invariant does not hold.
pub fn request(data: &[u8]) {
    is_planned(data);
}

/// Returns true if the request that the bytes describe is planned rather than rejected.
fn is_planned(data: &[u8]) -> bool {
    let Some(case) = case(&mut Bytes::new(data)) else {
        return false;
    };
    let constants = Map::from_iter([("project_id".to_owned(), json!(CONSTANT))]);
    let values = Values {
        arguments: &case.arguments,
        constants: &constants,
    };
    match plan(&case.binding, BASE, values) {
        Ok(planned) => {
            check(&case, &planned);
            true
        }
        Err(PlanError::Argument(_)) => false,
        Err(error) => panic!("{error}: {:?}", case.binding),
    }
}

fn case(bytes: &mut Bytes<'_>) -> Option<Case> {
    let mut segments = Vec::new();
    let mut parameters = Vec::new();
    let mut arguments = Map::new();
    let mut path = String::new();
    let mut has_matrix = false;
    for _ in 0..=bytes.below(4) {
        let segment = segment(bytes)?;
        path.push('/');
        path.push_str(segment.before);
        for index in 0..segment.count {
            if index > 0 {
                path.push_str(segment.between.unwrap_or_default());
            }
            let name = format!("p{}", parameters.len());
            path.push_str(&format!("{{{name}}}"));
            let style = bytes.one_of(STYLES)?;
            has_matrix |= style == "matrix";
            parameters.push(json!({
                "name": name, "location": "path", "value": {"argument": name}, "required": true,
                "style": style, "explode": bytes.is_heads(),
            }));
            arguments.insert(name, value(bytes));
        }
        path.push_str(segment.after);
        segments.push(segment);
    }
    add_query(bytes, &mut parameters, &mut arguments);
    let mut binding = json!({
        "method": "POST", "path": path, "parameters": parameters, "withheld": ["fields"],
        "security": [[{"scheme": "key", "kind": {"api-key": {"location": "query", "name": "api_key"}}}]],
        "other_paths": [other_path(&segments)],
    });
    if bytes.is_heads() {
        let content = bytes.one_of(&["json", "form", "multipart"])?;
        binding["body"] = json!({"media_type": format!("application/{content}"), "content": content,
                                 "shape": {"whole": {"argument": "body"}}});
        arguments.insert("body".to_owned(), object(bytes));
    }
    Some(Case {
        binding: serde_json::from_value(binding).ok()?,
        segments,
        arguments,
        has_matrix,
    })
}

fn segment(bytes: &mut Bytes<'_>) -> Option<Segment> {
    let count = bytes.below(3);
    Some(if count == 0 {
        let before = bytes.one_of(LITERALS)?;
        Segment {
            before,
            between: None,
            after: "",
            count,
        }
    } else {
        let between = bytes.one_of(BETWEEN).filter(|_| count > 1);
        Segment {
            before: bytes.one_of(BEFORE)?,
            between,
            after: bytes.one_of(AFTER)?,
            count,
        }
    })
}

/// Returns the path of another operation: each placeholder is the word `search`.
fn other_path(segments: &[Segment]) -> String {
    let text = |segment: &Segment| {
        let words = vec!["search"; segment.count];
        let words = words.join(segment.between.unwrap_or_default());
        format!("/{}{words}{}", segment.before, segment.after)
    };
    segments.iter().map(text).collect()
}

/// Adds a pinned query parameter, and objects with arbitrary keys.
fn add_query(
    bytes: &mut Bytes<'_>,
    parameters: &mut Vec<Value>,
    arguments: &mut Map<String, Value>,
) {
    parameters.push(
        json!({"name": "project_id", "location": "query", "required": true,
                           "value": {"constant": "project_id"}, "style": "form", "explode": true}),
    );
    let free = [
        (
            "options",
            json!({"location": "query", "style": "form", "explode": true}),
        ),
        (
            "filter",
            json!({"location": "query", "style": "deepObject", "explode": true}),
        ),
        (
            "text",
            json!({"location": "query", "style": "form", "explode": true, "allow_reserved": true}),
        ),
        (
            "jar",
            json!({"location": "cookie", "style": "form", "explode": true}),
        ),
        (
            "raw",
            json!({"location": "cookie", "style": "cookie", "explode": true}),
        ),
    ];
    for (name, mut parameter) in free {
        if bytes.is_heads() {
            let is_text = name == "text";
            let value = if is_text {
                bytes.text().into()
            } else {
                object(bytes)
            };
            parameter["name"] = json!(name);
            parameter["value"] = json!({"argument": name});
            parameters.push(parameter);
            arguments.insert(name.to_owned(), value);
        }
    }
}

fn value(bytes: &mut Bytes<'_>) -> Value {
    match bytes.below(8) {
        0 => json!([bytes.text(), bytes.text()]),
        1 => object(bytes),
        2 => json!(bytes.below(256)),
        3..5 => json!(bytes.one_of(&["search", "Search", "SEARCH", "%73earch"])),
        _ => bytes.text().into(),
    }
}

fn object(bytes: &mut Bytes<'_>) -> Value {
    let pairs = (0..=bytes.below(3)).map(|_| (bytes.text(), bytes.text().into()));
    Value::Object(pairs.collect())
}

fn check(case: &Case, planned: &PlannedRequest) {
    let url = Url::parse(planned.url.as_str()).expect("a planned URL is valid");
    assert_eq!(url, planned.url, "{:?}", case.arguments);
    assert_eq!(url.host_str(), Some("host.example"));
    assert_eq!(url.fragment(), None, "{}", planned.url);
    check_path(case, url.path());
    check_query(&url);
    for (name, value) in &planned.headers {
        let is_line = |text: &str| !text.contains(['\r', '\n', '\0']);
        assert!(is_line(name) && is_line(value), "{name}: {value}");
    }
    if let (Some(body), Some(Value::Object(_))) = (&planned.body, case.arguments.get("body")) {
        check_body(&String::from_utf8_lossy(body));
    }
}

/// Checks that the path has the segments of its template after any number of decodings.
fn check_path(case: &Case, path: &str) {
    let path = path
        .strip_prefix("/api")
        .expect("the path starts with the base path");
    let mut decoded = path.to_owned();
    loop {
        check_reading(case, &decoded);
        let next = percent_decode_str(&decoded)
            .decode_utf8_lossy()
            .into_owned();
        if next == decoded {
            break;
        }
        decoded = next;
    }
    let other = case
        .binding
        .other_paths
        .first()
        .expect("the binding has another path");
    let has_placeholder = case.segments.iter().any(|segment| segment.count > 0);
    assert!(
        !has_placeholder || !decoded.eq_ignore_ascii_case(other),
        "{decoded} is {other}"
    );
}

fn check_reading(case: &Case, path: &str) {
    let segments: Vec<&str> = path
        .split(['/', '\\', '／', '＼', '∕', '⁄'])
        .skip(1)
        .collect();
    assert_eq!(
        segments.len(),
        case.segments.len(),
        "{path}: {}",
        case.binding.path
    );
    for (segment, template) in segments.iter().zip(&case.segments) {
        let decode = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let (before, after) = (decode(template.before), decode(template.after));
        let segment = decode(segment);
        assert!(
            segment.starts_with(&before),
            "{path}: {}",
            case.binding.path
        );
        assert!(segment.ends_with(&after), "{path}: {}", case.binding.path);
        assert!(!["", ".", ".."].contains(&segment.as_str()), "{path}");
        assert!(!segment.contains(|c: char| c.is_control()), "{path}");
        let may_have_parameters = case.has_matrix || template.before.contains(';');
        assert!(
            may_have_parameters || !segment.contains([';', '；']),
            "{path}"
        );
        if template.count == 0 {
            assert_eq!(segment, before, "{path}");
        }
    }
}

/// Checks that the query contains the pinned parameter once, and no alias of it.
fn check_query(url: &Url) {
    let names: Vec<(String, String)> = url
        .query_pairs()
        .map(|(name, value)| (plain_name(&name), value.into_owned()))
        .collect();
    let pinned: Vec<_> = names
        .iter()
        .filter(|(name, _)| name == "projectid")
        .collect();
    assert_eq!(pinned.len(), 1, "{url}");
    assert_eq!(
        pinned.first().map(|(_, value)| value.as_str()),
        Some(CONSTANT),
        "{url}"
    );
    for (name, _) in &names {
        assert!(!["apikey", "fields"].contains(&name.as_str()), "{url}");
    }
    let query = url.query().unwrap_or_default();
    assert!(!query.contains(';'), "{url}");
}

/// Checks that the body sets no pinned value when it is read as JSON, a form or multipart.
fn check_body(body: &str) {
    let is_pinned = |name: &str| plain_name(name) == "projectid";
    if let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(body) {
        for (name, value) in &fields {
            assert!(!is_pinned(name) || value == CONSTANT, "{body}");
            assert!(!name.eq_ignore_ascii_case("_method"), "{body}");
        }
    } else if body.starts_with("--toolwright-") {
        for head in body
            .lines()
            .filter(|line| line.starts_with("Content-Disposition"))
        {
            let names = head.split("name=\"").skip(1);
            let mut names = names.map(|rest| rest.split('"').next().unwrap_or_default());
            assert!(!names.any(is_pinned), "{body}");
            assert!(!head.contains('\\'), "{body}");
        }
    } else {
        for (name, value) in url::form_urlencoded::parse(body.as_bytes()) {
            assert!(!is_pinned(&name) || value == CONSTANT, "{body}");
        }
    }
}

/// Returns a name in lower case without brackets and characters other than letters and digits.
fn plain_name(name: &str) -> String {
    let start = name.trim_start_matches(['[', ' ', '.']);
    let start = start.split('[').next().unwrap_or_default();
    let letters = start.chars().filter(|c| c.is_alphanumeric());
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    use super::*;

    #[test]
    fn many_requests_are_planned_and_many_rejected() {
        let mut random = StdRng::seed_from_u64(1);
        let inputs: Vec<[u8; 60]> = (0..4_000).map(|_| random.random()).collect();
        let planned = inputs.iter().filter(|input| is_planned(&input[..])).count();
        println!("{planned} of {} are planned", inputs.len());
        assert!((200..3_800).contains(&planned), "{planned}");
    }
}
