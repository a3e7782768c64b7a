//! One schema without `$ref`, `allOf` and choices: what all of its parts say together.

use serde_json::{Map, Value};

/// How many schemas one may be put together from, so that a circle ends.
const PARTS: usize = 64;

/// The keywords of a schema and of all that it refers to, one branch of each choice taken.
pub(super) struct Flat<'a> {
    parts: Vec<&'a Map<String, Value>>,
    /// Properties that other branches of a choice want.
    refused: Vec<&'a str>,
}

impl<'a> Flat<'a> {
    /// What schemas that all hold say together.
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
                    open.extend(flat.chosen(branches, turn));
                }
            }
        }
        flat
    }

    /// The branch of a choice; null is taken last.
    fn chosen(&mut self, branches: &'a [Value], turn: usize) -> Option<&'a Value> {
        let is_null = |branch: &&Value| branch["type"] == "null";
        let mut sorted: Vec<_> = branches.iter().filter(|branch| !is_null(branch)).collect();
        sorted.extend(branches.iter().filter(is_null));
        let chosen = *sorted.get(turn.checked_rem(sorted.len())?)?;
        let own = |name: &&str| names(chosen, "required").any(|own| own == *name);
        let others = sorted.iter().flat_map(|branch| names(branch, "required"));
        self.refused.extend(others.filter(|name| !own(name)));
        Some(chosen)
    }

    /// The value, where the schema leaves no choice, or gives an example.
    pub(super) fn decided(&self, by_example: bool) -> Option<Value> {
        let first = |keyword| self.get(keyword).and_then(|values| values.get(0));
        // Documents give as an example of a format what is not of it.
        let formatted = ["contentEncoding", "format"];
        let by_example = by_example && formatted.iter().all(|word| self.get(word).is_none());
        let example = || self.get("example").or_else(|| first("examples"));
        let decided = self.get("const").or_else(|| self.listed());
        let decided = decided.or_else(|| if by_example { example() } else { None });
        decided.cloned()
    }

    /// The first value that is in each list of values.
    fn listed(&self) -> Option<&'a Value> {
        let mut lists = self.all("enum").filter_map(Value::as_array);
        let first = lists.next()?;
        let others: Vec<&Vec<Value>> = lists.collect();
        let mut values = first.iter();
        let in_all = |value: &&Value| others.iter().all(|list| list.contains(value));
        values.find(in_all).or_else(|| first.first())
    }

    /// The type, also where it can only be seen from other keywords.
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

    /// What a keyword says, in the first part that has it.
    pub(super) fn get(&self, keyword: &str) -> Option<&'a Value> {
        self.parts.iter().find_map(|part| part.get(keyword))
    }

    /// What a keyword says in each part that has it.
    pub(super) fn all(&self, keyword: &str) -> impl Iterator<Item = &'a Value> {
        self.parts.iter().filter_map(move |part| part.get(keyword))
    }

    pub(super) fn is(&self, keyword: &str) -> bool {
        self.get(keyword) == Some(&Value::Bool(true))
    }

    pub(super) fn count(&self, keyword: &str) -> Option<usize> {
        self.get(keyword)
            .and_then(Value::as_u64)
            .and_then(|count| usize::try_from(count).ok())
    }

    /// The properties of all parts, each with what every part says it is.
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

    /// Whether only another branch wants the property.
    pub(super) fn refuses(&self, name: &str) -> bool {
        self.refused.contains(&name)
    }
}

fn names<'a>(schema: &'a Value, keyword: &str) -> impl Iterator<Item = &'a str> {
    let names = schema.get(keyword).and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
}
