//! The trees of one run, and how `$ref` leads from one node to another.

use std::collections::BTreeMap;

use crate::{
    diagnostic::{Code, Diagnostic},
    source::SourceId,
    tree::Node,
};

/// The most `$ref`s that are followed from one node.
const LONGEST_CHAIN: usize = 64;

/// The trees of one run.
#[derive(Debug, Default)]
pub struct Documents {
    roots: BTreeMap<SourceId, Node>,
    /// The file that a relative reference names, by its normalised path.
    paths: BTreeMap<String, SourceId>,
}

impl Documents {
    /// Adds the tree of a file.
    pub fn add(&mut self, source: SourceId, path: &str, root: Node) {
        self.paths.insert(normalise(path), source);
        self.roots.insert(source, root);
    }

    /// The tree of a file.
    #[must_use]
    pub fn root(&self, source: SourceId) -> Option<&Node> {
        self.roots.get(&source)
    }

    /// The JSON pointer of a node in its own document.
    #[must_use]
    pub fn pointer(&self, node: &Node) -> String {
        self.root(node.place.source)
            .map_or_else(String::new, |root| root.pointer_to(node.place))
    }

    /// The node itself, or what its `$ref` leads to in the end.
    ///
    /// # Errors
    /// A diagnostic at the `$ref` when it leads to nothing or back to itself.
    pub fn resolve<'a>(&'a self, node: &'a Node) -> Result<&'a Node, Box<Diagnostic>> {
        let mut current = node;
        for _ in 0..LONGEST_CHAIN {
            match current.get("$ref") {
                Some(reference) if reference.as_str().is_some() => {
                    current = self.target(reference)?;
                }
                _ => return Ok(current),
            }
        }
        let place = node.get("$ref").map_or(node.place, |node| node.place);
        Err(Box::new(
            Diagnostic::error(
                Code::CircularReference,
                place,
                "this `$ref` leads back to itself",
            )
            .help("let one of the references on the way point to a definition"),
        ))
    }

    /// What a `$ref` (the string node) points to, one step.
    ///
    /// # Errors
    /// A diagnostic at the `$ref` when it leads to nothing.
    pub fn target<'a>(&'a self, reference: &'a Node) -> Result<&'a Node, Box<Diagnostic>> {
        let text = reference.as_str().unwrap_or_default();
        let (file, fragment) = text.split_once('#').unwrap_or((text, ""));
        let unresolved = |note: String| {
            Diagnostic::error(
                Code::UnresolvedReference,
                reference.place,
                format!("the reference `{text}` leads to nothing"),
            )
            .note(note)
        };
        let root = if file.is_empty() {
            self.root(reference.place.source)
        } else {
            self.file_beside(reference.place.source, file)
                .and_then(|source| self.root(source))
        };
        let root = root.ok_or_else(|| {
            Box::new(
                unresolved(format!("the file `{file}` is not there"))
                    .help("put the file beside the document, or mend the reference"),
            )
        })?;
        root.at_pointer(&percent_decode(fragment)).ok_or_else(|| {
            Box::new(
                unresolved(format!("nothing stands at `{fragment}`"))
                    .help("define it, or mend the reference"),
            )
        })
    }

    fn file_beside(&self, source: SourceId, file: &str) -> Option<SourceId> {
        let base = self.paths.iter().find(|(_, id)| **id == source)?.0;
        let path = join(base, file);
        self.paths.get(&path).copied()
    }
}

/// The path of a file that a document names, seen from that document.
#[must_use]
pub fn join(document: &str, file: &str) -> String {
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    normalise(&format!("{folder}/{file}"))
}

/// The path with `.` and `..` taken out where that is possible.
fn normalise(path: &str) -> String {
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            "." => {}
            "" if !steps.is_empty() || !path.starts_with('/') => {}
            ".." if steps
                .last()
                .is_some_and(|last| !last.is_empty() && *last != "..") =>
            {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    steps.join("/")
}

/// Fragments are percent-encoded; what is not valid stays as it is.
fn percent_decode(fragment: &str) -> String {
    percent_encoding::percent_decode_str(fragment)
        .decode_utf8()
        .map_or_else(|_| fragment.to_owned(), std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_beside_the_document() {
        assert_eq!(join("specs/a/openapi.yaml", "./b.yaml"), "specs/a/b.yaml");
        assert_eq!(join("specs/a/openapi.yaml", "../b.yaml"), "specs/b.yaml");
        assert_eq!(join("/x/openapi.yaml", "b.yaml"), "/x/b.yaml");
        assert_eq!(join("openapi.yaml", "b.yaml"), "b.yaml");
    }
}
