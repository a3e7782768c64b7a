//! Two schemas, node by node. What is referred to on both sides is left to be compared once.

use std::{collections::BTreeSet, sync::LazyLock};

use serde_json::{Map, Value};
use toolwright_model::{Definitions as Model, Schemas};

use super::{
    Definitions,
    alternatives::{self, Core},
    body, bounds,
    place::Place,
    side::{Move, Side},
};
use crate::drift::change::{ChangeKind, Found};

/// Two definitions that stand in the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge<'a> {
    pub(super) old: &'a str,
    pub(super) new: &'a str,
}

/// A schema that is not a reference.
pub(super) type Body = Map<String, Value>;

/// A walk through two schemas.
pub(super) struct Walk<'d, 'a> {
    pub(super) side: Side,
    old: &'d Definitions<'a>,
    new: &'d Definitions<'a>,
    pub(super) found: Vec<Found>,
    pub(super) edges: BTreeSet<Edge<'a>>,
    /// The pairs that are being compared of which one was referred to: such a pair within itself
    /// says nothing new.
    open: Vec<(*const Value, *const Value)>,
    /// The pairs of which one was referred to that were compared.
    compared: BTreeSet<(*const Value, *const Value)>,
    /// The number of comparisons of such pairs.
    comparisons: usize,
}

/// The most comparisons of pairs of which one is referred to. After that a pair is compared at the
/// first place where it is met, and no longer at each: there may be too many places to list.
const MOST_COMPARISONS: usize = 10_000;

impl<'d, 'a> Walk<'d, 'a> {
    pub(super) const fn new(
        side: Side,
        old: &'d Definitions<'a>,
        new: &'d Definitions<'a>,
    ) -> Self {
        Self {
            side,
            old,
            new,
            found: Vec::new(),
            edges: BTreeSet::new(),
            open: Vec::new(),
            compared: BTreeSet::new(),
            comparisons: 0,
        }
    }

    /// Compares two schemas that stand in the same place.
    pub(super) fn node(&mut self, old: &'a Value, new: &'a Value, at: &Place) {
        if old == new {
            self.link(old);
            return;
        }
        let (was, is) = (Core::of(old), Core::of(new));
        let first = self.found.len();
        self.inner(&was, &is, at);
        // A change of type that is told of as such says all of it.
        let found = self.found.get(first..).unwrap_or_default();
        let mut types = found.iter().filter(|found| found.kind.is_type());
        if was.nullable != is.nullable && !types.any(|found| found.place == at.pointer) {
            self.null(is.nullable, at);
        }
    }

    /// Compares what may stand beside null.
    fn inner(&mut self, was: &Core<'a>, is: &Core<'a>, at: &Place) {
        let (was_name, is_name) = (reference(was.schema), reference(is.schema));
        if let (Some(old), Some(new)) = (was_name, is_name) {
            self.edges.insert(Edge { old, new });
            let outer = |core: &Core<'a>| core.outer.or_else(|| core.schema.as_object());
            self.annotations(&[outer(was)], &[outer(is)], at);
            return;
        }
        let (before, after) = (resolve(was.schema, self.old), resolve(is.schema, self.new));
        let layers = |core: &Core<'a>, body: &'a Value| {
            [core.outer, core.schema.as_object(), body.as_object()]
        };
        self.annotations(&layers(was, before), &layers(is, after), at);
        self.resolved(before, after, at, was_name.or(is_name).is_some());
    }

    /// Compares what two schemas allow, but for null.
    pub(super) fn inside(&mut self, old: &'a Value, new: &'a Value, at: &Place) {
        let (was, is) = (Core::of(old).schema, Core::of(new).schema);
        let (before, after) = (resolve(was, self.old), resolve(is, self.new));
        let referred = reference(was).or(reference(is)).is_some();
        self.resolved(before, after, at, referred);
    }

    /// Compares two schemas that are no references. Where one of them was referred to, the pair
    /// may be met again within itself.
    fn resolved(&mut self, old: &'a Value, new: &'a Value, at: &Place, referred: bool) {
        let pair = (std::ptr::from_ref(old), std::ptr::from_ref(new));
        if referred {
            let first = self.compared.insert(pair);
            self.comparisons += 1;
            let again = !first && self.comparisons > MOST_COMPARISONS;
            if again || self.open.contains(&pair) {
                return;
            }
        }
        self.open.push(pair);
        self.core(old, new, at);
        self.open.pop();
    }

