//! The paths of a document's other operations that a value could lead to.

use std::collections::{BTreeMap, BTreeSet};

use toolwright_model::{
    Method, TemplatePart, segments_overlap, template_segments, values_could_reach,
    values_with_separators_could_reach,
};

use super::parameters::split_path;
use crate::parse::openapi::Document;

/// The most steps of a search. No real document needs a tenth of them.
const MOST_STEPS: usize = 5_000;
/// The most paths of a result.
const MOST_PATHS: usize = 250;

/// The path templates of a document, as one tree of segments for each method.
pub(super) struct Siblings {
    nodes: Vec<PathNode>,
    /// The position of the root for each method.
    roots: BTreeMap<&'static str, usize>,
}

/// The values of a path could lead to more operations than are compared.
#[derive(Debug)]
pub(super) struct TooMany;

/// A node of the tree. It holds positions, so a deep tree does not cause a deep recursion.
#[derive(Default)]
struct PathNode {
    /// The children by the literal of the next segment, in lower case.
    literals: BTreeMap<String, usize>,
    /// The children by the form of the next segment with a placeholder.
    patterns: BTreeMap<String, usize>,
    /// The paths that end here. They differ in the names of placeholders and in case only.
    paths: BTreeSet<String>,
}

impl Siblings {
    /// Collects the paths of all operations, of those too that do not become tools.
    pub(super) fn from_document(document: &Document<'_>) -> Self {
        let mut siblings = Self {
            nodes: Vec::new(),
            roots: BTreeMap::new(),
        };
        for key in document.keys() {
            let (path, _) = split_path(&key.path);
            siblings.insert(key.method, path);
        }
        siblings
    }

    fn insert(&mut self, method: Method, path: String) {
        let next = self.nodes.len();
        let mut at = *self.roots.entry(word_of(method)).or_insert(next);
        if at == next {
            self.nodes.push(PathNode::default());
        }
        for segment in path.trim_start_matches('/').split('/') {
            let next = self.nodes.len();
            let Some(node) = self.nodes.get_mut(at) else {
                return;
            };
            let children = if segment.contains('{') {
                &mut node.patterns
            } else {
                &mut node.literals
            };
            at = *children.entry(form_of(segment)).or_insert(next);
            if at == next {
                self.nodes.push(PathNode::default());
            }
        }
        if let Some(node) = self.nodes.get_mut(at) {
            node.paths.insert(path);
        }
    }

    /// Returns the paths that a value of an operation's path could lead to, sorted. The values of
    /// some of its parameters may contain separators.
    pub(super) fn reachable(
        &self,
        method: Method,
        path: &str,
        may_have_separators: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, TooMany> {
        let (path, _) = split_path(path);
        let path = path.as_str();
        let segments = template_segments(path);
        let is_value = |part: &TemplatePart<'_>| matches!(part, TemplatePart::Placeholder(_));
        if !segments.iter().flatten().any(is_value) {
            return Ok(Vec::new());
        }
        let is_open = |part: &TemplatePart<'_>| match part {
            TemplatePart::Placeholder(name) => may_have_separators(name),
            TemplatePart::Literal(_) => false,
        };
        let open = segments.iter().position(|parts| parts.iter().any(is_open));
        let mut found = Vec::new();
        let mut unseen: Vec<(usize, usize)> = Vec::new();
        unseen.extend(self.roots.get(word_of(method)).map(|root| (*root, 0)));
        let mut steps = 0;
        while let Some((at, depth)) = unseen.pop() {
            let Some(node) = self.nodes.get(at) else {
                continue;
            };
            let is_literal = |parts: &Vec<TemplatePart<'_>>| !parts.iter().any(is_value);
            let looks_up = segments.get(depth).is_some_and(is_literal);
            steps += 1 + node.patterns.len() + if looks_up { 0 } else { node.literals.len() };
            if steps > MOST_STEPS || found.len() > MOST_PATHS {
                return Err(TooMany);
            }
            let is_end = depth == segments.len();
            if is_end || open.is_some() {
                let reaches = |other: &String| match open {
                    Some(index) => values_with_separators_could_reach(path, index, other),
                    None => values_could_reach(path, other),
                };
                if node.paths.first().is_some_and(reaches) {
                    found.extend(node.paths.iter().cloned());
                }
            }
            match (segments.get(depth), open) {
                (_, Some(index)) if depth >= index => unseen.extend(node.positions_below(depth)),
                (Some(parts), _) => unseen.extend(node.overlapping(parts, depth)),
                (None, _) => {}
            }
        }
        found.sort();
        Ok(found)
    }
}

impl PathNode {
    fn positions_below(&self, depth: usize) -> impl Iterator<Item = (usize, usize)> {
        let children = self.literals.values().chain(self.patterns.values());
        children.map(move |child| (*child, depth + 1))
    }

    /// Returns the children whose segment may equal another one.
    fn overlapping(&self, parts: &[TemplatePart<'_>], depth: usize) -> Vec<(usize, usize)> {
        let overlaps = |segment: &str| {
            let other = template_segments(segment);
            other
                .first()
                .is_some_and(|other| segments_overlap(parts, other))
        };
        let patterns = self
            .patterns
            .iter()
            .filter(|(segment, _)| overlaps(segment));
        let patterns = patterns.map(|(_, child)| (*child, depth + 1));
        let mut children: Vec<_> = patterns.collect();
        match parts {
            [TemplatePart::Literal(text)] => {
                let child = self.literals.get(&text.to_lowercase());
                children.extend(child.map(|child| (*child, depth + 1)));
            }
            [TemplatePart::Placeholder(_)] => {
                let literals = self.literals.values();
                children.extend(literals.map(|child| (*child, depth + 1)));
            }
            _ => {
                let literals = self
                    .literals
                    .iter()
                    .filter(|(segment, _)| overlaps(segment));
                children.extend(literals.map(|(_, child)| (*child, depth + 1)));
            }
        }
        children
    }
}

/// Returns a segment in lower case and without the names of its placeholders.
fn form_of(segment: &str) -> String {
    let parts = template_segments(segment).into_iter().flatten();
    let parts = parts.map(|part| match part {
        TemplatePart::Literal(text) => text.to_lowercase(),
        TemplatePart::Placeholder(_) => "{_}".to_owned(),
    });
    parts.collect()
}

/// Services carry out HEAD as GET.
const fn word_of(method: Method) -> &'static str {
    match method {
        Method::Head => Method::Get.word(),
        other => other.word(),
    }
}
