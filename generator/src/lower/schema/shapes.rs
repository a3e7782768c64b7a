//! Shapes with parts: objects, arrays, enumerations.

use serde_json::Value;

use super::{
    NameHint, SchemaLowering,
    directions::left_out,
    graph::Parts,
    kinds::Kinds,
    scalars,
    table::Job,
    view::{AdditionalView, View},
};
use crate::{
    document::tree::{Data, Node},
    ir::{
        rust_names::{Scope, type_name},
        types::{Additional, EnumValue, Object, ObjectField, Shape, TypeId, Union, UnionVariant},
    },
};

/// The longest array that becomes a tuple.
const LONGEST_TUPLE: usize = 8;

impl<'a> SchemaLowering<'a> {
    /// The shape of a type. What it holds is put in the queue.
    pub(super) fn shape(&mut self, job: &Job<'a>) -> Shape {
        if let Some(parent) = job.view.parent {
            return self.subtypes_shape(job, parent);
        }
        if !job.view.unions.is_empty() {
            return self.union_shape(job);
        }
        if let Some(shape) = self.listed_shape(job) {
            return shape;
        }
        let kinds: Vec<_> = job
            .view
            .kinds_or_inferred()
            .unwrap_or(Kinds::NONE)
            .each()
            .collect();
        match kinds.as_slice() {
            [] => Shape::Any(None),
            [(kind, _)] => self.shape_of_kind(job, *kind),
            several => self.kinds_shape(job, several),
        }
    }

    fn shape_of_kind(&mut self, job: &Job<'a>, kind: Kinds) -> Shape {
        match kind {
            Kinds::ARRAY => self.array_shape(job),
            Kinds::OBJECT => self.object_shape(job),
            _ => scalars::scalar(&job.view, kind).unwrap_or(Shape::Any(None)),
        }
    }

    /// A union with a variant for each of several types.
    fn kinds_shape(&mut self, job: &Job<'a>, kinds: &[(Kinds, &str)]) -> Shape {
        let variants = kinds.iter().map(|(kind, word)| UnionVariant {
            name: type_name(word),
            tags: Vec::new(),
            ty: self.type_of_kind(job, *kind, word),
        });
        Shape::Union(Union {
            variants: variants.collect(),
            discriminator: None,
        })
    }

    fn type_of_kind(&mut self, job: &Job<'a>, kind: Kinds, word: &str) -> TypeId {
        let lists_texts = kind == Kinds::STRING && job.view.listed.is_some();
        if let Some(shape) = scalars::scalar(&job.view, kind).filter(|_| !lists_texts) {
            return self.table.leaf(job.place, shape);
        }
        let mut inner = job.clone();
        if let Some(listed) = &mut inner.view.listed {
            listed.retain(|node| kind.and(kind_of(node)) != Kinds::NONE);
        }
        inner.id = self.table.add(job.place, Shape::Any(None));
        inner.view.kinds = Some(kind);
        inner.view.nullable = false;
        inner.hint = job.hint.child(word);
        inner.is_inner = true;
        let id = inner.id;
        self.table.enqueue(inner);
        id
    }

    fn object_shape(&mut self, job: &Job<'a>) -> Shape {
        let view = &job.view;
        let place = job.place;
        let additional = self.additional(job);
        if view.properties.is_empty() {
            return Shape::Map(match additional {
                Additional::Any => self.table.leaf(place, Shape::Any(None)),
                Additional::Typed(ty) => ty,
            });
        }
        let fields = view.properties.iter();
        let fields = fields.filter_map(|(wire_name, parts)| self.field(job, wire_name, parts));
        let mut fields: Vec<ObjectField> = fields.collect();
        let wire_names: Vec<&str> = fields.iter().map(|field| &*field.wire_name).collect();
        let names = Scope::with(&["additional"]).field_names(&wire_names);
        for (field, name) in fields.iter_mut().zip(names) {
            field.name = name;
        }
        Shape::Object(Object { fields, additional })
    }

    /// Returns a field without its name; `None` if the direction leaves it out.
    fn field(&mut self, job: &Job<'a>, wire_name: &str, parts: &Parts<'a>) -> Option<ObjectField> {
        let settled = self.graph.settle(parts.clone());
        if settled.has_flag(left_out(job.direction)) {
            return None;
        }
        let docs = self.field_docs(&settled);
        let hint = job.hint.child(wire_name);
        Some(ObjectField {
            name: String::new(),
            wire_name: wire_name.to_owned(),
            docs,
            required: job.view.required.contains(wire_name),
            boxed: false,
            ty: self.enqueue_settled(settled, &hint, job.direction),
        })
    }

    fn additional(&mut self, job: &Job<'a>) -> Additional {
        let view = &job.view;
        let (schema, word) = match (view.additional, view.patterns.as_slice()) {
            (AdditionalView::Schema(schema), []) => (schema.0, "value"),
            (AdditionalView::Forbidden | AdditionalView::Unsaid, [(_, schema)])
                if view.properties.is_empty() =>
            {
                (*schema, "value")
            }
            _ => return Additional::Any,
        };
        let hint = job.hint.child(word);
        let ty = self.enqueue_type(Parts::one(schema), &hint, job.direction);
        if self.table.is_silent(ty) {
            Additional::Any
        } else {
            Additional::Typed(ty)
        }
    }

