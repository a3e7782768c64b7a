//! Checks that the agent's schema keeps every constraint and description of the document.

use std::collections::BTreeSet;

use serde_json::Value;
use toolwright::{
    ToolSpec,
    binding::{BodyContent, BodyShape, HttpBinding},
};
use toolwright_schema::{Root as AgentSchema, is_null, reference};

use crate::{
    documents::Subject,
    findings::Findings,
    walk::{At, Reader, Root, Way, type_words},
};

/// Constraints with unchanged values.
const CONSTRAINTS: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "format",
    "required",
];

/// The maximum length in bytes of a default that must be kept.
const LONGEST_DEFAULT: usize = 200;

/// The maximum length in characters of a description that must be kept in full.
const LONGEST_TEXT: usize = 4_000;

/// Checks every constraint and description of the request.
pub(crate) fn check(subject: &Subject) -> Findings {
    let mut findings = Findings::default();
    let Some(reader) = Reader::new(subject) else {
        return findings;
    };
    for tool in &subject.tools {
        let mut comparison = Comparison {
            reader,
            agent: tool.input_schema.whole(),
            seen: BTreeSet::new(),
            said: None,
            kept: 0,
            lost: Vec::new(),
        };
        for root in reader.roots(tool) {
            comparison.root(&root, tool);
        }
        findings.hold_all(comparison.kept);
        for (at, why) in comparison.lost {
            findings.fail(format!("{}: {} {at}", subject.name, tool.name), why);
        }
    }
    findings
}

/// A comparison of a document's schemas with one tool's.
struct Comparison<'v, 't> {
    reader: Reader<'v>,
    agent: &'t Value,
    seen: BTreeSet<(*const Value, *const Value)>,
    /// The description of the next node outside its schema.
    said: Option<String>,
    kept: usize,
    lost: Vec<(String, String)>,
}

impl<'v, 't> Comparison<'v, 't> {
    fn root(&mut self, root: &Root<'v>, tool: &ToolSpec) {
        let Some(http) = tool.http().filter(|_| root.way == Way::There) else {
            return;
        };
        let fields = fields(http);
        match root.at {
            At::Answer => {}
            At::Parameter(place, name) => {
                let mut sent = http.parameters.iter().filter(|parameter| {
                    parameter.name == name && parameter.location.word() == place
                });
                let argument = sent.find_map(|parameter| parameter.value.argument());
                self.argument(&[root.schema], argument, root.description);
            }
            At::Field(name) => {
                let argument = fields.iter().find(|(field, _)| *field == name);
                let argument = argument.map(|(_, argument)| *argument);
                self.argument(&[root.schema], argument, root.description);
            }
            At::Body if !fields.is_empty() => {
                let parts = self.reader.parts(root.schema);
                for (name, argument) in fields {
                    let sources: Vec<_> = properties(&parts, name).collect();
                    if !sources.is_empty() {
                        self.argument(&sources, Some(argument), None);
                    }
                }
            }
            At::Body => {
                let json = http
                    .body
                    .as_ref()
                    .filter(|body| matches!(body.content, BodyContent::Json | BodyContent::Form));
                let whole = json.and_then(|body| match &body.shape {
                    BodyShape::Whole(value) => value.argument(),
                    BodyShape::Fields(_) => None,
                });
                self.argument(&[root.schema], whole, root.description);
            }
        }
    }

