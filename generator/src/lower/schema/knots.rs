//! Recursion: types that must be boxed, and types without a finite value.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    components::components,
    ir::types::{Shape, TypeId, Types},
};

/// The most parts of a type without a name, counted at any depth.
const MOST_PARTS: usize = 256;

/// Boxes the fields through which an object contains itself, and cuts what has no end.
pub(super) fn untie(types: &mut Types) {
    collapse_nullable(types);
    cut_nameless(types);
    cut_long(types);
    let objects = objects(types);
    let held = held_by_value(types, &objects, true);
    let components = components(&held);
    box_fields(types, &objects, &components);
    let needed = held_by_value(types, &objects, false);
    free_fields(types, &needed);
}

/// Null of something that may be null already is the same null.
fn collapse_nullable(types: &mut Types) {
    let ids: Vec<TypeId> = types.iter().map(|(id, _)| id).collect();
    for id in ids {
        let mut seen = BTreeSet::from([id]);
        while let Some(Shape::Nullable(inner)) = types.shape(id) {
            let Some(Shape::Nullable(deeper)) = types.shape(*inner) else {
                break;
            };
            let deeper = *deeper;
            if !seen.insert(deeper) {
                break;
            }
            if let Some(ty) = types.get_mut(id) {
                ty.shape = Shape::Nullable(deeper);
            }
        }
    }
}

/// A list of lists of lists… without an item in between would have a name without end.
fn cut_nameless(types: &mut Types) {
    let ids: Vec<TypeId> = types.iter().map(|(id, _)| id).collect();
    let mut done = BTreeSet::new();
    for start in ids {
        let mut path: Vec<(TypeId, Vec<TypeId>)> = Vec::new();
        let mut on_path = BTreeSet::new();
        enter(types, start, &mut path, &mut on_path, &done);
        while let Some((id, inner)) = path.last_mut() {
            let Some(next) = inner.pop() else {
                on_path.remove(id);
                done.insert(*id);
                path.pop();
                continue;
            };
            if on_path.contains(&next) {
                if let Some(ty) = types.get_mut(*id) {
                    let reason = "it contains itself without a named schema in between";
                    ty.shape = Shape::Any(Some(reason.to_owned()));
                }
                continue;
            }
            enter(types, next, &mut path, &mut on_path, &done);
        }
    }
}

/// Cuts types without a name that have very many parts: all of them are written at each use.
fn cut_long(types: &mut Types) {
    let ids: Vec<TypeId> = types.iter().map(|(id, _)| id).collect();
    let mut lengths: BTreeMap<TypeId, usize> = BTreeMap::new();
    for start in ids {
        let mut open = vec![(start, false)];
        while let Some((id, left)) = open.pop() {
            if lengths.contains_key(&id) {
                continue;
            }
            let nameless = types.shape(id).filter(|shape| !shape.is_item());
            let parts = nameless.map(Shape::parts).unwrap_or_default();
            if !left && !parts.is_empty() {
                open.push((id, true));
                open.extend(parts.into_iter().map(|part| (part, false)));
                continue;
            }
            let known = parts.iter().filter_map(|part| lengths.get(part));
            let mut length = known.fold(1_usize, |sum, part| sum.saturating_add(*part));
            if length > MOST_PARTS
                && let Some(ty) = types.get_mut(id)
            {
                let reason = "it has too many unnamed parts";
                ty.shape = Shape::Any(Some(reason.to_owned()));
                length = 1;
            }
            lengths.insert(id, length);
        }
    }
}

fn enter(
    types: &Types,
    id: TypeId,
    path: &mut Vec<(TypeId, Vec<TypeId>)>,
    on_path: &mut BTreeSet<TypeId>,
    done: &BTreeSet<TypeId>,
) {
    let Some(shape) = types.shape(id) else {
        return;
    };
    if !shape.is_item() && !done.contains(&id) {
        on_path.insert(id);
        path.push((id, shape.parts()));
    }
}

fn objects(types: &Types) -> Vec<TypeId> {
    let all = types.iter();
    all.filter(|(_, ty)| matches!(ty.shape, Shape::Object(_)))
        .map(|(id, _)| id)
        .collect()
}

/// The objects that each object holds without indirection; `optional` ones are held as well, but
/// a value can do without them.
fn held_by_value(
    types: &Types,
    objects: &[TypeId],
    optional: bool,
) -> BTreeMap<TypeId, Vec<TypeId>> {
    let held = objects.iter().map(|id| {
        let Some(Shape::Object(object)) = types.shape(*id) else {
            return (*id, Vec::new());
        };
        let fields = object.fields.iter();
        let fields = fields.filter(|field| optional || field.required);
        let held = fields.flat_map(|field| objects_in(types, field.ty, optional));
        (*id, held.collect())
    });
    held.collect()
}

/// The objects that a value of a type is or has without indirection.
fn objects_in(types: &Types, ty: TypeId, optional: bool) -> Vec<TypeId> {
    let mut found = Vec::new();
    let mut open = vec![ty];
    while let Some(ty) = open.pop() {
        match types.shape(ty) {
            Some(Shape::Object(_)) => found.push(ty),
            Some(Shape::Nullable(inner)) if optional => open.push(*inner),
            Some(Shape::Secret(inner)) => open.push(*inner),
            Some(Shape::Tuple(types)) => open.extend(types),
            _ => {}
        }
    }
    found
}

fn box_fields(types: &mut Types, objects: &[TypeId], components: &BTreeMap<TypeId, usize>) {
    for id in objects {
        let Some(Shape::Object(object)) = types.shape(*id) else {
            continue;
        };
        let boxed: Vec<bool> = object
            .fields
            .iter()
            .map(|field| {
                let held = objects_in(types, field.ty, true);
                held.iter()
                    .any(|held| components.get(held) == components.get(id))
            })
            .collect();
        if let Some(ty) = types.get_mut(*id)
            && let Shape::Object(object) = &mut ty.shape
        {
            for (field, boxed) in object.fields.iter_mut().zip(boxed) {
                field.boxed = boxed;
            }
        }
    }
}

/// A field that an object cannot do without and that cannot do without the object: no finite
/// value has it, so it becomes one that may be absent.
fn free_fields(types: &mut Types, needed: &BTreeMap<TypeId, Vec<TypeId>>) {
    let components = components(needed);
    for (id, held) in needed {
        let in_knot = held
            .iter()
            .any(|held| components.get(held) == components.get(id));
        let Some(Shape::Object(object)) = types.shape(*id).filter(|_| in_knot) else {
            continue;
        };
        let knotted: Vec<bool> = object
            .fields
            .iter()
            .map(|field| {
                let held = objects_in(types, field.ty, false);
                held.iter()
                    .any(|held| components.get(held) == components.get(id))
            })
            .collect();
        if let Some(ty) = types.get_mut(*id)
            && let Shape::Object(object) = &mut ty.shape
        {
            for (field, knotted) in object.fields.iter_mut().zip(knotted) {
                field.required &= !knotted;
            }
        }
    }
}
