//! Planning of requests from arguments. Pure: two requests can be compared byte by byte, and a
//! request can be shown without being sent.
//!
//! A [`PlannedRequest`] holds no secret: the credentials of the service are added when it
//! is sent.

mod body;
mod decoded;
mod encode;
mod format;
mod graphql;
mod headers;
mod multipart;
mod names;
mod path;
mod style;
mod target;

use std::fmt;

pub(crate) use body::{is_json, plan_params};
pub(crate) use encode::value as encode_value;
pub use format::PathFormats;
use reqwest::Url;
use serde_json::{Map, Value};
pub(crate) use target::plan_url;
use toolwright_model::{Bound, HttpBinding, JsonPointer, Method};

use crate::{files::FileHandle, schema::Violation};

/// A request that could be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedRequest {
    /// The method.
    pub method: Method,
    /// The absolute URL, with `http` or `https`.
    pub url: Url,
    /// The headers, in order.
    pub headers: Vec<(String, String)>,
    /// The body, if there is one, without its files.
    pub body: Option<Vec<u8>>,
    /// The files of the body, in order.
    pub files: Vec<PlannedFile>,
}

/// A file of a store as a part of a request's body. Its content is read when it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedFile {
    /// The number of bytes of the body before the file.
    pub at: usize,
    /// The handle.
    pub handle: FileHandle,
    /// The place of the argument with the handle; none if the operator sets the value.
    pub argument: Option<String>,
    /// True if the body contains the file as base64.
    pub is_base64: bool,
}

/// The sources of a request's values.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    /// The tool's arguments.
    pub arguments: &'a Map<String, Value>,
    /// The service constants.
    pub constants: &'a Map<String, Value>,
}

/// The reason why the arguments make no request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// An argument cannot be sent.
    Argument(Violation),
    /// A service constant that is not set.
    Constant(String),
    /// The base URL of the service is not known.
    NoBaseUrl,
    /// The base URL cannot be used.
    BaseUrl(String),
    /// The binding itself cannot be carried out.
    Binding(String),
}

/// Plans the request of a call.
///
/// `base_url` is absolute, with `http` or `https`.
///
/// # Errors
/// [`PlanError`] for the first problem.
pub fn plan(
    binding: &HttpBinding,
    base_url: &str,
    values: Values<'_>,
) -> Result<PlannedRequest, PlanError> {
    if binding.method == Method::Trace {
        let problem = "its method is TRACE, which makes services return the credentials";
        return Err(PlanError::Binding(problem.to_owned()));
    }
    let body = match (binding.graphql(), &binding.body) {
        (Some(text), _) => Some(graphql::plan_body(text, binding, values)?),
        (None, Some(body)) => body::plan_body(binding, body, values)?,
        (None, None) => None,
    };
    let mut headers = headers::plan_headers(binding, values)?;
    if let Some(body) = &body {
        headers.push(("Content-Type".to_owned(), body.content_type.clone()));
    }
    let url = plan_url(binding, base_url, values)?;
    let (body, files) = match body {
        Some(body) => (Some(body.bytes), body.files),
        None => (None, Vec::new()),
    };
    Ok(PlannedRequest {
        method: binding.method,
        url,
        headers,
        body,
        files,
    })
}

/// The base URL of a call: the operator's if there is one, else the binding's.
///
/// A relative one of the binding is a path below the operator's, unless that ends with it already.
///
/// # Errors
/// [`PlanError::NoBaseUrl`] when there is none, or only a relative one.
pub fn base_url(operators: Option<&str>, binding: &HttpBinding) -> Result<String, PlanError> {
    let own = binding.base_url.as_deref().unwrap_or_default();
    let own_is_absolute = own.contains("://");
    if let (Some(_), Some(endpoint)) = (binding.graphql(), operators) {
        return Ok(endpoint.to_owned());
    }
    match operators.map(|url| url.trim_end_matches('/')) {
        Some(url) if own_is_absolute => Ok(url.to_owned()),
        Some(url) => {
            let path = own.trim_matches('/');
            let below = path.is_empty() || url.ends_with(&format!("/{path}"));
            Ok(if below {
                url.to_owned()
            } else {
                format!("{url}/{path}")
            })
        }
        None if own_is_absolute => Ok(own.to_owned()),
        None => Err(PlanError::NoBaseUrl),
    }
}

impl<'a> Values<'a> {
    /// The value of a parameter or a body field; none when the argument is not given.
    fn get(self, bound: &'a Bound) -> Result<Option<&'a Value>, PlanError> {
        match bound {
            Bound::Argument(name) => Ok(self.arguments.get(name)),
            Bound::Fixed(value) => Ok(Some(value)),
            Bound::Constant(name) => match self.constants.get(name) {
                Some(value) => Ok(Some(value)),
                None => Err(PlanError::Constant(name.clone())),
            },
        }
    }
}

impl<'a> Values<'a> {
    /// Returns the value of a parameter or a field that no agent sets, and `None` if an agent does.
    /// The inner value is `None` if the service constant is missing.
    fn pinned(self, bound: &'a Bound) -> Option<Option<&'a Value>> {
        match bound {
            Bound::Argument(name) => self.constants.get(name).map(Some),
            Bound::Constant(name) => Some(self.constants.get(name)),
            Bound::Fixed(value) => Some(Some(value)),
        }
    }
}

impl PlanError {
    /// Returns the error for a bound value that cannot be sent: the fault of the argument, or of
    /// the one who set the constant.
    fn value(bound: &Bound, message: impl Into<String>) -> Self {
        let message = message.into();
        match bound {
            Bound::Argument(name) => Self::Argument(Violation {
                pointer: JsonPointer::from_iter([name]).into(),
                message,
            }),
            Bound::Constant(name) => {
                Self::Binding(format!("the service constant `{name}` {message}"))
            }
            Bound::Fixed(_) => Self::Binding(format!("a fixed value {message}")),
        }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument(violation) => violation.fmt(f),
            Self::Constant(name) => write!(f, "there is no service constant `{name}`"),
            Self::NoBaseUrl => f.write_str("there is no base URL"),
            Self::BaseUrl(problem) => write!(f, "the base URL cannot be used: {problem}"),
            Self::Binding(problem) => write!(f, "the operation cannot be called: {problem}"),
        }
    }
}

impl std::error::Error for PlanError {}
