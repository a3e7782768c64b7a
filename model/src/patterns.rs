//! Removal of regular expressions that the validator cannot compile from schemas.
//!
//! Such a pattern still documents the schema for readers, but it is removed from the schema used
//! for validation. Validation then accepts every value that the original schema accepts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::{Definitions, subschemas};

/// The size limit for compiling any pattern of a schema, in bytes of the compiled program. All but
/// a few patterns of public specifications are smaller.
pub const SMALL_PATTERN: usize = 64 * 1024;

/// The size limit for compiling a few patterns of a schema, in bytes of the compiled program:
/// enough for some hundred repetitions of any character, such as `^.{1,255}$`.
pub const LARGEST_PATTERN: usize = 1024 * 1024;

/// Returns the patterns of a schema, including the patterns of property names.
#[must_use]
pub fn patterns(schema: &Value) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for schema in subschemas::all(schema) {
        found.extend(schema.get("pattern").and_then(Value::as_str));
        found.extend(names(schema));
    }
    found
}

/// The patterns to remove from the schemas of one tool, or of tools that share definitions.
#[derive(Debug)]
pub struct Unusable<'a> {
    patterns: &'a BTreeSet<String>,
    /// The definitions that admit more without the patterns.
    looser: BTreeSet<String>,
    /// True if a description mentions each removed pattern.
    describes: bool,
}

impl<'a> Unusable<'a> {
    /// Finds the unusable patterns of these definitions, which must still contain their patterns.
    pub fn new<'d>(
        patterns: &'a BTreeSet<String>,
        definitions: impl IntoIterator<Item = (&'d str, &'d Value)>,
    ) -> Self {
        Self {
            patterns,
            looser: looser(definitions, patterns),
            describes: false,
        }
    }

    /// Keeps the patterns in the descriptions of the schemas that had them.
    #[must_use]
    pub const fn describing(mut self) -> Self {
        self.describes = true;
        self
    }

    /// Takes the patterns out of a schema, and returns whether it admits more now.
    pub fn take_out(&self, schema: &mut Value) -> bool {
        let Value::Object(schema) = schema else {
            return false;
        };
        let mut is_looser = self.take_own(schema);
        // A keyword that would admit less because a schema within it admits more goes as a whole.
        let mut inverted = BTreeSet::new();
        subschemas::each_mut(schema, &mut |keyword, child| {
            if self.take_out(child) && keyword != "$defs" {
                is_looser = true;
                if matches!(keyword, "not" | "if" | "oneOf" | "contains") {
                    inverted.insert(keyword.to_owned());
                }
            }
        });
        for keyword in inverted {
            take_inverted(schema, &keyword);
        }
        is_looser
    }

    /// Takes the patterns out of the keywords of one schema.
    fn take_own(&self, schema: &mut Map<String, Value>) -> bool {
        let pattern = schema.get("pattern").and_then(Value::as_str);
        let pattern = pattern.filter(|pattern| self.patterns.contains(*pattern));
        let mut taken: Vec<String> = Vec::new();
        if let Some(pattern) = pattern {
            taken.push(format!("Pattern: `{pattern}`."));
            schema.shift_remove("pattern");
        }
        let of_names: Vec<String> = names(schema)
            .filter(|name| self.patterns.contains(*name))
            .map(ToOwned::to_owned)
            .collect();
        if !of_names.is_empty() {
            if let Some(Value::Object(table)) = schema.get_mut("patternProperties") {
                table.retain(|name, _| !of_names.contains(name));
            }
            // These are about the properties that no pattern matches.
            schema.shift_remove("additionalProperties");
            schema.shift_remove("unevaluatedProperties");
        }
        let of_names = of_names.iter();
        taken.extend(of_names.map(|name| format!("Pattern of property names: `{name}`.")));
        let target = reference(schema);
        let is_looser = !taken.is_empty() || target.is_some_and(|name| self.looser.contains(name));
        if self.describes && !taken.is_empty() {
            describe(schema, &taken.join(" "));
        }
        is_looser
    }
}

/// Adds a sentence to the description of a schema.
fn describe(schema: &mut Map<String, Value>, sentence: &str) {
    let before = schema.get("description").and_then(Value::as_str);
    let text = match before.map(str::trim_end) {
        Some(before) if before.ends_with(['.', '!', '?', ':']) => format!("{before} {sentence}"),
        Some(before) if !before.is_empty() => format!("{before}. {sentence}"),
        _ => sentence.to_owned(),
    };
    schema.insert("description".to_owned(), text.into());
}

