//! The arguments of a program: fixed strings, with a place for a value in each at most.

use std::collections::BTreeMap;

use crate::hole::HoleType;

/// An argument: a fixed string, with at most one place for a value in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    before: String,
    hole: Option<(String, HoleType)>,
    after: String,
}

impl Argument {
    /// Creates an argument without a place.
    #[must_use]
    pub fn fixed(text: impl Into<String>) -> Self {
        Self {
            before: text.into(),
            hole: None,
            after: String::new(),
        }
    }

    /// Creates an argument that is a value as a whole.
    #[must_use]
    pub fn of_value(name: impl Into<String>, hole: HoleType) -> Self {
        Self {
            hole: Some((name.into(), hole)),
            ..Self::fixed("")
        }
    }

    /// Puts fixed strings around the value.
    #[must_use]
    pub fn between(mut self, before: &str, after: &str) -> Self {
        self.before.insert_str(0, before);
        self.after.push_str(after);
        self
    }

    /// Returns the name and the type of the place; none if there is no place.
    #[must_use]
    pub fn hole(&self) -> Option<(&str, &HoleType)> {
        let (name, hole) = self.hole.as_ref()?;
        Some((name, hole))
    }

    /// Returns the argument with the value of its place, by the names of the places.
    ///
    /// # Errors
    /// A message for a value that is missing or refused.
    pub fn fill(&self, values: &BTreeMap<String, String>) -> Result<String, String> {
        let Some((name, hole)) = &self.hole else {
            return Ok(self.before.clone());
        };
        let value = values.get(name);
        let value = value.ok_or_else(|| format!("`{name}` is missing: {}", hole.expectation()))?;
        hole.check(value)
            .map_err(|fault| format!("`{name}` is refused: {fault}"))?;
        Ok(format!("{}{value}{}", self.before, self.after))
    }
}
