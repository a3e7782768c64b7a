//! Servers: the base URL of requests.

use super::reader::Reader;
use crate::{
    diagnostic::{Code, Diagnostic},
    tree::Node,
};

impl<'a> Reader<'a, '_> {
    /// The base URL of the first server of a list, its variables filled in.
    ///
    /// A variable has its default, or else the first of its values. Of a server with a variable
    /// that has neither, or is not declared, no URL is known: the operator has to give one.
    pub(super) fn base_url(&mut self, servers: &'a Node) -> Option<String> {
        let server = servers.items().next()?;
        let url = self.required_text(server, "url", "this server")?;
        let mut filled = url.trim().to_owned();
        for (name, variable) in server.get("variables").into_iter().flat_map(Node::fields) {
            if let Some(value) = self.variable(variable) {
                filled = filled.replace(&format!("{{{name}}}"), &value);
            }
        }
        if let Some(name) = unfilled(&filled) {
            let place = server.get("url").map_or(server.place, |url| url.place);
            let message = format!("the variable `{name}` of this server has no value");
            self.report(
                Diagnostic::error(Code::Missing, place, message)
                    .label("no base URL is known")
                    .help(format!(
                        "declare `{name}` under `variables`, with a `default`"
                    )),
            );
            return None;
        }
        Some(filled.trim_end_matches('/').to_owned())
    }

    fn variable(&self, variable: &Node) -> Option<String> {
        let default = self.text_at(variable, "default");
        default.or_else(|| self.texts_at(variable, "enum").into_iter().next())
    }
}

/// The first name between braces.
fn unfilled(url: &str) -> Option<&str> {
    let (_, behind) = url.split_once('{')?;
    behind.split_once('}').map(|(name, _)| name)
}
