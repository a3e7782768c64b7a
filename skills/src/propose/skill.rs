//! A proposal as a skill: what varied becomes a parameter, what did not stays a constant.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use toolwright::ToolName;
use toolwright_model::MAX_TOOL_NAME;
use toolwright_schema::JsonPointer;

use super::{
    Evidence, Example, Proposal,
    pattern::{Occurrence, Pattern},
    runs::{AuditedCall, Run},
    toml,
};
use crate::{
    check::{KnownTools, parameter_schema},
    format::Skill,
};

/// The greatest number of runs that the evidence names.
const MOST_EXAMPLES: usize = 10;

/// The greatest number of values of a parameter that the evidence shows.
const MOST_VALUES: usize = 5;

/// The beginning of a hole. A recorded value that contains it must not become one.
const HOLE: &str = "{{";

/// The number of bytes that count as a token.
const BYTES_PER_TOKEN: u64 = 4;

/// A step of a proposal in the making.
struct Built {
    id: String,
    tool: String,
    arguments: Value,
}

/// The parameters of a proposal in the making.
#[derive(Default)]
struct Parameters {
    /// The schema and the values of each, by its name.
    found: Vec<(String, Value, Vec<Option<Value>>)>,
}

/// Returns the proposal of a sequence; none if it cannot be written as a skill.
pub(super) fn proposal(
    pattern: &Pattern,
    runs: &[Run],
    tools: &KnownTools<'_>,
    names: &mut BTreeSet<String>,
) -> Option<Proposal> {
    let first = pattern.occurrences.first()?;
    let calls = calls_of(pattern, runs)?;
    let mut parameters = Parameters::default();
    let mut steps: Vec<Built> = Vec::new();
    for (step, flows) in first.flows.iter().enumerate() {
        let of_step: Vec<&AuditedCall> = calls
            .iter()
            .map(|calls| calls.get(step).copied())
            .collect::<Option<_>>()?;
        let tool = of_step.first()?.tool.clone();
        let ids: Vec<String> = steps.iter().map(|step| step.id.clone()).collect();
        let mut builder = StepBuilder {
            flows,
            ids: &ids,
            tool: &tool,
            tools,
            parameters: &mut parameters,
        };
        let values: Vec<Option<&Value>> =
            of_step.iter().map(|call| call.arguments.as_ref()).collect();
        let arguments = builder.value(&values, &JsonPointer::root())?;
        let id = step_id(&tool, &ids);
        steps.push(Built {
            id,
            tool,
            arguments,
        });
    }
    parameters.rename(&steps);
    let name = name(&steps, names, tools)?;
    let text = text(&name, &steps, &parameters, pattern.runs)?;
    let skill = Skill::read(std::path::Path::new("skill.toml"), &text).ok()?;
    names.insert(name.to_string());
    Some(Proposal {
        evidence: evidence(pattern, runs, &calls, &parameters),
        name,
        text,
        skill,
    })
}

/// Returns the calls of each occurrence, in the order of the steps.
fn calls_of<'r>(pattern: &Pattern, runs: &'r [Run]) -> Option<Vec<Vec<&'r AuditedCall>>> {
    let calls = pattern
        .occurrences
        .iter()
        .map(|Occurrence { run, calls, .. }| {
            let run = runs.get(*run)?;
            calls.iter().map(|place| run.calls.get(*place)).collect()
        });
    calls.collect()
}

struct StepBuilder<'b> {
    flows: &'b BTreeMap<String, (usize, String)>,
    /// The ids of the steps before.
    ids: &'b [String],
    tool: &'b str,
    tools: &'b KnownTools<'b>,
    parameters: &'b mut Parameters,
}

