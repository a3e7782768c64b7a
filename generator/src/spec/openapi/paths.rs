//! The paths of a document and the operations under them.

use toolwright_model::{Method, most_similar};

use super::{
    Operation, OperationKey,
    reader::{Inherited, Reader},
};
use crate::{
    diagnostic::{Code, Diagnostic},
    tree::{Field, Node, escape_step},
};

/// The keys of a path item that stand for operations.
const METHODS: &[(&str, Method)] = &[
    ("get", Method::Get),
    ("put", Method::Put),
    ("post", Method::Post),
    ("delete", Method::Delete),
    ("options", Method::Options),
    ("head", Method::Head),
    ("patch", Method::Patch),
    ("trace", Method::Trace),
    ("query", Method::Query),
];

/// The other keys of a path item.
const OTHERS: &[&str] = &["$ref", "summary", "description", "servers", "parameters"];

/// A path, and what stands under it.
pub(super) struct PathItem<'a> {
    pub(super) path: &'a str,
    /// The path item itself, and what its `$ref` leads to where it has one.
    nodes: Vec<&'a Node>,
}

impl<'a> PathItem<'a> {
    /// The value of a key; the item's own wins over that of its `$ref`.
    pub(super) fn get(&self, key: &str) -> Option<&'a Node> {
        self.nodes.iter().find_map(|node| node.get(key))
    }

    fn fields(&self) -> impl Iterator<Item = (&'a str, &'a Field)> {
        self.nodes
            .iter()
            .filter_map(|node| node.as_object())
            .flatten()
            .map(|(key, field)| (key.as_str(), field))
    }
}

impl<'a> Reader<'a, '_> {
    /// The operations of a document, and those that are broken.
    pub(super) fn paths(
        &mut self,
        root: &'a Node,
        inherited: &Inherited<'a>,
    ) -> (Vec<Operation<'a>>, Vec<OperationKey>) {
        let mut sound = Vec::new();
        let mut broken = Vec::new();
        let paths = root.get("paths");
        let paths = paths.and_then(|paths| self.object(paths, "`paths`"));
        for (path, node) in paths.into_iter().flat_map(Node::fields) {
            if path.starts_with("x-") {
                continue;
            }
            let since = self.reported();
            let Some(item) = self.path_item(path, node) else {
                self.consequence(since, "what stands under this path is left out");
                continue;
            };
            for (method, field) in self.methods(&item) {
                let key = self.operation_key(&item, method, field);
                let since = self.reported();
                match self.operation(key.clone(), &field.node, &item, inherited) {
                    Some(operation) => sound.push(operation),
                    None => {
                        self.blame(since, key.place);
                        broken.push(key);
                    }
                }
            }
        }
        (sound, broken)
    }

    fn path_item(&mut self, path: &'a str, node: &'a Node) -> Option<PathItem<'a>> {
        let target = self.object(node, "a path item")?;
        let nodes = if std::ptr::eq(node, target) {
            vec![node]
        } else {
            vec![node, target]
        };
        Some(PathItem { path, nodes })
    }

    /// The operations of a path item, each once. A key that stands for nothing is reported.
    fn methods(&mut self, item: &PathItem<'a>) -> Vec<(Method, &'a Field)> {
        let mut found: Vec<(Method, &Field)> = Vec::new();
        for (key, field) in item.fields() {
            let method = METHODS.iter().find(|(word, _)| *word == key);
            match method {
                Some((_, method)) if !found.iter().any(|(known, _)| known == method) => {
                    found.push((*method, field));
                }
                Some(_) => {}
                None if key.starts_with("x-") || OTHERS.contains(&key) => {}
                None => self.unknown_method(key, field),
            }
        }
        found
    }

    fn unknown_method(&mut self, key: &str, field: &Field) {
        let message = format!("`{key}` is no method that a path can have");
        let diagnostic = Diagnostic::warning(Code::UnknownKey, field.key, message)
            .label("what stands here is left out");
        let known = METHODS.iter().map(|(word, _)| *word);
        let similar = most_similar(&key.to_lowercase(), known.chain(OTHERS.iter().copied()));
        self.report(match similar {
            Some(similar) => diagnostic.help(format!("a key with a similar name is `{similar}`")),
            None => diagnostic,
        });
    }

    fn operation_key(&self, item: &PathItem<'a>, method: Method, field: &Field) -> OperationKey {
        let word = method.word().to_lowercase();
        OperationKey {
            method,
            path: item.path.to_owned(),
            operation_id: self
                .text_at(&field.node, "operationId")
                .filter(|id| !id.is_empty()),
            place: field.key,
            pointer: format!("/paths/{}/{word}", escape_step(item.path)),
        }
    }
}

/// The names between braces in a path template, each once, in their order.
pub(super) fn template_names(path: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for rest in path.split('{').skip(1) {
        match rest.split_once('}') {
            Some((text, _)) if !names.contains(&bare_name(text)) => names.push(bare_name(text)),
            _ => {}
        }
    }
    names
}

/// The name of a parameter between braces. Some documents write more there, as URI templates
/// (RFC 6570) do: `{.id}`, `{;id*}`, `{+path}`, `{key+}`, `{name=projects/*}`.
pub(crate) fn bare_name(text: &str) -> &str {
    let text = text.split_once('=').map_or(text, |(name, _)| name);
    text.trim_start_matches(['.', ';', '+', '#', '/', '?', '&'])
        .trim_end_matches(['*', '+'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_templates() {
        let names = template_names("/a/{b}/{.c}/{;d*}/{+e}/{f=x/*}/{b}/{}/{g");
        assert_eq!(names, ["b", "c", "d", "e", "f", ""]);
    }
}
