//! Projections: the parts of a response that a tool returns.
//!
//! A path is a JSONPath query (RFC 9535) of names and wildcards, such as `$.results[*].id`. With these
//! segments alone a path selects the same parts of a schema as of each value that fits it, so the schema
//! of a projected result can be computed.

use std::{collections::BTreeMap, fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The most segments of a path.
const MOST_STEPS: usize = 16;

/// The parts of a response that a tool returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Projection {
    /// The parts that are returned, with the objects and arrays around them. If there are none, everything
    /// but `drop` is returned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<ResponsePath>,
    /// The parts that are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<ResponsePath>,
    /// The overlay's reason for the projection.
    pub reason: String,
}

/// The path of parts of a response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ResponsePath {
    text: String,
    steps: Vec<Step>,
}

/// A segment of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The member of an object with this name.
    Member(String),
    /// Every member of an object and every element of an array.
    Every,
}

/// The reason why a string is not the path of parts of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathFault {
    /// It does not begin with `$`.
    NoRoot,
    /// It selects the whole response.
    Whole,
    /// It has a segment that is neither a name nor a wildcard.
    Segment,
    /// It has too many segments.
    TooLong,
}

/// The parts of a value that a projection keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mask {
    /// The whole value.
    Whole,
    /// Nothing of it.
    Nothing,
    /// Parts of an object or an array. A value of another type is kept.
    Parts(Box<MaskParts>),
}

/// The masks of the members of an object, and of the elements of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskParts {
    /// The masks of some members.
    pub members: BTreeMap<String, Mask>,
    /// The mask of all other members, and of all elements.
    pub others: Mask,
}

impl Projection {
    /// Returns the parts that are kept.
    #[must_use]
    pub fn mask(&self) -> Mask {
        let mut mask = Mask::Whole;
        if !self.keep.is_empty() {
            mask = Mask::Nothing;
            for path in &self.keep {
                mask.set(&path.steps, &Mask::Whole);
            }
        }
        for path in &self.drop {
            mask.set(&path.steps, &Mask::Nothing);
        }
        mask
    }
}

impl ResponsePath {
    /// Returns the segments.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

impl Mask {
    /// Removes everything from a value that the mask does not keep. The objects and arrays around kept
    /// parts stay.
    pub fn apply(&self, value: &mut Value) {
        let Self::Parts(parts) = self else {
            return;
        };
        match value {
            Value::Object(members) => members.retain(|name, member| {
                let mask = parts.of_member(name);
                mask.apply(member);
                *mask != Self::Nothing
            }),
            Value::Array(elements) if parts.others == Self::Nothing => elements.clear(),
            Value::Array(elements) => {
                for element in elements {
                    parts.others.apply(element);
                }
            }
            _ => {}
        }
    }

    /// Sets the mask of the parts at a path.
    fn set(&mut self, steps: &[Step], to: &Self) {
        let Some((step, rest)) = steps.split_first() else {
            *self = to.clone();
            return;
        };
        // What is kept or dropped already has no parts that could be kept or dropped again.
        if self == to {
            return;
        }
        let Some(parts) = self.split() else {
            return;
        };
        match step {
            Step::Member(name) => {
                let others = &parts.others;
                let member = parts.members.entry(name.clone());
                member.or_insert_with(|| others.clone()).set(rest, to);
            }
            Step::Every => {
                parts.others.set(rest, to);
                for member in parts.members.values_mut() {
                    member.set(rest, to);
                }
            }
        }
    }

    /// Splits the mask into parts that are all kept, or all left out.
    fn split(&mut self) -> Option<&mut MaskParts> {
        if !matches!(self, Self::Parts(_)) {
            let others = self.clone();
            let members = BTreeMap::new();
            *self = Self::Parts(Box::new(MaskParts { members, others }));
        }
        match self {
            Self::Parts(parts) => Some(parts),
            Self::Whole | Self::Nothing => None,
        }
    }
}

impl MaskParts {
    /// Returns the mask of a member.
    #[must_use]
    pub fn of_member(&self, name: &str) -> &Mask {
        self.members.get(name).unwrap_or(&self.others)
    }
}

impl FromStr for ResponsePath {
    type Err = PathFault;

    fn from_str(text: &str) -> Result<Self, PathFault> {
        let mut rest = text.strip_prefix('$').ok_or(PathFault::NoRoot)?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            if steps.len() == MOST_STEPS {
                return Err(PathFault::TooLong);
            }
            let (step, after) = segment(rest).ok_or(PathFault::Segment)?;
            steps.push(step);
            rest = after;
        }
        if steps.is_empty() {
            return Err(PathFault::Whole);
        }
        let text = text.to_owned();
        Ok(Self { text, steps })
    }
}

/// Reads one segment of a path. Returns it and the rest.
fn segment(text: &str) -> Option<(Step, &str)> {
    if let Some(rest) = text.strip_prefix("[*]").or(text.strip_prefix(".*")) {
        return Some((Step::Every, rest));
    }
    if let Some(rest) = text.strip_prefix('.') {
        let is_name = |c: char| c == '_' || c.is_ascii_alphanumeric() || !c.is_ascii();
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let (name, rest) = rest.split_at_checked(end)?;
        let begins_well = !name.starts_with(|c: char| c.is_ascii_digit());
        return (begins_well && !name.is_empty()).then(|| (Step::Member(name.to_owned()), rest));
    }
    let rest = text.strip_prefix('[')?;
    let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let mut name = String::new();
    let mut characters = rest.char_indices().skip(1);
    loop {
        match characters.next()? {
            (at, c) if c == quote => {
                let rest = rest.get(at + 1..)?.strip_prefix(']')?;
                return Some((Step::Member(name), rest));
            }
            // Of the escapes only those of the quotation marks and of the backslash: other names can be
            // written as they are.
            (_, '\\') => match characters.next()? {
                (_, c @ ('\\' | '/')) => name.push(c),
                (_, c) if c == quote => name.push(c),
                _ => return None,
            },
            (_, c) if c.is_control() => return None,
            (_, c) => name.push(c),
        }
    }
}

