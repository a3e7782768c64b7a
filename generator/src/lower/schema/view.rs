//! A schema as one record: dialects evened out, the parts of `allOf` merged.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::{
    graph::{Graph, Key, Part, Parts, allows_null, is_null},
    kinds::{Declared, Kinds},
};
use crate::{
    document::tree::{Data, Node},
    parse::format::Formats,
};

/// A schema as one record.
#[derive(Clone, Debug, Default)]
pub(super) struct View<'a> {
    /// The types that it names; none when it names none.
    pub(super) kinds: Option<Kinds>,
    /// True if null is allowed.
    pub(super) nullable: bool,
    /// True for Swagger 2.0's `file`.
    pub(super) file: bool,
    /// The values that it lists, without null.
    pub(super) listed: Option<Vec<&'a Node>>,
    /// Each property with the schemas that all hold for it.
    pub(super) properties: IndexMap<&'a str, Parts<'a>>,
    pub(super) required: BTreeSet<&'a str>,
    pub(super) additional: AdditionalView<'a>,
    pub(super) patterns: Vec<(&'a str, &'a Node)>,
    /// The schemas that all hold for each element.
    pub(super) items: Option<Parts<'a>>,
    pub(super) prefix: Option<Vec<&'a Node>>,
    /// Its unions, apart from those that only constrain.
    pub(super) unions: Vec<UnionView<'a>>,
    /// The property that selects the variant or the subtype, and its node.
    pub(super) discriminator: Option<&'a Node>,
    /// The schema itself, if it names a discriminator but no union: its subtypes may replace it.
    pub(super) parent: Option<&'a Node>,
    /// All other keywords, in order. A keyword may occur twice.
    pub(super) rest: Vec<(&'a str, &'a Node)>,
    /// Its nodes, in the order of the merge.
    pub(super) nodes: Vec<&'a Node>,
    /// True if a reference in it cannot be resolved.
    pub(super) broken: bool,
    /// The formats whose values have types of their own.
    pub(super) typed_formats: Formats,
}

/// The schema of an object's further properties.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum AdditionalView<'a> {
    /// Not declared.
    #[default]
    Unsaid,
    /// Nothing.
    Forbidden,
    /// Anything.
    Any,
    /// Values of this schema.
    Schema(ByKey<'a>),
}

/// A node that is compared by its identity.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByKey<'a>(pub(super) &'a Node);

/// A `oneOf` or `anyOf`.
#[derive(Clone, Debug)]
pub(super) struct UnionView<'a> {
    /// Its variants, without null.
    pub(super) variants: Vec<&'a Node>,
}

impl PartialEq for ByKey<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl View<'_> {
    /// The number of things that it holds.
    fn size(&self) -> usize {
        self.nodes.len()
            + self.properties.len()
            + self.patterns.len()
            + self.required.len()
            + self.rest.len()
            + self.listed.as_ref().map_or(0, Vec::len)
    }

    /// Checks whether it does not restrict values.
    pub(super) fn is_silent(&self) -> bool {
        self.kinds.is_none()
            && self.listed.is_none()
            && self.unions.is_empty()
            && self.parent.is_none()
            && !self.describes_objects()
            && !self.describes_arrays()
            && self.format().is_none()
            && !self.broken
    }

    /// Checks whether it has a keyword that only applies to objects.
    pub(super) fn describes_objects(&self) -> bool {
        !self.properties.is_empty()
            || !self.patterns.is_empty()
            || self.additional != AdditionalView::Unsaid
    }

    /// Checks whether it has a keyword that only applies to arrays.
    pub(super) const fn describes_arrays(&self) -> bool {
        self.items.is_some() || self.prefix.is_some()
    }

    /// Returns the declared types, or those that its keywords apply to.
    pub(super) fn kinds_or_inferred(&self) -> Option<Kinds> {
        self.kinds.or_else(|| {
            if self.describes_objects() {
                Some(Kinds::OBJECT)
            } else if self.describes_arrays() {
                Some(Kinds::ARRAY)
            } else {
                self.format().and_then(kind_of_format)
            }
        })
    }

    /// Returns the value of a keyword without a field of its own; of several the last.
    pub(super) fn keyword(&self, keyword: &str) -> Option<&Node> {
        let mut said = self.rest.iter().rev();
        said.find(|(word, _)| *word == keyword)
            .map(|(_, node)| *node)
    }

    pub(super) fn format(&self) -> Option<&str> {
        self.keyword("format")?.as_str()
    }

    /// Checks whether values are raw bytes instead of base64.
    pub(super) fn is_binary(&self) -> bool {
        self.file
            || self.format() == Some("binary")
            || (self.keyword("contentMediaType").and_then(Node::as_str)
                == Some("application/octet-stream")
                && self.keyword("contentEncoding").is_none())
    }

    /// Checks whether values are base64.
    pub(super) fn is_base64(&self) -> bool {
        let encoding = self.keyword("contentEncoding").and_then(Node::as_str);
        matches!(self.format(), Some("byte" | "base64")) || encoding == Some("base64")
    }
}

