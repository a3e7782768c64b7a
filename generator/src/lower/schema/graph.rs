//! The schemas of the documents, and how they lead to one another.

use std::collections::BTreeMap;

use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics, Severity},
    documents::Documents,
    source::SourceId,
    tree::Node,
};

use super::{directions::Directions, work::Work};
use crate::parse::{dialect::Dialect, format::Formats};

/// The most wrappers and references that are followed from one schema.
const LONGEST_CHAIN: usize = 64;

/// The note on a schema that is any value because its work is used up.
pub(super) const SPENT: &str = "it is too large";

/// The sections with named schemas.
const SECTIONS: [&str; 3] = ["/components/schemas", "/definitions", "/$defs"];

/// A schema, by its identity. Nodes live as long as the documents, so their address is theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key(usize);

impl Key {
    pub(super) fn from_node(node: &Node) -> Self {
        Self(std::ptr::from_ref(node).addr())
    }
}

/// A part of a schema: those of one `allOf` are merged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    pub(super) node: &'a Node,
    /// True if its unions are left out, since each of their variants contains it as a part.
    pub(super) bare: bool,
}

/// The parts of one schema; at least one.
#[derive(Clone, Debug)]
pub(super) struct Parts<'a> {
    pub(super) first: Part<'a>,
    pub(super) more: Vec<Part<'a>>,
}

/// The schema that another one stands for, after references and wrappers.
#[derive(Clone, Debug)]
pub(super) struct Settled<'a> {
    pub(super) parts: Parts<'a>,
    /// The wrappers on the way, the outermost first, without the schema itself.
    pub(super) wrappers: Vec<&'a Node>,
    /// True if a wrapper also allows null.
    pub(super) nullable: bool,
    /// The reason why the schema cannot be resolved.
    pub(super) broken: Option<&'static str>,
}

/// The schemas of the documents.
#[derive(Debug)]
pub(super) struct Graph<'a> {
    pub(super) documents: &'a Documents,
    pub(super) dialect: Dialect,
    pub(super) typed_formats: Formats,
    pub(super) diagnostics: Diagnostics,
    /// The names of the schemas that have one.
    names: BTreeMap<Key, &'a str>,
    /// The document's own schemas with a name, in its order.
    own: Vec<(&'a str, &'a Node)>,
    /// The first of them of each name.
    by_name: BTreeMap<&'a str, &'a Node>,
    /// The schemas that have another as a part of their `allOf`, by that other.
    subtypes: BTreeMap<Key, Vec<&'a Node>>,
    pub(super) directions: Directions,
    pub(super) work: Work,
}

impl<'a> Parts<'a> {
    /// Creates the parts of an unchanged schema.
    pub(super) const fn one(node: &'a Node) -> Self {
        Self::new(Part { node, bare: false })
    }

    /// A schema without its unions and subtypes.
    pub(super) const fn bare(node: &'a Node) -> Self {
        Self::new(Part { node, bare: true })
    }

    /// Adds a part, unless it is there.
    pub(super) fn add(&mut self, part: Part<'a>) {
        if !self.iter().any(|known| std::ptr::eq(known.node, part.node)) {
            self.more.push(part);
        }
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Part<'a>> {
        std::iter::once(&self.first).chain(&self.more)
    }

    /// Returns the only part, if it is unchanged.
    pub(super) fn single(&self) -> Option<&'a Node> {
        (self.more.is_empty() && !self.first.bare).then_some(self.first.node)
    }

    pub(super) fn last(&self) -> Part<'a> {
        self.more.last().copied().unwrap_or(self.first)
    }

    pub(super) fn keys(&self) -> Vec<(Key, bool)> {
        self.iter()
            .map(|part| (Key::from_node(part.node), part.bare))
            .collect()
    }

    const fn new(first: Part<'a>) -> Self {
        Self {
            first,
            more: Vec::new(),
        }
    }
}

