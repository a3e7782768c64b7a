//! The trees of one run and the resolution of `$ref`.

pub(crate) mod identities;

use std::{borrow::Cow, collections::BTreeMap};

use toolwright_model::JsonPointer;

use crate::document::{
    diagnostic::{Code, Diagnostic},
    source::{Place, SourceId},
    tree::Node,
};
use identities::{Identities, Resource};

/// The maximum number of `$ref`s to follow from one node.
const LONGEST_CHAIN: usize = 64;

/// The trees of a document and of the files that it references.
#[derive(Debug, Default)]
pub struct Documents {
    roots: BTreeMap<SourceId, Node>,
    /// The files by normalised path, including files that could not be loaded.
    files: BTreeMap<String, Result<SourceId, Absence>>,
    /// The normalised paths of the files.
    paths: BTreeMap<SourceId, String>,
    /// The files whose nodes are parts of a document, with that document.
    aliases: BTreeMap<SourceId, SourceId>,
    identities: Identities,
}

/// The reason why the file in a `$ref` was not loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Absence {
    /// It does not exist or cannot be read.
    Unreadable,
    /// It is neither JSON nor YAML; the error was reported.
    Malformed,
    /// It is outside the allowed folder.
    OutOfReach {
        /// The allowed folder; empty for the current one.
        reach: String,
    },
    /// Its name or that of a folder on its path begins with a dot.
    Hidden,
    /// It is not a local file.
    Remote,
}

impl Documents {
    /// Adds the tree of a file.
    pub fn add(&mut self, source: SourceId, path: &str, root: Node) {
        let path = normalise(path);
        self.files.insert(path.clone(), Ok(source));
        self.paths.insert(source, path);
        self.roots.insert(source, root);
    }

    /// Collects the names that the document declares for itself and its parts.
    pub(crate) fn identify(&mut self, source: SourceId) {
        if let Some(root) = self.roots.get(&source) {
            self.identities.collect(source, root);
        }
    }

    /// Returns a reference without its fragment, relative to the folder of the document. A URL
    /// below the document's own `$self` becomes a relative path.
    pub(crate) fn local_reference<'r>(&self, source: SourceId, reference: &'r str) -> &'r str {
        self.identities.local_reference(source, reference)
    }

    /// Records why the file at a normalised path was not loaded.
    pub(crate) fn add_absent(&mut self, path: String, absence: Absence) {
        self.files.insert(path, Err(absence));
    }

    /// Adds the trees of another document.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.roots.extend(other.roots);
        self.files.extend(other.files);
        self.paths.extend(other.paths);
        self.aliases.extend(other.aliases);
        self.identities.extend(other.identities);
    }

    /// Checks whether the file at a normalised path was added, even as absent.
    #[must_use]
    pub fn has_file(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Returns the file at a normalised path.
    #[must_use]
    pub(crate) fn source_of(&self, path: &str) -> Option<SourceId> {
        self.files.get(path)?.as_ref().ok().copied()
    }

    /// Returns the tree of a file, or the one that its nodes are parts of.
    #[must_use]
    pub fn root(&self, source: SourceId) -> Option<&Node> {
        self.roots.get(&self.aliased(source))
    }

    /// Returns the tree of a file for a change.
    pub(crate) fn root_mut(&mut self, source: SourceId) -> Option<&mut Node> {
        self.roots.get_mut(&source)
    }

    /// Returns the tree of a file that a document refers to, for a change. An empty name means the
    /// document itself.
    pub(crate) fn neighbour_mut(&mut self, source: SourceId, file: &str) -> Option<&mut Node> {
        if file.is_empty() {
            return self.root_mut(source);
        }
        let path = join(self.paths.get(&source)?, file);
        self.root_mut(self.source_of(&path)?)
    }

    /// Records that nodes of a file are parts of a document: their references are relative to it.
    pub(crate) fn alias(&mut self, file: SourceId, document: SourceId) {
        self.aliases.insert(file, document);
    }

    fn aliased(&self, source: SourceId) -> SourceId {
        self.aliases.get(&source).copied().unwrap_or(source)
    }

    /// Returns the trees of all files.
    pub fn roots(&self) -> impl Iterator<Item = &Node> {
        self.roots.values()
    }

    /// Returns the JSON pointer of the innermost node at a place, or `None` if the file has no
    /// tree.
    #[must_use]
    pub fn pointer(&self, place: Place) -> Option<JsonPointer> {
        Some(self.root(place.source)?.pointer_to(place))
    }

    /// Returns the node, or the final target of its `$ref`.
    ///
    /// # Errors
    /// Fails with a diagnostic at the `$ref` if its target does not exist or the references form a
    /// cycle.
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
                "this `$ref` is part of a cycle",
            )
            .help("make one of the references in the cycle point to a definition"),
        ))
    }

    /// Returns the direct target of a `$ref` (the string node).
    ///
    /// # Errors
    /// Fails with a diagnostic at the `$ref` if its target does not exist.
    pub fn target<'a>(&'a self, reference: &'a Node) -> Result<&'a Node, Box<Diagnostic>> {
        let text = reference.as_str().unwrap_or_default();
        let (file, fragment) = text.split_once('#').unwrap_or((text, ""));
        let fragment = percent_decode(fragment);
        let resource = match file {
            "" => self.identities.around(reference.place),
            file => self.identities.find(reference.place, file),
        };
        if let Some(node) = resource.and_then(|resource| self.within(resource, &fragment)) {
            return Ok(node);
        }
        let file = self
            .identities
            .local_reference(reference.place.source, file);
        let found = self.file(reference.place.source, file);
        let (source, root) =
            found.map_err(|absence| unresolved(reference, file_notes(file, absence)))?;
        let document = self.identities.document(source);
        let named = document.and_then(|document| self.within(document, &fragment));
        named.or_else(|| root.at_pointer(&fragment)).ok_or_else(|| {
            let note = format!("there is nothing at `{fragment}`");
            unresolved(reference, (note, "define it, or fix the reference"))
        })
    }

    /// Resolves a fragment in a resource: the resource itself, a pointer relative to it, or an
    /// anchor.
    fn within(&self, resource: &Resource, fragment: &str) -> Option<&Node> {
        let root = self.root(resource.source())?;
        if fragment.is_empty() || fragment.starts_with('/') {
            return root
                .at_pointer(resource.pointer.as_str())?
                .at_pointer(fragment);
        }
        root.at_pointer(resource.anchor(fragment)?.as_str())
    }

    /// Returns the tree of a referenced file. An empty name means the document itself.
    fn file(&self, source: SourceId, file: &str) -> Result<(SourceId, &Node), Option<&Absence>> {
        let source = if file.is_empty() {
            source
        } else {
            let base = self.paths.get(&self.aliased(source)).ok_or(None)?;
            let found = self.files.get(&join(base, file)).ok_or(None)?;
            *found.as_ref().map_err(Some)?
        };
        let root = self.root(source).ok_or(None)?;
        Ok((source, root))
    }
}

