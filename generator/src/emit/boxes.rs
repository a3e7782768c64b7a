//! Which types need a box where they stand, since they hold themselves.

use std::collections::BTreeSet;

use crate::ir::types::{Additional, Shape, TypeId, Types};

/// The pairs of an item and a type that it holds by value and through which it holds itself.
#[derive(Debug, Default)]
pub(super) struct Boxes {
    pairs: BTreeSet<(TypeId, TypeId)>,
}

impl Boxes {
    /// Finds the cycles of a table.
    pub(super) fn of(types: &Types) -> Self {
        let mut pairs = BTreeSet::new();
        for (holder, _) in types.iter() {
            for held in held_by(types, holder) {
                if reaches(types, held, holder) {
                    pairs.insert((holder, held));
                }
            }
        }
        Self { pairs }
    }

    /// Whether a type has to be boxed where the holder has it.
    pub(super) fn needed(&self, holder: Option<TypeId>, held: TypeId) -> bool {
        holder.is_some_and(|holder| self.pairs.contains(&(holder, held)))
    }
}

/// Whether a type holds another by value, at any depth.
fn reaches(types: &Types, from: TypeId, to: TypeId) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(id) = open.pop() {
        if id == to {
            return true;
        }
        if seen.insert(id) {
            open.extend(held_by(types, id));
        }
    }
    false
}

/// The types that a type holds by value. Lists and maps hold theirs on the heap.
fn held_by(types: &Types, id: TypeId) -> Vec<TypeId> {
    match types.get(id).map(|ty| &ty.shape) {
        Some(Shape::Nullable(inner)) => vec![*inner],
        Some(Shape::Object(object)) => object.fields.iter().map(|field| field.ty).collect(),
        Some(Shape::Union(union)) => union.variants.iter().map(|variant| variant.ty).collect(),
        _ => Vec::new(),
    }
}

/// The types that a type mentions in any way.
pub(super) fn mentioned_by(types: &Types, id: TypeId) -> Vec<TypeId> {
    match types.get(id).map(|ty| &ty.shape) {
        Some(Shape::List(inner) | Shape::Map(inner)) => vec![*inner],
        Some(Shape::Object(object)) => {
            let additional = match object.additional {
                Additional::Typed(inner) => Some(inner),
                Additional::Any | Additional::Forbidden => None,
            };
            held_by(types, id).into_iter().chain(additional).collect()
        }
        _ => held_by(types, id),
    }
}