    fn array_shape(&mut self, job: &Job<'a>) -> Shape {
        let view = &job.view;
        let hint = job.hint.child("item");
        let Some(prefix) = &view.prefix else {
            return Shape::List(self.item_type(view.items.clone(), job, &hint));
        };
        let types: Vec<TypeId> = prefix
            .iter()
            .zip(1..)
            .map(|(node, number)| {
                let hint = hint.child(&number.to_string());
                self.enqueue_type(Parts::one(node), &hint, job.direction)
            })
            .collect();
        if is_closed(view, types.len()) && (1..=LONGEST_TUPLE).contains(&types.len()) {
            return Shape::Tuple(types);
        }
        let rest = view
            .items
            .clone()
            .map(|items| self.item_type(Some(items), job, &hint));
        Shape::List(self.any_of(job, types.into_iter().chain(rest), &hint))
    }

    fn item_type(&mut self, items: Option<Parts<'a>>, job: &Job<'a>, hint: &NameHint) -> TypeId {
        let place = job.place;
        match items {
            Some(parts) => self.enqueue_type(parts, hint, job.direction),
            None => self.table.leaf(place, Shape::Any(None)),
        }
    }

    /// Returns a union of types, each of which may occur anywhere.
    fn any_of(
        &mut self,
        job: &Job<'a>,
        types: impl Iterator<Item = TypeId>,
        hint: &NameHint,
    ) -> TypeId {
        let mut distinct: Vec<TypeId> = Vec::new();
        for ty in types {
            if !distinct.contains(&ty) {
                distinct.push(ty);
            }
        }
        match distinct.as_slice() {
            [] => self.item_type(None, job, hint),
            [only] => *only,
            several => {
                let variants = several.iter().zip(1..).map(|(ty, number)| UnionVariant {
                    name: format!("Element{number}"),
                    tags: Vec::new(),
                    ty: *ty,
                });
                let union = Union {
                    variants: variants.collect(),
                    discriminator: None,
                };
                let place = job.place;
                self.named(place, hint, Shape::Union(union))
            }
        }
    }

    /// The shape of a schema that lists its values; none when none of them is of its type.
    fn listed_shape(&mut self, job: &Job<'a>) -> Option<Shape> {
        let view = &job.view;
        let listed = view.listed.as_ref()?;
        if view.kinds == Some(Kinds::STRING) {
            return Some(enumeration(listed.iter().filter_map(|node| word(node))));
        }
        let kinds = listed.iter().map(|node| kind_of(node));
        let kinds = kinds.fold(Kinds::NONE, Kinds::or);
        let kinds = view.kinds.map_or(kinds, |named| match named.and(kinds) {
            Kinds::NUMBER | Kinds::INTEGER => named.and(Kinds::NUMBER),
            both => both,
        });
        let each: Vec<_> = kinds.each().collect();
        match each.as_slice() {
            [] => None,
            [(Kinds::STRING, _)] => {
                let texts = listed.iter().filter_map(|node| node.as_str());
                Some(enumeration(texts.map(ToOwned::to_owned)))
            }
            [(kind, _)] => Some(self.shape_of_kind(job, *kind)),
            several => Some(self.kinds_shape(job, several)),
        }
    }
}

/// Returns the listed strings as an enumeration, each once.
pub(super) fn enumeration(words: impl Iterator<Item = String>) -> Shape {
    let mut names = Scope::with(&["Unlisted"]);
    let mut values: Vec<EnumValue> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for wire in words {
        if seen.insert(wire.clone()) {
            values.push(EnumValue {
                name: names.type_name(&wire),
                docs: String::new(),
                wire,
            });
        }
    }
    Shape::Enum(values)
}

/// Returns a listed value of a string schema: documents forget to quote numbers and booleans.
pub(super) fn word(node: &Node) -> Option<String> {
    match node.to_value() {
        Value::String(text) => Some(text),
        value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
        _ => None,
    }
}

/// The type of a listed value.
pub(super) fn kind_of(node: &Node) -> Kinds {
    match &node.data {
        Data::Null => Kinds::NONE,
        Data::Bool(_) => Kinds::BOOLEAN,
        Data::Number(number) if number.is_f64() => Kinds::NUMBER,
        Data::Number(_) => Kinds::INTEGER,
        Data::String(_) => Kinds::STRING,
        Data::Array(_) => Kinds::ARRAY,
        Data::Object(_) => Kinds::OBJECT,
    }
}

/// Checks whether an array has exactly as many elements as its prefix.
fn is_closed(view: &View<'_>, length: usize) -> bool {
    let bound = |keyword| match view.keyword(keyword).map(|node| &node.data) {
        Some(Data::Number(number)) => number.as_u64(),
        _ => None,
    };
    let length = u64::try_from(length).ok();
    let bounded = bound("maxItems") == length
        || view.keyword("items").and_then(Node::as_bool) == Some(false)
        || view.keyword("additionalItems").and_then(Node::as_bool) == Some(false)
        || view.keyword("unevaluatedItems").and_then(Node::as_bool) == Some(false);
    bounded && bound("minItems") == length
}
