//! The paths of a document and their operations.

use toolwright_model::{JsonPointer, Method, most_similar};

use super::{
    OperationKey, ParsedOperation,
    reader::{Inherited, OpenApiReader},
};
use crate::document::{
    diagnostic::{Code, Diagnostic},
    tree::{Field, Node},
};

/// The path item key for methods without a key of their own.
const ADDITIONAL: &str = "additionalOperations";

/// The other keys of a path item.
const OTHERS: &[&str] = &[
    "$ref",
    "summary",
    "description",
    "servers",
    "parameters",
    ADDITIONAL,
];

/// An operation of a path item.
struct FoundMethod<'a> {
    method: Method,
    /// The keys from the path item to the operation: `get`, `additionalOperations/COPY`.
    steps: Vec<&'a str>,
    field: &'a Field,
}

/// A path with its path item.
pub(super) struct PathItem<'a> {
    pub(super) path: &'a str,
    /// The path item, followed by the target of its `$ref` if it has one.
    nodes: Vec<&'a Node>,
}

impl<'a> PathItem<'a> {
    /// Returns the value of a key. The item's own value takes precedence over that of its `$ref`.
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

impl<'a> OpenApiReader<'a, '_> {
    /// Returns the valid operations of a document and the keys of those with errors.
    pub(super) fn paths(
        &mut self,
        root: &'a Node,
        inherited: &Inherited<'a>,
    ) -> (Vec<ParsedOperation<'a>>, Vec<OperationKey>) {
        let mut sound = Vec::new();
        let mut broken = Vec::new();
        let paths = root.get("paths");
        let paths = paths.and_then(|paths| self.object(paths, "`paths`"));
        for (path, node) in paths.into_iter().flat_map(Node::fields) {
            if path.starts_with("x-") {
                continue;
            }
            let since = self.report_count();
            let Some(item) = self.path_item(path, node) else {
                self.consequence(since, "the operations of this path are left out");
                continue;
            };
            for found in self.methods(&item) {
                let key = self.operation_key(&item, &found);
                let since = self.report_count();
                match self.operation(key.clone(), &found.field.node, &item, inherited) {
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

    /// Returns the operations of a path item without duplicates. Reports unknown keys.
    fn methods(&mut self, item: &PathItem<'a>) -> Vec<FoundMethod<'a>> {
        let mut found: Vec<FoundMethod<'a>> = Vec::new();
        let mut add = |method, steps, field| {
            if !found
                .iter()
                .any(|known: &FoundMethod<'_>| known.method == method)
            {
                found.push(FoundMethod {
                    method,
                    steps,
                    field,
                });
            }
        };
        for (key, field) in item.fields() {
            match method_of_key(key) {
                Some(method) => add(method, vec![key], field),
                None if key.starts_with("x-") || OTHERS.contains(&key) => {}
                None => self.unknown_method(key, field),
            }
        }
        let additional = item.get(ADDITIONAL);
        let additional = additional.and_then(|node| self.object(node, "`additionalOperations`"));
        for (key, field) in additional.and_then(Node::as_object).into_iter().flatten() {
            match Method::from_word(&key.to_uppercase()) {
                Some(method) => add(method, vec![ADDITIONAL, key], field),
                None if key.starts_with("x-") => {}
                None => self.unknown_method(key, field),
            }
        }
        found
    }

    fn unknown_method(&mut self, key: &str, field: &Field) {
        if key.eq_ignore_ascii_case("connect") {
            let message = "CONNECT operations are not offered as tools";
            self.report(
                Diagnostic::warning(Code::MethodNotOffered, field.key, message)
                    .label("this entry is left out")
                    .note("CONNECT asks a proxy to open a tunnel; a service cannot answer it"),
            );
            return;
        }
        let message = format!("unknown key `{key}` in a path item");
        let diagnostic = Diagnostic::warning(Code::UnknownKey, field.key, message)
            .label("this entry is left out");
        let words = Method::WITH_KEY.iter();
        let known: Vec<String> = words.map(|method| method.word().to_lowercase()).collect();
        let known = known.iter().map(String::as_str);
        let similar = most_similar(&key.to_lowercase(), known.chain(OTHERS.iter().copied()));
        self.report(match similar {
            Some(similar) => {
                diagnostic.help(format!("a key with a similar name exists: `{similar}`"))
            }
            None => diagnostic,
        });
    }

    fn operation_key(&self, item: &PathItem<'a>, found: &FoundMethod<'a>) -> OperationKey {
        let steps = found.steps.iter().copied();
        OperationKey {
            method: found.method,
            path: item.path.to_owned(),
            operation_id: self
                .text_at(&found.field.node, "operationId")
                .filter(|id| !id.is_empty()),
            place: found.field.key,
            pointer: ["paths", item.path]
                .into_iter()
                .chain(steps)
                .collect::<JsonPointer>()
                .into(),
            tags: self.texts_at(&found.field.node, "tags"),
        }
    }
}

/// Returns the method for a key of a path item.
fn method_of_key(key: &str) -> Option<Method> {
    let mut methods = Method::WITH_KEY.iter().copied();
    let is_lower = key.chars().all(|c| c.is_ascii_lowercase());
    methods.find(|method| is_lower && method.word().eq_ignore_ascii_case(key))
}

/// Returns the names between braces in a path template, without duplicates and in order.
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

/// Returns the parameter name between braces. Some documents write URI template operators (RFC
/// 6570) there: `{.id}`, `{;id*}`, `{+path}`, `{key+}`, `{name=projects/*}`.
pub(crate) fn bare_name(text: &str) -> &str {
    let text = text.split_once('=').map_or(text, |(name, _)| name);
    text.trim_start_matches(['.', ';', '+', '#', '/', '?', '&'])
        .trim_end_matches(['*', '+'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn template_names_are_extracted() {
        let names = template_names("/a/{b}/{.c}/{;d*}/{+e}/{f=x/*}/{b}/{}/{g");
        assert_eq!(names, ["b", "c", "d", "e", "f", ""]);
    }
}
