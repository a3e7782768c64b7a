//! Checks the schemas for agents: objects, self-contained, valid and complete.

mod kept;

use serde_json::Value;
use toolwright::{
    ToolSpec,
    binding::{BodyShape, Bound, HttpBinding},
    render::mcp::{MAX_OUTPUT_SCHEMA, OutputSchemas, ResultForm},
};
use toolwright_schema::{Root, reference, walk};

use crate::{documents::Subject, findings::Findings};

/// Checks that any client can read the schemas of every tool.
pub(crate) fn check(subject: &Subject) -> Findings {
    let mut findings = Findings::default();
    for tool in &subject.tools {
        let what = format!("{}: {}", subject.name, tool.name);
        findings.check(&what, fault_of_input(tool));
        if let Some(output) = &tool.output_schema {
            findings.check(format!("{what} (output)"), fault(&output.to_value()));
            findings.check(format!("{what} (cut output)"), fault_of_cut(tool));
        }
    }
    findings.add(kept::check(subject));
    findings
}

/// Returns the fault of the output schema that clients see by default.
fn fault_of_cut(tool: &ToolSpec) -> Option<String> {
    let form = ResultForm::new(tool, OutputSchemas::Cut);
    let schema = form.output_schema()?;
    let size = schema.to_string().len();
    // The schema may be wrapped as a property, and has a comment.
    if size > MAX_OUTPUT_SCHEMA + 512 {
        return Some(format!("it has {size} bytes"));
    }
    fault(schema)
}

fn fault_of_input(tool: &ToolSpec) -> Option<String> {
    let schema = &tool.input_schema.to_value();
    if schema["type"] != "object" {
        return Some("its root is not an object schema".to_owned());
    }
    fault(schema).or_else(|| fault_of_arguments(tool))
}

/// Returns the first fault of a schema.
fn fault(schema: &Value) -> Option<String> {
    let mut schemas = walk(schema);
    while let Some(subschema) = schemas.next() {
        let reference = reference(subschema.schema);
        let target = |reference| Root::new(schema).target(reference);
        if let Some(reference) = reference.filter(|reference| target(reference).is_none()) {
            let place = schemas.pointer();
            return Some(format!("`{reference}` at `{place}` cannot be resolved"));
        }
    }
    if let Err(error) = jsonschema::draft202012::meta::validate(schema) {
        return Some(format!(
            "it is not a valid schema: {error} at {}",
            error.instance_path()
        ));
    }
    let built = jsonschema::draft202012::new(schema);
    built
        .err()
        .map(|error| format!("it cannot be compiled: {error}"))
}

/// Checks that every argument has exactly one destination and every destination an argument.
fn fault_of_arguments(tool: &ToolSpec) -> Option<String> {
    let http = tool.http()?;
    let mut used = arguments(http);
    used.sort_unstable();
    let shared = used.windows(2).find(|pair| pair[0] == pair[1]);
    if let Some(pair) = shared {
        return Some(format!("`{}` is sent to two places", pair[0]));
    }
    let properties = tool.input_schema.root()["properties"].as_object()?;
    let unused = properties
        .keys()
        .find(|name| !used.contains(&name.as_str()));
    if let Some(name) = unused {
        return Some(format!("`{name}` is sent nowhere"));
    }
    let unknown = used.iter().find(|name| !properties.contains_key(**name));
    unknown.map(|name| format!("`{name}` is not an argument"))
}

/// Returns the arguments of a request.
fn arguments(http: &HttpBinding) -> Vec<&str> {
    let parameters = http.parameters.iter().map(|parameter| &parameter.value);
    let body: Vec<&Bound> = match http.body.as_ref().map(|body| &body.shape) {
        Some(BodyShape::Whole(value)) => vec![value],
        Some(BodyShape::Fields(fields)) => fields.iter().map(|field| &field.value).collect(),
        None => Vec::new(),
    };
    parameters.chain(body).filter_map(Bound::argument).collect()
}
