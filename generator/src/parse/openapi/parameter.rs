//! Parameters.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use toolwright_model::{Location, Serialization, most_similar};

use super::{Parameter, reader::OpenApiReader};
use crate::document::{
    diagnostic::{Code, Diagnostic},
    tree::Node,
};

/// The identity of a parameter: its name and location.
type ParameterIdentity<'a> = (String, Option<&'a str>);

/// A parameter in a list.
#[derive(Clone, Copy)]
pub(super) struct DeclaredParameter<'a> {
    /// The list element: the parameter or a reference to it.
    reference: &'a Node,
    pub(super) node: &'a Node,
}

impl<'a> OpenApiReader<'a, '_> {
    /// Returns the parameters of an operation: its path's, then its own. Its own take precedence.
    pub(super) fn parameter_nodes(
        &mut self,
        [path, own]: [Option<&'a Node>; 2],
    ) -> Option<Vec<DeclaredParameter<'a>>> {
        let path = self.parameter_list(path);
        let own = self.parameter_list(own)?;
        let mut nodes = path?;
        if !nodes.is_empty() {
            let known: HashSet<_> = own.iter().map(|own| self.identity(own.node)).collect();
            nodes.retain(|declared| match self.identity(declared.node) {
                None => true,
                identity => !known.contains(&identity),
            });
        }
        nodes.extend(own);
        Some(nodes)
    }

    /// Returns the parameters of one list without duplicates.
    fn parameter_list(&mut self, list: Option<&'a Node>) -> Option<Vec<DeclaredParameter<'a>>> {
        let Some(list) = list else {
            return Some(Vec::new());
        };
        let mut nodes: Vec<DeclaredParameter<'_>> = Vec::new();
        let mut known: HashMap<ParameterIdentity<'a>, &Node> = HashMap::new();
        let mut sound = true;
        for reference in self.array(list, "`parameters`")? {
            let Some(node) = self.object(reference, "a parameter") else {
                sound = false;
                continue;
            };
            match self.identity(node).map(|identity| known.entry(identity)) {
                Some(Entry::Occupied(first)) => self.duplicate(reference, first.get()),
                Some(Entry::Vacant(free)) => {
                    free.insert(node);
                    nodes.push(DeclaredParameter { reference, node });
                }
                None => nodes.push(DeclaredParameter { reference, node }),
            }
        }
        sound.then_some(nodes)
    }

    /// Returns the identity of a parameter, or `None` if it has no name.
    fn identity(&self, node: &'a Node) -> Option<ParameterIdentity<'a>> {
        Some((self.text_at(node, "name")?, node.str_at("in")))
    }

    fn duplicate(&mut self, item: &Node, first: &Node) {
        let name = self.text_at(first, "name").unwrap_or_default();
        let place = self.first_line(item);
        let first = self.first_line(first);
        self.report(
            Diagnostic::error(
                Code::DuplicateParameter,
                place,
                format!("duplicate parameter `{name}`"),
            )
            .label("this declaration is ignored")
            .also(first, "this declaration is used")
            .help("remove one of the two"),
        );
    }

    /// Reads a parameter of OpenAPI 3.
    pub(super) fn parameter(&mut self, declared: DeclaredParameter<'a>) -> Option<Parameter<'a>> {
        let node = declared.node;
        let name = self.required_text(node, "name", "this parameter");
        let location = self.location(node)?;
        let content = node
            .get("content")
            .and_then(|content| content.fields().next());
        let (serialization, schema) = match content {
            Some((media_type, node)) => {
                let content = media_type.to_owned();
                let node = self.object(node, "a media type")?;
                (Serialization::Content { content }, node.get("schema"))
            }
            None if location == Location::QueryString => {
                self.missing(node, "content", "a parameter in `querystring`");
                return None;
            }
            None => (self.style(node, location), node.get("schema")),
        };
        Some(Parameter {
            place: self.first_line(node),
            name: name?,
            location,
            description: self.declared_description(declared),
            required: location == Location::Path || node.is_true("required"),
            serialization,
            schema,
        })
    }

    /// Returns the description of a parameter.
    pub(super) fn declared_description(&self, declared: DeclaredParameter<'_>) -> Option<String> {
        self.description(declared.reference, declared.node)
    }

    /// Returns the location of a parameter.
    pub(super) fn location(&mut self, node: &'a Node) -> Option<Location> {
        let text = self.required_text(node, "in", "this parameter")?;
        let location = Location::from_word(&text);
        if location.is_none() {
            let words = || Location::ALL.iter().map(|location| location.word());
            let place = node.get("in").map_or(node.place, |node| node.place);
            let diagnostic = Diagnostic::error(
                Code::UnknownValue,
                place,
                format!("`{text}` is not a location of parameters"),
            )
            .label("expected `path`, `query`, `querystring`, `header` or `cookie`");
            self.report(match most_similar(&text, words()) {
                Some(similar) => diagnostic.help(format!("a similar location is `{similar}`")),
                None => diagnostic,
            });
        }
        location
    }
}
