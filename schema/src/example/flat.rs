//! A schema with its `$ref`, `allOf` and choices merged.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::{Root, is_null, reference, required};

/// The limit on merged schemas, which ends cycles.
const PARTS: usize = 64;

/// The keywords of a schema and its references, with one branch taken per choice.
pub(super) struct Flat<'a> {
    parts: Vec<&'a Map<String, Value>>,
    /// Properties that only other branches require.
    refused: BTreeSet<&'a str>,
    /// The number of schemas and keywords that were visited.
    steps: usize,
}

impl<'a> Flat<'a> {
    /// Merges schemas that all apply.
    pub(super) fn new(root: &'a Value, schemas: &[&'a Value], turn: usize) -> Self {
        let mut flat = Self {
            parts: Vec::new(),
            refused: BTreeSet::new(),
            steps: 1,
        };
        let root = Root::new(root);
        let mut open: Vec<&Value> = schemas.iter().rev().copied().collect();
        while let Some(schema) = open.pop() {
            let Some(keywords) = schema.as_object() else {
                continue;
            };
            if flat.parts.len() == PARTS {
                break;
            }
            flat.steps += 1 + keywords.len();
            flat.parts.push(keywords);
            open.extend(reference(schema).and_then(|reference| root.target(reference)));
            if let Some(Value::Array(all)) = keywords.get("allOf") {
                open.extend(all.iter().take(PARTS));
            }
            for keyword in ["oneOf", "anyOf"] {
                if let Some(Value::Array(branches)) = keywords.get(keyword) {
                    open.extend(flat.choose_branch(branches, turn));
                }
            }
        }
        flat
    }

    /// The number of schemas and keywords that were visited.
    pub(super) const fn steps(&self) -> usize {
        self.steps
    }

    /// Selects the branch of a choice. Null comes last.
    fn choose_branch(&mut self, branches: &'a [Value], turn: usize) -> Option<&'a Value> {
        self.steps += branches.len();
        let mut sorted: Vec<_> = branches.iter().filter(|branch| !is_null(branch)).collect();
        sorted.extend(branches.iter().filter(|branch| is_null(branch)));
        let chosen = *sorted.get(turn.checked_rem(sorted.len())?)?;
        let own: BTreeSet<&str> = required(chosen).collect();
        let others = sorted.iter().flat_map(|branch| required(branch));
        self.refused
            .extend(others.filter(|name| !own.contains(name)));
        Some(chosen)
    }

    /// The value, if the schema fixes it or contains an example.
    pub(super) fn fixed_value(&self, by_example: bool) -> Option<Value> {
        let first = |keyword| self.get(keyword).and_then(|values| values.get(0));
        // The examples of formatted values in documents are often invalid.
        let formatted = ["contentEncoding", "format"];
        let by_example = by_example && formatted.iter().all(|word| self.get(word).is_none());
        let example = || self.get("example").or_else(|| first("examples"));
        let decided = self.get("const").or_else(|| self.common_enum_value());
        let decided = decided.or_else(|| if by_example { example() } else { None });
        decided.cloned()
    }

    /// The first value that all `enum` lists contain.
    fn common_enum_value(&self) -> Option<&'a Value> {
        let mut lists = self.all("enum").filter_map(Value::as_array);
        let first = lists.next()?;
        let others: Vec<&Vec<Value>> = lists.collect();
        let mut values = first.iter();
        let in_all = |value: &&Value| others.iter().all(|list| list.contains(value));
        values.find(in_all).or_else(|| first.first())
    }

    /// The type, inferred from other keywords if necessary.
    pub(super) fn kind(&self) -> Option<&'a str> {
        let named = match self.get("type") {
            Some(Value::Array(names)) => names
                .iter()
                .find(|name| *name != "null")
                .or_else(|| names.first()),
            name => name,
        };
        let seen = |keywords: &[&str]| keywords.iter().any(|keyword| self.get(keyword).is_some());
        named.and_then(Value::as_str).or_else(|| {
            [
                (
                    "object",
                    &["properties", "required", "additionalProperties"][..],
                ),
                ("array", &["items", "prefixItems"]),
                ("string", &["pattern", "format", "minLength", "maxLength"]),
                ("number", &["minimum", "maximum", "multipleOf"]),
            ]
            .into_iter()
            .find_map(|(kind, keywords)| seen(keywords).then_some(kind))
        })
    }

    /// The value of a keyword in the first part that contains it.
    pub(super) fn get(&self, keyword: &str) -> Option<&'a Value> {
        self.parts.iter().find_map(|part| part.get(keyword))
    }

    /// The values of a keyword in all parts that contain it.
    pub(super) fn all(&self, keyword: &str) -> impl Iterator<Item = &'a Value> {
        self.parts.iter().filter_map(move |part| part.get(keyword))
    }

    pub(super) fn is_true(&self, keyword: &str) -> bool {
        self.get(keyword) == Some(&Value::Bool(true))
    }

    pub(super) fn count(&self, keyword: &str) -> Option<usize> {
        self.get(keyword)
            .and_then(Value::as_u64)
            .and_then(|count| usize::try_from(count).ok())
    }

    /// The properties of all parts, each with its schemas.
    pub(super) fn properties(&self) -> Vec<(&'a str, Vec<&'a Value>)> {
        let mut properties: Vec<(&'a str, Vec<&'a Value>)> = Vec::new();
        let mut known: BTreeMap<&'a str, usize> = BTreeMap::new();
        let all = self.all("properties").filter_map(Value::as_object);
        for (name, schema) in all.flatten() {
            let index = *known.entry(name).or_insert(properties.len());
            match properties.get_mut(index) {
                Some((_, schemas)) => schemas.push(schema),
                None => properties.push((name, vec![schema])),
            }
        }
        properties
    }

    /// The properties that a part requires.
    pub(super) fn required(&self) -> impl Iterator<Item = &'a str> {
        let lists = self.all("required").filter_map(Value::as_array);
        lists.flatten().filter_map(Value::as_str)
    }

    /// Checks whether only another branch requires the property.
    pub(super) fn is_refused(&self, name: &str) -> bool {
        self.refused.contains(name)
    }
}