impl TryFrom<String> for ResponsePath {
    type Error = PathFault;

    fn try_from(text: String) -> Result<Self, PathFault> {
        text.parse()
    }
}

impl From<ResponsePath> for String {
    fn from(path: ResponsePath) -> Self {
        path.text
    }
}

impl fmt::Display for ResponsePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Display for PathFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoRoot => "a path begins with `$`, the whole response",
            Self::Whole => "this is the whole response",
            Self::Segment => {
                "a path consists of names and wildcards: `$.results[*].id`, `$['a name'].*`"
            }
            Self::TooLong => "the path has more than 16 segments",
        })
    }
}

impl std::error::Error for PathFault {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn projection(keep: &[&str], drop: &[&str]) -> Projection {
        let paths = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        Projection {
            keep: paths(keep),
            drop: paths(drop),
            reason: "r".to_owned(),
        }
    }

    fn projected(projection: &Projection, value: &Value) -> Value {
        let mut value = value.clone();
        projection.mask().apply(&mut value);
        value
    }

    #[test]
    fn paths_are_names_and_wildcards() {
        let member = |name: &str| Step::Member(name.to_owned());
        for (text, steps) in [
            ("$.a", vec![member("a")]),
            ("$[*].a_1", vec![Step::Every, member("a_1")]),
            (
                "$.*['b c'].é",
                vec![Step::Every, member("b c"), member("é")],
            ),
            (r#"$["it's"]['\'\\']"#, vec![member("it's"), member(r"'\")]),
            ("$['']", vec![member("")]),
        ] {
            let path: ResponsePath = text.parse().unwrap();
            assert_eq!(path.steps(), steps, "{text}");
            assert_eq!(path.to_string(), text);
        }
        for (text, fault) in [
            ("a.b", PathFault::NoRoot),
            ("", PathFault::NoRoot),
            ("$", PathFault::Whole),
            ("$..a", PathFault::Segment),
            ("$.a[0]", PathFault::Segment),
            ("$.a[?@.b]", PathFault::Segment),
            ("$.a[1:2]", PathFault::Segment),
            ("$['a','b']", PathFault::Segment),
            ("$.", PathFault::Segment),
            ("$.1", PathFault::Segment),
            ("$['a", PathFault::Segment),
            ("$['a'", PathFault::Segment),
            ("$ .a", PathFault::Segment),
            (&format!("${}", ".a".repeat(17)), PathFault::TooLong),
        ] {
            assert_eq!(text.parse::<ResponsePath>(), Err(fault), "{text}");
        }
    }

    #[test]
    fn kept_parts_stay_with_what_is_around_them() {
        let value = json!({
            "count": 2, "next": null,
            "results": [{"id": 1, "site": {"name": "a", "url": "u"}}, {"id": 2, "site": null}, 7],
        });
        let keep = projection(
            &["$.results[*].id", "$.results[*].site.name", "$.next"],
            &[],
        );
        let expected = json!({
            "next": null,
            "results": [{"id": 1, "site": {"name": "a"}}, {"id": 2, "site": null}, 7],
        });
        assert_eq!(projected(&keep, &value), expected);
        let drop = projection(&[], &["$.results[*].site", "$.count"]);
        let expected = json!({"next": null, "results": [{"id": 1}, {"id": 2}, 7]});
        assert_eq!(projected(&drop, &value), expected);
        let both = projection(&["$.results"], &["$.results[*].site.url"]);
        let expected =
            json!({"results": [{"id": 1, "site": {"name": "a"}}, {"id": 2, "site": null}, 7]});
        assert_eq!(projected(&both, &value), expected);
    }

    #[test]
    fn a_wildcard_applies_to_members_that_are_named_too() {
        let value = json!({"a": {"x": 1, "y": 2, "z": 3}, "b": {"x": 1, "y": 2}});
        for keep in [["$.a.y", "$.*.x"], ["$.*.x", "$.a.y"]] {
            let expected = json!({"a": {"x": 1, "y": 2}, "b": {"x": 1}});
            assert_eq!(projected(&projection(&keep, &[]), &value), expected);
        }
        let whole = projection(&["$.a", "$.a.x"], &[]);
        assert_eq!(projected(&whole, &value), json!({"a": value["a"]}));
    }

    #[test]
    fn the_order_of_members_stays() {
        let value = json!({"c": 1, "b": 2, "a": 3});
        let kept = projected(&projection(&["$.a", "$.c"], &[]), &value);
        assert_eq!(kept.to_string(), r#"{"c":1,"a":3}"#);
    }

    #[test]
    fn a_record_has_the_paths_as_strings() {
        let projection = projection(&["$.a"], &["$.a.b"]);
        let json = json!({"keep": ["$.a"], "drop": ["$.a.b"], "reason": "r"});
        assert_eq!(serde_json::to_value(&projection).unwrap(), json);
        assert_eq!(
            serde_json::from_value::<Projection>(json).unwrap(),
            projection
        );
        let broken = json!({"keep": ["$..a"], "reason": "r"});
        assert!(serde_json::from_value::<Projection>(broken).is_err());
    }
}
