//! The target, the credentials and the form of a request.

mod authentication;
mod method;
mod protocol;
mod wire;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use toolwright_model::{Binding, Body, BodyShape, Bound, HttpBinding, ToolSpec};

use super::{
    change::{Change, ChangeKind, State},
    inventory::fixed,
    pairs::template,
    predicate::Predicate,
    subject::{Side, Subject},
};

pub(super) fn compare(old: &ToolSpec, new: &ToolSpec) -> Vec<Change> {
    let mut changes = match (&old.binding, &new.binding) {
        (Binding::Http(before), Binding::Http(after)) => http(before, after),
        (Binding::Eab(before), Binding::Eab(after)) => method::compare(before, after),
        (before, after) if before == after => Vec::new(),
        (before, after) => vec![
            Change::new(
                ChangeKind::RequestChanged,
                "/binding",
                "the binding",
                Predicate::Replaced,
            )
            .before(State::plain(before))
            .after(State::plain(after)),
        ],
    };
    changes.extend(pins(old, new));
    changes
}

fn http(before: &HttpBinding, after: &HttpBinding) -> Vec<Change> {
    let changed = |kind, place, subject| Change::new(kind, place, subject, Predicate::Changed);
    let mut changes = Vec::new();
    changes.extend(base(before.base_url.as_deref(), after.base_url.as_deref()));
    if before.method != after.method {
        let (was, is) = (State::plain(before.method), State::plain(after.method));
        let place = "/binding/http/method";
        let change = changed(ChangeKind::MethodChanged, place, "the request method");
        changes.push(change.before(was).after(is));
    }
    // A renamed parameter of the path is reported as an argument.
    if template(&before.path) != template(&after.path) {
        let (was, is) = (State::code(&before.path), State::code(&after.path));
        let place = "/binding/http/path";
        let change = changed(ChangeKind::PathChanged, place, "the request path");
        changes.push(change.before(was).after(is));
    }
    changes.extend(authentication::compare(&before.security, &after.security));
    changes.extend(request(before, after));
    changes.extend(answers(before, after));
    changes.extend(protocol::compare(before, after));
    changes
}

/// Compares the origins of two base URLs, and their paths.
fn base(old: Option<&str>, new: Option<&str>) -> Vec<Change> {
    let was = split(old.unwrap_or_default());
    let is = split(new.unwrap_or_default());
    let change = |kind, subject: &str, predicate| {
        Change::new(kind, "/binding/http/base_url", subject, predicate)
    };
    let mut changes = Vec::new();
    if was.0 != is.0 {
        let change = |subject: &str, predicate| change(ChangeKind::HostChanged, subject, predicate);
        let change = match (old, new) {
            (Some(url), None) => change(&format!("the base URL `{url}`"), Predicate::Removed),
            (None, Some(url)) => change(&format!("the base URL `{url}`"), Predicate::Added),
            _ if is.0.is_empty() => change(&format!("the host `{}`", was.0), Predicate::Removed),
            _ if was.0.is_empty() => change(&format!("the host `{}`", is.0), Predicate::Added),
            _ => change("the host", Predicate::Changed),
        };
        let before = State::described(old, format!("`{}`", was.0));
        let after = State::described(new, format!("`{}`", is.0));
        changes.push(change.before(before).after(after));
    }
    if was.1 != is.1 && old.is_some() && new.is_some() {
        let before = State::described(old, format!("`{}/`", was.1));
        let after = State::described(new, format!("`{}/`", is.1));
        let change = change(
            ChangeKind::BasePathChanged,
            "the base path",
            Predicate::Changed,
        );
        changes.push(change.before(before).after(after));
    }
    changes
}

/// Splits a URL into its origin and its path without the last slash.
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

/// Compares the values that the operator or the document fixes.
fn pins(old: &ToolSpec, new: &ToolSpec) -> Vec<Change> {
    let (before, after) = (fixed(old), fixed(new));
    let mut changes = Vec::new();
    for (part, was) in before {
        let (kind, subject, predicate, is) = match after.get(&part) {
            Some(is) if *is == was => continue,
            Some(is) => {
                let subject = format!("the fixed value of {part}");
                (ChangeKind::PinChanged, subject, Predicate::Changed, *is)
            }
            None => (ChangeKind::PinLost, part, Predicate::Unpinned, &Value::Null),
        };
        let state = |value: &Value| State::described(value, format!("`{value}`"));
        let change = Change::new(kind, "/binding", subject, predicate);
        changes.push(change.before(state(was)).after(state(is)));
    }
    changes
}

/// Compares the positions of the common arguments in the request, and the body's media type.
fn request(before: &HttpBinding, after: &HttpBinding) -> Vec<Change> {
    let kind = ChangeKind::RequestChanged;
    let mut changes = Vec::new();
    let (was, is) = (argument_places(before), argument_places(after));
    for (argument, old) in &was {
        if let Some(new) = is.get(argument).filter(|new| *new != old) {
            let part = |sent: &Value| sent.get("in").and_then(Value::as_str).map(str::to_owned);
            let predicate = if part(old) == part(new) {
                Predicate::Reencoded
            } else {
                Predicate::Moved
            };
            let state = |sent: &Value| {
                State::described(sent, format!("in the {}", part(sent).unwrap_or_default()))
            };
            let subject = Subject::field(Side::Argument, *argument);
            let change = Change::new(kind, "/binding/http", subject, predicate);
            changes.push(change.before(state(old)).after(state(new)));
        }
    }
    let media = |binding: &HttpBinding| {
        let body = binding.body.as_ref()?;
        let words = format!("`{}`", body.media_type);
        Some(State::described(
            json!([body.media_type, body.content]),
            words,
        ))
    };
    if let (Some(old), Some(new)) = (media(before), media(after))
        && old.value() != new.value()
    {
        let place = "/binding/http/body/media_type";
        let subject = "the media type of the body";
        let change = Change::new(kind, place, subject, Predicate::Changed);
        changes.push(change.before(old).after(new));
    }
    changes
}

fn argument_places(binding: &HttpBinding) -> BTreeMap<&str, Value> {
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

/// Compares the media types of successful responses.
fn answers(before: &HttpBinding, after: &HttpBinding) -> Option<Change> {
    let (was, is) = (read_as(before), read_as(after));
    if was == is || was.is_empty() {
        return None;
    }
    let state = |types: &BTreeSet<&str>| {
        let names: Vec<String> = types.iter().map(|name| format!("`{name}`")).collect();
        let words = if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        };
        State::described(types, words)
    };
    let change = Change::new(
        ChangeKind::AnswerChanged,
        "/binding/http/answers",
        "the media type of successful responses",
        Predicate::Changed,
    );
    Some(change.before(state(&was)).after(state(&is)))
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
