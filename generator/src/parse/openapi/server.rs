//! Servers: the possible targets of a document's requests.

use std::sync::Arc;

use super::reader::OpenApiReader;
use crate::document::{source::Place, tree::Node};

/// A server that the document declares.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    /// The span of its URL.
    pub place: Place,
    /// Its position in the list, counted from 0.
    pub index: usize,
    /// The URL as the document writes it, with `{name}` for each variable.
    pub url: String,
    /// The description.
    pub description: Option<String>,
    /// The declared variables.
    pub variables: Vec<Variable>,
}

/// A variable in a server URL.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// Its name.
    pub name: String,
    /// The default value.
    pub default: Option<String>,
    /// The allowed values; empty if any value is allowed.
    pub values: Vec<String>,
}

impl<'a> OpenApiReader<'a, '_> {
    /// Reads the servers of a list. Reports and skips a server without a URL.
    pub(super) fn servers(&mut self, list: Option<&'a Node>) -> Arc<[Server]> {
        let nodes = list.into_iter().flat_map(Node::items);
        let servers = nodes.enumerate();
        servers
            .filter_map(|(index, node)| self.server(index, node))
            .collect()
    }

    fn server(&mut self, index: usize, node: &'a Node) -> Option<Server> {
        let url = self.required_text(node, "url", "this server")?;
        let variables = node.get("variables").into_iter().flat_map(Node::fields);
        Some(Server {
            place: node.get("url").map_or(node.place, |url| url.place),
            index,
            url: url.trim().to_owned(),
            description: self.text_at(node, "description"),
            variables: variables
                .map(|(name, variable)| Variable {
                    name: name.to_owned(),
                    default: self.text_at(variable, "default"),
                    values: self.texts_at(variable, "enum"),
                })
                .collect(),
        })
    }
}