    /// Compares what is not annotation.
    fn core(&mut self, old: &'a Value, new: &'a Value, at: &Place) {
        let (before, after) = (body(old), body(new));
        if alternatives::compare(self, old, new, at) {
            if alternatives::are_in(old) && alternatives::are_in(new) {
                alternatives::parts(self, before, after, at);
                bounds::compare(self, before, after, at);
            }
            return;
        }
        if body::types(self, before, after, at) {
            let (was, is) = (body::values_of(before), body::values_of(after));
            body::values(self, was, is, at);
            body::fields(self, before, after, at);
            body::items(self, before, after, at);
            alternatives::parts(self, before, after, at);
            bounds::compare(self, before, after, at);
        }
    }

    fn null(&mut self, is: bool, at: &Place) {
        let null = Value::from("null");
        let change = if is {
            self.found(self.side.of_type(Move::Widened), at, "may be null now")
                .after(null)
        } else {
            self.found(
                self.side.of_type(Move::Narrowed),
                at,
                "may no longer be null",
            )
            .before(null)
        };
        self.found.push(change);
    }

    /// A change at a place.
    pub(super) fn found(&self, kind: ChangeKind, at: &Place, says: &str) -> Found {
        Found::new(kind, at.pointer.clone()).of(at.words(), says)
    }

    /// Texts that an agent reads, the default, and the owner's advice. The first of the layers
    /// that says something counts.
    fn annotations(&mut self, old: &[Option<&'a Body>], new: &[Option<&'a Body>], at: &Place) {
        let said = |layers: &[Option<&'a Body>], keyword: &str| {
            let mut layers = layers.iter().flatten();
            layers.find_map(|layer| layer.get(keyword)).cloned()
        };
        for (keyword, what) in [
            ("description", "description"),
            ("title", "title"),
            ("examples", "list of examples"),
            ("default", "default"),
            ("deprecated", ""),
        ] {
            let (was, is) = (said(old, keyword), said(new, keyword));
            if was == is {
                continue;
            }
            let is_true = is == Some(Value::Bool(true));
            let kind = match keyword {
                "default" if was.is_some() && is.is_some() && self.side == Side::Argument => {
                    ChangeKind::DefaultChanged
                }
                "deprecated" if is_true => ChangeKind::Deprecated,
                "deprecated" => ChangeKind::Undeprecated,
                _ => ChangeKind::DescriptionChanged,
            };
            let says = match (kind, &was, &is) {
                (ChangeKind::DefaultChanged, Some(was), Some(is)) => {
                    format!("has the default {is} and had {was}")
                }
                (ChangeKind::Deprecated, ..) => {
                    "is deprecated: the owner advises against it".to_owned()
                }
                (ChangeKind::Undeprecated, ..) => "is no longer deprecated".to_owned(),
                (_, None, _) => format!("has a {what}"),
                (_, _, None) => format!("no longer has a {what}"),
                _ => format!("has another {what}"),
            };
            let place = at.below(keyword);
            let change = Found::new(kind, place).of(at.words(), &says);
            self.found.push(
                change
                    .before(was.unwrap_or_default())
                    .after(is.unwrap_or_default()),
            );
        }
    }

    /// Notes what two equal schemas refer to.
    pub(super) fn link(&mut self, schema: &'a Value) {
        for name in Model::mentioned(schema) {
            self.edges.insert(Edge {
                old: name,
                new: name,
            });
        }
    }
}

/// What a schema says; `true` says nothing.
fn body(schema: &Value) -> &Body {
    static NOTHING: LazyLock<Body> = LazyLock::new(Map::new);
    schema.as_object().unwrap_or(&NOTHING)
}

/// A schema in a few words.
pub(super) fn words(schema: &Value) -> String {
    Schemas::of(&Value::Null).kind(schema)
}

/// The name of the definition that a schema refers to.
pub(super) fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix(Model::PREFIX)
}

/// The schema, or what it refers to in the end.
fn resolve<'a>(schema: &'a Value, definitions: &Definitions<'a>) -> &'a Value {
    let mut schema = schema;
    // A chain that is longer than there are definitions leads back to itself.
    for _ in 0..=definitions.len() {
        let target = reference(schema).and_then(|name| definitions.get(name));
        match target {
            Some(target) => schema = target,
            None => break,
        }
    }
    schema
}
