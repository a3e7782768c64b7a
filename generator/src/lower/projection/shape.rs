//! The schema of a projected value.

use toolwright_model::{Mask, MaskParts};

use super::reach::{LONGEST_CHAIN, VARIANTS};
use crate::document::{
    documents::Documents,
    source::Place,
    tree::{Data, Field, Fields, Node, nodes::keyed},
};

/// The most schemas that the projections of one operation copy in part.
const MOST: usize = 5_000;

/// The keywords that are true of a projected value as of the whole one.
const KEPT: [&str; 9] = [
    "title",
    "description",
    "type",
    "nullable",
    "readOnly",
    "writeOnly",
    "deprecated",
    "minItems",
    "maxItems",
];

/// Projects the schemas of one operation.
pub(super) struct Shaper<'a> {
    documents: &'a Documents,
    fuel: usize,
}

impl<'a> Shaper<'a> {
    pub(super) const fn new(documents: &'a Documents) -> Self {
        Self {
            documents,
            fuel: MOST,
        }
    }

    /// Checks whether a schema had too many parts. The projected schemas are not complete then.
    pub(super) const fn is_exhausted(&self) -> bool {
        self.fuel == 0
    }

    /// Returns the schema of the values that a mask leaves of those of a schema.
    pub(super) fn shape(&mut self, schema: &Node, mask: &Mask) -> Node {
        self.shape_in_chain(schema, mask, LONGEST_CHAIN)
    }

    fn shape_in_chain(&mut self, schema: &Node, mask: &Mask, chain: usize) -> Node {
        let Mask::Parts(parts) = mask else {
            return schema.clone();
        };
        let (Some(fuel), Some(chain)) = (self.fuel.checked_sub(1), chain.checked_sub(1)) else {
            self.fuel = 0;
            return anything(schema.place);
        };
        self.fuel = fuel;
        // A reference that leads nowhere is reported when it is lowered.
        let Ok(target) = self.documents.resolve(schema) else {
            return schema.clone();
        };
        let Data::Object(keywords) = &target.data else {
            return target.clone();
        };
        let mut shaped = Fields::default();
        for (keyword, field) in keywords.iter() {
            let node = match keyword.as_str() {
                "minItems" if parts.others == Mask::Nothing => None,
                keyword if KEPT.contains(&keyword) => Some(field.node.clone()),
                "required" => Some(required(&field.node, parts)),
                "items" => self.others(&field.node, parts),
                _ => None,
            };
            if let Some(node) = node {
                shaped.insert(
                    keyword.clone(),
                    Field {
                        node,
                        ..field.clone()
                    },
                );
            }
        }
        self.variants(keywords, mask, chain, &mut shaped);
        self.members(target, parts, &mut shaped);
        // Next to a reference, these say that null is allowed as well.
        for keyword in ["type", "nullable"] {
            if let Some(field) = schema.field(keyword) {
                shaped.insert(keyword.to_owned(), field.clone());
            }
        }
        keyed(target.place, shaped)
    }

    /// Projects the variants of a value. Of two of them that differ the projected ones may be equal.
    fn variants(&mut self, keywords: &Fields, mask: &Mask, chain: usize, shaped: &mut Fields) {
        for keyword in VARIANTS {
            let Some(field) = keywords.get(keyword) else {
                continue;
            };
            let written = match keyword {
                "oneOf" if keywords.contains_key("anyOf") => continue,
                "oneOf" => "anyOf",
                other => other,
            };
            let variants = field.node.items();
            let variants: Vec<Node> = variants
                .map(|variant| self.shape_in_chain(variant, mask, chain))
                .collect();
            let node = Node {
                place: field.node.place,
                data: Data::Array(variants),
            };
            let key = field.key;
            shaped.insert(written.to_owned(), Field { key, node });
        }
    }

    /// Projects the members of an object.
    fn members(&mut self, schema: &Node, parts: &MaskParts, shaped: &mut Fields) {
        let mut properties = Fields::default();
        let declared = schema.get("properties").and_then(Node::as_object);
        for (name, field) in declared.into_iter().flatten() {
            let mask = parts.of_member(name);
            if *mask != Mask::Nothing {
                let node = self.shape(&field.node, mask);
                properties.insert(
                    name.clone(),
                    Field {
                        node,
                        ..field.clone()
                    },
                );
            }
        }
        // Patterns also describe members that are not named here, so nothing is known of the others.
        let others = schema.field("additionalProperties");
        let others = others.filter(|_| schema.get("patternProperties").is_none());
        if let Some(others) = others {
            if others.node.as_bool().is_none() {
                for (name, mask) in &parts.members {
                    if *mask != Mask::Nothing && declared.is_none_or(|all| !all.contains_key(name))
                    {
                        let node = self.shape(&others.node, mask);
                        let key = others.key;
                        properties.insert(name.clone(), Field { key, node });
                    }
                }
            }
            let node = match others.node.as_bool() {
                Some(_) => Some(others.node.clone()),
                None => self.others(&others.node, parts),
            };
            if let Some(node) = node {
                let key = others.key;
                shaped.insert("additionalProperties".to_owned(), Field { key, node });
            }
        }
        if let Some(field) = schema.field("properties") {
            let node = keyed(field.node.place, properties);
            let key = field.key;
            shaped.insert("properties".to_owned(), Field { key, node });
        } else if !properties.is_empty() {
            let place = schema.place;
            let node = keyed(place, properties);
            shaped.insert("properties".to_owned(), Field { key: place, node });
        }
    }

    /// Projects the schema of elements, or of members without a name; none if nothing is kept of them.
    fn others(&mut self, schema: &Node, parts: &MaskParts) -> Option<Node> {
        match &parts.others {
            Mask::Nothing => None,
            mask => Some(self.shape(schema, mask)),
        }
    }
}

/// Returns the names of the required members that are kept.
fn required(names: &Node, parts: &MaskParts) -> Node {
    let is_kept = |name: &&Node| {
        let name = name.as_str();
        name.is_none_or(|name| *parts.of_member(name) != Mask::Nothing)
    };
    let data = match &names.data {
        Data::Array(names) => Data::Array(names.iter().filter(is_kept).cloned().collect()),
        // OpenAPI 3.0 allows nothing else here; it is reported when it is lowered.
        other => other.clone(),
    };
    Node {
        place: names.place,
        data,
    }
}

/// Returns the schema of all values.
fn anything(place: Place) -> Node {
    keyed(place, Fields::default())
}
