//! How the arguments of a tool become an HTTP request, and its answer a result.
//!
//! A binding is a table that one executor interprets. It is the same for an adapter that is
//! compiled in and for one that is loaded at run time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Method, SecurityRequirement, StatusPattern, words::words};

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
    /// The alternatives of authentication: one of them is needed, and all parts of that one. An
    /// empty alternative means that no authentication is needed; no alternative at all means that
    /// the document says nothing.
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
}

impl HttpBinding {
    /// Where the values of the parameters and of the body come from.
    pub fn bounds(&self) -> impl Iterator<Item = &Bound> {
        let parameters = self.parameters.iter().map(|parameter| &parameter.value);
        let body = self.body.iter().flat_map(Body::bounds);
        parameters.chain(body)
    }
}

/// Where the value of a parameter or a body field comes from.
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
    /// Where it goes.
    pub location: Location,
    /// Where its value comes from.
    pub value: Bound,
    /// Whether the request is impossible without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Why the value of a path parameter may contain `/` and other separators, in the overlay's
    /// words. Without a reason it may not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separators: Option<String>,
    /// How the value becomes text.
    #[serde(flatten)]
    pub serialization: Serialization,
}

words! {
    /// Where a parameter goes.
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

/// How a value becomes text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Serialization {
    /// By one of the styles of OpenAPI.
    Style {
        /// The style.
        style: Style,
        /// Whether each element of an array, or each property of an object, stands by itself.
        explode: bool,
        /// Whether reserved characters stay as they are.
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
    /// The styles in which OpenAPI serialises a parameter.
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
        /// `color=blue; color=black`, as it is: nothing is encoded.
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
    /// How the value becomes bytes.
    pub content: BodyContent,
    /// Whether a body is sent even when no argument is given for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// What the body is made of.
    pub shape: BodyShape,
    /// For forms and multipart: what the document's `encoding` says of a field, by wire name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub encoding: BTreeMap<String, PartEncoding>,
}

impl Body {
    /// Where the values of the body, and of the headers of its parts, come from.
    pub fn bounds(&self) -> impl Iterator<Item = &Bound> {
        let headers = self.encoding.values().flat_map(|part| &part.headers);
        let headers = headers.map(|header| &header.value);
        self.shape.bounds().chain(headers)
    }
}

words! {
    /// How the value of a body becomes bytes.
    BodyContent {
        /// JSON, and the media types whose suffix is `+json`.
        Json = "json",
        /// `application/x-www-form-urlencoded`.
        Form = "form",
        /// `multipart/form-data`, and its like.
        Multipart = "multipart",
        /// The value is an array, and each element of it a line of JSON.
        Lines = "lines",
        /// The value is text and is sent as it is.
        Text = "text",
        /// The value is base64 text, and its bytes are sent.
        Binary = "binary",
    }
}

/// What a body is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BodyShape {
    /// One value is the whole body.
    Whole(Bound),
    /// The body is an object, and each field of it has a value of its own.
    Fields(Vec<BodyField>),
}

impl BodyShape {
    /// Where the values of the body come from.
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
    /// Where its value comes from.
    pub value: Bound,
}

/// What `encoding` says of one field of a form or multipart body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartEncoding {
    /// The media types that the part may have, separated by commas, the one that is sent first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The style of a form field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
    /// Whether the elements of an array stand by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explode: Option<bool>,
    /// Whether reserved characters of a form field stay as they are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_reserved: bool,
    /// The headers of the part, beside those that say what it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<Parameter>,
    /// Whether the part is a file: its value is an object with `content` (base64), and optionally
    /// `filename` and `media_type`.
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
    /// How bytes of the first media type become the result. Those of the others become what their
    /// type itself says.
    pub content: AnswerContent,
    /// What the answer means, in the document's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

words! {
    /// How the bytes of an answer become the result.
    AnswerContent {
        /// JSON.
        Json = "json",
        /// A stream of JSON values, such as one a line; the result is an array of them.
        Lines = "lines",
        /// Server-sent events; the result is an array of objects with `event`, `data` (text),
        /// `id` and `retry`.
        Events = "events",
        /// Server-sent events of which the document describes the data; the result is an array of
        /// that: JSON, or text where it is none. A last `[DONE]` is left out.
        EventData = "event-data",
        /// Text; the result is a string.
        Text = "text",
        /// Bytes; the result is an object with `media_type`, `size` and `content` (base64).
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
