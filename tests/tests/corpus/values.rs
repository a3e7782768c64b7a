//! Checks that the schemas of tools are bundles, and that values can be made for them.

use serde_json::{Map, Value};
use toolwright_model::ToolSchema;
use toolwright_schema::SharedDefinitions;
use toolwright_tests::{Extent, examples};

use crate::{documents::Subject, findings::Findings};

/// Checks the schemas of the arguments and the result of every tool.
pub(crate) fn check(subject: &Subject) -> Findings {
    let mut findings = Findings::default();
    for tool in &subject.tools {
        for schema in tool.schemas().map(ToolSchema::to_value) {
            let what = format!("{}: {}", subject.name, tool.name);
            findings.check(what, fault(&schema));
        }
    }
    findings
}

fn fault(schema: &Value) -> Option<String> {
    let mut own = schema.clone();
    let definitions = match own.as_object_mut().and_then(|own| own.remove("$defs")) {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    let definitions: SharedDefinitions = definitions.into_iter().collect();
    if definitions.bundle(own) != *schema {
        return Some("its bundle is another schema".to_owned());
    }
    let validator = jsonschema::draft202012::new(schema).ok()?;
    for extent in [Extent::Least, Extent::Most] {
        if !examples(schema, extent).any(|value| validator.is_valid(&value)) {
            return Some(format!("no {extent:?} example conforms"));
        }
    }
    None
}
