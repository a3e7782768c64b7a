//! Schemas for agents: an object, self-contained, valid, and with all that the document says.

mod kept;

use std::collections::BTreeSet;

use serde_json::Value;
use toolwright::{BodyShape, Bound, HttpBinding, ToolSpec};

use crate::{documents::Subject, findings::Findings};

/// The schemas of every tool are such that any client can read them.
pub(crate) fn judge(subject: &Subject) -> Findings {
    let mut findings = Findings::default();
    for tool in &subject.tools {
        let what = format!("{}: {}", subject.name, tool.name);
        findings.check(&what, fault_of_input(tool));
        if let Some(output) = &tool.output_schema {
            findings.check(format!("{what} (output)"), fault(output));
        }
    }
    findings.add(kept::judge(subject));
    findings
}

fn fault_of_input(tool: &ToolSpec) -> Option<String> {
    let schema = &tool.input_schema;
    if schema["type"] != "object" {
        return Some("its root is no object".to_owned());
    }
    fault(schema).or_else(|| fault_of_arguments(tool))
}

/// What is wrong with a schema on its own.
fn fault(schema: &Value) -> Option<String> {
    let mut references = BTreeSet::new();
    collect_references(schema, &mut references);
    let dangling = references.into_iter().find(|reference| {
        let pointer = reference.strip_prefix('#');
        pointer.is_none_or(|pointer| schema.pointer(pointer).is_none())
    });
    if let Some(reference) = dangling {
        return Some(format!("`{reference}` leads to nothing in it"));
    }
    if let Err(error) = jsonschema::draft202012::meta::validate(schema) {
        return Some(format!(
            "it is no schema: {error} at {}",
            error.instance_path()
        ));
    }
    let built = jsonschema::draft202012::new(schema);
    built
        .err()
        .map(|error| format!("no validator can be made of it: {error}"))
}

/// Every `$ref` of a schema; one in an example or a default is data.
fn collect_references<'s>(schema: &'s Value, found: &mut BTreeSet<&'s str>) {
    match schema {
        Value::Array(items) => items
            .iter()
            .for_each(|item| collect_references(item, found)),
        Value::Object(keywords) => {
            found.extend(keywords.get("$ref").and_then(Value::as_str));
            let schemas = keywords.iter().filter(|(keyword, _)| {
                !matches!(keyword.as_str(), "default" | "examples" | "enum" | "const")
            });
            schemas.for_each(|(_, value)| collect_references(value, found));
        }
        _ => {}
    }
}

/// Every argument goes to one place, and every place has an argument of its own.
fn fault_of_arguments(tool: &ToolSpec) -> Option<String> {
    let http = tool.http()?;
    let mut used = arguments(http);
    used.sort_unstable();
    let shared = used.windows(2).find(|pair| pair[0] == pair[1]);
    if let Some(pair) = shared {
        return Some(format!("`{}` is sent to two places", pair[0]));
    }
    let properties = tool.input_schema["properties"].as_object()?;
    let unused = properties
        .keys()
        .find(|name| !used.contains(&name.as_str()));
    if let Some(name) = unused {
        return Some(format!("`{name}` is sent nowhere"));
    }
    let unknown = used.iter().find(|name| !properties.contains_key(**name));
    unknown.map(|name| format!("`{name}` is no argument"))
}

/// The arguments that a request is made of.
fn arguments(http: &HttpBinding) -> Vec<&str> {
    let parameters = http.parameters.iter().map(|parameter| &parameter.value);
    let body: Vec<&Bound> = match http.body.as_ref().map(|body| &body.shape) {
        Some(BodyShape::Whole(value)) => vec![value],
        Some(BodyShape::Fields(fields)) => fields.iter().map(|field| &field.value).collect(),
        None => Vec::new(),
    };
    parameters.chain(body).filter_map(Bound::argument).collect()
}
