//! Unions: one value, several types that it may be of.

use serde_json::Value;

use super::{Codec, Reader, reader::Fit};

/// A value of one of several types, while its type is being determined.
///
/// If a property distinguishes the types, the variant that its value names is taken. Otherwise, and
/// if the property is missing, all are tried. The best fit wins: every place fits, and as few as
/// possible only because the type tolerates unknown parts. The first of several equal fits is
/// taken.
#[derive(Debug)]
pub struct Variants<'r, U> {
    reader: &'r mut Reader,
    value: Value,
    tag: Option<String>,
    best: Option<(Fit, U)>,
    /// True if the tag named the best one.
    decided: bool,
    outermost: bool,
}

impl<'r, U> Variants<'r, U> {
    pub(super) fn new(reader: &'r mut Reader, value: Value, tag: Option<String>) -> Self {
        let outermost = reader.attempts.is_none();
        if outermost {
            reader.attempts = Some(most_attempts(&value));
        }
        Self {
            reader,
            value,
            tag,
            best: None,
            decided: false,
            outermost,
        }
    }

    /// Tries a type.
    #[must_use]
    pub fn variant<T: Codec>(mut self, make: fn(T) -> U) -> Self {
        self.attempt(make);
        self
    }

    /// Tries a type that some values of the property stand for.
    #[must_use]
    pub fn tagged<T: Codec>(mut self, tags: &[&str], make: fn(T) -> U) -> Self {
        let named = self.tag.as_deref().is_some_and(|tag| tags.contains(&tag));
        if named {
            self.best = None;
        }
        self.attempt(make);
        self.decided |= named;
        self
    }

    /// Takes the type that fits best, or `unlisted` when none fits.
    pub fn or_unlisted(self, unlisted: fn(Value) -> U) -> U {
        if self.outermost {
            self.reader.attempts = None;
        }
        match self.best {
            Some((fit, union)) if fit.mismatches == 0 => {
                self.reader.adopt(fit);
                union
            }
            _ => {
                self.reader.stranger();
                unlisted(self.value)
            }
        }
    }

    fn attempt<T: Codec>(&mut self, make: fn(T) -> U) {
        let settled = matches!(&self.best, Some((fit, _)) if *fit == Fit::default());
        if self.decided || settled || self.reader.is_muted() || !self.may_try_another() {
            return;
        }
        let (read, fit) = self.reader.attempt(self.value.clone());
        if self.best.as_ref().is_none_or(|(best, _)| fit < *best) {
            self.best = Some((fit, make(read)));
        }
    }

    /// Unions within unions are tried again for each variant of the outer ones. A hostile value
    /// could double the work with each of its levels.
    const fn may_try_another(&mut self) -> bool {
        match self.reader.attempts {
            Some(0) => false,
            Some(left) => {
                self.reader.attempts = Some(left - 1);
                true
            }
            None => true,
        }
    }
}

/// More than any honest value needs, and linear in the size of the value.
fn most_attempts(value: &Value) -> usize {
    64 + 16 * nodes(value)
}

fn nodes(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(nodes).sum::<usize>(),
        Value::Object(map) => 1 + map.values().map(nodes).sum::<usize>(),
        _ => 1,
    }
}