    /// Compares an argument with its schema. A description outside the schema takes precedence.
    fn argument(&mut self, sources: &[&'v Value], name: Option<&str>, said: Option<&str>) {
        let Some(name) = name else { return };
        self.said = said
            .map(str::trim)
            .filter(|said| !said.is_empty())
            .map(str::to_owned);
        let agent: &'t Value = self.agent;
        match agent["properties"].get(name) {
            Some(agent) => self.node(sources, &[agent], name),
            None => self
                .lost
                .push((name.to_owned(), "there is no such argument".into())),
        }
    }

    /// Compares the agent's schemas of one place with those of the document.
    fn node(&mut self, sources: &[&'v Value], agents: &[&'t Value], at: &str) {
        let (Some(first), Some(agent)) = (sources.first(), agents.first()) else {
            return;
        };
        if !self.seen.insert((*first, *agent)) {
            return;
        }
        let parts: Vec<_> = sources
            .iter()
            .flat_map(|source| self.reader.parts(source))
            .collect();
        let agents = self.agent_parts(agents, parts.iter().any(|part| is_parent(part)));
        if parts.iter().any(|part| part["format"] == "binary") {
            return;
        }
        let mut binding = parts.clone();
        binding.retain(|part| !self.reader.is_only_reference(part));
        for part in &binding {
            for (keyword, value) in part.as_object().into_iter().flatten() {
                if CONSTRAINTS.contains(&keyword.as_str()) {
                    self.constraint(part, keyword, value, &agents, at);
                }
            }
        }
        match self.said.take() {
            None => self.annotation("description", &parts, &agents, at),
            Some(said) => {
                let outer = serde_json::json!({"description": said});
                self.annotation("description", &[&outer], &agents, at);
            }
        }
        self.annotation("default", &parts, &agents, at);
        self.enum_values(&binding, &agents, at);
        self.inner(&parts, &agents, at);
    }

    /// Returns the schemas that apply at one place of the agent's schema.
    fn agent_parts(&self, agents: &[&'t Value], parent: bool) -> Vec<&'t Value> {
        let root = AgentSchema::new(self.agent);
        let mut parts: Vec<&Value> = agents.iter().flat_map(|agent| root.parts(agent)).collect();
        let mut next = 0;
        while let Some(part) = parts.get(next).filter(|_| parent) {
            // The parent schema follows its subtypes.
            let own = ["oneOf", "anyOf"].map(|keyword| variants(part, keyword).pop());
            let own = own.into_iter().flatten().flat_map(|own| root.parts(own));
            let own: Vec<&Value> = own.filter(|own| !has(&parts, own)).collect();
            parts.extend(own);
            next += 1;
        }
        parts
    }

    fn constraint(
        &mut self,
        part: &Value,
        keyword: &str,
        value: &Value,
        agents: &[&Value],
        at: &str,
    ) {
        let Some((keyword, value)) = normalize(part, keyword, value) else {
            return;
        };
        let is_kept = agents
            .iter()
            .any(|agent| has_constraint(agent, &keyword, &value));
        if is_kept {
            self.kept += 1;
        } else {
            self.lost
                .push((format!("{at}: {value}"), format!("`{keyword}` is lost")));
        }
    }

    /// Compares the values that all lists contain. Ignores values of another type, which are errors
    /// in the document.
    fn enum_values(&mut self, parts: &[&Value], agents: &[&Value], at: &str) {
        let lists = parts.iter().flat_map(|part| {
            let one = part.get("const").map(|value| vec![value.clone()]);
            one.into_iter().chain(part["enum"].as_array().cloned())
        });
        let both = |one: Vec<Value>, other: Vec<Value>| {
            one.into_iter()
                .filter(|value| other.contains(value))
                .collect()
        };
        let Some(values) = lists.reduce(both) else {
            return;
        };
        let words: Vec<&str> = parts.iter().flat_map(|part| type_words(part)).collect();
        let fits =
            |value: &Value| words.is_empty() || words.contains(&"string") || !value.is_string();
        let values: Vec<Value> = values.into_iter().filter(fits).collect();
        let value = Value::Array(values);
        if agents
            .iter()
            .any(|agent| has_constraint(agent, "enum", &value))
        {
            self.kept += 1;
        } else {
            self.lost.push((
                format!("{at}: {value}"),
                "the listed values are lost".into(),
            ));
        }
    }

    /// Checks that one of the annotations of a place is kept; the outermost is preferred.
    fn annotation(&mut self, keyword: &str, parts: &[&Value], agents: &[&Value], at: &str) {
        let mut said = parts
            .iter()
            .filter_map(|part| part.get(keyword))
            .filter(|value| {
                let text = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                let short = keyword != "default" || value.to_string().len() <= LONGEST_DEFAULT;
                !value.is_null() && !text.trim().is_empty() && short
            });
        let Some(first) = said.next() else { return };
        let is_kept = std::iter::once(first).chain(said).any(|value| {
            let same = |agent: &&Value| match (agent[keyword].as_str(), value.as_str()) {
                (Some(agent), Some(text)) => {
                    agent.contains(text.trim()) || has_letters(agent, text)
                }
                _ => agent[keyword] == *value,
            };
            let tells = |agent: &&Value| {
                let text = value.as_str().filter(|_| keyword == "description");
                text.is_some_and(|text| self.tells_without_labels(agent, agents, text))
            };
            agents.iter().any(same) || agents.iter().any(tells)
        });
        if is_kept {
            self.kept += 1;
        } else {
            self.lost
                .push((at.to_owned(), format!("the {keyword} is lost")));
        }
    }

    /// Checks that a description is kept but for lines such as "* `active` - Active", of values that one of the
    /// agent's schemas lists.
    fn tells_without_labels(&self, agent: &Value, agents: &[&Value], text: &str) -> bool {
        let root = AgentSchema::new(self.agent);
        let listed = |value: &str| {
            let items = agents.iter().filter_map(|agent| agent.get("items"));
            let schemas = agents.iter().copied().chain(items);
            schemas
                .filter_map(|schema| root.resolve(schema))
                .any(|schema| {
                    let values = schema["enum"].as_array().into_iter().flatten();
                    values.into_iter().any(|one| one == value)
                })
        };
        let letters = |text: &str| text.to_lowercase().replace([' ', '-', '_'], "");
        let is_told = |line: &&str| {
            let label = line.trim().strip_prefix("* `");
            let label = label.and_then(|label| label.split_once("` - "));
            label.is_none_or(|(value, label)| letters(value) != letters(label) || !listed(value))
        };
        let told: Vec<&str> = text.lines().filter(is_told).collect();
        let told = told.join("\n");
        let kept = agent["description"].as_str().unwrap_or_default();
        told.len() < text.len() && has_letters(kept, &told)
    }

    /// Compares the properties, items and variants.
    fn inner(&mut self, parts: &[&'v Value], agents: &[&'t Value], at: &str) {
        let names: BTreeSet<&String> = parts
            .iter()
            .filter_map(|part| part["properties"].as_object())
            .flat_map(|properties| properties.keys())
            .collect();
        for name in names {
            let sources: Vec<_> = properties(parts, name).collect();
            let is_left_out = |source: &&Value| self.reader.is_left_out_wholly(source, Way::There);
            if sources.iter().any(is_left_out) {
                continue;
            }
            let inner: Vec<_> = properties(agents, name).collect();
            let at = format!("{at}.{name}");
            if inner.is_empty() {
                self.lost.push((at, "the property is lost".into()));
            } else {
                self.node(&sources, &inner, &at);
            }
        }
        for part in parts {
            for keyword in ["items", "additionalProperties"] {
                let Some(source) = part.get(keyword).filter(|inner| inner.is_object()) else {
                    continue;
                };
                let inner = agents.iter().find_map(|agent| agent.get(keyword));
                match inner {
                    Some(inner) => self.node(&[source], &[inner], &format!("{at}.{keyword}")),
                    None => self
                        .lost
                        .push((at.to_owned(), format!("`{keyword}` is lost"))),
                }
            }
            for keyword in ["oneOf", "anyOf"] {
                let mut others = parts.iter().filter(|other| !std::ptr::eq(**other, *part));
                let union = variants(part, keyword);
                if !others.any(|other| makes_redundant(other, &union)) {
                    self.union(part, keyword, agents, at);
                }
            }
        }
    }

    fn union(&mut self, part: &'v Value, keyword: &str, agents: &[&'t Value], at: &str) {
        let mut source = variants(part, keyword);
        source.retain(|variant| !self.reader.parts(variant).iter().any(|part| is_null(part)));
        if source.len() < 2 {
            return;
        }
        let root = AgentSchema::new(self.agent);
        let unions = agents.iter().flat_map(|agent| {
            ["oneOf", "anyOf"].map(|keyword| {
                let mut union = variants(agent, keyword);
                union.retain(|variant| {
                    let target = reference(variant).and_then(|target| root.target(target));
                    !target.is_some_and(is_null)
                });
                union
            })
        });
        // A place may have several unions. A constraint is lost if all of them lose it.
        let fitting = unions.filter(|union| union.len() == source.len());
        let trials = fitting.map(|union| {
            let mut trial = self.trial();
            for (number, (source, agent)) in source.iter().zip(union).enumerate() {
                trial.node(&[*source], &[agent], &format!("{at}.{keyword}{number}"));
            }
            trial
        });
        match trials.min_by_key(|trial| trial.lost.len()) {
            Some(best) => {
                self.kept += best.kept;
                self.lost.extend(best.lost);
                self.seen.extend(best.seen);
            }
            None => self
                .lost
                .push((at.to_owned(), format!("`{keyword}` is lost"))),
        }
    }

    /// Starts a tentative comparison.
    fn trial(&self) -> Self {
        Self {
            reader: self.reader,
            agent: self.agent,
            seen: self.seen.clone(),
            said: None,
            kept: 0,
            lost: Vec::new(),
        }
    }
}

/// Returns the body fields that are arguments, each with its argument.
fn fields(http: &HttpBinding) -> Vec<(&str, &str)> {
    match http.body.as_ref().map(|body| &body.shape) {
        Some(BodyShape::Fields(fields)) => fields
            .iter()
            .filter_map(|field| Some((field.name.as_str(), field.value.argument()?)))
            .collect(),
        _ => Vec::new(),
    }
}

/// Returns true if the agent's description has the same visible characters as the document's. A
/// very long one may be truncated if it is marked as such.
fn has_letters(agent: &str, text: &str) -> bool {
    let letters = |text: &str| -> String {
        let is_letter = |c: &char| c.is_alphanumeric() || c.is_ascii_graphic();
        text.chars().filter(is_letter).collect()
    };
    let beginning = agent.strip_suffix(" …").map(letters);
    let is_cut = text.chars().count() > LONGEST_TEXT
        && beginning.is_some_and(|begin| {
            begin.len() > LONGEST_TEXT / 2 && letters(text).starts_with(&begin)
        });
    is_cut || letters(agent).contains(&letters(text))
}

/// The schemas of one property in all parts.
fn properties<'v>(parts: &[&'v Value], name: &str) -> impl Iterator<Item = &'v Value> {
    parts
        .iter()
        .filter_map(move |part| part["properties"].get(name))
}

