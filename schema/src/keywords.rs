//! The keywords of one schema, without those of its references and parts.

use serde_json::Value;

/// Returns the types that a schema declares: none if it declares no type.
///
/// ```
/// # use serde_json::json;
/// let schema = json!({"type": ["string", "null"]});
/// assert!(toolwright_schema::types(&schema).eq(["string", "null"]));
/// assert_eq!(toolwright_schema::types(&json!(true)).count(), 0);
/// ```
pub fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let declared = match schema.get("type") {
        Some(Value::Array(names)) => names.as_slice(),
        Some(name) => std::slice::from_ref(name),
        None => &[],
    };
    declared.iter().filter_map(Value::as_str)
}

/// Returns the type of a value as JSON Schema names it. A number with a fraction part is a `number`.
///
/// ```
/// # use serde_json::json;
/// # use toolwright_schema::type_of;
/// assert_eq!([type_of(&json!(null)), type_of(&json!(1)), type_of(&json!(1.5))], ["null", "integer", "number"]);
/// ```
#[must_use]
pub fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns the properties that a schema declares.
///
/// ```
/// # use serde_json::json;
/// let schema = json!({"properties": {"id": {"type": "integer"}}});
/// let names = toolwright_schema::properties(&schema).map(|(name, _)| name);
/// assert!(names.eq(["id"]));
/// ```
pub fn properties(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.into_iter().flatten();
    properties.map(|(name, schema)| (name.as_str(), schema))
}

/// Returns the names of the properties that a schema requires.
///
/// ```
/// # use serde_json::json;
/// let schema = json!({"required": ["id", "name"]});
/// assert!(toolwright_schema::required(&schema).eq(["id", "name"]));
/// ```
pub fn required(schema: &Value) -> impl Iterator<Item = &str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
}

/// Checks whether a schema declares its values as secrets: `writeOnly`, or the format `password`.
///
/// ```
/// # use serde_json::json;
/// assert!(toolwright_schema::declares_secret(&json!({"type": "integer", "writeOnly": true})));
/// assert!(toolwright_schema::declares_secret(&json!({"format": "password"})));
/// assert!(!toolwright_schema::declares_secret(&json!({"title": "Password"})));
/// ```
#[must_use]
pub fn declares_secret(schema: &Value) -> bool {
    let is_write_only = schema.get("writeOnly") == Some(&Value::Bool(true));
    is_secret(is_write_only, schema.get("format").and_then(Value::as_str))
}

/// Checks whether values are secrets, by the keywords of their schema. This is the one rule for
/// Rust types, approvals, plans and records.
#[must_use]
pub fn is_secret(is_write_only: bool, format: Option<&str>) -> bool {
    is_write_only || format == Some("password")
}

/// Returns the alternatives of a schema, and the keyword that lists them: `anyOf`, or else `oneOf`.
///
/// ```
/// # use serde_json::json;
/// let schema = json!({"oneOf": [{"type": "string"}, {"type": "null"}]});
/// let (keyword, variants) = toolwright_schema::alternatives(&schema).ok_or("no alternatives")?;
/// assert_eq!((keyword, variants.len()), ("oneOf", 2));
/// # Ok::<(), &str>(())
/// ```
#[must_use]
pub fn alternatives(schema: &Value) -> Option<(&'static str, &[Value])> {
    ["anyOf", "oneOf"].into_iter().find_map(|keyword| {
        let variants = schema.get(keyword)?.as_array()?;
        Some((keyword, variants.as_slice()))
    })
}

/// Checks whether a schema admits null only, by its type or by its values.
///
/// ```
/// # use serde_json::json;
/// assert!(toolwright_schema::is_null(&json!({"type": "null"})));
/// assert!(toolwright_schema::is_null(&json!({"enum": [null]})));
/// assert!(!toolwright_schema::is_null(&json!({"type": ["string", "null"]})));
/// ```
#[must_use]
pub fn is_null(schema: &Value) -> bool {
    let listed = schema.get("enum").and_then(Value::as_array);
    schema
        .get("type")
        .is_some_and(|name| name.as_str() == Some("null"))
        || schema.get("const").is_some_and(Value::is_null)
        || listed.is_some_and(|values| !values.is_empty() && values.iter().all(Value::is_null))
}

/// Returns the only alternative of a schema other than null: the schema of a nullable value.
/// Returns `None` if there are no alternatives, or several.
///
/// ```
/// # use serde_json::json;
/// let schema = json!({"anyOf": [{"type": "string"}, {"type": "null"}]});
/// assert_eq!(toolwright_schema::only_variant(&schema), Some(&json!({"type": "string"})));
/// ```
#[must_use]
pub fn only_variant(schema: &Value) -> Option<&Value> {
    let (_, variants) = alternatives(schema)?;
    let mut valued = variants.iter().filter(|variant| !is_null(variant));
    valued.next().filter(|_| valued.next().is_none())
}
