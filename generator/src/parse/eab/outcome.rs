//! The response schema of a method's tool: the caller's part of the response envelope, with the
//! method's result inside.
//!
//! The envelope schema is a source file of its own. Each part of it therefore has a span, and all
//! methods share one type for the common parts.

use crate::document::{
    source::Place,
    tree::{Data, Node},
};

/// Returns the response schema of a method's tool.
pub(super) fn of_method(outcome: &Node, method: Place, result: Option<&Node>) -> Node {
    let mut schema = outcome.clone();
    schema.place = method;
    let Data::Object(fields) = &mut schema.data else {
        return schema;
    };
    fields.shift_remove("$defs");
    let properties = fields.get_mut("properties").map(|field| &mut field.node);
    if let (Some(Data::Object(properties)), Some(result)) =
        (properties.map(|node| &mut node.data), result)
        && let Some(field) = properties.get_mut("result")
    {
        field.node = result.clone();
    }
    schema
}
