//! The URL: base, path and query.

use reqwest::Url;
use toolwright_model::{HttpBinding, Location, Parameter, Serialization, Style};

use super::{
    PlanError, Values,
    encode::{self, literal},
    names::Taken,
    path::plan_path,
    style::{self, expand},
};

/// The absolute URL of the request.
pub(crate) fn plan_url(
    binding: &HttpBinding,
    base_url: &str,
    values: Values<'_>,
) -> Result<Url, PlanError> {
    let base = parse_base(base_url)?;
    let path = plan_path(binding, values)?;
    // An endpoint is a whole URL, whose last slash may matter.
    let full_path = match binding.graphql() {
        Some(_) => base.path().to_owned(),
        None => format!("{}{path}", base.path().trim_end_matches('/')),
    };
    let mut url = base;
    url.set_path(&full_path);
    if url.path() != full_path {
        let problem = "its path is invalid in a URL";
        return Err(PlanError::Binding(problem.to_owned()));
    }
    let mut query: Vec<String> = Vec::new();
    if let Some(text) = literal_query(binding) {
        query.push(literal(text));
    }
    for parameter in parameters(binding, Location::Query) {
        if let Some(pairs) = plan_query(parameter, values)? {
            Taken::check_parameter(binding, values, parameter, (&pairs, '&'))?;
            query.push(pairs);
        }
    }
    for parameter in parameters(binding, Location::QueryString) {
        if let Some(pairs) = plan_whole_query(parameter, values)? {
            Taken::check_parameter(binding, values, parameter, (&pairs, '&'))?;
            query.push(pairs);
        }
    }
    url.set_query((!query.is_empty()).then(|| query.join("&")).as_deref());
    Ok(url)
}

/// Returns the styled value of a parameter; none if there is nothing to send.
pub(super) fn plan_value(
    parameter: &Parameter,
    values: Values<'_>,
    text: impl FnOnce(&serde_json::Value) -> Option<String>,
) -> Result<Option<String>, PlanError> {
    let planned = values.get(&parameter.value)?.and_then(text);
    if planned.is_none() && parameter.required {
        let message = format!(
            "has no value, but the request requires it as `{}`",
            parameter.name
        );
        return Err(PlanError::value(&parameter.value, message));
    }
    Ok(planned)
}

/// Encodes a parameter that is a document of its own; none for null.
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

/// Returns the query that the path of the binding contains, if there is one.
pub(super) fn literal_query(binding: &HttpBinding) -> Option<&str> {
    let template = binding.path.split('#').next()?;
    let (_, query) = template.split_once('?')?;
    (!query.is_empty()).then_some(query)
}

fn parse_base(text: &str) -> Result<Url, PlanError> {
    let refused = |problem: &str| PlanError::BaseUrl(problem.to_owned());
    let url = Url::parse(text).map_err(|error| refused(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refused("it does not begin with `http://` or `https://`"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused(
            "it contains a user; write `username` and `password` into the auth file",
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(refused("it has a query or a fragment"));
    }
    Ok(url)
}

fn plan_query(parameter: &Parameter, values: Values<'_>) -> Result<Option<String>, PlanError> {
    if let Serialization::Style {
        style,
        explode,
        allow_reserved,
    } = parameter.serialization
        && let Some(value) = values.get(&parameter.value)?
        && let Some(problem) = style::ambiguity(value, style, explode, allow_reserved)
    {
        return Err(PlanError::value(&parameter.value, problem));
    }
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

/// Plans a value that is the whole query: a form as its fields, anything else as one string.
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