impl<'a> Graph<'a> {
    /// The parts as one record.
    pub(super) fn view(&mut self, parts: &Parts<'a>) -> View<'a> {
        let mut view = View {
            typed_formats: self.typed_formats,
            ..View::default()
        };
        let own = parts.single();
        let mut seen = BTreeSet::new();
        // The parts that are not merged yet, the next one last; true after its `allOf` is merged.
        let mut open: Vec<(Part<'a>, bool)> =
            parts.iter().rev().map(|part| (*part, false)).collect();
        while let Some((part, merged)) = open.pop() {
            if merged {
                let is_own = own.is_some_and(|own| std::ptr::eq(own, part.node));
                self.merge(part, is_own, &mut view);
            } else if seen.insert(Key::from_node(part.node)) {
                open.push((part, true));
                self.push_merged(part, &mut open, &mut view);
            }
        }
        self.drop_contradictions(&mut view);
        self.work.spend(view.size());
        view
    }

    /// Drops variants of a type that the schema does not have. If that would drop all of them, the
    /// parts contradict each other, and the type has precedence.
    fn drop_contradictions(&self, view: &mut View<'a>) {
        let Some(kinds) = view.kinds else { return };
        for union in &mut view.unions {
            union.variants.retain(|variant| {
                let variant = self.documents.resolve(variant).ok();
                let own = variant.and_then(|variant| Declared::from_schema(variant).kinds);
                own.is_none_or(|own| own.and(kinds) != Kinds::NONE)
            });
        }
        view.unions.retain(|union| !union.variants.is_empty());
    }

    fn push_merged(
        &mut self,
        part: Part<'a>,
        open: &mut Vec<(Part<'a>, bool)>,
        view: &mut View<'a>,
    ) {
        let merged = part
            .node
            .get("allOf")
            .and_then(Node::as_array)
            .unwrap_or_default();
        for node in merged.iter().rev() {
            open.push((
                Part {
                    node,
                    bare: part.bare,
                },
                false,
            ));
        }
        if part.node.get("$ref").is_some() {
            match self.target(part.node) {
                Some(node) => open.push((
                    Part {
                        node,
                        bare: part.bare,
                    },
                    false,
                )),
                None => view.broken = true,
            }
        }
    }

    /// Merges a node's own keywords. Only an `own` node may name the discriminator.
    fn merge(&mut self, part: Part<'a>, own: bool, view: &mut View<'a>) {
        let node = part.node;
        view.nodes.push(node);
        if !matches!(node.data, Data::Object(_) | Data::Bool(_)) {
            self.warn(
                node,
                &format!("expected a schema, found {}", node.kind()),
                "write an object, such as `type: string`",
            );
        }
        let declared = Declared::from_schema(node);
        view.nullable |= declared.null || allows_null(node);
        view.file |= declared.file;
        if let Some(kinds) = declared.kinds {
            let both = view.kinds.map_or(kinds, |before| before.and(kinds));
            // If the parts contradict each other, the later one is more specific.
            view.kinds = Some(if both == Kinds::NONE { kinds } else { both });
        }
        for (keyword, value) in node.fields() {
            view.merge_keyword(keyword, value);
        }
        if !part.bare {
            self.merge_unions(node, own, view);
        }
    }

    fn merge_unions(&mut self, node: &'a Node, own: bool, view: &mut View<'a>) {
        let discriminator = node.get("discriminator").filter(|_| own);
        let mut has_union = false;
        for keyword in ["oneOf", "anyOf"] {
            let Some(all) = node.get(keyword).and_then(Node::as_array) else {
                continue;
            };
            // Ignore an empty union.
            if all.is_empty() {
                continue;
            }
            let variants: Vec<&Node> = all.iter().filter(|variant| !is_null(variant)).collect();
            view.nullable |= variants.len() < all.len();
            if variants.is_empty() || variants.iter().all(|variant| only_constrains(variant)) {
                view.rest
                    .extend(node.get(keyword).map(|node| (keyword, node)));
                continue;
            }
            has_union = true;
            view.unions.push(UnionView { variants });
        }
        if discriminator.is_some() {
            view.discriminator = discriminator;
            let inherited = !has_union && !self.variants_of_parent(node).is_empty();
            view.parent = inherited.then_some(node);
        }
    }

    /// The schemas that may stand for one that names a discriminator and no union. One that adds
    /// nothing to it is no other schema, but another name of it.
    pub(super) fn variants_of_parent(&mut self, node: &'a Node) -> Vec<&'a Node> {
        let mut variants = self.subtypes(node);
        let mapping = node.get("discriminator").and_then(|of| of.get("mapping"));
        for (_, target) in mapping.into_iter().flat_map(Node::fields) {
            if let Some(target) = self.mapped(target)
                && !std::ptr::eq(target, node)
                && !variants.iter().any(|known| std::ptr::eq(*known, target))
            {
                variants.push(target);
            }
        }
        variants.retain(|variant| !self.is_other_name(variant, node));
        variants
    }

    /// Checks whether a schema only refers to another, or wraps it.
    pub(super) fn is_other_name(&mut self, schema: &'a Node, of: &Node) -> bool {
        let settled = self.settle(Parts::one(schema));
        let end = settled.parts.single();
        end.is_some_and(|end| std::ptr::eq(end, of))
    }

    /// The schema that an entry of a discriminator's mapping names: a reference, or a name.
    pub(super) fn mapped(&self, target: &'a Node) -> Option<&'a Node> {
        let text = target.as_str()?;
        self.schema(text).or_else(|| {
            let reference = text.contains(['#', '/', '.']);
            reference
                .then(|| self.documents.target(target).ok())
                .flatten()
        })
    }
}

impl<'a> View<'a> {
    fn merge_keyword(&mut self, keyword: &'a str, value: &'a Node) {
        match keyword {
            "properties" => self.merge_properties(value),
            "required" => self.required.extend(value.items().filter_map(Node::as_str)),
            "additionalProperties" => self.additional = self.additional.and(value),
            "patternProperties" => self.patterns.extend(value.fields()),
            "items" if value.as_array().is_some() => self.prefix = Some(value.items().collect()),
            "items" if value.as_bool() == Some(false) => self.rest.push((keyword, value)),
            "items" => self.merge_items(value),
            "prefixItems" => self.prefix = Some(value.items().collect()),
            "enum" => self.merge_listed(value.items().collect()),
            "const" => self.merge_listed(vec![value]),
            "type" | "nullable" | "x-nullable" | "$ref" | "allOf" | "oneOf" | "anyOf"
            | "discriminator" => {}
            _ => self.rest.push((keyword, value)),
        }
    }

    fn merge_items(&mut self, items: &'a Node) {
        match &mut self.items {
            Some(parts) => parts.add(Parts::one(items).first),
            None => self.items = Some(Parts::one(items)),
        }
    }

    fn merge_properties(&mut self, properties: &'a Node) {
        for (name, node) in properties.fields() {
            let parts = Parts::one(node);
            let part = parts.first;
            self.properties.entry(name).or_insert(parts).add(part);
        }
    }

    /// Keeps the values that both lists contain; if there are none, the later list.
    fn merge_listed(&mut self, values: Vec<&'a Node>) {
        let all = values.len();
        let values: Vec<&Node> = values
            .into_iter()
            .filter(|value| value.kind() != "null")
            .collect();
        self.nullable |= values.len() < all;
        if values.is_empty() {
            return;
        }
        let text = |value: &Node| value.to_value().to_string();
        let known: BTreeSet<String> = match &self.listed {
            Some(_) => values.iter().map(|value| text(value)).collect(),
            None => BTreeSet::new(),
        };
        let listed = self.listed.iter().flatten().copied();
        let both: Vec<&Node> = listed
            .filter(|value| known.contains(&text(value)))
            .collect();
        self.listed = Some(if both.is_empty() { values } else { both });
    }
}

impl<'a> AdditionalView<'a> {
    fn and(self, value: &'a Node) -> Self {
        let is_any =
            value.as_object().is_some_and(IndexMap::is_empty) || value.as_bool() == Some(true);
        match self {
            Self::Forbidden => self,
            _ if value.as_bool() == Some(false) => Self::Forbidden,
            Self::Schema(_) if is_any => self,
            _ if is_any => Self::Any,
            _ => Self::Schema(ByKey(value)),
        }
    }
}

/// Checks whether a variant only constrains other parts, without properties of its own.
fn only_constrains(variant: &Node) -> bool {
    variant
        .as_object()
        .is_some_and(|keywords| !keywords.is_empty())
        && variant.fields().all(|(keyword, _)| {
            matches!(
                keyword,
                "required" | "not" | "title" | "description" | "minProperties" | "maxProperties"
            ) || keyword.starts_with("x-")
        })
}

/// The type that a format is about.
fn kind_of_format(format: &str) -> Option<Kinds> {
    match format {
        "int32" | "int64" | "uint32" | "uint64" => Some(Kinds::INTEGER),
        "float" | "double" | "decimal" => Some(Kinds::NUMBER),
        "date" | "date-time" | "time" | "duration" | "email" | "hostname" | "ipv4" | "ipv6"
        | "uri" | "uri-reference" | "url" | "uuid" | "byte" | "binary" | "password" => {
            Some(Kinds::STRING)
        }
        _ => None,
    }
}
