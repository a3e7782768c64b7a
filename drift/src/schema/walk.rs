//! The comparison of two schemas, node by node. Pairs of definitions are noted and compared once.

use std::{collections::BTreeSet, sync::LazyLock};

use serde_json::{Map, Value};
use toolwright_schema::{Definitions, Root, definition_name};

use super::{
    alternatives::{self, Core},
    body, bounds,
    place::Place,
    side::Move,
};
use crate::{
    change::{Change, ChangeKind, State},
    predicate::Predicate,
    subject::Side,
};

/// Two definitions with the same role on both sides.
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
    pub(super) changes: Vec<Change>,
    pub(super) edges: BTreeSet<Edge<'a>>,
    /// The pairs under comparison with at least one reference. Such a pair within itself adds
    /// nothing.
    open: Vec<(*const Value, *const Value)>,
    /// The compared pairs with at least one reference.
    compared: BTreeSet<(*const Value, *const Value)>,
    /// The number of comparisons of such pairs.
    comparisons: usize,
}

/// The most comparisons of pairs with at least one reference. After that, a pair is compared only at
/// its first place, since there may be too many places to list.
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
            changes: Vec::new(),
            edges: BTreeSet::new(),
            open: Vec::new(),
            compared: BTreeSet::new(),
            comparisons: 0,
        }
    }

    /// Compares two schemas of the same value.
    pub(super) fn node(&mut self, old: &'a Value, new: &'a Value, at: &Place) {
        if old == new {
            self.link(old);
            return;
        }
        let (was, is) = (Core::from_schema(old), Core::from_schema(new));
        let first = self.changes.len();
        self.inner(&was, &is, at);
        // A reported change of the type includes null.
        let changes = self.changes.get(first..).unwrap_or_default();
        let mut types = changes.iter().filter(|change| change.kind.is_type());
        if was.nullable != is.nullable && !types.any(|change| change.place == at.pointer) {
            self.null(is.nullable, at);
        }
    }

    /// Compares two schemas without null.
    fn inner(&mut self, was: &Core<'a>, is: &Core<'a>, at: &Place) {
        let (was_name, is_name) = (definition_name(was.schema), definition_name(is.schema));
        if let (Some(old), Some(new)) = (was_name, is_name) {
            self.edges.insert(Edge { old, new });
            let outer = |core: &Core<'a>| core.outer.or_else(|| core.schema.as_object());
            self.annotations(&[outer(was)], &[outer(is)], at);
            return;
        }
        let (before, after) = (self.old.resolve(was.schema), self.new.resolve(is.schema));
        let layers = |core: &Core<'a>, body: &'a Value| {
            [core.outer, core.schema.as_object(), body.as_object()]
        };
        self.annotations(&layers(was, before), &layers(is, after), at);
        self.resolved(before, after, at, was_name.or(is_name).is_some());
    }

    /// Compares the values other than null that two schemas allow.
    pub(super) fn inside(&mut self, old: &'a Value, new: &'a Value, at: &Place) {
        let (was, is) = (Core::from_schema(old).schema, Core::from_schema(new).schema);
        let (before, after) = (self.old.resolve(was), self.new.resolve(is));
        let referred = definition_name(was).or(definition_name(is)).is_some();
        self.resolved(before, after, at, referred);
    }

    /// Compares two resolved schemas. If one of them was a reference, the pair may occur again within
    /// itself.
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

    /// Compares everything but annotations.
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
        let (to, predicate) = if is {
            (Move::Widened, Predicate::NullAdded)
        } else {
            (Move::Narrowed, Predicate::NullRemoved)
        };
        let change = change(self.side.type_change(to), at, predicate);
        let null = State::plain("null");
        self.changes.push(if is {
            change.after(null)
        } else {
            change.before(null)
        });
    }

    /// Compares descriptions, the default, and deprecation. The first layer with the keyword
    /// counts.
    fn annotations(&mut self, old: &[Option<&'a Body>], new: &[Option<&'a Body>], at: &Place) {
        let value = |layers: &[Option<&'a Body>], keyword: &str| {
            let mut layers = layers.iter().flatten();
            layers.find_map(|layer| layer.get(keyword)).cloned()
        };
        let subject = at.subject();
        for (keyword, noun) in [
            ("description", "description"),
            ("title", "title"),
            ("examples", "list of examples"),
            ("default", "default"),
            ("deprecated", ""),
        ] {
            let (was, is) = (value(old, keyword), value(new, keyword));
            if was == is {
                continue;
            }
            let both = was.is_some() && is.is_some();
            let part = || (ChangeKind::DescriptionChanged, subject.part(noun));
            let ((kind, subject), predicate) = match keyword {
                "default" if both && self.side == Side::Argument => (
                    (ChangeKind::DefaultChanged, subject.clone()),
                    Predicate::DefaultChanged,
                ),
                "deprecated" if is == Some(Value::Bool(true)) => (
                    (ChangeKind::Deprecated, subject.clone()),
                    Predicate::Deprecated,
                ),
                "deprecated" => (
                    (ChangeKind::Undeprecated, subject.clone()),
                    Predicate::Undeprecated,
                ),
                _ if both => (part(), Predicate::Replaced),
                _ if is.is_some() => (part(), Predicate::Added),
                _ => (part(), Predicate::Removed),
            };
            let state = |value: Option<Value>| {
                let value = value.unwrap_or_default();
                let words = format!("`{value}`");
                State::described(value, words)
            };
            self.changes.push(
                Change::new(kind, at.below(keyword), subject, predicate)
                    .before(state(was))
                    .after(state(is)),
            );
        }
    }

    /// Notes the references of two equal schemas.
    pub(super) fn link(&mut self, schema: &'a Value) {
        for name in Definitions::mentioned(schema) {
            self.edges.insert(Edge {
                old: name,
                new: name,
            });
        }
    }
}

/// Creates a change at a place.
pub(super) fn change(kind: ChangeKind, at: &Place, predicate: Predicate) -> Change {
    Change::new(kind, at.pointer.clone(), at.subject(), predicate)
}

/// Returns the keywords of a schema; none for `true`.
fn body(schema: &Value) -> &Body {
    static NOTHING: LazyLock<Body> = LazyLock::new(Map::new);
    schema.as_object().unwrap_or(&NOTHING)
}

/// Describes a schema in a few words.
pub(super) fn words(schema: &Value) -> String {
    Root::new(&Value::Null).in_words(schema)
}
