//! Fills the holes of templates with the values of a run.

use std::{cmp::Ordering, collections::BTreeMap};

use serde_json::{Map, Value};
use toolwright_schema::JsonPointer;

use crate::{
    sequence::{Condition, Test},
    template::{Hole, Piece, Source, Template},
};

/// The parameters and the results of a run so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    named: BTreeMap<String, Known>,
    item: Option<Known>,
}

/// The knowledge about a parameter or the result of a step.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Known {
    /// The value.
    Value(Value),
    /// There is none: an optional parameter was left out, or a condition did not hold.
    Absent,
    /// It will be the result of a call that was not made yet.
    Open,
}

/// A value that filled a hole, or a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Filled {
    Value(Value),
    Absent,
    Open,
}

/// A result that does not hold the value that a hole names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    pub(crate) hole: String,
    /// True if a list on the way to the value is too short, or a value is null: there is no such thing,
    /// rather than a result of another shape.
    pub(crate) is_nothing: bool,
}

impl Missing {
    fn new(hole: &Hole, is_nothing: bool) -> Self {
        let hole = hole.to_string();
        Self { hole, is_nothing }
    }
}

/// A filled template: the value, and the places that are open, with their holes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Whole {
    pub(super) value: Value,
    pub(super) open: BTreeMap<String, String>,
}

impl Values {
    pub(super) fn set(&mut self, name: &str, known: Known) {
        self.named.insert(name.to_owned(), known);
    }

    pub(super) fn set_item(&mut self, item: Option<Known>) {
        self.item = item;
    }

    /// Returns the value of a hole.
    pub(super) fn hole(&self, hole: &Hole) -> Result<Filled, Missing> {
        let known = match &hole.source {
            Source::Item => self.item.as_ref(),
            Source::Named(name) => self.named.get(name),
        };
        Ok(match known {
            Some(Known::Value(value)) => match value.pointer(&hole.pointer) {
                Some(value) => Filled::Value(value.clone()),
                None => return Err(Missing::new(hole, ends_in_nothing(value, &hole.pointer))),
            },
            Some(Known::Open) => Filled::Open,
            Some(Known::Absent) | None => Filled::Absent,
        })
    }

    /// Fills a template. A field whose value is absent is left out.
    pub(super) fn fill(&self, template: &Template) -> Result<Whole, Missing> {
        let mut whole = Whole::default();
        let filled = self.part(template, &JsonPointer::root(), &mut whole.open)?;
        whole.value = filled.unwrap_or_default();
        Ok(whole)
    }

    fn part(
        &self,
        template: &Template,
        at: &JsonPointer,
        open: &mut BTreeMap<String, String>,
    ) -> Result<Option<Value>, Missing> {
        Ok(match template {
            Template::Constant(value, _) => Some(value.clone()),
            Template::Hole(hole) => match self.hole(hole)? {
                Filled::Value(value) => Some(value),
                Filled::Absent => None,
                Filled::Open => {
                    open.insert(at.as_str().to_owned(), hole.to_string());
                    Some(hole.to_string().into())
                }
            },
            Template::Text(pieces) => Some(self.text(pieces, template, at, open)?),
            Template::Array(items, _) => {
                let mut filled = Vec::new();
                for item in items {
                    let at = at.join(&filled.len().to_string());
                    filled.extend(self.part(item, &at, open)?);
                }
                Some(Value::Array(filled))
            }
            Template::Object(fields, _) => {
                let mut filled = Map::new();
                for (name, field) in fields {
                    if let Some(value) = self.part(field, &at.join(name), open)? {
                        filled.insert(name.clone(), value);
                    }
                }
                Some(Value::Object(filled))
            }
        })
    }

    fn text(
        &self,
        pieces: &[Piece],
        template: &Template,
        at: &JsonPointer,
        open: &mut BTreeMap<String, String>,
    ) -> Result<Value, Missing> {
        let mut text = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Hole(hole) => match self.hole(hole)? {
                    Filled::Value(Value::String(value)) => text.push_str(&value),
                    Filled::Value(value @ (Value::Number(_) | Value::Bool(_))) => {
                        text.push_str(&value.to_string());
                    }
                    Filled::Value(_) => return Err(Missing::new(hole, false)),
                    Filled::Absent => return Err(Missing::new(hole, true)),
                    Filled::Open => {
                        let written = template.to_json();
                        let shown = written.as_str().unwrap_or_default().to_owned();
                        open.insert(at.as_str().to_owned(), shown);
                        return Ok(written);
                    }
                },
            }
        }
        Ok(text.into())
    }

    /// Checks whether all conditions hold; none if that depends on results that are not known yet.
    pub(super) fn hold(&self, conditions: &[Condition]) -> Option<bool> {
        let mut hold = Some(true);
        for condition in conditions {
            match self.holds(condition) {
                Some(false) => return Some(false),
                Some(true) => {}
                None => hold = None,
            }
        }
        hold
    }

    /// A value that a result does not hold is absent here: that is what `exists` tests.
    fn holds(&self, condition: &Condition) -> Option<bool> {
        let whole = self.fill(&condition.value);
        let value = match whole {
            Ok(whole) if !whole.open.is_empty() => return None,
            Ok(whole) => whole.value,
            Err(Missing { .. }) => Value::Null,
        };
        Some(match &condition.test {
            Test::Equals(wanted) => equal(&value, wanted),
            Test::NotEquals(wanted) => !equal(&value, wanted),
            Test::AtLeast(least) => value.as_f64().is_some_and(|number| number >= *least),
            Test::AtMost(most) => value.as_f64().is_some_and(|number| number <= *most),
            Test::Exists(wanted) => value.is_null() != *wanted,
            Test::Empty(wanted) => is_empty(&value) == *wanted,
        })
    }
}

/// Checks whether a pointer leads to an element that a list does not have, or into null.
fn ends_in_nothing(value: &Value, pointer: &str) -> bool {
    let mut value = value;
    for step in JsonPointer::steps_of(pointer).into_iter().flatten() {
        let next = match value {
            Value::Array(items) => step
                .parse::<usize>()
                .ok()
                .and_then(|index| items.get(index)),
            Value::Object(fields) => fields.get(step.as_ref()),
            _ => None,
        };
        match next {
            Some(next) => value = next,
            None => return matches!(value, Value::Array(_) | Value::Null),
        }
    }
    false
}

/// Compares two values. Numbers are compared by their values: 3 equals 3.0.
fn equal(value: &Value, wanted: &Value) -> bool {
    match (value.as_f64(), wanted.as_f64()) {
        (Some(value), Some(wanted)) => value.partial_cmp(&wanted) == Some(Ordering::Equal),
        _ => value == wanted,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
