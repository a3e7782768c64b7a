//! The table that maps a tool's arguments to an HTTP request and the response to a result.
//!
//! One executor interprets every binding. Compiled and loaded adapters use the same format.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{GrpcCall, Method, SecurityRequirement, StatusPattern, words::words};

/// One HTTP operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpBinding {
    /// The HTTP method.
    pub method: Method,
    /// The path below the base URL, with `{name}` for each path parameter: `/items/{id}`.
    pub path: String,
    /// The base URL that the document or the overlay gives, server variables filled in. The
    /// credentials' `base_url` wins over it. Relative when the document's is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The parameters, in the document's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Parameter>,
    /// The request body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
    /// The answers that the document describes, the most specific status first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// The alternatives of authentication: a call must satisfy every part of one of them. An empty
    /// alternative means that no authentication is needed. An empty list means that the document
    /// does not declare any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub security: Vec<Vec<SecurityRequirement>>,
    /// The paths of the document's other operations with the same method that a value in this
    /// operation's path could lead to: `/items/search` of `/items/{id}`. A request that fits one
    /// of them is not sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_paths: Vec<String>,
    /// The names on the wire that the document declares for this operation and the tool does not
    /// offer. No key that an agent chooses may be one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<String>,
    /// The protocol over HTTP that decides the request. None for a request as the document describes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<HttpProtocol>,
}

/// A protocol over HTTP. The body and the answers of the binding are the JSON of its arguments and results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HttpProtocol {
    /// The text of a GraphQL operation. The base URL is an endpoint: the request is this text with the
    /// fields of the body as its variables, and the response is judged by its errors.
    Graphql(String),
    /// The method of a gRPC service. On the wire, the body and the answers are messages of Protocol
    /// Buffers.
    Grpc(Box<GrpcCall>),
}

impl HttpBinding {
    /// Returns the text of the GraphQL operation, if the protocol is GraphQL.
    #[must_use]
    pub fn graphql(&self) -> Option<&str> {
        match &self.protocol {
            Some(HttpProtocol::Graphql(text)) => Some(text),
            Some(HttpProtocol::Grpc(_)) | None => None,
        }
    }

    /// Returns the call of a gRPC method, if the protocol is gRPC.
    #[must_use]
    pub fn grpc(&self) -> Option<&GrpcCall> {
        match &self.protocol {
            Some(HttpProtocol::Grpc(call)) => Some(call),
            Some(HttpProtocol::Graphql(_)) | None => None,
        }
    }

    /// Returns the sources of the values of the parameters and of the body.
    pub fn bounds(&self) -> impl Iterator<Item = &Bound> {
        let parameters = self.parameters.iter().map(|parameter| &parameter.value);
        let body = self.body.iter().flat_map(Body::bounds);
        parameters.chain(body)
    }
}

/// The source of a parameter's or a body field's value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// The tool's argument of this name. The operator may pin it: a service constant of the same
    /// name in the credentials fills it in, and it disappears from the schema that is shown.
    Argument(String),
    /// The service constant of this name, from the credentials. It is never an argument.
    Constant(String),
    /// This value, always. It is never an argument.
    Fixed(Value),
}

impl Bound {
    /// The name of the argument, if it is one.
    #[must_use]
    pub fn argument(&self) -> Option<&str> {
        match self {
            Self::Argument(name) => Some(name),
            Self::Constant(_) | Self::Fixed(_) => None,
        }
    }
}

/// A parameter of an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// The name on the wire.
    pub name: String,
    /// The location in the request.
    pub location: Location,
    /// The source of the value.
    pub value: Bound,
    /// True if the request is impossible without the parameter.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// The overlay's reason for allowing `/` and other separators in the value of a path parameter.
    /// Without a reason they are rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separators: Option<String>,
    /// The rule that converts the value to a string.
    #[serde(flatten)]
    pub serialization: Serialization,
}

words! {
    /// The location of a parameter in the request.
    Location {
        /// Into the path.
        Path = "path",
        /// Into the query.
        Query = "query",
        /// Into a header.
        Header = "header",
        /// Into a cookie.
        Cookie = "cookie",
        /// The whole query.
        QueryString = "querystring",
    }
}

/// The rule that converts a value to a string.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Serialization {
    /// Uses one of the styles of OpenAPI.
    Style {
        /// The style.
        style: Style,
        /// True if each element of an array, or each property of an object, is sent separately.
        explode: bool,
        /// True if reserved characters are sent unencoded.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        allow_reserved: bool,
    },
    /// As a document of this media type, such as `application/json`.
    Content {
        /// The media type.
        content: String,
    },
}

words! {
    /// The styles that OpenAPI defines for serialising a parameter.
    Style {
        /// `;color=blue`.
        Matrix = "matrix",
        /// `.blue`.
        Label = "label",
        /// `blue,black`.
        Simple = "simple",
        /// `color=blue&color=black`.
        Form = "form",
        /// `color=blue%20black`.
        SpaceDelimited = "spaceDelimited",
        /// `color=blue|black`.
        PipeDelimited = "pipeDelimited",
        /// `color[R]=100`.
        DeepObject = "deepObject",
        /// `color=blue; color=black`, sent without encoding.
        Cookie = "cookie",
        /// Swagger 2.0's `tsv`: elements separated by a tab.
        TabDelimited = "tabDelimited",
    }
}

