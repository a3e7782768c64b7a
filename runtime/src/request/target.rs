//! The URL: base, path and query.

use percent_encoding::percent_decode_str;
use reqwest::Url;
use toolwright_model::{HttpBinding, Location, Parameter, Serialization, Style};

use super::{
    PlanError, Values,
    encode::{self, literal},
    style::{self, expand},
};

/// The absolute URL of the request.
pub(super) fn plan_url(
    binding: &HttpBinding,
    base_url: &str,
    values: Values<'_>,
) -> Result<String, PlanError> {
    let base = parse_base(base_url)?;
    let template = binding.path.split('#').next().unwrap_or_default();
    let (path, literal_query) = template.split_once('?').unwrap_or((template, ""));
    let path = plan_path(path, binding, values)?;
    let full_path = format!("{}{path}", base.path().trim_end_matches('/'));
    let mut url = base;
    url.set_path(&full_path);
    if url.path() != full_path {
        let problem = "its path is not one that a URL can have";
        return Err(PlanError::Binding(problem.to_owned()));
    }
    let mut query: Vec<String> = Vec::new();
    if !literal_query.is_empty() {
        query.push(literal(literal_query));
    }
    for parameter in parameters(binding, Location::Query) {
        query.extend(plan_query(parameter, values)?);
    }
    for parameter in parameters(binding, Location::QueryString) {
        query.extend(plan_whole_query(parameter, values)?);
    }
    url.set_query((!query.is_empty()).then(|| query.join("&")).as_deref());
    Ok(url.into())
}

/// The value of a parameter with its style; none when there is nothing to send.
pub(super) fn plan_value(
    parameter: &Parameter,
    values: Values<'_>,
    text: impl FnOnce(&serde_json::Value) -> Option<String>,
) -> Result<Option<String>, PlanError> {
    let planned = values.of(&parameter.value)?.and_then(text);
    if planned.is_none() && parameter.required {
        let message = format!(
            "has no value, which the request needs as `{}`",
            parameter.name
        );
        return Err(PlanError::value(&parameter.value, message));
    }
    Ok(planned)
}

/// The text of a parameter that is a document of its own; none for null.
pub(super) fn document(content: &str, value: &serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::Null => None,
        value if super::body::is_json(content) => Some(value.to_string()),
        value => Some(style::plain(value)),
    }
}

/// The parameters of the binding that go to one place, in its order.
pub(super) fn parameters(
    binding: &HttpBinding,
    location: Location,
) -> impl Iterator<Item = &Parameter> {
    binding
        .parameters
        .iter()
        .filter(move |parameter| parameter.location == location)
}

fn parse_base(text: &str) -> Result<Url, PlanError> {
    let refused = |problem: &str| PlanError::BaseUrl(problem.to_owned());
    let url = Url::parse(text).map_err(|error| refused(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refused("it begins with neither `http://` nor `https://`"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused(
            "it holds a user; `username` and `password` belong into the auth file",
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(refused("it has a query or a fragment"));
    }
    Ok(url)
}

/// The path below the base, with a value for each placeholder.
fn plan_path(
    template: &str,
    binding: &HttpBinding,
    values: Values<'_>,
) -> Result<String, PlanError> {
    let mut path = String::new();
    for segment in template.trim_start_matches('/').split('/') {
        path.push('/');
        path.push_str(&plan_segment(segment, binding, values)?);
    }
    Ok(path)
}

/// One segment of the path. A value can fill it, and can neither leave it nor make it vanish.
fn plan_segment(
    segment: &str,
    binding: &HttpBinding,
    values: Values<'_>,
) -> Result<String, PlanError> {
    let mut out = String::new();
    let mut last = None;
    let mut rest = segment;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else {
            break;
        };
        let parameter = parameters(binding, Location::Path)
            .find(|parameter| parameter.name == name)
            .ok_or_else(|| PlanError::Binding(format!("nothing fills `{{{name}}}` of its path")))?;
        out.push_str(&literal(before));
        out.push_str(&plan_placeholder(parameter, values)?);
        last = Some(parameter);
        rest = after;
    }
    out.push_str(&literal(rest));
    match last {
        Some(parameter) if leaves_its_place(&out) => {
            let message = "would change the path of the request";
            Err(PlanError::value(&parameter.value, message))
        }
        _ => Ok(out),
    }
}

fn plan_placeholder(parameter: &Parameter, values: Values<'_>) -> Result<String, PlanError> {
    let text = plan_value(parameter, values, |value| match &parameter.serialization {
        Serialization::Style { style, explode, .. } => {
            expand(&parameter.name, value, *style, *explode, encode::value)
        }
        Serialization::Content { content } => {
            document(content, value).map(|text| encode::value(&text))
        }
    })?;
    text.ok_or_else(|| PlanError::value(&parameter.value, "has no value, which the path needs"))
}

/// Whether a segment is one that the path is not the same with: none, this one, or the parent.
fn leaves_its_place(segment: &str) -> bool {
    let decoded = percent_decode_str(segment).decode_utf8_lossy();
    matches!(decoded.as_ref(), "" | "." | "..")
}

fn plan_query(parameter: &Parameter, values: Values<'_>) -> Result<Option<String>, PlanError> {
    plan_value(parameter, values, |value| match &parameter.serialization {
        Serialization::Style {
            style,
            explode,
            allow_reserved,
        } => {
            let encode = encode::of_query(*allow_reserved);
            expand(&parameter.name, value, *style, *explode, encode)
        }
        Serialization::Content { content } => document(content, value).map(|text| {
            format!(
                "{}={}",
                encode::value(&parameter.name),
                encode::value(&text)
            )
        }),
    })
}

/// A value that is the whole query: a form as its fields, anything else as one text.
fn plan_whole_query(
    parameter: &Parameter,
    values: Values<'_>,
) -> Result<Option<String>, PlanError> {
    plan_value(parameter, values, |value| match &parameter.serialization {
        Serialization::Content { content } if !is_form(content) => {
            document(content, value).map(|text| encode::value(&text))
        }
        _ => expand(&parameter.name, value, Style::Form, true, encode::value),
    })
}

fn is_form(content: &str) -> bool {
    let essence = content.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/x-www-form-urlencoded")
}
