//! Removal of regular expressions that the validator cannot compile from schemas.
//!
//! Such a pattern still documents the schema for readers, but it is removed from the schema used
//! for validation. Validation then accepts every value that the original schema accepts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::{definition_name, for_each_child_mut, walk};

/// The size limit for compiling any pattern of a schema, in bytes of the compiled program. All but
/// a few patterns of public specifications are smaller.
pub const SMALL_PATTERN: usize = 64 * 1024;

/// The size limit for compiling a few patterns of a schema, in bytes of the compiled program:
/// enough for some hundred repetitions of any character, such as `^.{1,255}$`.
pub const LARGEST_PATTERN: usize = 1024 * 1024;

/// The deepest nesting of schemas from which patterns are removed.
const DEEPEST: usize = 512;

/// Returns the patterns of a schema, including the patterns of property names.
///
/// ```
/// use serde_json::json;
/// use toolwright_schema::patterns::patterns;
///
/// let schema = json!({"pattern": "^a", "patternProperties": {"b$": {"pattern": "c"}}});
/// assert!(patterns(&schema).into_iter().eq(["^a", "b$", "c"]));
/// ```
#[must_use]
pub fn patterns(schema: &Value) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for subschema in walk(schema) {
        found.extend(subschema.schema.get("pattern").and_then(Value::as_str));
        found.extend(names(subschema.schema.get("patternProperties")));
    }
    found
}

/// The patterns to remove from the schemas of one tool, or of tools that share definitions.
///
/// ```
/// use std::collections::BTreeSet;
///
/// use serde_json::json;
/// use toolwright_schema::patterns::Unusable;
///
/// let patterns = BTreeSet::from(["(?=a)".to_owned()]);
/// let mut schema = json!({"type": "string", "pattern": "(?=a)"});
/// let is_looser = Unusable::new(&patterns, []).take_out(&mut schema);
/// assert!(is_looser);
/// assert_eq!(schema, json!({"type": "string"}));
/// ```
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

    /// Takes the patterns out of a schema, and returns whether it admits more now. A schema that is
    /// nested more than 512 levels deep becomes one that admits everything.
    pub fn take_out(&self, schema: &mut Value) -> bool {
        self.take_out_below(schema, DEEPEST)
    }

    fn take_out_below(&self, schema: &mut Value, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            *schema = Value::Bool(true);
            return true;
        };
        let target = definition_name(schema);
        let refers_to_looser = target.is_some_and(|name| self.looser.contains(name));
        let Value::Object(keywords) = schema else {
            return false;
        };
        let mut is_looser = self.take_own(keywords) || refers_to_looser;
        // A keyword that would admit less because a schema within it admits more goes as a whole.
        let mut inverted = BTreeSet::new();
        for_each_child_mut(schema, |keyword, child| {
            if self.take_out_below(child, depth) && keyword != "$defs" {
                is_looser = true;
                if matches!(keyword, "not" | "if" | "oneOf" | "contains") {
                    inverted.insert(keyword.to_owned());
                }
            }
        });
        if let Value::Object(keywords) = schema {
            for keyword in inverted {
                take_inverted(keywords, &keyword);
            }
        }
        is_looser
    }

    /// Takes the patterns out of the keywords of one schema. Returns whether there were any.
    fn take_own(&self, schema: &mut Map<String, Value>) -> bool {
        let pattern = schema.get("pattern").and_then(Value::as_str);
        let pattern = pattern.filter(|pattern| self.patterns.contains(*pattern));
        let mut taken: Vec<String> = Vec::new();
        if let Some(pattern) = pattern {
            taken.push(format!("Pattern: `{pattern}`."));
            schema.shift_remove("pattern");
        }
        let of_names: Vec<String> = names(schema.get("patternProperties"))
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
        if self.describes && !taken.is_empty() {
            describe(schema, &taken.join(" "));
        }
        !taken.is_empty()
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
        let schemas = walk(definition).map(|subschema| subschema.schema);
        for target in schemas.filter_map(definition_name) {
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

/// Returns the patterns of a `patternProperties`.
fn names(table: Option<&Value>) -> impl Iterator<Item = &str> {
    let table = table.and_then(Value::as_object);
    table.into_iter().flat_map(Map::keys).map(String::as_str)
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
    fn a_schema_that_is_nested_too_deeply_admits_everything() {
        let mut schema = json!({"pattern": "a"});
        for _ in 0..DEEPEST + 10 {
            schema = Value::from_iter([("items".to_owned(), schema)]);
        }
        let patterns = BTreeSet::new();
        assert!(Unusable::new(&patterns, []).take_out(&mut schema));
        assert_eq!(walk(&schema).count(), DEEPEST + 1);
        assert_eq!(walk(&schema).last().unwrap().schema, &Value::Bool(true));
    }

    #[test]
    fn removing_a_pattern_never_tightens_a_schema() {
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
