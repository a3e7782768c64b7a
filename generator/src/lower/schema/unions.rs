//! Unions: `oneOf`, `anyOf`, and the subtypes of a schema that names a discriminator.

use std::collections::BTreeSet;

use super::{
    NameHint, SchemaLowering,
    graph::{Part, Parts, SPENT, Settled},
    kinds::Kinds,
    shapes::{enumeration, kind_of, word},
    table::Job,
    tags::{listed_texts, property_name},
    view::{AdditionalView, UnionView, View},
};
use crate::{
    document::tree::Node,
    ir::{
        rust_names::Scope,
        types::{Shape, TypeId, Union, UnionVariant},
    },
};

/// The most combinations of the variants of several unions in one schema.
const MOST_COMBINATIONS: usize = 64;

impl<'a> SchemaLowering<'a> {
    /// The shape of a schema with unions.
    pub(super) fn union_shape(&mut self, job: &Job<'a>) -> Shape {
        if let Some(shape) = self.scalar_union(job) {
            return shape;
        }
        let Some(combinations) = combinations(&job.view.unions) else {
            return Shape::Any(Some("its unions have too many combinations".to_owned()));
        };
        let base = describes_more(&job.view) || job.view.unions.len() > 1;
        let variants: Vec<_> = combinations
            .into_iter()
            .filter_map(|nodes| variant_parts(&nodes, base.then_some(&job.parts)))
            .collect();
        self.variants(job, variants, job.view.discriminator)
    }

    /// The shape of a schema for which its subtypes may stand.
    pub(super) fn subtypes_shape(&mut self, job: &Job<'a>, parent: &'a Node) -> Shape {
        let subtypes = self.graph.variants_of_parent(parent).into_iter();
        let mut variants: Vec<_> = subtypes.map(|node| (node, Parts::one(node))).collect();
        variants.push((parent, Parts::bare(parent)));
        self.variants(job, variants, parent.get("discriminator"))
    }

    fn variants(
        &mut self,
        job: &Job<'a>,
        variants: Vec<(&'a Node, Parts<'a>)>,
        discriminator: Option<&'a Node>,
    ) -> Shape {
        let property = discriminator.and_then(property_name);
        let mut names = Scope::with(&["Unlisted"]);
        let mut seen: BTreeSet<TypeId> = BTreeSet::new();
        let mut made = Vec::new();
        for (node, parts) in variants {
            if self.graph.work.is_spent() {
                self.graph.report_spent(node);
                return Shape::Any(Some(SPENT.to_owned()));
            }
            let settled = self.graph.settle(parts);
            let view = self.graph.view(&settled.parts);
            let words = self.variant_words(node, &settled, &view, property);
            let tags = property.map_or_else(Vec::new, |property| {
                self.tags(discriminator, property, node, &settled, &view)
            });
            let hint = if settled.parts.first.bare && settled.parts.more.is_empty() {
                NameHint::new(&words)
            } else {
                job.hint.child(&words)
            };
            let ty = self.enqueue_settled(settled, &hint, job.direction);
            if seen.insert(ty) {
                made.push(UnionVariant {
                    name: names.type_name(&words),
                    tags,
                    ty,
                });
            }
        }
        if let ([only], None) = (made.as_slice(), property) {
            self.table.alias(job.id, only.ty);
        }
        Shape::Union(Union {
            variants: made,
            discriminator: property.map(ToOwned::to_owned),
        })
    }

    /// Merges variants that are all strings into one enumeration or string, and likewise numbers.
    fn scalar_union(&mut self, job: &Job<'a>) -> Option<Shape> {
        let [union] = job.view.unions.as_slice() else {
            return None;
        };
        if describes_more(&job.view) {
            return None;
        }
        let mut kinds = Kinds::NONE;
        let mut words = Vec::new();
        let mut nodes = Vec::new();
        for node in &union.variants {
            if self.graph.work.is_spent() {
                return None;
            }
            let settled = self.graph.settle(Parts::one(node));
            let view = self.graph.view(&settled.parts);
            if settled.broken.is_some() || !view.unions.is_empty() || view.nullable {
                return None;
            }
            kinds = kinds.or(scalar_kind(&view)?);
            let listed = view.listed.into_iter().flatten();
            words.extend(listed.filter_map(word));
            nodes.extend(view.nodes);
        }
        let shape = match kinds {
            Kinds::STRING if words.is_empty() => Shape::String,
            Kinds::STRING => enumeration(words.into_iter()),
            Kinds::INTEGER => Shape::Integer,
            Kinds::NUMBER => Shape::Number,
            Kinds::BOOLEAN => Shape::Bool,
            _ => return None,
        };
        self.table.cover(&nodes, job.id);
        Some(shape)
    }

