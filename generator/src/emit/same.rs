//! Types that are equal except for their names.
//!
//! Documents repeat schemas instead of referring to them: nearly half of the types of a large
//! document may be repetitions. Of types with equal parts and equal documentation, one is an item
//! and the others are aliases, which cost the compiler almost nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::types::{Additional, Shape, TypeId, Types};

/// The first of each group of equal types.
pub(super) struct Same {
    first: BTreeMap<TypeId, TypeId>,
}

/// The part of a type that does not depend on other types.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Own<'a> {
    Word(&'static str),
    Object {
        fields: Vec<(&'a str, &'a str, &'a str, bool, bool)>,
        additional: &'static str,
    },
    Enum(Vec<(&'a str, &'a str)>),
    Union {
        variants: Vec<(&'a str, &'a [String])>,
        discriminator: Option<&'a str>,
    },
}

impl Same {
    /// Compares types. The item of equal types is the one with the shortest name, which is most
    /// likely the name in the document; of several, the first.
    pub(super) fn compare(types: &Types, ids: &BTreeSet<TypeId>) -> Self {
        let mut ordered: Vec<_> = ids
            .iter()
            .filter_map(|id| {
                types
                    .get(*id)
                    .map(|ty| (ty.name.as_deref(), *id, &ty.shape))
            })
            .collect();
        ordered.sort_by_key(|(name, id, _)| (name.map(str::len), *name, *id));
        let mut known = BTreeMap::new();
        let ordered: Vec<_> = ordered
            .into_iter()
            .map(|(_, id, shape)| {
                let next = known.len();
                let own = *known.entry(own_part(shape)).or_insert(next);
                (id, own, shape.parts())
            })
            .collect();
        let mut first = BTreeMap::new();
        // Equal parts make more types equal. This ends when no more types become equal.
        loop {
            let mut groups = BTreeMap::new();
            let mut next = BTreeMap::new();
            for (id, own, parts) in &ordered {
                let parts: Vec<TypeId> = parts
                    .iter()
                    .map(|part| first.get(part).copied().unwrap_or(*part))
                    .collect();
                next.insert(*id, *groups.entry((*own, parts)).or_insert(*id));
            }
            if next == first {
                return Self { first };
            }
            first = next;
        }
    }

    /// Returns the type that is the item for this type.
    pub(super) fn item(&self, id: TypeId) -> TypeId {
        self.first.get(&id).copied().unwrap_or(id)
    }
}

fn own_part(shape: &Shape) -> Own<'_> {
    match shape {
        Shape::Any(_) => Own::Word("any"),
        Shape::Null => Own::Word("null"),
        Shape::Bool => Own::Word("bool"),
        Shape::Integer => Own::Word("integer"),
        Shape::Unsigned => Own::Word("unsigned"),
        Shape::Number => Own::Word("number"),
        Shape::String => Own::Word("string"),
        Shape::Formatted(format) => Own::Word(format.word()),
        Shape::Bytes => Own::Word("bytes"),
        Shape::File => Own::Word("file"),
        Shape::Download => Own::Word("download"),
        Shape::List(_) => Own::Word("list"),
        Shape::Tuple(_) => Own::Word("tuple"),
        Shape::Map(_) => Own::Word("map"),
        Shape::Nullable(_) => Own::Word("nullable"),
        Shape::Secret(_) => Own::Word("secret"),
        Shape::Object(object) => Own::Object {
            fields: object
                .fields
                .iter()
                .map(|field| {
                    let texts = (&*field.name, &*field.wire_name, &*field.docs);
                    (texts.0, texts.1, texts.2, field.required, field.boxed)
                })
                .collect(),
            additional: match object.additional {
                Additional::Any => "any",
                Additional::Typed(_) => "typed",
            },
        },
        Shape::Enum(values) => Own::Enum(
            values
                .iter()
                .map(|value| (&*value.name, &*value.wire))
                .collect(),
        ),
        Shape::Union(union) => Own::Union {
            variants: union
                .variants
                .iter()
                .map(|variant| (&*variant.name, &*variant.tags))
                .collect(),
            discriminator: union.discriminator.as_deref(),
        },
    }
}
