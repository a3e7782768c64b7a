//! Values with holes: `{{parameter}}`, `{{step#/json/pointer}}`, `{{item#/json/pointer}}`.

use std::fmt;

use serde_json::{Map, Value};
use toolwright::config::Place;

/// The name of the current element in a loop.
pub(crate) const ITEM: &str = "item";

/// A value with holes.
#[derive(Clone, Debug, PartialEq)]
pub enum Template {
    /// A value without holes.
    Constant(Value, Place),
    /// One hole: the value that fills it, of any type.
    Hole(Hole),
    /// A string with holes, which must be filled with strings, numbers or booleans.
    Text(Vec<Piece>),
    /// An array.
    Array(Vec<Self>, Place),
    /// An object.
    Object(Vec<(String, Self)>, Place),
}

/// A part of a string with holes.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// A string between holes.
    Text(String),
    /// A hole.
    Hole(Hole),
}

/// A hole, and what fills it.
#[derive(Clone, Debug, PartialEq)]
pub struct Hole {
    /// The source of the value.
    pub source: Source,
    /// The JSON Pointer of the value in the source.
    pub pointer: String,
    /// The place of the hole's string in the file.
    pub place: Place,
}

/// The source of a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A parameter of the skill, or the result of a step, by its name. The two share one space of names.
    Named(String),
    /// The current element of a loop.
    Item,
}

impl Template {
    /// Returns the place of the value in the file.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Constant(_, place) | Self::Array(_, place) | Self::Object(_, place) => {
                Some(place)
            }
            Self::Hole(hole) => Some(&hole.place),
            Self::Text(pieces) => pieces.iter().find_map(|piece| match piece {
                Piece::Hole(hole) => Some(&hole.place),
                Piece::Text(_) => None,
            }),
        }
    }

    /// Returns the holes.
    #[must_use]
    pub fn holes(&self) -> Vec<&Hole> {
        let mut holes = Vec::new();
        self.collect_holes(&mut holes);
        holes
    }

    fn collect_holes<'t>(&'t self, holes: &mut Vec<&'t Hole>) {
        match self {
            Self::Constant(..) => {}
            Self::Hole(hole) => holes.push(hole),
            Self::Text(pieces) => holes.extend(pieces.iter().filter_map(|piece| match piece {
                Piece::Hole(hole) => Some(hole),
                Piece::Text(_) => None,
            })),
            Self::Array(items, _) => items.iter().for_each(|item| item.collect_holes(holes)),
            Self::Object(fields, _) => {
                fields
                    .iter()
                    .for_each(|(_, field)| field.collect_holes(holes));
            }
        }
    }

    /// Creates a template of a JSON value, each of whose strings may have holes.
    ///
    /// # Errors
    /// The first hole that is not written correctly.
    pub fn parse(value: Value, place: &Place) -> Result<Self, String> {
        Ok(match value {
            Value::String(text) => Self::parse_text(&text, place)?,
            Value::Array(items) => {
                let items = items.into_iter().map(|item| Self::parse(item, place));
                Self::Array(items.collect::<Result<_, _>>()?, place.clone())
            }
            Value::Object(fields) => {
                let fields = fields.into_iter();
                let fields = fields.map(|(name, field)| Ok((name, Self::parse(field, place)?)));
                Self::Object(fields.collect::<Result<_, String>>()?, place.clone())
            }
            scalar => Self::Constant(scalar, place.clone()),
        })
    }

    fn parse_text(text: &str, place: &Place) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let (inside, after) = after
                .split_once("}}")
                .ok_or("this hole has no end: `{{` without `}}`")?;
            if !before.is_empty() {
                pieces.push(Piece::Text(before.to_owned()));
            }
            pieces.push(Piece::Hole(Hole::parse(inside, place)?));
            rest = after;
        }
        if pieces.is_empty() {
            return Ok(Self::Constant(text.into(), place.clone()));
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        Ok(match (pieces.pop(), pieces.is_empty()) {
            (Some(Piece::Hole(hole)), true) => Self::Hole(hole),
            (last, _) => {
                pieces.extend(last);
                Self::Text(pieces)
            }
        })
    }

    /// Returns the template as JSON, in the form of a file.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Constant(value, _) => value.clone(),
            Self::Hole(hole) => hole.to_string().into(),
            Self::Text(pieces) => pieces
                .iter()
                .map(|piece| match piece {
                    Piece::Text(text) => text.clone(),
                    Piece::Hole(hole) => hole.to_string(),
                })
                .collect::<String>()
                .into(),
            Self::Array(items, _) => items.iter().map(Self::to_json).collect(),
            Self::Object(fields, _) => {
                let fields = fields.iter();
                let fields = fields.map(|(name, field)| (name.clone(), field.to_json()));
                Value::Object(fields.collect::<Map<_, _>>())
            }
        }
    }
}

impl Hole {
    /// Parses a string between braces.
    ///
    /// # Errors
    /// A message for a string that is not a name, or whose pointer does not begin with `/`.
    pub fn parse(inside: &str, place: &Place) -> Result<Self, String> {
        let (name, pointer) = inside.trim().split_once('#').unwrap_or((inside.trim(), ""));
        if !is_name(name) {
            return Err(format!(
                "`{{{{{inside}}}}}` does not name a parameter or a step"
            ));
        }
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return Err(format!(
                "`{pointer}` is not a JSON Pointer: it does not begin with `/`"
            ));
        }
        let source = match name {
            ITEM => Source::Item,
            name => Source::Named(name.to_owned()),
        };
        Ok(Self {
            source,
            pointer: pointer.to_owned(),
            place: place.clone(),
        })
    }
}

/// Checks whether a string can name a parameter or a step: lower-case letters, digits and `_`, and a
/// letter at its beginning.
pub(crate) fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(is_part)
}

impl fmt::Display for Hole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pointer.as_str() {
            "" => write!(f, "{{{{{}}}}}", self.source),
            pointer => write!(f, "{{{{{}#{pointer}}}}}", self.source),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Named(name) => name,
            Self::Item => ITEM,
        })
    }
}
