//! Servers: the base URL of requests.

use openapiv3::Server;

use super::reader::Reader;
use crate::{
    diagnostic::{Code, Diagnostic},
    tree::Node,
};

impl<'a> Reader<'a, '_> {
    /// The base URL of the first server of a list, its variables filled in by their defaults.
    pub(super) fn base_url(&mut self, servers: Option<&'a Node>) -> Option<String> {
        let node = servers?.items().next()?;
        match serde_json::from_value::<Server>(node.to_value()) {
            Ok(server) => Some(filled_in(&server)),
            Err(error) => {
                let place = self.first_line(node);
                self.report(
                    Diagnostic::error(Code::WrongType, place, "this server cannot be read")
                        .label("it is passed over")
                        .note(error.to_string()),
                );
                node.str_at("url").map(str::to_owned)
            }
        }
    }
}

fn filled_in(server: &Server) -> String {
    let variables = server.variables.iter().flatten();
    let url = variables.fold(server.url.trim().to_owned(), |url, (name, variable)| {
        url.replace(&format!("{{{name}}}"), &variable.default)
    });
    url.trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_filled_in_by_their_defaults() {
        let server: Server = serde_json::from_value(serde_json::json!({
            "url": "https://{host}:{port}/v1/",
            "variables": {"host": {"default": "example.com"}, "port": {"default": "8443"}},
        }))
        .unwrap();
        assert_eq!(filled_in(&server), "https://example.com:8443/v1");
    }
}