impl<'a> Settled<'a> {
    /// Returns the schemas with exactly these values: the wrappers, and the schema within, if it is
    /// a single one.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &'a Node> {
        let wrappers = self.wrappers.iter().copied();
        wrappers.chain(self.parts.single())
    }

    /// Checks whether the schema or a wrapper of it has a flag.
    pub(super) fn has_flag(&self, flag: &str) -> bool {
        let parts = self.parts.iter().map(|part| part.node);
        let mut all = self.wrappers.iter().copied().chain(parts);
        all.any(|node| node.is_true(flag))
    }
}

impl<'a> Graph<'a> {
    pub(super) fn new(documents: &'a Documents, source: SourceId, dialect: Dialect) -> Self {
        let own = documents.root(source).into_iter().flat_map(named_in);
        let own: Vec<_> = own.collect();
        let all = documents.roots().flat_map(named_in);
        let names = all
            .map(|(name, schema)| (Key::from_node(schema), name))
            .collect();
        let mut by_name = BTreeMap::new();
        for (name, schema) in &own {
            by_name.entry(*name).or_insert(*schema);
        }
        let mut graph = Self {
            documents,
            dialect,
            typed_formats: Formats::default(),
            diagnostics: Diagnostics::default(),
            names,
            own,
            by_name,
            subtypes: BTreeMap::new(),
            directions: Directions::default(),
            work: Work::new(documents.roots().map(Node::count).sum()),
        };
        graph.index_subtypes();
        graph
    }

    /// Returns the names of the document's own schemas, in its order. Schemas of other files are
    /// named on their first use, so other documents of the run do not matter.
    pub(super) fn named(&self) -> impl Iterator<Item = (Key, &'a str)> {
        self.own
            .iter()
            .map(|(name, schema)| (Key::from_node(schema), *name))
    }

    /// The name of a schema in its document.
    pub(super) fn name(&self, node: &Node) -> Option<&'a str> {
        self.names.get(&Key::from_node(node)).copied()
    }

    /// The schema of a name.
    pub(super) fn schema(&self, name: &str) -> Option<&'a Node> {
        self.by_name.get(name).copied()
    }

    /// The schemas that have this one as a part of their `allOf`.
    pub(super) fn subtypes(&self, node: &Node) -> Vec<&'a Node> {
        self.subtypes
            .get(&Key::from_node(node))
            .cloned()
            .unwrap_or_default()
    }

    /// Resolves references, and wrappers that only add a description.
    pub(super) fn settle(&mut self, parts: Parts<'a>) -> Settled<'a> {
        let mut settled = Settled {
            parts,
            wrappers: Vec::new(),
            nullable: false,
            broken: None,
        };
        for _ in 0..LONGEST_CHAIN {
            let Some(node) = settled.parts.single() else {
                return settled;
            };
            match self.wrapped(node) {
                Ok(None) => return settled,
                Ok(Some((inner, nullable))) => {
                    settled.nullable |= nullable;
                    settled.wrappers.push(node);
                    settled.parts = Parts::one(inner);
                }
                Err(reason) => {
                    settled.broken = Some(reason);
                    return settled;
                }
            }
        }
        settled.broken = Some("its reference is part of a cycle");
        settled
    }

    /// Resolves a `$ref` by one step. Reports a reference that cannot be resolved.
    pub(super) fn target(&mut self, node: &'a Node) -> Option<&'a Node> {
        let reference = node
            .get("$ref")
            .filter(|reference| reference.as_str().is_some())?;
        match self.documents.target(reference) {
            Ok(target) => Some(target),
            Err(mut diagnostic) => {
                diagnostic.severity = Severity::Warning;
                self.diagnostics.report(diagnostic);
                None
            }
        }
    }

    /// The inner schema, when this one only refers to it or wraps it, and whether it adds null.
    fn wrapped(&mut self, node: &'a Node) -> Result<Option<(&'a Node, bool)>, &'static str> {
        let nullable = allows_null(node);
        if node.get("$ref").is_some() {
            let reference_alone =
                self.dialect != Dialect::JsonSchema || !is_structural(node, "$ref");
            if !reference_alone {
                return Ok(None);
            }
            let target = self
                .target(node)
                .ok_or("its reference cannot be resolved")?;
            return Ok(Some((target, nullable)));
        }
        if let Some([inner]) = node.get("allOf").and_then(Node::as_array)
            && !is_structural(node, "allOf")
        {
            return Ok(Some((inner, nullable)));
        }
        for keyword in ["oneOf", "anyOf"] {
            let Some(variants) = node.get(keyword).and_then(Node::as_array) else {
                continue;
            };
            let mut valued = variants.iter().filter(|variant| !is_null(variant));
            if let (Some(only), None) = (valued.next(), valued.next())
                && !is_structural(node, keyword)
            {
                return Ok(Some((only, nullable || variants.len() > 1)));
            }
        }
        Ok(None)
    }

    /// Reports, once for each schema whose work is counted, that a part of it becomes any value.
    pub(super) fn report_spent(&mut self, node: &Node) {
        if self.work.is_news() {
            let message = format!("this schema becomes any JSON value: {SPENT}");
            self.diagnostics.report(
                Diagnostic::warning(Code::UntypedSchema, node.place, message)
                    .help("refer to a named schema instead of repeating unions and parts"),
            );
        }
    }

    fn index_subtypes(&mut self) {
        for (_, schema) in self.own.clone() {
            for part in schema.get("allOf").into_iter().flat_map(Node::items) {
                let Some(reference) = part.get("$ref") else {
                    continue;
                };
                if let Ok(parent) = self.documents.target(reference) {
                    self.subtypes
                        .entry(Key::from_node(parent))
                        .or_default()
                        .push(schema);
                }
            }
        }
    }

    /// Says that a part of a schema cannot be read.
    pub(super) fn warn(&mut self, node: &Node, message: &str, help: &str) {
        self.diagnostics
            .report(Diagnostic::warning(Code::WrongType, node.place, message).help(help));
    }
}

