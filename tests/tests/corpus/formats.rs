//! Checks the formats of model providers: every dialect renders every tool by its published rules, and
//! what a rendered schema accepts, the tool accepts.

mod published;

use std::{
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
};

use jsonschema::Validator;
use serde_json::Value;
use toolwright::{
    ToolSpec,
    render::{
        prompt::{self, Calls},
        provider::Dialect,
    },
};
use toolwright_schema::walk_mut;
use toolwright_tests::{Extent, examples};

use crate::{documents::Subject, findings::Findings};

/// The most bytes of a schema whose values are checked: compiling the largest takes minutes.
const MOST_BYTES: usize = 50_000;

/// The most properties of an object that become null.
const MOST_NULLS: usize = 30;

/// Of the tools of a document, the values of this many are checked, spread evenly.
const MOST_TOOLS: usize = 12;

/// The tools so far, those with a strict schema, and the values that were checked.
static TOOLS: AtomicUsize = AtomicUsize::new(0);
static STRICT: AtomicUsize = AtomicUsize::new(0);
static VALUES: AtomicUsize = AtomicUsize::new(0);

/// Checks every tool in every dialect, and the block of the prompt.
pub(crate) fn check(subject: &Subject) -> Findings {
    let mut findings = Findings::default();
    let step = subject.tools.len().div_ceil(MOST_TOOLS).max(1);
    for (index, tool) in subject.tools.iter().enumerate() {
        for &dialect in Dialect::ALL {
            let what = format!("{}: {} ({dialect})", subject.name, tool.name);
            findings.check(what, fault(dialect, tool, index % step == 0));
        }
    }
    let strict = subject
        .tools
        .iter()
        .map(|tool| Dialect::OpenAiStrict.tool(tool));
    let strict = strict
        .filter(|rendering| rendering.not_strict.is_none())
        .count();
    STRICT.fetch_add(strict, Ordering::Relaxed);
    TOOLS.fetch_add(subject.tools.len(), Ordering::Relaxed);
    let block = prompt::block(&subject.tools, Calls::Functions);
    for tool in &subject.tools {
        let bullets = block
            .lines()
            .filter(|line| line.starts_with(&format!("- `{}`: ", tool.name)));
        let fault = (bullets.count() != 1).then(|| "it does not have one bullet".to_owned());
        findings.check(format!("{}: {} (prompt)", subject.name, tool.name), fault);
    }
    findings
}

/// Reports how many tools are strict.
pub(crate) fn report(_: &[PathBuf]) -> Findings {
    let mut findings = Findings::default();
    let (strict, all) = (
        STRICT.load(Ordering::Relaxed),
        TOOLS.load(Ordering::Relaxed),
    );
    findings.note(format!("{strict} of {all} tools have a strict schema"));
    let values = VALUES.load(Ordering::Relaxed);
    findings.note(format!("{values} values of rendered schemas were checked"));
    findings
}

fn fault(dialect: Dialect, tool: &ToolSpec, with_values: bool) -> Option<String> {
    let rendering = dialect.tool(tool);
    let rendered = &rendering.tool;
    if dialect.tool_name(&dialect.name(tool)).as_ref() != Some(&tool.name) {
        return Some("its name does not come back".to_owned());
    }
    if let Some(fault) = published::fault(dialect, rendered) {
        return Some(fault);
    }
    with_values.then(|| fault_of_values(dialect, tool, rendered))?
}

/// Returns a value that the rendered schema accepts and the tool refuses, other than by a keyword that
/// the dialect lacks.
fn fault_of_values(dialect: Dialect, tool: &ToolSpec, rendered: &Value) -> Option<String> {
    let mut original = tool.input_schema.to_value();
    let schema = published::schema(dialect, rendered)?;
    if original.to_string().len().max(schema.to_string().len()) > MOST_BYTES {
        return None;
    }
    relax(&mut original, dialect.dropped());
    if let (Dialect::Bedrock, Some(root)) = (dialect, original.as_object_mut()) {
        // The root of a schema for Bedrock cannot refuse other arguments.
        root.remove("additionalProperties");
    }
    let shown = jsonschema::draft202012::new(schema).ok()?;
    let own = jsonschema::draft202012::new(&original).ok()?;
    for extent in [Extent::Least, Extent::Most] {
        let values = examples(schema, extent).filter(|value| shown.is_valid(value));
        let values = values.flat_map(|value| match dialect {
            Dialect::OpenAiStrict => vec![with_nulls(&value, &shown), value],
            _ => vec![value],
        });
        for value in values {
            VALUES.fetch_add(1, Ordering::Relaxed);
            let arguments = dialect.arguments(tool, value.clone());
            if let Err(error) = own.validate(&arguments) {
                let place = error.instance_path();
                return Some(format!("{value} is refused at `{place}`: {error}"));
            }
        }
    }
    None
}

/// Returns the value with null in place of each property that may be null, as models send absent ones.
fn with_nulls(value: &Value, shown: &Validator) -> Value {
    let mut pointers = vec![String::new()];
    let mut result = value.clone();
    while let Some(pointer) = pointers.pop() {
        let names: Vec<String> = match result.pointer(&pointer) {
            Some(Value::Object(fields)) => fields.keys().cloned().collect(),
            Some(Value::Array(elements)) => (0..elements.len()).map(|i| i.to_string()).collect(),
            _ => continue,
        };
        for name in names.into_iter().take(MOST_NULLS) {
            let below = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
            let own = result.pointer_mut(&below).unwrap().take();
            if !shown.is_valid(&result) {
                *result.pointer_mut(&below).unwrap() = own;
                pointers.push(below);
            }
        }
    }
    result
}

/// Removes keywords from a schema. Without `oneOf`, `anyOf` is in its place.
fn relax(schema: &mut Value, dropped: &[&str]) {
    walk_mut(schema, |_, schema| {
        let Some(fields) = schema.as_object_mut() else {
            return;
        };
        for keyword in dropped {
            match (*keyword, fields.remove(*keyword)) {
                ("oneOf", Some(variants)) if !fields.contains_key("anyOf") => {
                    fields.insert("anyOf".to_owned(), variants);
                }
                _ => {}
            }
        }
    });
}