    /// Returns the words of a variant's name: those of its schema, its title, its tag, or its type.
    fn variant_words(
        &self,
        node: &'a Node,
        settled: &Settled<'a>,
        view: &View<'a>,
        property: Option<&str>,
    ) -> String {
        let end = settled.parts.last();
        let named = self.graph.name(end.node);
        if end.bare {
            return format!("{} base", named.unwrap_or_default());
        }
        let title = || {
            let titles = node.str_at("title").or_else(|| end.node.str_at("title"));
            titles.filter(|title| title.len() <= 60)
        };
        let tag = || listed_texts(view, property).into_iter().next();
        named
            .map(ToOwned::to_owned)
            .or_else(|| title().map(ToOwned::to_owned))
            .or_else(tag)
            .unwrap_or_else(|| kind_words(view).to_owned())
    }
}

impl NameHint {
    /// The words.
    pub(super) fn words(&self) -> &str {
        &self.0
    }
}

/// Checks whether a schema with unions contains more than they do.
fn describes_more(view: &View<'_>) -> bool {
    !view.properties.is_empty()
        || !view.required.is_empty()
        || !view.patterns.is_empty()
        || !matches!(
            view.additional,
            AdditionalView::Unsaid | AdditionalView::Any
        )
        || view.items.is_some()
        || view.prefix.is_some()
        || view.listed.is_some()
}

/// Every choice of one variant of each union; none when there are too many.
fn combinations<'a>(unions: &[UnionView<'a>]) -> Option<Vec<Vec<&'a Node>>> {
    let mut all: Vec<Vec<&Node>> = vec![Vec::new()];
    for union in unions {
        if unions.len() > 1 && all.len() * union.variants.len() > MOST_COMBINATIONS {
            return None;
        }
        let longer = all.iter().flat_map(|chosen| {
            union.variants.iter().map(|variant| {
                let mut chosen = chosen.clone();
                chosen.push(variant);
                chosen
            })
        });
        all = longer.collect();
    }
    Some(all)
}

/// The parts of a variant: the schema with the unions, without them, and one variant of each.
fn variant_parts<'a>(
    nodes: &[&'a Node],
    base: Option<&Parts<'a>>,
) -> Option<(&'a Node, Parts<'a>)> {
    let (first, more) = nodes.split_first()?;
    let mut parts = match base {
        None => Parts::one(first),
        Some(base) => {
            let mut parts = Parts::bare(base.first.node);
            for part in &base.more {
                parts.add(Part {
                    node: part.node,
                    bare: true,
                });
            }
            parts.add(Parts::one(first).first);
            parts
        }
    };
    for node in more {
        parts.add(Parts::one(node).first);
    }
    Some((nodes.last()?, parts))
}

/// The one scalar type of a schema.
fn scalar_kind(view: &View<'_>) -> Option<Kinds> {
    if view.is_binary() || view.is_base64() {
        return None;
    }
    let listed = view.listed.as_ref().map(|values| {
        let kinds = values.iter().map(|value| kind_of(value));
        kinds.fold(Kinds::NONE, Kinds::or)
    });
    let kinds = view.kinds.or(listed).or_else(|| view.kinds_or_inferred())?;
    let scalar = [Kinds::STRING, Kinds::INTEGER, Kinds::NUMBER, Kinds::BOOLEAN];
    scalar.contains(&kinds).then_some(kinds)
}

/// The word of a schema's type.
fn kind_words(view: &View<'_>) -> &'static str {
    let kinds = view.kinds_or_inferred().unwrap_or(Kinds::NONE);
    let mut each = kinds.each();
    match (each.next(), each.next()) {
        (Some((Kinds::ARRAY, _)), None) => "list",
        (Some((Kinds::OBJECT, _)), None) if view.properties.is_empty() => "map",
        (Some((_, word)), None) => word,
        _ => "variant",
    }
}
