//! The values before and after a waiting update, for the person who approves it.
//!
//! They are information: an approval is bound to the request that will be sent, and never to the
//! values that a service reported at some time.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use toolwright_model::ToolName;
use toolwright_schema::JsonPointer;

use super::mask::mask_whole;

/// The most fields that are kept of one update.
const MOST_FIELDS: usize = 64;

/// The longest value that is kept whole, in characters of its JSON form.
const LONGEST_VALUE: usize = 1_000;

/// The values that a waiting update would change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Changes {
    /// The current values were read.
    Read {
        /// The tool that read them, with the rights of the calling role.
        tool: ToolName,
        /// The time when they were read.
        time: Timestamp,
        /// The fields that the update sets.
        fields: Vec<Change>,
        /// The number of further fields, which are not kept.
        #[serde(default, skip_serializing_if = "is_zero")]
        further: usize,
        /// The version that the values had, as the service names it in the header `ETag`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<String>,
    },
    /// The current values are not known.
    Unread {
        /// The reason.
        reason: String,
    },
}

/// One field that an update sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The place in the arguments, as a JSON Pointer.
    pub field: String,
    /// The current value; none if the answer does not contain the field. A long value is cut.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub before: Option<Value>,
    /// The value that the update sets. A long value is cut; the arguments contain it in full.
    pub after: Value,
}

impl Changes {
    /// Returns the version of the current values.
    pub(crate) fn version(&self) -> Option<&str> {
        match self {
            Self::Read { version, .. } => version.as_deref(),
            Self::Unread { .. } => None,
        }
    }
}

/// A value as it is, and as a person is shown it. Both have the same shape.
#[derive(Clone, Copy)]
pub(crate) struct Masked<'a> {
    pub(crate) plain: &'a Value,
    pub(crate) shown: &'a Value,
}

impl<'a> Masked<'a> {
    fn field(self, name: &str) -> Option<Self> {
        let plain = self.plain.get(name)?;
        let shown = self.shown.get(name).unwrap_or(&Value::Null);
        Some(Self { plain, shown })
    }

    /// Returns the value for a person. If a part of it is masked, all of it is.
    fn for_person(self, is_secret: bool) -> Value {
        if is_secret || self.is_masked() {
            return mask_whole(self.plain);
        }
        bounded(self.plain)
    }

    fn is_masked(self) -> bool {
        self.plain != self.shown
    }

    /// Returns the fields of two objects that are not empty.
    fn fields(self) -> Option<&'a Map<String, Value>> {
        self.plain.as_object().filter(|fields| !fields.is_empty())
    }
}

/// Compares the current values with those that an update sets, field by field. A secret of either
/// side is masked on both. Returns the fields, and the number of those that are left out.
pub(crate) fn compare(before: Masked<'_>, after: Masked<'_>) -> (Vec<Change>, usize) {
    let mut found = Found::default();
    for name in after.fields().into_iter().flatten().map(|(name, _)| name) {
        if let Some(after) = after.field(name) {
            let pointer = JsonPointer::root().join(name);
            found.compare(&pointer, before.field(name), after);
        }
    }
    (found.fields, found.further)
}

/// Returns the part of a value that another value has too: of objects, the same fields.
pub(crate) fn common(value: &Value, with: &Value) -> Value {
    match (value, with) {
        (Value::Object(fields), Value::Object(kept)) if !kept.is_empty() => {
            let kept = kept.iter().filter_map(|(name, with)| {
                let value = fields.get(name)?;
                Some((name.clone(), common(value, with)))
            });
            Value::Object(kept.collect())
        }
        _ => value.clone(),
    }
}

#[derive(Default)]
struct Found {
    fields: Vec<Change>,
    further: usize,
}

