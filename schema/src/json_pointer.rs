//! JSON Pointers (RFC 6901): where in a JSON document a value is.

use std::{borrow::Cow, fmt};

/// The path from the root of a JSON document to one of its values, such as `/paths/~1items/get`.
///
/// ```
/// use toolwright_schema::JsonPointer;
///
/// let pointer = JsonPointer::from_iter(["paths", "/items"]).join("get");
/// assert_eq!(pointer.as_str(), "/paths/~1items/get");
///
/// let steps = JsonPointer::steps_of("/paths/~1items/0").ok_or("not a JSON Pointer")?;
/// assert!(steps.eq(["paths", "/items", "0"]));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JsonPointer(String);

impl JsonPointer {
    /// Returns the pointer of the whole document: the empty string.
    #[must_use]
    pub const fn root() -> Self {
        Self(String::new())
    }

    /// Appends a step: the name of a property, or the index of an element.
    pub fn push(&mut self, step: &str) {
        self.0.push('/');
        if !step.contains(['~', '/']) {
            self.0.push_str(step);
            return;
        }
        for character in step.chars() {
            match character {
                '~' => self.0.push_str("~0"),
                '/' => self.0.push_str("~1"),
                other => self.0.push(other),
            }
        }
    }

    /// Returns the pointer of a value in the value that this pointer leads to.
    #[must_use]
    pub fn join(&self, step: &str) -> Self {
        let mut joined = self.clone();
        joined.push(step);
        joined
    }

    /// Returns the pointer as a string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the unescaped steps of a pointer; `None` if the string is not a pointer, that is,
    /// neither empty nor with a `/` at its beginning.
    pub fn steps_of(pointer: &str) -> Option<impl Iterator<Item = Cow<'_, str>>> {
        let steps = match pointer {
            "" => None,
            pointer => Some(pointer.strip_prefix('/')?.split('/')),
        };
        Some(steps.into_iter().flatten().map(unescape))
    }
}

/// Reverses the escapes of a step. A `~` before any other character stands for itself.
fn unescape(step: &str) -> Cow<'_, str> {
    if step.contains('~') {
        step.replace("~1", "/").replace("~0", "~").into()
    } else {
        step.into()
    }
}

impl<S: AsRef<str>> FromIterator<S> for JsonPointer {
    fn from_iter<I: IntoIterator<Item = S>>(steps: I) -> Self {
        let mut pointer = Self::root();
        for step in steps {
            pointer.push(step.as_ref());
        }
        pointer
    }
}

impl From<JsonPointer> for String {
    fn from(pointer: JsonPointer) -> Self {
        pointer.0
    }
}

impl fmt::Display for JsonPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_escaped_and_unescaped() {
        for (steps, text) in [
            (&[][..], ""),
            (&[""], "/"),
            (&["a", "0"], "/a/0"),
            (&["~", "/", "~1", "a/b~c"], "/~0/~1/~01/a~1b~0c"),
            (&["é", ""], "/é/"),
        ] {
            assert_eq!(JsonPointer::from_iter(steps).as_str(), text);
            assert!(
                JsonPointer::steps_of(text)
                    .unwrap()
                    .eq(steps.iter().copied())
            );
        }
    }

    #[test]
    fn a_pointer_begins_with_a_slash_or_is_empty() {
        assert!(JsonPointer::steps_of("a/b").is_none());
        assert!(JsonPointer::steps_of("/a~2").unwrap().eq(["a~2"]));
    }
}