/// Returns true if a part makes a union redundant: it lists values, or names the type of a variant
/// that is nothing more than this type.
fn makes_redundant(part: &Value, union: &[&Value]) -> bool {
    let is_same_type = |variant: &&Value| variant["type"] == part["type"] && is_bare_type(variant);
    ["enum", "const"].iter().any(|key| part.get(*key).is_some())
        || part["type"].is_string() && union.iter().any(is_same_type)
}

/// Returns true if a schema contains nothing but a type.
fn is_bare_type(schema: &Value) -> bool {
    let keywords = schema.as_object().into_iter().flatten();
    keywords
        .into_iter()
        .all(|(key, value)| key == "type" || value == &serde_json::json!({}))
}

/// Returns the variants of a union except null.
fn variants<'v>(schema: &'v Value, keyword: &str) -> Vec<&'v Value> {
    let variants = schema[keyword].as_array().into_iter().flatten();
    variants.filter(|variant| !is_null(variant)).collect()
}

/// Returns true if the list contains this very schema.
fn has(schemas: &[&Value], schema: &Value) -> bool {
    schemas.iter().any(|known| std::ptr::eq(*known, schema))
}

/// Returns true if subtypes may replace the schema.
fn is_parent(schema: &Value) -> bool {
    schema.get("discriminator").is_some()
        && schema.get("oneOf").is_none()
        && schema.get("anyOf").is_none()
}

