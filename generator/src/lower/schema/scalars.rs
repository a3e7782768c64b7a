//! Shapes without parts: booleans, numbers, strings, bytes.

use serde_json::Number;

use super::{kinds::Kinds, view::View};
use crate::{
    document::tree::{Data, Node},
    ir::types::Shape,
    parse::format::Format,
};

/// Returns the shape of a schema with neither parts nor listed strings.
pub(super) fn plain(view: &View<'_>) -> Option<Shape> {
    if !view.unions.is_empty() || view.parent.is_some() || view.listed.is_some() {
        return None;
    }
    scalar(view, view.kinds_or_inferred()?)
}

/// The shape of one type, if it is a scalar.
pub(super) fn scalar(view: &View<'_>, kind: Kinds) -> Option<Shape> {
    if let Some(format) = typed_format(view, kind) {
        return Some(Shape::Formatted(format));
    }
    Some(match kind {
        Kinds::BOOLEAN => Shape::Bool,
        Kinds::INTEGER => integer(view),
        Kinds::NUMBER => Shape::Number,
        Kinds::STRING if view.is_binary() || view.is_base64() => Shape::Bytes,
        Kinds::STRING => Shape::String,
        _ => return None,
    })
}

/// Returns the format of the schema, if the overlay gives its values a type of their own.
fn typed_format(view: &View<'_>, kind: Kinds) -> Option<Format> {
    let format = view.typed_formats.get(view.format()?)?;
    let fits = match kind {
        Kinds::INTEGER => format.is_integer(),
        Kinds::STRING => !format.is_integer(),
        _ => false,
    };
    fits.then_some(format)
}

/// Returns `i64` also for 32 bits, since services are known to exceed their declarations. If the
/// document itself shows that signed 64 bits are not enough, the shape is wider.
fn integer(view: &View<'_>) -> Shape {
    let shown = ["example", "examples", "default"]
        .into_iter()
        .filter_map(|word| view.keyword(word));
    let listed = view.listed.iter().flatten().copied();
    let numbers: Vec<&Number> = shown.chain(listed).flat_map(numbers).collect();
    let unsigned = view.format() == Some("uint64") || numbers.iter().any(|number| !number.is_i64());
    match unsigned {
        false => Shape::Integer,
        true if numbers.iter().all(|number| number.is_u64()) => Shape::Unsigned,
        true => Shape::Number,
    }
}

/// The number that a node is, or those that it lists.
fn numbers(node: &Node) -> Vec<&Number> {
    let own = std::iter::once(node).chain(node.items());
    own.filter_map(|node| match &node.data {
        Data::Number(number) => Some(number),
        _ => None,
    })
    .collect()
}
