//! The types of arguments, results and failures.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    docs,
    fields::ident,
    item,
    rust_type::RustTypes,
    same::Same,
    source::{self, RustSource},
};
use crate::{
    check::CheckedService,
    document::source::Place,
    ir::types::{Direction, Shape, Type, TypeId, TypedNode, Types},
};

/// A schema node and the Rust type of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmittedNode {
    /// The node.
    pub place: Place,
    /// The direction of the values.
    pub direction: Direction,
    /// The type, seen from the root of the service's module: `types::Item`,
    /// `Vec<codec::Number>`.
    pub rust: String,
}

/// The emitted types and the equal ones among them.
pub(super) struct Reached {
    all: BTreeSet<TypeId>,
    /// The types that hold a secret.
    secretive: BTreeSet<TypeId>,
    pub(super) same: Same,
}

impl Reached {
    pub(super) fn new(service: &CheckedService) -> Self {
        let all = used_types(service);
        let types = &service.service().types;
        Self {
            secretive: secretive(types, &all),
            same: Same::compare(types, &all),
            all,
        }
    }
}

/// Returns the types that are or hold a secret.
fn secretive(types: &Types, ids: &BTreeSet<TypeId>) -> BTreeSet<TypeId> {
    let is_secret = |id: &TypeId| matches!(types.shape(*id), Some(Shape::Secret(_)));
    let mut open: Vec<TypeId> = ids.iter().copied().filter(is_secret).collect();
    let mut holders: BTreeMap<TypeId, Vec<TypeId>> = BTreeMap::new();
    if !open.is_empty() {
        for id in ids {
            for part in types.shape(*id).map(Shape::parts).unwrap_or_default() {
                holders.entry(part).or_default().push(*id);
            }
        }
    }
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop() {
        if found.insert(id) {
            open.extend(holders.get(&id).into_iter().flatten());
        }
    }
    found
}

/// Returns `types.rs`: the named types, sorted by name.
pub(super) fn emit(service: &CheckedService, reached: &Reached) -> String {
    let types = &service.service().types;
    let rust = RustTypes { types, path: "" };
    let Reached {
        all,
        secretive,
        same,
    } = reached;
    let made: BTreeSet<TypeId> = argument_types(service)
        .iter()
        .map(|id| same.item(*id))
        .collect();

    let mut source = RustSource::new(
        &source::mark(service),
        "The types of arguments, results and failures.",
    );
    let named = named_types(types, all);
    if !named.is_empty() {
        source.line("use toolwright::codec;");
    }
    let (mut forwarded, mut words, mut defaults) = (Vec::new(), Vec::new(), Vec::new());
    let mut records = Vec::new();
    for (name, id, ty) in &named {
        let original = same.item(*id);
        if let Some(first) = name_of(types, original)
            && first != *name
        {
            alias(&mut source, name, ty, first);
            continue;
        }
        let emitted = item::of_type(
            &mut source,
            &rust,
            ty,
            name,
            made.contains(&original),
            secretive.contains(&original),
        );
        records.extend(emitted.record);
        if emitted.has_default {
            defaults.push(ident(name));
        }
        match ty.shape {
            Shape::Enum(_) => words.push(ident(name)),
            _ => forwarded.push(ident(name)),
        }
    }
    item::emit_records(&mut source, &records, &["codec"]);
    for (macro_name, names) in [
        ("forward", forwarded),
        ("forward_words", words),
        ("forward_default", defaults),
    ] {
        if !names.is_empty() {
            source.macro_call(&format!("codec::{macro_name}"), &names);
        }
    }
    source.finish()
}

/// Returns the schema nodes that have a type in the emitted module, each with its Rust type and its
/// direction.
#[must_use]
pub fn typed_nodes(service: &CheckedService) -> Vec<EmittedNode> {
    let types = &service.service().types;
    let rust = RustTypes {
        types,
        path: "types::",
    };
    let used = used_types(service);
    let nodes: BTreeSet<&TypedNode> = types.typed_nodes().iter().collect();
    let nodes = nodes.into_iter().filter(|node| used.contains(&node.ty));
    nodes
        .map(|node| EmittedNode {
            place: node.place,
            direction: node.direction,
            rust: rust.plain(node.ty),
        })
        .collect()
}

/// Returns the types that arguments reach, whose values callers create.
fn argument_types(service: &CheckedService) -> BTreeSet<TypeId> {
    let operations = service.tools().map(|(_, operation)| operation);
    let arguments = operations.flat_map(|operation| &operation.arguments);
    let types = arguments.map(|argument| argument.ty);
    service.service().types.reachable_from(types)
}

/// Returns the types that arguments, results and failures reach.
fn used_types(service: &CheckedService) -> BTreeSet<TypeId> {
    let operations = || service.tools().map(|(_, operation)| operation);
    let results = operations().map(|operation| operation.output.ty);
    let failures = operations().flat_map(|operation| &operation.failures);
    let failures = failures.map(|failure| failure.ty);
    let from = argument_types(service)
        .into_iter()
        .chain(results)
        .chain(failures);
    service.service().types.reachable_from(from)
}

/// Writes an alias of an equal type.
fn alias(source: &mut RustSource, name: &str, ty: &Type, original: &str) {
    source.docs(&docs::text_or(&ty.docs, &format!("`{name}`.")));
    let (name, original) = (ident(name), ident(original));
    source.line(format_args!("pub type {name} = {original};"));
}

/// Returns the types that are items, sorted by name.
fn named_types<'t>(types: &'t Types, ids: &BTreeSet<TypeId>) -> Vec<(&'t str, TypeId, &'t Type)> {
    let mut named: Vec<_> = ids
        .iter()
        .filter_map(|id| Some((*id, types.get(*id)?)))
        .filter(|(_, ty)| ty.shape.is_item())
        .filter_map(|(id, ty)| Some((ty.name.as_deref()?, id, ty)))
        .collect();
    named.sort_by_key(|(name, id, _)| (*name, *id));
    // Equal types may have equal names.
    named.dedup_by_key(|(name, ..)| *name);
    named
}

fn name_of(types: &Types, id: TypeId) -> Option<&str> {
    types.get(id)?.name.as_deref()
}
