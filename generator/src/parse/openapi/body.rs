//! Request bodies and media types.

use std::borrow::Cow;

use super::{MediaType, RequestBody, reader::OpenApiReader};
use crate::document::{
    diagnostic::{Code, Diagnostic},
    tree::Node,
};

impl<'a> OpenApiReader<'a, '_> {
    /// Reads the request body of an operation.
    pub(super) fn request_body(&mut self, reference: &'a Node) -> Option<RequestBody<'a>> {
        let node = self.object(reference, "a request body")?;
        let content = self.content(node)?;
        if content.is_empty() {
            let place = self.first_line(node);
            self.report(
                Diagnostic::error(Code::Missing, place, "this request body has no media type")
                    .help("add `content` with at least one media type"),
            );
            return None;
        }
        Some(RequestBody {
            place: self.first_line(node),
            description: self.description(reference, node),
            required: node.is_true("required"),
            content,
        })
    }

    /// Returns the media types of a request body or a response.
    pub(super) fn content(&mut self, node: &'a Node) -> Option<Vec<MediaType<'a>>> {
        let Some(content) = node.get("content") else {
            return Some(Vec::new());
        };
        let content = self.object(content, "`content`")?;
        let mut media_types = Vec::new();
        let mut sound = true;
        for (name, node) in content.fields() {
            match self.media_type(name, node) {
                Some(media_type) => media_types.push(media_type),
                None => sound = false,
            }
        }
        sound.then_some(media_types)
    }

    fn media_type(&mut self, name: &str, node: &'a Node) -> Option<MediaType<'a>> {
        let node = self.object(node, "a media type")?;
        Some(MediaType {
            name: name.trim().to_owned(),
            schema: node.get("schema").map(Cow::Borrowed),
            item_schema: node.get("itemSchema"),
            encoding: self.encoding(node),
            part_headers: self.part_headers(node),
        })
    }
}