/// Takes a keyword out that admits less if a schema within it admits more.
fn take_inverted(schema: &mut Map<String, Value>, keyword: &str) {
    let taken = schema.shift_remove(keyword);
    let beside: &[&str] = match keyword {
        "if" => &["then", "else"],
        "contains" => &["minContains", "maxContains"],
        _ => &[],
    };
    for keyword in beside {
        schema.shift_remove(*keyword);
    }
    // Several alternatives may fit now.
    if let ("oneOf", Some(variants)) = (keyword, taken) {
        let any = json!({ "anyOf": variants });
        match schema.get_mut("allOf") {
            Some(Value::Array(parts)) => parts.push(any),
            _ => {
                schema.insert("allOf".to_owned(), json!([any]));
            }
        }
    }
}

/// The definitions that admit more without the patterns.
fn looser<'d>(
    definitions: impl IntoIterator<Item = (&'d str, &'d Value)>,
    patterns: &BTreeSet<String>,
) -> BTreeSet<String> {
    let mut looser = BTreeSet::new();
    let mut users: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut open = Vec::new();
    for (name, definition) in definitions {
        if self::patterns(definition)
            .iter()
            .any(|pattern| patterns.contains(*pattern))
        {
            open.push(name);
        }
        for target in subschemas::all(definition)
            .into_iter()
            .filter_map(reference)
        {
            users.entry(target).or_default().push(name);
        }
    }
    while let Some(name) = open.pop() {
        if looser.insert(name.to_owned()) {
            open.extend(users.get(name).into_iter().flatten());
        }
    }
    looser
}

/// The patterns of property names.
fn names(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let table = schema.get("patternProperties").and_then(Value::as_object);
    table.into_iter().flat_map(Map::keys).map(String::as_str)
}

fn reference(schema: &Map<String, Value>) -> Option<&str> {
    schema
        .get("$ref")?
        .as_str()?
        .strip_prefix(Definitions::PREFIX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(schema: Value) -> Value {
        let patterns = BTreeSet::from(["[".to_owned()]);
        let definitions = schema.get("$defs").cloned().unwrap_or_default();
        let definitions = definitions.as_object().into_iter().flatten();
        let definitions = definitions.map(|(name, schema)| (name.as_str(), schema));
        let mut schema = schema.clone();
        Unusable::new(&patterns, definitions)
            .describing()
            .take_out(&mut schema);
        schema
    }

    #[test]
    fn a_pattern_stays_in_the_description() {
        for (description, expected) in [
            (json!({}), "Pattern: `[`."),
            (json!({"description": "A name"}), "A name. Pattern: `[`."),
            (json!({"description": "A name.\n"}), "A name. Pattern: `[`."),
        ] {
            let mut schema = description;
            schema["pattern"] = "[".into();
            assert_eq!(without(schema), json!({"description": expected}));
        }
        // A property that has the name of the keyword is none.
        let property = json!({"properties": {"pattern": {"enum": ["["]}}});
        assert_eq!(without(property.clone()), property);
    }

    #[test]
    fn a_schema_without_a_pattern_admits_no_less() {
        let bad = json!({"pattern": "["});
        let good = json!({"description": "Pattern: `[`."});
        let definitions = json!({"bad": bad, "leads": {"items": {"$ref": "#/$defs/bad"}}});
        let left = json!({"bad": good, "leads": {"items": {"$ref": "#/$defs/bad"}}});
        for (schema, expected) in [
            (json!({"not": bad}), json!({})),
            (json!({"if": bad, "then": {}, "else": {}}), json!({})),
            (json!({"contains": bad, "maxContains": 1}), json!({})),
            (
                json!({"oneOf": [bad, {}]}),
                json!({"allOf": [{"anyOf": [good, {}]}]}),
            ),
            (json!({"not": {"$ref": "#/$defs/leads"}}), json!({})),
            (json!({"allOf": [bad]}), json!({"allOf": [good]})),
            (
                json!({"patternProperties": {"[": {}, "a": {}}, "additionalProperties": false}),
                json!({"patternProperties": {"a": {}}, "description": "Pattern of property names: `[`."}),
            ),
        ] {
            let (mut schema, mut expected) = (schema, expected);
            schema["$defs"] = definitions.clone();
            expected["$defs"] = left.clone();
            assert_eq!(without(schema), expected);
        }
    }
}
