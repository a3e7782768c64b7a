//! How parameters and the fields of forms are written: OpenAPI's styles.

use openapiv3::{CookieStyle, HeaderStyle, PathStyle, QueryStyle};
use serde::de::DeserializeOwned;
use toolwright_model::{Location, PartEncoding, Serialization, Style};

use super::reader::Reader;
use crate::{
    diagnostic::{Code, Diagnostic},
    tree::Node,
};

impl<'a> Reader<'a, '_> {
    /// The style of a parameter. One that its location does not have is reported, and the
    /// location's usual one is taken.
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
                    "this style cannot be used here",
                )
                .label("the usual style is taken instead")
                .note(error.to_string()),
            );
            S::default()
        }))
    }

    /// What `encoding` says of the fields of a form.
    pub(super) fn encoding(&mut self, media_type: &'a Node) -> Vec<(String, PartEncoding)> {
        let encoding = media_type.get("encoding").into_iter();
        let mut fields = Vec::new();
        for (name, node) in encoding.flat_map(Node::fields) {
            match serde_json::from_value::<openapiv3::Encoding>(node.to_value()) {
                Ok(encoding) => fields.push((
                    name.to_owned(),
                    PartEncoding {
                        content_type: encoding.content_type,
                        style: encoding.style.map(query_style),
                        explode: node.get("explode").and_then(Node::as_bool),
                        allow_reserved: node.is_true("allowReserved"),
                        file: false,
                    },
                )),
                Err(error) => {
                    let place = self.first_line(node);
                    self.report(
                        Diagnostic::error(
                            Code::WrongType,
                            place,
                            format!("the encoding of `{name}` cannot be read"),
                        )
                        .label("it is passed over")
                        .note(error.to_string()),
                    );
                }
            }
        }
        fields
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
