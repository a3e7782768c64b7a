//! The headers: `Accept`, header parameters and cookies.

use toolwright_model::{
    HttpBinding, Location, Parameter, ReservedFor, Serialization, Style, is_reserved_part_header,
    reserved_header,
};

use super::{
    PlanError, Values, encode,
    names::Taken,
    style::{expand, expand_cookie, texts_of},
    target::{document, parameters, plan_value},
};

/// The headers of the request, but for the type of its body.
pub(super) fn plan_headers(
    binding: &HttpBinding,
    values: Values<'_>,
) -> Result<Vec<(String, String)>, PlanError> {
    let mut headers = Vec::new();
    for parameter in parameters(binding, Location::Header) {
        if let Some(text) = plan_header(parameter, values)? {
            check_reserved(parameter)?;
            headers.push((parameter.name.clone(), text));
        }
    }
    if !headers
        .iter()
        .any(|(name, _)| name.eq_ignore_ascii_case("accept"))
    {
        headers.insert(0, ("Accept".to_owned(), accept_header(binding)));
    }
    // A document may have the whole header as a parameter, and cookies besides.
    let whole = headers.extract_if(.., |(name, _)| name.eq_ignore_ascii_case("cookie"));
    let mut cookies: Vec<String> = whole.map(|(_, text)| text).collect();
    for parameter in parameters(binding, Location::Cookie) {
        if let Some(cookie) = plan_cookie(parameter, values)? {
            check_cookie(&cookie, parameter, binding, values)?;
            cookies.push(cookie);
        }
    }
    if !cookies.is_empty() {
        headers.push(("Cookie".to_owned(), cookies.join("; ")));
    }
    Ok(headers)
}

/// Returns whether a string can be the value of a header.
pub(super) fn is_header_value(text: &str) -> bool {
    !text.chars().any(|c| c.is_control() && c != '\t') && text.trim() == text
}

/// Returns the value of a header; none if it has none.
pub(super) fn plan_header(
    parameter: &Parameter,
    values: Values<'_>,
) -> Result<Option<String>, PlanError> {
    let text = plan_value(parameter, values, |value| match &parameter.serialization {
        // A header is not part of a URL: its value is not encoded.
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
    if !is_header_value(&text) {
        let message = "has a line break, another control character or outer spaces, which are invalid in a header";
        return Err(PlanError::value(&parameter.value, message));
    }
    Ok(Some(text))
}

/// Checks that no argument sets a header that controls the request. The overlay and the operator
/// may, except the headers of its transfer and the credentials.
fn check_reserved(parameter: &Parameter) -> Result<(), PlanError> {
    let is_argument = parameter.value.argument().is_some();
    let is_cookie = parameter.name.eq_ignore_ascii_case("cookie");
    match reserved_header(&parameter.name) {
        Some(ReservedFor::Transfer | ReservedFor::Credentials) if !is_cookie || is_argument => {}
        Some(ReservedFor::Method | ReservedFor::Route | ReservedFor::Identity) if is_argument => {}
        _ if parameter.name.eq_ignore_ascii_case("host") => {}
        _ => return Ok(()),
    }
    let message = format!(
        "would set the header `{}`, which only the request itself sets",
        parameter.name
    );
    Err(PlanError::value(&parameter.value, message))
}

/// Checks that no argument sets a header that describes a part of a body.
pub(super) fn check_part_header(parameter: &Parameter) -> Result<(), PlanError> {
    if is_reserved_part_header(&parameter.name) {
        let message = format!(
            "would set the header `{}` of its part, which only the request itself sets",
            parameter.name
        );
        return Err(PlanError::value(&parameter.value, message));
    }
    check_reserved(parameter)
}

/// Checks that a cookie parameter is the cookies that it is meant to be, and no others.
fn check_cookie(
    text: &str,
    parameter: &Parameter,
    binding: &HttpBinding,
    values: Values<'_>,
) -> Result<(), PlanError> {
    if !is_header_value(text) {
        let message = "has a control character, which is invalid in a cookie";
        return Err(PlanError::value(&parameter.value, message));
    }
    let is_raw = matches!(
        parameter.serialization,
        Serialization::Style {
            style: Style::Cookie,
            ..
        }
    );
    let value = values.get(&parameter.value)?.filter(|_| is_raw);
    let texts = value.map(texts_of).unwrap_or_default();
    // The style `cookie` encodes nothing, and services part cookies in several ways.
    let parts = |c: char| c.is_whitespace() || matches!(c, ',' | '"' | '\\');
    if texts.iter().any(|text| text.contains(parts)) {
        let message = "has a space, `,`, `\"` or `\\`, which could begin another cookie";
        return Err(PlanError::value(&parameter.value, message));
    }
    Taken::check_parameter(binding, values, parameter, (text, ';'))
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
fn accept_header(binding: &HttpBinding) -> String {
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
