//! Multipart bodies (RFC 7578).
//!
//! The boundary is a digest of the parts: the same parts make the same bytes.

use ring::digest::{Context, SHA256};
use serde_json::Value;
use toolwright_model::{Bound, PartEncoding, hex};

use super::{
    PlanError, PlannedFile, Values,
    body::{FileContent, FormField, PlannedBody, file_content, is_json},
    headers::{check_part_header, is_header_value, plan_header},
    style,
};

const OCTETS: &str = "application/octet-stream";
/// The name of the only part, if the document has none.
const FILE: &str = "file";

/// One part.
pub(super) struct FormPart {
    name: String,
    filename: Option<String>,
    content_type: Option<String>,
    /// Further headers of the part.
    headers: Vec<(String, String)>,
    bytes: Vec<u8>,
    /// The file of a store that is the content, in place of the bytes.
    file: Option<PlannedFile>,
}

/// The parts of a field: one for each element of an array, none for null. All have the headers of
/// the field.
pub(super) fn plan_parts(
    field: &FormField<'_>,
    encoding: &PartEncoding,
    values: Values<'_>,
) -> Result<Vec<FormPart>, PlanError> {
    let mut parts = Vec::new();
    add_parts(field, encoding, &mut parts)?;
    if parts.is_empty() {
        return Ok(parts);
    }
    let headers = plan_headers(encoding, values)?;
    for part in &mut parts {
        part.headers.clone_from(&headers);
    }
    Ok(parts)
}

fn add_parts(
    field: &FormField<'_>,
    encoding: &PartEncoding,
    parts: &mut Vec<FormPart>,
) -> Result<(), PlanError> {
    match field.value {
        Value::Null => {}
        Value::Array(items) => {
            for value in items {
                add_parts(&FormField { value, ..*field }, encoding, parts)?;
            }
        }
        _ if encoding.file => {
            let part = file_part(field, encoding);
            parts.push(part.map_err(|problem| PlanError::value(field.bound, problem))?);
        }
        value => parts.push(value_part(field.name, value, encoding)),
    }
    Ok(())
}

fn plan_headers(
    encoding: &PartEncoding,
    values: Values<'_>,
) -> Result<Vec<(String, String)>, PlanError> {
    let mut headers = Vec::new();
    for header in &encoding.headers {
        let text = plan_header(header, values)?;
        if text.is_some() {
            check_part_header(header)?;
        }
        headers.extend(text.map(|text| (header.name.clone(), text)));
    }
    Ok(headers)
}

/// A body of one file, for which the document has no name: bytes in base64.
pub(super) fn plan_file(
    media_type: &str,
    bound: &Bound,
    value: &Value,
) -> Result<PlannedBody, PlanError> {
    let text = value.as_str().unwrap_or_default();
    let content = file_content(text).map_err(|problem| PlanError::value(bound, problem))?;
    let (bytes, file) = of_content(content, bound);
    let part = FormPart {
        name: FILE.to_owned(),
        filename: Some(FILE.to_owned()),
        content_type: Some(OCTETS.to_owned()),
        headers: Vec::new(),
        bytes,
        file,
    };
    Ok(join(media_type, &[part]))
}

/// The body that the parts make.
pub(super) fn join(media_type: &str, parts: &[FormPart]) -> PlannedBody {
    let boundary = boundary(parts);
    let (mut bytes, mut files) = (Vec::new(), Vec::new());
    for part in parts {
        bytes.extend_from_slice(part.head(&boundary).as_bytes());
        files.extend(part.file.clone().map(|file| PlannedFile {
            at: bytes.len(),
            ..file
        }));
        bytes.extend_from_slice(&part.bytes);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    PlannedBody {
        content_type: format!("{media_type}; boundary={boundary}"),
        bytes,
        files,
    }
}

impl FormPart {
    fn head(&self, boundary: &str) -> String {
        let mut head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"",
            quoted(&self.name)
        );
        if let Some(filename) = &self.filename {
            head.push_str(&format!("; filename=\"{}\"", quoted(filename)));
        }
        if let Some(content_type) = &self.content_type {
            head.push_str(&format!("\r\nContent-Type: {content_type}"));
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("\r\n{name}: {value}"));
        }
        head.push_str("\r\n\r\n");
        head
    }
}

fn value_part(name: &str, value: &Value, encoding: &PartEncoding) -> FormPart {
    let declared = encoding.content_type.as_deref().and_then(first_type);
    let content_type =
        declared.or_else(|| value.is_object().then(|| "application/json".to_owned()));
    let as_json = content_type.as_deref().is_some_and(is_json);
    let text = if as_json {
        value.to_string()
    } else {
        style::plain(value)
    };
    FormPart {
        name: name.to_owned(),
        filename: None,
        content_type,
        headers: Vec::new(),
        bytes: text.into_bytes(),
        file: None,
    }
}

fn file_part(field: &FormField<'_>, encoding: &PartEncoding) -> Result<FormPart, &'static str> {
    let text = |key: &str| field.value.get(key).and_then(Value::as_str);
    let content = text("content").ok_or(
        "is not a file: an object with `content`, which is base64 or the handle of a file",
    )?;
    let content_type = match text("media_type") {
        Some(given) if is_header_value(given) => given.to_owned(),
        Some(_) => return Err("has a `media_type` that is invalid in a header"),
        None => encoding
            .content_type
            .as_deref()
            .and_then(first_type)
            .unwrap_or_else(|| OCTETS.to_owned()),
    };
    let (bytes, file) = of_content(file_content(content)?, field.bound);
    Ok(FormPart {
        name: field.name.to_owned(),
        filename: Some(text("filename").unwrap_or(field.name).to_owned()),
        content_type: Some(content_type),
        headers: Vec::new(),
        bytes,
        file,
    })
}

fn of_content(content: FileContent, bound: &Bound) -> (Vec<u8>, Option<PlannedFile>) {
    match content {
        FileContent::Bytes(bytes) => (bytes, None),
        FileContent::Stored(handle) => (Vec::new(), Some(PlannedFile::new(0, handle, bound))),
    }
}

/// Returns the first of a list of media types that is not a range.
fn first_type(list: &str) -> Option<String> {
    let mut types = list.split(',').map(str::trim);
    let first = types.find(|first| !first.is_empty() && !first.contains('*'))?;
    is_header_value(first).then(|| first.to_owned())
}

/// A name between quotation marks, as browsers write it. A backslash is encoded too, since some
/// services take it for the escape of the mark that follows, and so is any other control character.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '\\' | '\0'..='\u{1f}' | '\u{7f}' => {
                quoted.push_str(&format!("%{:02X}", u32::from(character)));
            }
            _ => quoted.push(character),
        }
    }
    quoted
}

fn boundary(parts: &[FormPart]) -> String {
    let mut digest = Context::new(&SHA256);
    for part in parts {
        digest.update(part.head("").as_bytes());
        digest.update(&part.bytes.len().to_be_bytes());
        digest.update(&part.bytes);
        if let Some(file) = &part.file {
            digest.update(file.handle.to_string().as_bytes());
        }
    }
    let digits: String = hex(digest.finish()).chars().take(32).collect();
    format!("toolwright-{digits}")
}