/// The schemas of a document that have a name.
fn named_in(root: &Node) -> impl Iterator<Item = (&str, &Node)> {
    let sections = SECTIONS
        .iter()
        .filter_map(|section| root.at_pointer(section));
    sections.flat_map(Node::fields)
}

/// Checks whether a schema itself allows null.
pub(super) fn allows_null(node: &Node) -> bool {
    node.is_true("nullable")
        || node.is_true("x-nullable")
        || node
            .get("type")
            .is_some_and(|words| words.items().any(|word| word.as_str() == Some("null")))
}

/// Checks whether a schema allows only null.
pub(super) fn is_null(node: &Node) -> bool {
    let only_null = |values: &Node| {
        values.as_array().is_some_and(|values| {
            !values.is_empty() && values.iter().all(|value| value.kind() == "null")
        })
    };
    node.str_at("type") == Some("null")
        || node.get("type").is_some_and(|words| {
            words.as_array().is_some_and(|words| {
                !words.is_empty() && words.iter().all(|word| word.as_str() == Some("null"))
            })
        })
        || node.get("enum").is_some_and(only_null)
        || node
            .get("const")
            .is_some_and(|value| value.kind() == "null")
}

/// Checks whether a schema has structure in addition to a keyword.
fn is_structural(node: &Node, beside: &str) -> bool {
    node.fields().any(|(keyword, _)| {
        keyword != beside && !matches!(keyword, "type") && is_structural_keyword(keyword)
    })
}

/// Checks whether a keyword restricts values, instead of describing their meaning.
pub(super) fn is_structural_keyword(keyword: &str) -> bool {
    !keyword.starts_with("x-")
        && !matches!(
            keyword,
            "title"
                | "description"
                | "default"
                | "example"
                | "examples"
                | "deprecated"
                | "readOnly"
                | "writeOnly"
                | "nullable"
                | "externalDocs"
                | "xml"
                | "$comment"
                | "$id"
                | "$schema"
                | "$anchor"
                | "$defs"
                | "definitions"
                | "name"
                | "in"
        )
}