/// Returns the path of a referenced file, relative to the referencing document.
#[must_use]
pub(crate) fn join(document: &str, file: &str) -> String {
    let file = percent_decode(file);
    let folder = folder_of(document);
    if folder.is_empty() || file.starts_with('/') {
        normalise(&file)
    } else {
        normalise(&format!("{folder}/{file}"))
    }
}

/// Returns the folder of a normalised path; empty for the current folder.
#[must_use]
pub(crate) fn folder_of(path: &str) -> String {
    match path.rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((folder, _)) => folder.to_owned(),
        None => String::new(),
    }
}

/// Resolves `.` and `..` in a path if possible.
#[must_use]
pub(crate) fn normalise(path: &str) -> String {
    let (root, relative) = match path.strip_prefix('/') {
        Some(relative) => ("/", relative),
        None => ("", path),
    };
    let mut steps: Vec<&str> = Vec::new();
    for step in relative.split('/') {
        match step {
            "." | "" => {}
            ".." if steps.last().is_some_and(|last| *last != "..") => {
                steps.pop();
            }
            ".." if !root.is_empty() => {}
            step => steps.push(step),
        }
    }
    format!("{root}{}", steps.join("/"))
}

/// Returns the reason and the fix for a file that was not loaded.
fn file_notes(file: &str, absence: Option<&Absence>) -> (String, &'static str) {
    match absence {
        None | Some(Absence::Unreadable) => (
            format!("the file `{file}` cannot be read"),
            "add the file, or fix the reference",
        ),
        Some(Absence::Malformed) => (
            format!("the file `{file}` is neither JSON nor YAML"),
            "fix the file",
        ),
        Some(Absence::OutOfReach { reach }) => (
            match reach.as_str() {
                "" => format!("`{file}` is outside the current folder"),
                reach => format!("`{file}` is outside `{reach}`"),
            },
            "move the file into that folder",
        ),
        Some(Absence::Hidden) => (
            format!("`{file}` is hidden or in a hidden folder, and hidden files are not read"),
            "rename it so that no part of its path begins with a dot",
        ),
        Some(Absence::Remote) => (
            "references to other hosts are not fetched".to_owned(),
            "put a copy of the file next to the document and refer to the copy",
        ),
    }
}

fn unresolved(reference: &Node, (note, help): (String, &str)) -> Box<Diagnostic> {
    let text = reference.as_str().unwrap_or_default();
    Box::new(
        Diagnostic::error(
            Code::UnresolvedReference,
            reference.place,
            format!("cannot resolve the reference `{text}`"),
        )
        .note(note)
        .help(help),
    )
}

/// Decodes percent-encoding. An invalid encoding is returned unchanged.
fn percent_decode(text: &str) -> Cow<'_, str> {
    percent_encoding::percent_decode_str(text)
        .decode_utf8()
        .unwrap_or(Cow::Borrowed(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_next_to_the_document() {
        assert_eq!(join("specs/a/openapi.yaml", "./b.yaml"), "specs/a/b.yaml");
        assert_eq!(join("specs/a/openapi.yaml", "../b.yaml"), "specs/b.yaml");
        assert_eq!(join("specs/a.yaml", "../../b.yaml"), "../b.yaml");
        assert_eq!(join("/x/openapi.yaml", "b%20c.yaml"), "/x/b c.yaml");
        assert_eq!(join("/x/openapi.yaml", "../../b.yaml"), "/b.yaml");
        assert_eq!(join("openapi.yaml", "b.yaml"), "b.yaml");
        assert_eq!(join("a/openapi.yaml", "/etc/b.yaml"), "/etc/b.yaml");
    }
}
