//! What a tool of a method returns: the part of the answer's envelope that is for the caller, with
//! the method's own result in it.
//!
//! Its schema is a file of its own among the sources of a run. So each part of it has a place, and
//! what all methods share is one type.

use crate::{
    source::Place,
    tree::{Data, Node},
};

/// The path under which the schema is among the sources. No file of a user has such a path.
pub(crate) const PATH: &str = "eab:outcome.json";

/// The schema.
pub(crate) const TEXT: &str = include_str!("outcome.json");

/// The schema of what the tool of a method returns.
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
