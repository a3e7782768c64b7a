//! The types that arguments and results reach.

use std::collections::BTreeSet;

use quote::quote;

use super::{fields::ident, item, rust_type::RustTypes, source};
use crate::{
    check::CheckedService,
    ir::types::{Direction, Shape, TypeId, TypedNode, Types},
    source::Place,
};

/// A schema node and the Rust type of the values that stand at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmittedNode {
    /// The node.
    pub place: Place,
    /// The direction in which the values travel.
    pub direction: Direction,
    /// The type, seen from the root of the service's module: `types::Item`,
    /// `Vec<codec::Number>`.
    pub rust: String,
}

/// `types.rs`: the named types, by name.
pub(super) fn emit(service: &CheckedService) -> String {
    let types = &service.service().types;
    let rust = RustTypes {
        types,
        path: quote!(),
    };
    let made = made(service);
    let all = used(service);

    let mut named: Vec<_> = all
        .iter()
        .filter_map(|id| types.get(*id).map(|ty| (*id, ty)))
        .filter_map(|(id, ty)| Some((ty.name.as_deref()?, id, ty)))
        .collect();
    named.sort_by_key(|(name, id, _)| (*name, *id));
    // A type that is the same as another has its name as well.
    named.dedup_by_key(|(name, ..)| *name);
    let items = named
        .iter()
        .map(|(name, id, ty)| item::of_type(&rust, ty, name, made.contains(id)));
    let forwarded = named
        .iter()
        .filter(|(_, _, ty)| item::is_forwarded(&ty.shape))
        .map(|(name, ..)| ident(name));
    let words = named
        .iter()
        .filter(|(_, _, ty)| matches!(ty.shape, Shape::Enum(_)))
        .map(|(name, ..)| ident(name));
    let (forwarded, words): (Vec<_>, Vec<_>) = (forwarded.collect(), words.collect());
    let forward = (!forwarded.is_empty()).then(|| quote!(codec::forward!(#(#forwarded),*);));
    let forward_words = (!words.is_empty()).then(|| quote!(codec::forward_words!(#(#words),*);));
    let items: Vec<_> = items.collect();
    let codec = items
        .iter()
        .any(|item| item.to_string().contains("codec ::"));
    let codec = codec.then(|| {
        quote!(
            use toolwright::codec;
        )
    });
    source::file(
        &source::mark(service),
        "The types that arguments and results are made of.",
        quote! {
            #codec
            #(#items)*
            #forward
            #forward_words
        },
    )
}

/// The schema nodes that have a type in the emitted module, each with the Rust type as it is
/// written there and in the directions in which it is used.
#[must_use]
pub fn typed_nodes(service: &CheckedService) -> Vec<EmittedNode> {
    let types = &service.service().types;
    let rust = RustTypes {
        types,
        path: quote!(types::),
    };
    let used = used(service);
    let nodes: BTreeSet<&TypedNode> = types.typed_nodes().iter().collect();
    let nodes = nodes.into_iter().filter(|node| used.contains(&node.ty));
    nodes
        .map(|node| EmittedNode {
            place: node.place,
            direction: node.direction,
            rust: rust.plain(node.ty).to_string().replace(' ', ""),
        })
        .collect()
}

/// The types that callers make: those that arguments reach.
fn made(service: &CheckedService) -> BTreeSet<TypeId> {
    let operations = service.tools().map(|(_, operation)| operation);
    let arguments = operations.flat_map(|operation| &operation.arguments);
    let types = arguments.map(|argument| argument.ty);
    reached(&service.service().types, types)
}

/// The types that arguments and results reach.
fn used(service: &CheckedService) -> BTreeSet<TypeId> {
    let results = service.tools().map(|(_, operation)| operation.output.ty);
    let from = made(service).into_iter().chain(results);
    reached(&service.service().types, from)
}

/// All types that some types mention, at any depth, and these themselves.
fn reached(types: &Types, from: impl Iterator<Item = TypeId>) -> BTreeSet<TypeId> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<_> = from.collect();
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            open.extend(types.shape(id).map(Shape::parts).unwrap_or_default());
        }
    }
    seen
}