/// The body of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// The media type that is sent, such as `application/json`.
    pub media_type: String,
    /// The encoding of the value.
    pub content: BodyContent,
    /// True if a body is sent even without arguments for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// The structure of the body.
    pub shape: BodyShape,
    /// The document's `encoding` objects for forms and multipart bodies, by wire name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub encoding: BTreeMap<String, PartEncoding>,
}

impl Body {
    /// Returns the sources of the values of the body and of its parts' headers.
    pub fn bounds(&self) -> impl Iterator<Item = &Bound> {
        let headers = self.encoding.values().flat_map(|part| &part.headers);
        let headers = headers.map(|header| &header.value);
        self.shape.bounds().chain(headers)
    }
}

words! {
    /// The encoding of a body's value.
    BodyContent {
        /// JSON, and the media types whose suffix is `+json`.
        Json = "json",
        /// `application/x-www-form-urlencoded`.
        Form = "form",
        /// `multipart/form-data`, and its like.
        Multipart = "multipart",
        /// The value is an array, and each element of it a line of JSON.
        Lines = "lines",
        /// The value is a string and is sent unchanged.
        Text = "text",
        /// The value is a base64 string, and its decoded bytes are sent; or the handle of a stored
        /// file, and the file is sent.
        Binary = "binary",
    }
}

/// The structure of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BodyShape {
    /// One value is the whole body.
    Whole(Bound),
    /// The body is an object, and each field of it has a value of its own.
    Fields(Vec<BodyField>),
}

impl BodyShape {
    /// Returns the sources of the body's values.
    pub fn bounds(&self) -> impl Iterator<Item = &Bound> {
        let (whole, fields) = match self {
            Self::Whole(bound) => (Some(bound), [].as_slice()),
            Self::Fields(fields) => (None, fields.as_slice()),
        };
        whole
            .into_iter()
            .chain(fields.iter().map(|field| &field.value))
    }
}

/// A field of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyField {
    /// The name on the wire.
    pub name: String,
    /// The source of the value.
    pub value: Bound,
}

/// The `encoding` object of one field of a form or multipart body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartEncoding {
    /// The media types that the part may have, separated by commas, the one that is sent first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The style of a form field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
    /// True if the elements of an array are sent separately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explode: Option<bool>,
    /// True if reserved characters of a form field are sent unencoded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_reserved: bool,
    /// The headers of the part, except those that describe its content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<Parameter>,
    /// True if the part is a file: its value is an object with `content` (base64, or the handle of a
    /// stored file), and optionally `filename` and `media_type`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub file: bool,
}

/// An answer that the document describes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The statuses that it stands for.
    pub status: StatusPattern,
    /// The media types that it may have, the one that is asked for first; none when the answer has
    /// no body.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media_types: Vec<String>,
    /// The decoder for a response of the first media type. Responses of the other media types are
    /// decoded by their own type.
    pub content: AnswerContent,
    /// The meaning of the response, in the document's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

words! {
    /// The decoder for a response body.
    AnswerContent {
        /// JSON.
        Json = "json",
        /// A stream of JSON values, such as one a line; the result is an array of them.
        Lines = "lines",
        /// Server-sent events; the result is an array of objects with `event`, `data` (a string),
        /// `id` and `retry`.
        Events = "events",
        /// Server-sent events with data that the document describes. The result is an array of the
        /// data: JSON if it parses, otherwise strings. A final `[DONE]` is dropped.
        EventData = "event-data",
        /// Text; the result is a string.
        Text = "text",
        /// Bytes; the result is an object with `media_type`, `size` and `content` (base64), or with
        /// `file` (a handle) in place of `content`.
        Binary = "binary",
        /// Nothing; the result is null.
        Empty = "empty",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binding_survives_its_json_form() {
        let json = serde_json::json!({
            "method": "POST", "path": "/items/{id}", "base_url": "http://x",
            "parameters": [
                {"name": "id", "location": "path", "value": {"argument": "id"}, "required": true,
                 "separators": "It is a path.", "style": "simple", "explode": false},
                {"name": "q", "location": "query", "value": {"fixed": [1]}, "content": "application/json"},
            ],
            "body": {"media_type": "application/json", "content": "json", "required": true,
                     "shape": {"fields": [{"name": "a", "value": {"argument": "a"}}]}},
            "answers": [{"status": "2XX", "media_types": ["application/json"], "content": "json"}],
            "security": [[{"scheme": "key", "kind": {"api-key": {"location": "header", "name": "X"}}}], []],
            "other_paths": ["/items/search"], "withheld": ["fields"],
        });
        let binding: HttpBinding = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(serde_json::to_value(&binding).unwrap(), json);
    }
}
