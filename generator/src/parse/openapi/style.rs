//! OpenAPI styles: the serialization of parameters and form fields.

use openapiv3::{CookieStyle, HeaderStyle, PathStyle, QueryStyle};
use serde::de::DeserializeOwned;
use toolwright_model::{Location, PartEncoding, Serialization, Style};

use super::{Parameter, reader::OpenApiReader};
use crate::document::{
    diagnostic::{Code, Diagnostic},
    tree::Node,
};

/// The part headers that are derived from the part's name, file and media type.
const OF_EVERY_PART: &[&str] = &[
    "content-disposition",
    "content-transfer-encoding",
    "content-type",
];

impl<'a> OpenApiReader<'a, '_> {
    /// Returns the style of a parameter. Reports a style that its location does not support and
    /// uses the location's default instead.
    pub(super) fn style(&mut self, node: &'a Node, location: Location) -> Serialization {
        let style = match location {
            Location::Path => self.style_of(node, path_style),
            Location::Query | Location::QueryString => self.style_of(node, query_style),
            Location::Header => self.style_of(node, |HeaderStyle::Simple| Style::Simple),
            Location::Cookie if node.str_at("style") == Some(Style::Cookie.word()) => Style::Cookie,
            Location::Cookie => self.style_of(node, |CookieStyle::Form| Style::Form),
        };
        let explode = node.get("explode").and_then(Node::as_bool);
        Serialization::Style {
            style,
            explode: explode.unwrap_or(matches!(style, Style::Form | Style::Cookie)),
            allow_reserved: node.is_true("allowReserved"),
        }
    }

    fn style_of<S: DeserializeOwned + Default>(
        &mut self,
        node: &'a Node,
        to_model: fn(S) -> Style,
    ) -> Style {
        let Some(style) = node.get("style") else {
            return to_model(S::default());
        };
        let read = serde_json::from_value(style.to_value());
        to_model(read.unwrap_or_else(|error: serde_json::Error| {
            self.report(
                Diagnostic::error(
                    Code::UnknownValue,
                    style.place,
                    "this style is not allowed here",
                )
                .label("the default style is used instead")
                .note(error.to_string()),
            );
            S::default()
        }))
    }

    /// Reads the `encoding` of the fields of a form.
    pub(super) fn encoding(&mut self, media_type: &'a Node) -> Vec<(String, PartEncoding)> {
        let mut fields = Vec::new();
        for (name, node) in media_type
            .get("encoding")
            .into_iter()
            .flat_map(Node::fields)
        {
            if node.as_object().is_none() {
                self.wrong_type(node, &format!("the encoding of `{name}`"), "an object");
                continue;
            }
            let style = node.get("style").is_some();
            let style = style.then(|| self.style_of(node, query_style));
            let encoding = PartEncoding {
                content_type: self.text_at(node, "contentType"),
                style,
                explode: node.get("explode").and_then(Node::as_bool),
                allow_reserved: node.is_true("allowReserved"),
                headers: Vec::new(),
                file: false,
            };
            fields.push((name.to_owned(), encoding));
        }
        fields
    }

    /// Reads the part headers in `encoding`, each with its field. The headers in `OF_EVERY_PART`
    /// are ignored.
    pub(super) fn part_headers(&mut self, media_type: &'a Node) -> Vec<(String, Parameter<'a>)> {
        let mut headers = Vec::new();
        for (field, node) in self.encodings(media_type) {
            let all = node.get("headers");
            let all = all.and_then(|all| self.object(all, "`headers`"));
            for (name, reference) in all.into_iter().flat_map(Node::fields) {
                let is_own = !OF_EVERY_PART.contains(&&*name.to_ascii_lowercase());
                if is_own && is_header_name(name) {
                    let header = self.part_header(field, name, reference);
                    headers.extend(header.map(|header| (field.to_owned(), header)));
                }
            }
        }
        headers
    }

    fn part_header(
        &mut self,
        field: &str,
        name: &str,
        reference: &'a Node,
    ) -> Option<Parameter<'a>> {
        let of_the_part = || format!("The header `{name}` of the part `{field}`.");
        let node = self.object(reference, "a header")?;
        let content = node.get("content");
        let content = content.and_then(|content| content.fields().next());
        let (serialization, schema) = match content {
            Some((media_type, content)) => {
                let content_type = media_type.to_owned();
                let serialization = Serialization::Content {
                    content: content_type,
                };
                (serialization, content.get("schema"))
            }
            None => (self.style(node, Location::Header), node.get("schema")),
        };
        Some(Parameter {
            place: self.first_line(node),
            name: name.to_owned(),
            location: Location::Header,
            description: Some(
                self.description(reference, node)
                    .unwrap_or_else(of_the_part),
            ),
            required: node.is_true("required"),
            serialization,
            schema,
        })
    }

    /// Returns the entries of `encoding` that are objects.
    fn encodings(&self, media_type: &'a Node) -> Vec<(&'a str, &'a Node)> {
        let all = media_type
            .get("encoding")
            .into_iter()
            .flat_map(Node::fields);
        all.filter(|(_, node)| node.as_object().is_some()).collect()
    }
}

fn path_style(style: PathStyle) -> Style {
    match style {
        PathStyle::Matrix => Style::Matrix,
        PathStyle::Label => Style::Label,
        PathStyle::Simple => Style::Simple,
    }
}

fn query_style(style: QueryStyle) -> Style {
    match style {
        QueryStyle::Form => Style::Form,
        QueryStyle::SpaceDelimited => Style::SpaceDelimited,
        QueryStyle::PipeDelimited => Style::PipeDelimited,
        QueryStyle::DeepObject => Style::DeepObject,
    }
}

/// Checks whether a string is a valid header name.
fn is_header_name(name: &str) -> bool {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !name.is_empty() && name.chars().all(is_token)
}
