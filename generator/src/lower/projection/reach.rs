//! Whether a path selects something in the values of a schema.

use std::cell::Cell;

use toolwright_model::{ResponsePath, Step};

use crate::document::{documents::Documents, tree::Node};

/// The most schemas that are visited for one path.
const MOST: usize = 10_000;

/// The longest chain of variants and references between two segments of a path.
pub(super) const LONGEST_CHAIN: usize = 32;

/// The keywords whose schemas describe the same value.
pub(super) const VARIANTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// The keywords that describe the parts of a value.
const PARTS: [&str; 4] = [
    "properties",
    "items",
    "additionalProperties",
    "patternProperties",
];

/// Follows paths through schemas.
pub(super) struct Reach<'a> {
    documents: &'a Documents,
    fuel: Cell<usize>,
}

impl<'a> Reach<'a> {
    pub(super) const fn new(documents: &'a Documents) -> Self {
        Self {
            documents,
            fuel: Cell::new(MOST),
        }
    }

    /// Checks whether the schema declares the parts at a path, or leaves them open.
    pub(super) fn selects(&self, schema: &Node, path: &ResponsePath) -> bool {
        self.fuel.set(MOST);
        self.leads(schema, path.steps(), LONGEST_CHAIN)
    }

    fn leads(&self, schema: &Node, steps: &[Step], chain: usize) -> bool {
        let Some((step, rest)) = steps.split_first() else {
            return true;
        };
        let fuel = self.fuel.get().checked_sub(1);
        let (Some(fuel), Some(chain)) = (fuel, chain.checked_sub(1)) else {
            return false;
        };
        let below = |schema: &Node| self.leads(schema, rest, LONGEST_CHAIN);
        self.fuel.set(fuel);
        let Ok(schema) = self.documents.resolve(schema) else {
            return false;
        };
        if is_open(schema) {
            return true;
        }
        let variants = VARIANTS.iter().filter_map(|keyword| schema.get(keyword));
        let mut variants = variants.flat_map(Node::items);
        if variants.any(|variant| self.leads(variant, steps, chain)) {
            return true;
        }
        let others = || {
            let others = schema.get("additionalProperties");
            others.is_some_and(|others| others.as_bool() != Some(false) && below(others))
        };
        let properties = || schema.get("properties").into_iter().flat_map(Node::fields);
        match step {
            Step::Member(name) => {
                let own = properties().find(|(own, _)| own == name);
                own.map_or_else(others, |(_, own)| below(own))
            }
            Step::Every => {
                let elements = schema.get("items");
                let mut all = elements
                    .into_iter()
                    .chain(properties().map(|(_, property)| property));
                all.any(below) || others()
            }
        }
    }
}

/// Checks whether a schema describes no parts of its values, and allows some.
fn is_open(schema: &Node) -> bool {
    if schema.as_bool().is_some() {
        return schema.as_bool() == Some(true);
    }
    let describes = VARIANTS.iter().chain(&PARTS);
    let mut describes = describes.filter(|keyword| schema.get(keyword).is_some());
    let allows = match schema.get("type") {
        None => true,
        Some(kind) => {
            let kinds = kind.as_str().into_iter();
            let mut kinds = kinds.chain(kind.items().filter_map(Node::as_str));
            kinds.any(|kind| matches!(kind, "object" | "array"))
        }
    };
    allows && describes.next().is_none() && schema.get("enum").is_none()
}
