//! Where a request goes, as whom, and how its parts are written.

mod authentication;
mod method;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use toolwright_model::{Binding, Body, BodyShape, Bound, HttpBinding, ToolSpec};

use super::{
    change::{ChangeKind, Found},
    inventory::fixed,
    moved,
    pairs::template,
};

pub(super) fn compare(old: &ToolSpec, new: &ToolSpec) -> Vec<Found> {
    let mut found = match (&old.binding, &new.binding) {
        (Binding::Http(before), Binding::Http(after)) => http(before, after),
        (Binding::Eab(before), Binding::Eab(after)) => method::compare(before, after),
        (before, after) if before == after => Vec::new(),
        (before, after) => {
            let change = moved(ChangeKind::RequestChanged, "/binding", before, after);
            vec![change.says("a call is carried out in another way")]
        }
    };
    found.extend(pins(old, new));
    found
}

fn http(before: &HttpBinding, after: &HttpBinding) -> Vec<Found> {
    let mut found = Vec::new();
    found.extend(base(before.base_url.as_deref(), after.base_url.as_deref()));
    if before.method != after.method {
        let (was, is) = (before.method, after.method);
        let change = moved(ChangeKind::MethodChanged, "/binding/http/method", was, is);
        found.push(change.says(format!("the request is {is} and was {was}")));
    }
    // Another name of a parameter is told of as that of an argument.
    if template(&before.path) != template(&after.path) {
        let (was, is) = (&before.path, &after.path);
        let change = moved(ChangeKind::PathChanged, "/binding/http/path", was, is);
        found.push(change.says(format!("the request goes to `{is}` and went to `{was}`")));
    }
    found.extend(authentication::compare(&before.security, &after.security));
    found.extend(request(before, after));
    found.extend(answers(before, after));
    found
}

/// Scheme, host and port are one thing, the path below which all others are is another.
fn base(old: Option<&str>, new: Option<&str>) -> Vec<Found> {
    const PLACE: &str = "/binding/http/base_url";
    let (was, is) = (
        split(old.unwrap_or_default()),
        split(new.unwrap_or_default()),
    );
    let mut found = Vec::new();
    if was.0 != is.0 {
        let said = |text: &str| match text {
            "" => "nowhere that is said".to_owned(),
            host => format!("`{host}`"),
        };
        let says = format!("requests go to {}, and went to {}", said(is.0), said(was.0));
        found.push(moved(ChangeKind::HostChanged, PLACE, old, new).says(says));
    }
    if was.1 != is.1 && old.is_some() && new.is_some() {
        let says = format!(
            "all paths are below `{}/` now, not below `{}/`",
            is.1, was.1
        );
        found.push(moved(ChangeKind::BasePathChanged, PLACE, old, new).says(says));
    }
    found
}

/// Scheme, host and port of a URL, and its path without a last slash.
fn split(url: &str) -> (&str, &str) {
    let host = url.find("://").map_or(0, |at| at + 3);
    let rest = url.get(host..).unwrap_or_default();
    let end = match rest.find('/') {
        Some(at) => host + at,
        None => url.len(),
    };
    let (origin, path) = url.split_at_checked(end).unwrap_or((url, ""));
    (origin, path.trim_end_matches('/'))
}

/// What was fixed by the operator or the document, and the caller may now choose.
fn pins(old: &ToolSpec, new: &ToolSpec) -> Vec<Found> {
    let (before, after) = (fixed(old), fixed(new));
    let mut found = Vec::new();
    for (place, was) in before {
        match after.get(&place) {
            Some(is) if *is == was => {}
            Some(is) => found.push(
                moved(ChangeKind::PinChanged, "/binding", was, is)
                    .says(format!("the fixed value of {place} is {is} and was {was}")),
            ),
            None => found.push(
                moved(ChangeKind::PinLost, "/binding", was, Value::Null)
                    .says(format!("{place} is no longer fixed to {was}")),
            ),
        }
    }
    found
}

/// How each argument that is on both sides gets into the request.
fn request(before: &HttpBinding, after: &HttpBinding) -> Vec<Found> {
    let mut found = Vec::new();
    let (was, is) = (sent(before), sent(after));
    for (argument, old) in &was {
        if let Some(new) = is.get(argument).filter(|new| *new != old) {
            let change = moved(ChangeKind::RequestChanged, "/binding/http", old, new);
            let part = |how: &Value| how.get("in").and_then(Value::as_str).map(str::to_owned);
            let says = match (part(old), part(new)) {
                (Some(was), Some(is)) if was != is => {
                    format!("`{argument}` is sent in the {is} and was in the {was}")
                }
                _ => format!("`{argument}` is written in another way"),
            };
            found.push(change.says(says));
        }
    }
    let media = |binding: &HttpBinding| {
        let body = binding.body.as_ref();
        body.map(|body| json!([body.media_type, body.content]))
    };
    if let (Some(old), Some(new)) = (media(before), media(after))
        && old != new
    {
        let change = moved(
            ChangeKind::RequestChanged,
            "/binding/http/body/media_type",
            &old,
            &new,
        );
        let word = |value: &Value| value.get(0).cloned().unwrap_or_default();
        found.push(change.says(format!(
            "the body is sent as {} and was as {}",
            word(&new),
            word(&old)
        )));
    }
    found
}

fn sent(binding: &HttpBinding) -> BTreeMap<&str, Value> {
    let mut sent = BTreeMap::new();
    for parameter in &binding.parameters {
        if let Bound::Argument(argument) = &parameter.value {
            let how = json!({
                "in": parameter.location,
                "name": parameter.name,
                "as": parameter.serialization,
            });
            sent.insert(argument.as_str(), how);
        }
    }
    if let Some(body) = &binding.body {
        sent.extend(sent_in_body(body));
    }
    sent
}

fn sent_in_body(body: &Body) -> Vec<(&str, Value)> {
    match &body.shape {
        BodyShape::Whole(Bound::Argument(argument)) => {
            vec![(argument, json!({"in": "body"}))]
        }
        BodyShape::Whole(_) => Vec::new(),
        BodyShape::Fields(fields) => fields
            .iter()
            .filter_map(|field| {
                let how = json!({
                    "in": "body",
                    "name": field.name,
                    "as": body.encoding.get(&field.name),
                });
                Some((field.value.argument()?, how))
            })
            .collect(),
    }
}

/// What successful answers are read as.
fn answers(before: &HttpBinding, after: &HttpBinding) -> Option<Found> {
    let (was, is) = (read_as(before), read_as(after));
    if was == is || was.is_empty() {
        return None;
    }
    let words = |kinds: &BTreeSet<&str>| match kinds.len() {
        0 => "nothing".to_owned(),
        _ => kinds.iter().copied().collect::<Vec<_>>().join(", "),
    };
    let says = format!("a success answers {} and was {}", words(&is), words(&was));
    Some(
        moved(
            ChangeKind::AnswerChanged,
            "/binding/http/answers",
            &was,
            &is,
        )
        .says(says),
    )
}

fn read_as(binding: &HttpBinding) -> BTreeSet<&str> {
    let answers = binding.answers.iter();
    let successes = answers.filter(|answer| answer.status.is_success());
    let first = successes.filter_map(|answer| answer.media_types.first());
    first.map(|media_type| media_type.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_has_a_host_and_a_path() {
        for (url, parts) in [
            ("https://a.example/v1/", ("https://a.example", "/v1")),
            ("https://a.example:8080", ("https://a.example:8080", "")),
            ("/v1", ("", "/v1")),
            ("", ("", "")),
        ] {
            assert_eq!(split(url), parts, "{url}");
        }
    }
}
