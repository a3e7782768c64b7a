//! The template of a request.
//!
//! A value is a fixed string, or one argument as a whole: `{city}`. There is no other way to insert a
//! value, so the executor encodes each for its place.

use serde_json::{Value, json};
use toolwright::config::{
    Place,
    reader::{ConfigReader, TomlNode},
};
use toolwright_model::{
    Method, reserved_header,
    settings::{Node as _, Reader as _},
};
use url::Url;

use crate::arguments::{Arguments, is_name};

const KEYS: [&str; 6] = ["method", "base_url", "path", "query", "headers", "body"];

/// The methods of requests that have no body.
const WITHOUT_BODY: [Method; 3] = [Method::Get, Method::Head, Method::Options];

/// A request.
#[derive(Debug)]
pub(crate) struct Request {
    method: Method,
    base_url: String,
    path: String,
    parameters: Vec<Value>,
    body: Option<Vec<Value>>,
    used: Vec<String>,
}

impl Request {
    /// Checks whether a part of the request contains an argument.
    pub(crate) fn uses(&self, argument: &str) -> bool {
        self.used.iter().any(|used| used == argument)
    }

    pub(crate) const fn is_idempotent(&self) -> bool {
        self.method.is_idempotent()
    }

    /// Returns the binding.
    pub(crate) fn into_binding(self) -> Value {
        let mut binding = json!({
            "method": self.method, "path": self.path, "base_url": self.base_url,
            "parameters": self.parameters,
        });
        if let (Some(binding), Some(fields)) = (binding.as_object_mut(), self.body) {
            let body = json!({
                "media_type": "application/json", "content": "json", "required": true,
                "shape": {"fields": fields},
            });
            binding.insert("body".to_owned(), body);
        }
        binding
    }
}

pub(crate) fn read(
    table: TomlNode<'_>,
    arguments: &Arguments,
    reader: &mut ConfigReader,
) -> Option<Request> {
    reader.check_keys(table, &KEYS);
    for (key, help) in [
        ("method", "add `method = \"GET\"`, or another one"),
        (
            "base_url",
            "add `base_url = \"https://…\"`, the URL of the service",
        ),
        ("path", "add `path = \"/…\"`, the path below the base URL"),
    ] {
        reader.require(table, key, help);
    }
    let method = method(table, reader);
    let base_url = base_url(table, reader);
    let mut template = Template {
        arguments,
        parameters: Vec::new(),
        used: Vec::new(),
    };
    let path = template.path(table, reader);
    template.query(table, reader);
    template.headers(table, reader);
    let body = template.body(table, method, reader);
    Some(Request {
        method: method?,
        base_url: base_url?,
        path: path?,
        parameters: template.parameters,
        body,
        used: template.used,
    })
}

fn method(table: TomlNode<'_>, reader: &mut ConfigReader) -> Option<Method> {
    let word = reader.exact_text(table, "method")?;
    let found = Method::ALL
        .iter()
        .find(|method| method.word() == word.value);
    let found = found.copied().filter(|method| *method != Method::Trace);
    if found.is_none() {
        let message = format!("`{}` is not a method of a request", word.value);
        let help = "write `GET`, `POST`, `PUT`, `PATCH` or `DELETE`";
        reader.problem(word.place, &message, help);
    }
    found
}

fn base_url(table: TomlNode<'_>, reader: &mut ConfigReader) -> Option<String> {
    let text = reader.exact_text(table, "base_url")?;
    let is_plain = |url: &Url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
    };
    if text.value.contains(['{', '}']) || !Url::parse(&text.value).is_ok_and(|url| is_plain(&url)) {
        let message = "`base_url` is not the URL of a service";
        let help = "write an `https` URL without a user, a query, a fragment and arguments";
        reader.problem(text.place, message, help);
        return None;
    }
    Some(text.value.trim_end_matches('/').to_owned())
}

/// A value of a template.
enum Part {
    Fixed(String),
    Argument(String),
}

/// Reads the parts of a request, and collects its parameters and the arguments that it uses.
struct Template<'a> {
    arguments: &'a Arguments,
    parameters: Vec<Value>,
    used: Vec<String>,
}