impl StepBuilder<'_> {
    /// Returns the value at a place of the arguments, given that of each occurrence. None if there is
    /// none to write.
    fn value(&mut self, values: &[Option<&Value>], at: &JsonPointer) -> Option<Value> {
        if let Some((step, pointer)) = self.flows.get(at.as_str()) {
            let id = self.ids.get(*step)?;
            return Some(match pointer.as_str() {
                "" => format!("{{{{{id}}}}}").into(),
                pointer => format!("{{{{{id}#{pointer}}}}}").into(),
            });
        }
        let inner = format!("{at}/");
        let has_flow = self.flows.keys().any(|flow| flow.starts_with(&inner));
        let objects: Option<Vec<&Map<String, Value>>> = values
            .iter()
            .map(|value| value.and_then(Value::as_object))
            .collect();
        if let (Some(objects), true) = (objects, has_flow || at.as_str().is_empty()) {
            return Some(self.object(&objects, at));
        }
        if has_flow {
            return self.array(values, at);
        }
        match values.first()? {
            Some(first)
                if values.iter().all(|value| *value == Some(*first)) && is_constant(first) =>
            {
                Some((*first).clone())
            }
            _ => Some(self.parameter(values, at)),
        }
    }

    fn object(&mut self, objects: &[&Map<String, Value>], at: &JsonPointer) -> Value {
        let names: BTreeSet<&String> = objects.iter().flat_map(|object| object.keys()).collect();
        let mut built = Map::new();
        for name in names {
            let values: Vec<_> = objects.iter().map(|object| object.get(name)).collect();
            let value = self.value(&values, &at.join(name));
            built.extend(value.map(|value| (name.clone(), value)));
        }
        Value::Object(built)
    }

    /// Returns an array into which a value flows. All occurrences have as many elements.
    fn array(&mut self, values: &[Option<&Value>], at: &JsonPointer) -> Option<Value> {
        let arrays: Option<Vec<&Vec<Value>>> = values
            .iter()
            .map(|value| value.and_then(Value::as_array))
            .collect();
        let arrays = arrays?;
        let length = arrays.first()?.len();
        if arrays.iter().any(|array| array.len() != length) {
            return None;
        }
        let items = (0..length).map(|index| {
            let values: Vec<_> = arrays.iter().map(|array| array.get(index)).collect();
            self.value(&values, &at.join(&index.to_string()))
        });
        items.collect::<Option<Vec<_>>>().map(Value::Array)
    }

    /// Returns the hole of a parameter. Arguments that have the same values in each occurrence are one
    /// parameter.
    fn parameter(&mut self, values: &[Option<&Value>], at: &JsonPointer) -> Value {
        let values: Vec<Option<Value>> = values.iter().map(|value| value.cloned()).collect();
        let known = self
            .parameters
            .found
            .iter()
            .position(|(_, _, known)| *known == values);
        let index = known.unwrap_or_else(|| {
            let steps = JsonPointer::steps_of(at.as_str()).into_iter().flatten();
            let last = steps
                .filter(|step| !step.chars().all(|c| c.is_ascii_digit()))
                .last();
            let name = identifier(last.as_deref().unwrap_or("value"));
            let mut schema = self
                .tool_schema(at)
                .unwrap_or_else(|| schema_of(values.iter().flatten()));
            if let Some(schema) = schema.as_object_mut() {
                let about = format!(
                    "`{last}` of `{}`.",
                    self.tool,
                    last = last.unwrap_or_default()
                );
                schema.entry("description").or_insert_with(|| about.into());
                if values.iter().any(Option::is_none) {
                    schema.insert("optional".to_owned(), true.into());
                }
            }
            self.parameters.found.push((name, schema, values));
            self.parameters.found.len() - 1
        });
        // The names are made unique at the end; until then a parameter is its number.
        json!({ PARAMETER: index })
    }

    fn tool_schema(&self, at: &JsonPointer) -> Option<Value> {
        let name = ToolName::new(self.tool).ok()?;
        parameter_schema(self.tools.get(&name)?, at.as_str())
    }
}

/// The key of an object that is the hole of a parameter while a proposal is built.
const PARAMETER: &str = "\u{0}parameter";

impl Parameters {
    /// Makes the names unique, also among the steps.
    fn rename(&mut self, steps: &[Built]) {
        let mut taken: BTreeSet<String> = steps.iter().map(|step| step.id.clone()).collect();
        taken.insert("item".to_owned());
        for (name, ..) in &mut self.found {
            let base = name.clone();
            let mut number = 2;
            while !taken.insert(name.clone()) {
                *name = format!("{base}_{number}");
                number += 1;
            }
        }
    }

    /// Replaces the numbers of parameters by their holes.
    fn filled(&self, value: &Value) -> Value {
        match value {
            Value::Object(fields) => match fields.get(PARAMETER).and_then(Value::as_u64) {
                Some(index) => {
                    let index = usize::try_from(index).unwrap_or_default();
                    let name = self.found.get(index).map(|(name, ..)| name.as_str());
                    format!("{{{{{}}}}}", name.unwrap_or_default()).into()
                }
                None => {
                    let fields = fields.iter();
                    let fields = fields.map(|(name, field)| (name.clone(), self.filled(field)));
                    Value::Object(fields.collect())
                }
            },
            Value::Array(items) => items.iter().map(|item| self.filled(item)).collect(),
            scalar => scalar.clone(),
        }
    }
}

/// Checks whether a value can be written as a constant: TOML has no null, and a string of an agent must
/// not become a hole.
fn is_constant(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.contains(HOLE),
        Value::Array(items) => items.iter().all(is_constant),
        Value::Object(fields) => fields.values().all(is_constant),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

/// Returns a schema that has the types of some values.
fn schema_of<'v>(values: impl Iterator<Item = &'v Value>) -> Value {
    let types: BTreeSet<&str> = values
        .map(|value| match value {
            Value::Number(number) if !number.is_f64() => "integer",
            value => toolwright_schema::type_of(value),
        })
        .collect();
    let types: Vec<&str> = types.into_iter().collect();
    match types.as_slice() {
        [one] => json!({ "type": one }),
        several => json!({ "type": several }),
    }
}

