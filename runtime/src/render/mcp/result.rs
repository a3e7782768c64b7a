//! The rendering of results.

use serde_json::{Value, json};
use toolwright_model::ToolSchema;
use toolwright_schema::{is_null, json_length};

use crate::{
    ToolSpec,
    render::schema::{
        admits_objects_only, with_single_types, without_booleans, without_open_items,
        without_repetition, wrapped,
    },
    schema::{ArgumentSchema, Violation, without_advisory_patterns},
};

/// The property that a wrapped result is in.
const RESULT: &str = "result";

/// The size from which on an output schema is cut, in bytes of JSON. Clients load the schemas of all tools at once, and the
/// whole output schemas of a large API take a hundred megabytes.
pub const MAX_OUTPUT_SCHEMA: usize = 768;

/// The bytes that a cut output schema may have in addition: for its comment, and for its place as a property.
const ALLOWANCE: usize = 256;

/// The `$comment` of an output schema that is cut: some parts have their type only.
const CUT: &str = "cut";

/// How much of the output schemas a client sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputSchemas {
    /// A schema of more than [`MAX_OUTPUT_SCHEMA`] bytes is cut: the parts that are far from its root are described by their
    /// type only. It accepts every result that the whole schema accepts. A schema that accepts every object, or only null,
    /// is not shown.
    #[default]
    Cut,
    /// Every schema is whole.
    Whole,
}

/// The rendering of one tool's results.
#[derive(Debug)]
pub struct ResultForm {
    wrapping: Wrapping,
    output_schema: Option<Value>,
    compiled: ArgumentSchema,
}

/// Which results are wrapped as `{"result": …}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrapping {
    Always,
    Never,
    /// The result has no schema: an object stays unchanged, anything else is wrapped.
    UnlessObject,
}

impl ResultForm {
    /// Returns the form of this tool's results.
    ///
    /// Clients validate results against the output schema, so it has no pattern that the runtime
    /// cannot match, and one that does not compile is left out.
    #[must_use]
    pub fn new(spec: &ToolSpec, schemas: OutputSchemas) -> Self {
        let compiled = ArgumentSchema::default();
        let (wrapping, mut schema) = match &spec.output_schema {
            Some(schema) => describe(schema, schemas),
            None => (Wrapping::UnlessObject, None),
        };
        if let Some(schema) = &mut schema {
            without_advisory_patterns(schema);
        }
        Self {
            wrapping,
            output_schema: schema.filter(|schema| compiled.check_compiles(schema).is_ok()),
            compiled,
        }
    }

    /// The `outputSchema` of the tool: the schema of `structuredContent` if the tool succeeds.
    #[must_use]
    pub const fn output_schema(&self) -> Option<&Value> {
        self.output_schema.as_ref()
    }

    /// The same, by value.
    #[must_use]
    pub fn into_output_schema(self) -> Option<Value> {
        self.output_schema
    }

    /// The `structuredContent` of a result.
    ///
    /// # Errors
    /// Fails if the result does not fit the output schema. A service may break its own document,
    /// but clients refuse `structuredContent` that does not fit.
    pub fn structured_content(&self, result: &Value) -> Result<Value, Vec<Violation>> {
        let content = if self.wraps(result) {
            json!({ RESULT: result })
        } else {
            result.clone()
        };
        let Some(schema) = &self.output_schema else {
            return Ok(content);
        };
        match self.compiled.violations(schema, &content) {
            Ok(violations) if !violations.is_empty() => Err(violations),
            _ => Ok(content),
        }
    }

    fn wraps(&self, result: &Value) -> bool {
        match self.wrapping {
            Wrapping::Always => true,
            Wrapping::Never => false,
            Wrapping::UnlessObject => !result.is_object(),
        }
    }
}

/// Returns a result as a string: a string unchanged, anything else as JSON.
#[must_use]
pub fn text(result: &Value) -> String {
    result
        .as_str()
        .map_or_else(|| result.to_string(), str::to_owned)
}

/// The wrapping and the output schema of a result that this schema describes.
fn describe(whole: &ToolSchema, schemas: OutputSchemas) -> (Wrapping, Option<Value>) {
    let is_object = admits_objects_only(whole);
    let write = |schema| {
        let mut schema = match is_object {
            true => schema,
            false => without_limit(wrapped(schema, RESULT)),
        };
        without_booleans(&mut schema);
        without_open_items(&mut schema);
        without_repetition(&mut schema);
        with_single_types(&mut schema);
        schema
    };
    let mut schema = match schemas {
        OutputSchemas::Cut => written_cut(whole, is_object, write),
        OutputSchemas::Whole => Some(write(whole.to_value())),
    };
    if !is_object {
        return (Wrapping::Always, schema);
    }
    if schema.is_none() {
        return (Wrapping::UnlessObject, None);
    }
    if let Some(fields) = schema.as_mut().and_then(Value::as_object_mut) {
        fields.entry("type").or_insert_with(|| "object".into());
    }
    (Wrapping::Never, schema)
}

/// Removes `additionalProperties` from a wrapper. Readers of results do not need it.
fn without_limit(mut schema: Value) -> Value {
    if let Some(fields) = schema.as_object_mut() {
        fields.shift_remove("additionalProperties");
    }
    schema
}