impl Template<'_> {
    /// Reads the path: segments that are fixed, or one argument each.
    fn path(&mut self, table: TomlNode<'_>, reader: &mut ConfigReader) -> Option<String> {
        let text = reader.exact_text(table, "path")?;
        let mut problem = |message: &str, help: &str| {
            reader.problem(text.place.clone(), message, help);
            None::<String>
        };
        let Some(rest) = text.value.strip_prefix('/') else {
            return problem("the path does not begin with `/`", "write `/` before it");
        };
        let mut names: Vec<&str> = Vec::new();
        for segment in rest.split('/') {
            let inner = segment
                .strip_prefix('{')
                .and_then(|inner| inner.strip_suffix('}'));
            match inner {
                Some(name) if names.contains(&name) => {
                    let message = format!("the path has the argument `{name}` twice");
                    return problem(&message, "write each argument once");
                }
                Some(name) if self.arguments.requires(name) => names.push(name),
                Some(name) if self.arguments.has(name) => {
                    let message = format!("the argument `{name}` of the path is optional");
                    return problem(
                        &message,
                        "remove `optional`: a path has all of its segments",
                    );
                }
                Some(name) => {
                    let message = format!("the tool has no argument `{name}`");
                    return problem(&message, "name one of `[arguments]`");
                }
                None if !is_segment(segment) => {
                    let message = format!("`{segment}` is not a segment of a path");
                    let help = "write letters, digits, `-`, `_`, `.` and `~`, or one argument such as `{city}`; a query has a table of its own";
                    return problem(&message, help);
                }
                None => {}
            }
        }
        for name in names {
            self.used.push(name.to_owned());
            self.parameters.push(json!({
                "name": name, "location": "path", "value": {"argument": name}, "required": true,
                "style": "simple", "explode": false,
            }));
        }
        Some(text.value)
    }

    fn query(&mut self, table: TomlNode<'_>, reader: &mut ConfigReader) {
        for (name, _, part) in self.entries(table, "query", reader) {
            let required = self.is_required(&part);
            let value = bound(part);
            self.parameters.push(json!({
                "name": name, "location": "query", "value": value, "required": required,
                "style": "form", "explode": true,
            }));
        }
    }

    /// Reads the headers, which are fixed: an agent cannot set one.
    fn headers(&mut self, table: TomlNode<'_>, reader: &mut ConfigReader) {
        for (name, place, part) in self.entries(table, "headers", reader) {
            let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
            let fault = match &part {
                Part::Argument(_) => Some("an argument cannot be a header".to_owned()),
                Part::Fixed(value) if !value.bytes().all(|byte| (0x20..0x7f).contains(&byte)) => {
                    Some(format!(
                        "the value of the header `{name}` is not visible ASCII"
                    ))
                }
                _ if name.is_empty() || !name.bytes().all(is_token) => {
                    Some(format!("`{name}` is not a name of a header"))
                }
                _ if reserved_header(&name).is_some() => Some(format!(
                    "the header `{name}` decides about the request itself"
                )),
                Part::Fixed(_) => None,
            };
            if let Some(fault) = fault {
                reader.problem(
                    place,
                    &fault,
                    "write a fixed header, or use the query or the body",
                );
                continue;
            }
            let value = bound(part);
            self.parameters.push(json!({
                "name": name, "location": "header", "value": value, "required": true,
                "style": "simple", "explode": false,
            }));
        }
    }

    fn body(
        &mut self,
        table: TomlNode<'_>,
        method: Option<Method>,
        reader: &mut ConfigReader,
    ) -> Option<Vec<Value>> {
        let node = table.value_of("body")?;
        if let Some(method) = method.filter(|method| WITHOUT_BODY.contains(method)) {
            let message = format!("a request with the method `{}` has no body", method.word());
            reader.problem(node.place(), &message, "move its fields to the query");
            return None;
        }
        let entries = self.entries(table, "body", reader).into_iter();
        let fields = entries.map(|(name, _, part)| json!({"name": name, "value": bound(part)}));
        Some(fields.collect())
    }

    /// Reads a table of values.
    fn entries(
        &mut self,
        table: TomlNode<'_>,
        key: &str,
        reader: &mut ConfigReader,
    ) -> Vec<(String, Place, Part)> {
        let inner = reader.table_at(table, key);
        let entries = inner.and_then(|inner| inner.entries());
        let mut parts = Vec::new();
        for (name, place, node) in entries.into_iter().flatten() {
            let Some(text) = node.as_str() else {
                reader.wrong_type(node, &format!("`{key}.{name}`"), "a string");
                continue;
            };
            if let Some(part) = self.part(text, &place, reader) {
                parts.push((name.to_owned(), place, part));
            }
        }
        parts
    }

    /// Reads a value: a fixed string, or one argument as a whole.
    fn part(&mut self, text: &str, place: &Place, reader: &mut ConfigReader) -> Option<Part> {
        if !text.contains(['{', '}']) {
            return Some(Part::Fixed(text.to_owned()));
        }
        let inner = text
            .strip_prefix('{')
            .and_then(|inner| inner.strip_suffix('}'));
        match inner {
            Some(name) if self.arguments.has(name) => {
                self.used.push(name.to_owned());
                Some(Part::Argument(name.to_owned()))
            }
            Some(name) if is_name(name) => {
                let message = format!("the tool has no argument `{name}`");
                reader.problem(place.clone(), &message, "name one of `[arguments]`");
                None
            }
            _ => {
                let message = "a value is a fixed string, or one argument as a whole";
                let help = "write `{name}` alone; an agent gives the whole value";
                reader.problem(place.clone(), message, help);
                None
            }
        }
    }

    fn is_required(&self, part: &Part) -> bool {
        match part {
            Part::Fixed(_) => true,
            Part::Argument(name) => self.arguments.requires(name),
        }
    }
}

fn bound(part: Part) -> Value {
    match part {
        Part::Fixed(value) => json!({"fixed": value}),
        Part::Argument(name) => json!({"argument": name}),
    }
}

/// Checks a fixed segment of a path, which no encoding changes.
fn is_segment(segment: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    !matches!(segment, "" | "." | "..") && segment.bytes().all(is_plain)
}