/// Returns a name of a parameter or a step: lower-case letters, digits and `_`.
fn identifier(text: &str) -> String {
    let mut name = String::new();
    for character in text.chars().take(48) {
        match character {
            'A'..='Z' if name.ends_with(|c: char| c.is_ascii_lowercase()) => {
                name.push('_');
                name.push(character.to_ascii_lowercase());
            }
            c if c.is_ascii_alphanumeric() => name.push(c.to_ascii_lowercase()),
            _ if name.ends_with('_') || name.is_empty() => {}
            _ => name.push('_'),
        }
    }
    let name = name.trim_end_matches('_');
    match name.starts_with(|c: char| c.is_ascii_lowercase()) {
        true => name.to_owned(),
        false => format!("value_{name}").trim_end_matches('_').to_owned(),
    }
}

/// Returns the id of a step: the verb of its tool.
fn step_id(tool: &str, taken: &[String]) -> String {
    let base = identifier(tool.split('-').next().unwrap_or(tool));
    let mut id = base.clone();
    let mut number = 2;
    while taken.contains(&id) || id == "item" {
        id = format!("{base}_{number}");
        number += 1;
    }
    id
}

/// Returns a name for a skill that no tool and no other proposal has: that of the last tool, and the verb
/// of the first.
fn name(steps: &[Built], taken: &BTreeSet<String>, tools: &KnownTools<'_>) -> Option<ToolName> {
    let (first, last) = (steps.first()?, steps.last()?);
    let verb = first.tool.split('-').next().unwrap_or_default();
    let base = format!("{}-after-{verb}", last.tool);
    (1..1_000).find_map(|number| {
        let suffix = match number {
            1 => String::new(),
            number => format!("-{number}"),
        };
        let beginning: String = base.chars().take(MAX_TOOL_NAME - suffix.len()).collect();
        let name = format!("{}{suffix}", beginning.trim_end_matches('-'));
        let name = ToolName::new(name).ok()?;
        let is_free = !taken.contains(name.as_str()) && tools.get(&name).is_none();
        is_free.then_some(name)
    })
}

/// Returns the content of the file.
fn text(name: &ToolName, steps: &[Built], parameters: &Parameters, runs: usize) -> Option<String> {
    let calls: Vec<_> = steps
        .iter()
        .map(|step| format!("`{}`", step.tool))
        .collect();
    let line = format!("Calls {}.", calls.join(", then "));
    let mut text = format!(
        "# Proposed from the audit: {runs} runs made these calls. Read it, and change what reads badly.\n"
    );
    text.push_str(&format!("name = {}\n", toml::value(&json!(name))?));
    text.push_str(&format!("line = {}\n", toml::value(&json!(line))?));
    text.push_str("owner = \"nobody yet\"\n");
    for (name, schema, _) in &parameters.found {
        text.push_str(&format!("\n[parameters.{name}]\n"));
        for (key, value) in schema.as_object()? {
            text.push_str(&format!("{} = {}\n", toml::key(key), toml::value(value)?));
        }
    }
    for step in steps {
        text.push_str("\n[[steps]]\n");
        text.push_str(&format!("id = {}\n", toml::value(&json!(step.id))?));
        text.push_str(&format!("tool = {}\n", toml::value(&json!(step.tool))?));
        let arguments = parameters.filled(&step.arguments);
        let Value::Object(fields) = &arguments else {
            return None;
        };
        if !fields.is_empty() {
            text.push_str("\n[steps.arguments]\n");
        }
        for (key, value) in fields {
            text.push_str(&format!("{} = {}\n", toml::key(key), toml::value(value)?));
        }
    }
    Some(text)
}

fn evidence(
    pattern: &Pattern,
    runs: &[Run],
    calls: &[Vec<&AuditedCall>],
    parameters: &Parameters,
) -> Evidence {
    let examples = pattern.occurrences.iter().zip(calls).take(MOST_EXAMPLES);
    let examples = examples.map(|(occurrence, calls)| Example {
        run: runs
            .get(occurrence.run)
            .map_or_else(String::new, |run| run.name.clone()),
        calls: calls.iter().map(|call| call.id.clone()).collect(),
    });
    let values = parameters.found.iter().map(|(name, _, values)| {
        let mut shown: Vec<Value> = Vec::new();
        for value in values.iter().flatten() {
            if shown.len() < MOST_VALUES && !shown.contains(value) {
                shown.push(value.clone());
            }
        }
        (name.clone(), shown)
    });
    let steps = calls.first().map_or(0, Vec::len);
    let bytes: u64 = calls.iter().map(|calls| saved_bytes(calls)).sum();
    let count = u64::try_from(calls.len()).unwrap_or(u64::MAX).max(1);
    Evidence {
        runs: pattern.runs,
        occurrences: calls.len(),
        examples: examples.collect(),
        values: values.collect(),
        calls_saved: steps.saturating_sub(1),
        tokens_saved: bytes / count / BYTES_PER_TOKEN,
    }
}

/// Returns the bytes that an agent need not read and write: the answers before the last, and the
/// arguments after the first.
fn saved_bytes(calls: &[&AuditedCall]) -> u64 {
    let answers: u64 = calls.iter().rev().skip(1).map(|call| call.bytes).sum();
    let arguments = calls
        .iter()
        .skip(1)
        .filter_map(|call| call.arguments.as_ref());
    let arguments: usize = arguments.map(|arguments| arguments.to_string().len()).sum();
    answers + u64::try_from(arguments).unwrap_or_default()
}
