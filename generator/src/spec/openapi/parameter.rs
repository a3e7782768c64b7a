//! Parameters.

use toolwright_model::{Location, Serialization, most_similar};

use super::{Parameter, reader::Reader};
use crate::{
    diagnostic::{Code, Diagnostic},
    tree::Node,
};

impl<'a> Reader<'a, '_> {
    /// The parameters that hold for an operation: those of its path, then its own, which win.
    pub(super) fn parameter_nodes(
        &mut self,
        [path, own]: [Option<&'a Node>; 2],
    ) -> Option<Vec<&'a Node>> {
        let path = self.parameter_list(path);
        let own = self.parameter_list(own)?;
        let mut nodes = path?;
        nodes.retain(|node| !own.iter().any(|other| self.same_parameter(node, other)));
        nodes.extend(own);
        Some(nodes)
    }

    /// The parameters of one list, each once.
    fn parameter_list(&mut self, list: Option<&'a Node>) -> Option<Vec<&'a Node>> {
        let Some(list) = list else {
            return Some(Vec::new());
        };
        let mut nodes: Vec<&Node> = Vec::new();
        let mut sound = true;
        for item in self.array(list, "`parameters`")? {
            let Some(node) = self.object(item, "a parameter") else {
                sound = false;
                continue;
            };
            match nodes.iter().find(|known| self.same_parameter(known, node)) {
                Some(first) => self.duplicate(item, first),
                None => nodes.push(node),
            }
        }
        sound.then_some(nodes)
    }

    fn same_parameter(&self, a: &Node, b: &Node) -> bool {
        let name = self.text_at(a, "name");
        name.is_some() && name == self.text_at(b, "name") && a.str_at("in") == b.str_at("in")
    }

    fn duplicate(&mut self, item: &Node, first: &Node) {
        let name = self.text_at(first, "name").unwrap_or_default();
        let place = self.first_line(item);
        let first = self.first_line(first);
        self.report(
            Diagnostic::error(
                Code::DuplicateParameter,
                place,
                format!("the parameter `{name}` is declared twice"),
            )
            .label("this one is passed over")
            .also(first, "this one counts")
            .help("remove one of them"),
        );
    }

    /// Reads a parameter of OpenAPI 3.
    pub(super) fn parameter(&mut self, node: &'a Node) -> Option<Parameter<'a>> {
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
            None => (self.style(node, location), node.get("schema")),
        };
        Some(Parameter {
            place: self.first_line(node),
            name: name?,
            location,
            description: self.text_at(node, "description"),
            required: location == Location::Path || node.is_true("required"),
            serialization,
            schema,
        })
    }

    /// Where a parameter goes.
    pub(super) fn location(&mut self, node: &'a Node) -> Option<Location> {
        let text = self.required_text(node, "in", "this parameter")?;
        let location = Location::from_word(&text);
        if location.is_none() {
            let words = || Location::ALL.iter().map(|location| location.word());
            let place = node.get("in").map_or(node.place, |node| node.place);
            let diagnostic = Diagnostic::error(
                Code::UnknownValue,
                place,
                format!("`{text}` is no place for a parameter"),
            )
            .label("expected `path`, `query`, `header` or `cookie`");
            self.report(match most_similar(&text, words()) {
                Some(similar) => diagnostic.help(format!("a similar one is `{similar}`")),
                None => diagnostic,
            });
        }
        location
    }
}
