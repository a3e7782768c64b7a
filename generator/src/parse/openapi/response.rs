//! Responses.

use toolwright_model::StatusPattern;

use super::{Response, reader::OpenApiReader};
use crate::document::{
    diagnostic::{Code, Diagnostic},
    tree::Node,
};

/// The consequence of a response with errors.
const LEFT_OUT: &str = "this response is left out";

impl<'a> OpenApiReader<'a, '_> {
    /// Reads the responses of an operation. Only the faulty response is left out, because calls are
    /// possible without its description.
    pub(super) fn responses(
        &mut self,
        operation: &'a Node,
        mut read: impl FnMut(&mut Self, StatusPattern, &'a Node) -> Option<Response<'a>>,
    ) -> Vec<Response<'a>> {
        let responses = operation.get("responses");
        let responses = responses.and_then(|node| self.object(node, "`responses`"));
        let fields = responses.and_then(Node::as_object).into_iter().flatten();
        let mut answers = Vec::new();
        for (status, field) in fields.filter(|(status, _)| !status.starts_with("x-")) {
            match status.parse() {
                Ok(status) => {
                    let since = self.report_count();
                    match read(self, status, &field.node) {
                        Some(answer) => answers.push(answer),
                        None => self.consequence(since, LEFT_OUT),
                    }
                }
                Err(message) => self.report(
                    Diagnostic::error(Code::UnknownValue, field.key, message).label(LEFT_OUT),
                ),
            }
        }
        answers
    }

    /// Reads a response of OpenAPI 3.
    pub(super) fn response(
        &mut self,
        status: StatusPattern,
        reference: &'a Node,
    ) -> Option<Response<'a>> {
        let node = self.object(reference, "a response")?;
        Some(Response {
            status,
            description: self.description(reference, node).unwrap_or_default(),
            content: self.content(node)?,
            headers: header_names(node),
        })
    }
}

/// Returns the header names of a response, in lower case.
pub(super) fn header_names(answer: &Node) -> Vec<String> {
    let headers = answer.get("headers").into_iter().flat_map(Node::fields);
    headers.map(|(name, _)| name.to_ascii_lowercase()).collect()
}
