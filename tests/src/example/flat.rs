//! A schema with its `$ref`, `allOf` and choices merged.

use serde_json::{Map, Value};

/// The limit on merged schemas, which ends cycles.
const PARTS: usize = 64;

/// The keywords of a schema and its references, with one branch taken per choice.
pub(super) struct Flat<'a> {
    parts: Vec<&'a Map<String, Value>>,
    /// Properties that only other branches require.
    refused: Vec<&'a str>,
}

impl<'a> Flat<'a> {
    /// Merges schemas that all apply.
    pub(super) fn new(root: &'a Value, schemas: &[&'a Value], turn: usize) -> Self {
        let mut flat = Self {
            parts: Vec::new(),
            refused: Vec::new(),
        };
        let mut open: Vec<&Value> = schemas.iter().rev().copied().collect();
        while let Some(schema) = open.pop() {
            let Some(keywords) = schema.as_object() else {
                continue;
            };
            if flat.parts.len() == PARTS {
                break;
            }
            flat.parts.push(keywords);
            if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
                open.extend(root.pointer(reference.trim_start_matches('#')));
            }
            if let Some(Value::Array(all)) = keywords.get("allOf") {
                open.extend(all);
            }
            for keyword in ["oneOf", "anyOf"] {
                if let Some(Value::Array(branches)) = keywords.get(keyword) {
                    open.extend(flat.choose_branch(branches, turn));
                }
            }
        }
        flat
    }

    /// Selects the branch of a choice. Null comes last.
    fn choose_branch(&mut self, branches: &'a [Value], turn: usize) -> Option<&'a Value> {
        let is_null = |branch: &&Value| branch["type"] == "null";
        let mut sorted: Vec<_> = branches.iter().filter(|branch| !is_null(branch)).collect();
        sorted.extend(branches.iter().filter(is_null));
        let chosen = *sorted.get(turn.checked_rem(sorted.len())?)?;
        let own = |name: &&str| names(chosen, "required").any(|own| own == *name);
        let others = sorted.iter().flat_map(|branch| names(branch, "required"));
        self.refused.extend(others.filter(|name| !own(name)));
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
    pub(super) fn properties(&self) -> impl Iterator<Item = (&'a str, Vec<&'a Value>)> {
        let mut properties: Vec<(&'a str, Vec<&'a Value>)> = Vec::new();
        let all = self.all("properties").filter_map(Value::as_object);
        for (name, schema) in all.flatten() {
            match properties.iter_mut().find(|(known, _)| known == name) {
                Some((_, schemas)) => schemas.push(schema),
                None => properties.push((name, vec![schema])),
            }
        }
        properties.into_iter()
    }

    pub(super) fn required(&self) -> impl Iterator<Item = &'a str> {
        self.parts.iter().flat_map(|part| {
            let names = part.get("required").and_then(Value::as_array);
            names.into_iter().flatten().filter_map(Value::as_str)
        })
    }

    pub(super) fn requires(&self, name: &str) -> bool {
        self.required().any(|required| required == name)
    }

    /// Returns true if only another branch requires the property.
    pub(super) fn is_refused(&self, name: &str) -> bool {
        self.refused.contains(&name)
    }
}

fn names<'a>(schema: &'a Value, keyword: &str) -> impl Iterator<Item = &'a str> {
    let names = schema.get(keyword).and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
}
