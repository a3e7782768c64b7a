//! The headers: what is accepted, header parameters and cookies.

use toolwright_model::{HttpBinding, Location, Parameter, Serialization, Style};

use super::{
    PlanError, Values, encode,
    style::{expand, expand_cookie},
    target::{document, parameters, plan_value},
};

/// Headers that make the request what it is. No parameter sets them, whatever a document says.
const RESERVED: &[&str] = &[
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The headers of the request, but for the type of its body.
pub(super) fn plan_headers(
    binding: &HttpBinding,
    values: Values<'_>,
) -> Result<Vec<(String, String)>, PlanError> {
    let mut headers = Vec::new();
    for parameter in parameters(binding, Location::Header) {
        if let Some(text) = plan_header(parameter, values)? {
            headers.push((parameter.name.clone(), text));
        }
    }
    if !headers
        .iter()
        .any(|(name, _)| name.eq_ignore_ascii_case("accept"))
    {
        headers.insert(0, ("Accept".to_owned(), accepted(binding)));
    }
    // A document may have the whole header as a parameter, and cookies besides.
    let whole = headers.extract_if(.., |(name, _)| name.eq_ignore_ascii_case("cookie"));
    let mut cookies: Vec<String> = whole.map(|(_, text)| text).collect();
    for parameter in parameters(binding, Location::Cookie) {
        let cookie = plan_cookie(parameter, values)?;
        if cookie.as_deref().is_some_and(|text| !is_header_value(text)) {
            let message = "has a control character, which no cookie can have";
            return Err(PlanError::value(&parameter.value, message));
        }
        cookies.extend(cookie);
    }
    if !cookies.is_empty() {
        headers.push(("Cookie".to_owned(), cookies.join("; ")));
    }
    Ok(headers)
}

/// Whether a text can be the value of a header.
pub(super) fn is_header_value(text: &str) -> bool {
    !text.chars().any(|c| c.is_control() && c != '\t') && text.trim() == text
}

/// The value of a header as text; none when it has none.
pub(super) fn plan_header(
    parameter: &Parameter,
    values: Values<'_>,
) -> Result<Option<String>, PlanError> {
    let text = plan_value(parameter, values, |value| match &parameter.serialization {
        // A header is not part of a URL: its value is sent as it is.
        Serialization::Style { explode, .. } => expand(
            &parameter.name,
            value,
            Style::Simple,
            *explode,
            str::to_owned,
        ),
        Serialization::Content { content } => document(content, value),
    })?;
    let Some(text) = text else { return Ok(None) };
    if RESERVED.contains(&parameter.name.to_ascii_lowercase().as_str()) {
        let message = format!(
            "would set the header `{}`, which only the request itself sets",
            parameter.name
        );
        return Err(PlanError::value(&parameter.value, message));
    }
    if !is_header_value(&text) {
        let message =
            "has a line break, another control character or outer spaces, which no header can have";
        return Err(PlanError::value(&parameter.value, message));
    }
    Ok(Some(text))
}

fn plan_cookie(parameter: &Parameter, values: Values<'_>) -> Result<Option<String>, PlanError> {
    plan_value(parameter, values, |value| match &parameter.serialization {
        Serialization::Style { style, explode, .. } => {
            expand_cookie(&parameter.name, value, *style, *explode)
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

/// The media types of the successful answers, in the document's order.
fn accepted(binding: &HttpBinding) -> String {
    let mut types: Vec<&str> = Vec::new();
    for answer in binding
        .answers
        .iter()
        .filter(|answer| answer.status.is_success())
    {
        for media_type in &answer.media_types {
            if !types.contains(&media_type.as_str()) && is_header_value(media_type) {
                types.push(media_type);
            }
        }
    }
    if types.is_empty() {
        "*/*".to_owned()
    } else {
        types.join(", ")
    }
}