/// Writes a cut schema. If it grows over the limit while it is written, more is cut. Returns `None` for a schema that
/// accepts every object or only null.
fn written_cut(
    whole: &ToolSchema,
    is_object: bool,
    write: impl Fn(Value) -> Value,
) -> Option<Value> {
    let cut = whole.cut(MAX_OUTPUT_SCHEMA, CUT);
    if is_null(&cut) || is_object && admits_any_object(&cut) {
        return None;
    }
    let before = json_length(&cut);
    let schema = write(cut);
    let after = json_length(&schema);
    if after <= MAX_OUTPUT_SCHEMA + ALLOWANCE {
        return Some(schema);
    }
    let growth = after.saturating_sub(before);
    Some(write(
        whole.cut(MAX_OUTPUT_SCHEMA.saturating_sub(growth), CUT),
    ))
}

/// Checks whether the schema of an object accepts every object.
fn admits_any_object(schema: &Value) -> bool {
    let mut keywords = schema.as_object().into_iter().flatten();
    keywords.all(|(keyword, value)| match keyword.as_str() {
        "type" => value == "object",
        "additionalProperties" => *value == true || *value == json!({}),
        keyword => keyword == "$comment",
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::Map;

    use super::*;
    use crate::{Kind, render::tests::spec};

    fn form(output_schema: Option<Value>) -> ResultForm {
        ResultForm::new(&spec(Kind::Read, output_schema), OutputSchemas::Cut)
    }

    #[test]
    fn schema_and_content_are_wrapped_alike() {
        let item = json!({"id": 1});
        let list = json!([item]);
        let defs = json!({"item": {"type": "object"}});
        for (schema, result, shown) in [
            (
                json!({"type": "object", "required": ["id"]}),
                item.clone(),
                item.clone(),
            ),
            (
                json!({"$ref": "#/$defs/item", "$defs": defs}),
                item.clone(),
                item.clone(),
            ),
            (
                json!({"type": "array"}),
                list.clone(),
                json!({"result": list}),
            ),
            (
                json!({"type": ["object", "null"]}),
                item.clone(),
                json!({"result": item}),
            ),
            (
                json!({"type": ["object", "null"]}),
                Value::Null,
                json!({"result": null}),
            ),
            (json!(true), item.clone(), json!({"result": item})),
        ] {
            let form = form(Some(schema.clone()));
            let output = form.output_schema().unwrap();
            assert_eq!(output["type"], "object", "{schema}");
            assert_eq!(form.structured_content(&result), Ok(shown), "{schema}");
        }
    }

    #[test]
    fn an_undescribed_result_is_wrapped_unless_it_is_an_object() {
        let form = form(None);
        assert_eq!(form.output_schema(), None);
        assert_eq!(form.structured_content(&json!({})), Ok(json!({})));
        let null = json!({"result": null});
        assert_eq!(form.structured_content(&Value::Null), Ok(null));
    }

    #[test]
    fn a_schema_that_says_nothing_is_left_out_unless_all_are_whole() {
        let large = json!({"type": "object", "properties": {"a": {"enum": ["x".repeat(2000)]}}});
        let large = json!({"$ref": "#/$defs/Large", "$defs": {"Large": large}});
        for (schema, null) in [
            (json!({"type": "object"}), json!({"result": null})),
            (json!({"type": "null"}), json!({"result": null})),
            (large, json!({"result": null})),
        ] {
            let of = |schemas| ResultForm::new(&spec(Kind::Read, Some(schema.clone())), schemas);
            let form = of(OutputSchemas::Cut);
            assert_eq!(form.output_schema(), None, "{schema}");
            assert_eq!(form.structured_content(&Value::Null), Ok(null), "{schema}");
            assert!(
                of(OutputSchemas::Whole).output_schema().is_some(),
                "{schema}"
            );
        }
    }

    #[test]
    fn content_that_does_not_fit_is_reported_by_its_place() {
        let form = form(Some(json!({"type": "array", "items": {"type": "string"}})));
        let violations = form.structured_content(&json!(["a", 1])).unwrap_err();
        assert_eq!(violations.len(), 1);
        assert_eq!(violations[0].pointer, "/result/1");
    }

    #[test]
    fn an_invalid_schema_is_left_out() {
        let form = form(Some(json!({"type": "object", "required": "all"})));
        assert_eq!(form.output_schema(), None);
        assert_eq!(form.structured_content(&json!({})), Ok(json!({})));
    }

    #[test]
    fn a_cut_schema_stays_within_its_limit_although_it_grows() {
        let mut properties = Map::new();
        let mut definitions = Vec::new();
        for number in 0..50 {
            let name = format!("part{number}");
            properties.insert(name.clone(), json!({"$ref": format!("#/$defs/{name}")}));
            let nullable = json!({"type": ["string", "null"]});
            definitions.push((name, nullable));
        }
        let root = json!({"type": "object", "properties": properties});
        let shared = Arc::new(definitions.into_iter().collect());
        let whole = ToolSchema::new(root, shared);
        assert!(whole.to_value().to_string().len() > MAX_OUTPUT_SCHEMA);
        let mut spec = spec(Kind::Read, None);
        spec.output_schema = Some(whole);
        let form = ResultForm::new(&spec, OutputSchemas::Cut);
        let size = form.output_schema().unwrap().to_string().len();
        let limit = MAX_OUTPUT_SCHEMA + ALLOWANCE;
        assert!((MAX_OUTPUT_SCHEMA / 2..=limit).contains(&size), "{size}");
    }

    #[test]
    fn text_is_not_quoted() {
        assert_eq!(text(&json!("a\nb")), "a\nb");
        assert_eq!(text(&json!({"a": 1})), r#"{"a":1}"#);
    }
}