impl Found {
    fn compare(&mut self, pointer: &JsonPointer, before: Option<Masked<'_>>, after: Masked<'_>) {
        if let (Some(before), Some(fields)) = (before, after.fields())
            && before.plain.is_object()
        {
            for name in fields.keys() {
                if let Some(after) = after.field(name) {
                    self.compare(&pointer.join(name), before.field(name), after);
                }
            }
        } else if self.fields.len() == MOST_FIELDS {
            self.further += 1;
        } else {
            let is_secret = after.is_masked() || before.is_some_and(Masked::is_masked);
            self.fields.push(Change {
                field: pointer.as_str().to_owned(),
                before: before.map(|before| before.for_person(is_secret)),
                after: after.for_person(is_secret),
            });
        }
    }
}

/// Returns a value that is not too long: a longer one becomes the beginning of its text.
fn bounded(value: &Value) -> Value {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => value.to_string(),
        short => return short.clone(),
    };
    let length = text.chars().count();
    if length <= LONGEST_VALUE {
        return value.clone();
    }
    let kept: String = text.chars().take(LONGEST_VALUE).collect();
    format!("{kept}… ({length} characters)").into()
}

/// Reads a value that is present, also if it is null.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn changes(before: &Value, after: &Value) -> Vec<Change> {
        let same = |value| Masked {
            plain: value,
            shown: value,
        };
        compare(same(before), same(after)).0
    }

    fn change(field: &str, before: Option<Value>, after: Value) -> Change {
        let field = field.to_owned();
        Change {
            field,
            before,
            after,
        }
    }

    #[test]
    fn only_the_fields_that_the_update_sets_are_compared() {
        let before =
            json!({"name": "Bolt", "owner": {"id": 6, "pin": 1}, "tags": ["a"], "note": null});
        let after = json!({"name": "Nut", "owner": {"id": 7}, "tags": [], "note": "x", "a/b": 1});
        assert_eq!(
            changes(&before, &after),
            [
                change("/name", Some(json!("Bolt")), json!("Nut")),
                change("/owner/id", Some(json!(6)), json!(7)),
                change("/tags", Some(json!(["a"])), json!([])),
                change("/note", Some(json!(null)), json!("x")),
                change("/a~1b", None, json!(1)),
            ]
        );
        assert_eq!(
            common(&before, &after),
            json!({"name": "Bolt", "owner": {"id": 6}, "tags": ["a"], "note": null})
        );
    }

    #[test]
    fn a_secret_of_either_side_is_masked_on_both() {
        let (before, after) = (json!({"key": {"a": "old"}}), json!({"key": "new"}));
        let masked = json!({"key": "(masked)"});
        for (before_shown, after_shown) in [(&before, &masked), (&masked, &after)] {
            let before = Masked {
                plain: &before,
                shown: before_shown,
            };
            let after = Masked {
                plain: &after,
                shown: after_shown,
            };
            let (fields, _) = compare(before, after);
            let text = json!(fields).to_string();
            assert!(!text.contains("old") && !text.contains("new"), "{text}");
            assert_eq!(text.matches("(masked: 3 characters").count(), 2, "{text}");
        }
    }

    #[test]
    fn long_values_are_cut_and_many_fields_are_counted() {
        let long = "é".repeat(5_000);
        let fields: Map<_, _> = (0..200)
            .map(|index| (index.to_string(), json!(long)))
            .collect();
        let value = Value::Object(fields);
        let whole = Masked {
            plain: &value,
            shown: &value,
        };
        let (fields, further) = compare(whole, whole);
        assert_eq!((fields.len(), further), (MOST_FIELDS, 200 - MOST_FIELDS));
        let before = fields[0].before.as_ref().unwrap().as_str().unwrap();
        assert!(before.ends_with("… (5000 characters)"), "{before}");
        assert!(json!(fields).to_string().chars().count() < 140_000);
    }

    #[test]
    fn an_absent_value_differs_from_null_after_it_was_stored() {
        for before in [None, Some(Value::Null), Some(json!(1))] {
            let stored = json!(change("/a", before.clone(), json!(2))).to_string();
            let read: Change = serde_json::from_str(&stored).unwrap();
            assert_eq!(read.before, before, "{stored}");
        }
    }
}
