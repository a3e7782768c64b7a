//! Servers: where the requests of a document may go.

use std::sync::Arc;

use super::reader::Reader;
use crate::{source::Place, tree::Node};

/// A server that a document offers.
#[derive(Clone, Debug)]
pub struct Server {
    /// Where its URL is written.
    pub place: Place,
    /// Its position in the list, counted from 0.
    pub index: usize,
    /// The URL as the document writes it, with `{name}` for each variable.
    pub url: String,
    /// What it is for.
    pub description: Option<String>,
    /// The variables that are declared.
    pub variables: Vec<Variable>,
}

/// A variable of a server's URL.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The value that it has where nothing else is said.
    pub default: Option<String>,
    /// The values that it may have; any when there is none.
    pub values: Vec<String>,
}

impl<'a> Reader<'a, '_> {
    /// The servers of a list. One without a URL is reported and passed over.
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