/// Returns the constraint in JSON Schema 2020-12, or `None` if it has no effect.
fn normalize(part: &Value, keyword: &str, value: &Value) -> Option<(String, Value)> {
    let number = |value: &Value| match value {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        _ => value.clone(),
    };
    let exclusive = |keyword: &str| part.get(keyword) == Some(&Value::Bool(true));
    let (keyword, value) = match keyword {
        "minimum" if exclusive("exclusiveMinimum") => ("exclusiveMinimum", number(value)),
        "maximum" if exclusive("exclusiveMaximum") => ("exclusiveMaximum", number(value)),
        "exclusiveMinimum" | "exclusiveMaximum" if value.is_boolean() => return None,
        "uniqueItems" if value != true => return None,
        // The `required` of a Swagger 2.0 parameter lists no properties.
        "required" if value.is_boolean() => return None,
        "format" if value == "byte" || value == "base64" => ("contentEncoding", "base64".into()),
        // The anchors of other regex dialects.
        "pattern" => {
            let text = value.as_str()?.replace(r"\A", "^");
            (keyword, text.replace(r"\Z", "$").replace(r"\z", "$").into())
        }
        "format" | "required" | "uniqueItems" => (keyword, value.clone()),
        _ => (keyword, number(value)),
    };
    Some((keyword.to_owned(), value))
}

/// Returns true if a schema contains the constraint.
fn has_constraint(agent: &Value, keyword: &str, value: &Value) -> bool {
    let listed = |keyword: &str, value: &Value| {
        let text = Value::String(value.to_string());
        let listed = agent[keyword].as_array().into_iter().flatten();
        value.is_null()
            || listed
                .into_iter()
                .any(|known| known == value || *known == text)
    };
    match (keyword, value) {
        ("enum", Value::Array(values)) => values.iter().all(|value| listed("enum", value)),
        ("required", Value::Array(names)) => names.iter().all(|name| {
            listed("required", name)
                || name
                    .as_str()
                    .is_none_or(|name| agent["properties"].get(name).is_none())
        }),
        (_, Value::Number(number)) => agent[keyword].as_f64() == number.as_f64(),
        _ => agent[keyword] == *value,
    }
}
