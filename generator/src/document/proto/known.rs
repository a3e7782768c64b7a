//! The well-known types, which have a JSON form of their own.

use serde_json::{Value, json};

/// Returns the schema of a well-known message; none for any other.
pub(super) fn schema_of(message: &str) -> Option<Value> {
    let name = message.strip_prefix("google.protobuf.")?;
    Some(match name {
        "Any" => json!({
            "type": "object",
            "properties": {"@type": {
                "type": "string",
                "description": "The type of the message: `type.googleapis.com/` and its full name.",
            }},
            "required": ["@type"],
        }),
        "Timestamp" => json!({"type": "string", "format": "date-time"}),
        "Duration" => json!({
            "type": "string",
            "pattern": r"^-?[0-9]+(\.[0-9]{1,9})?s$",
            "description": "A duration in seconds, with `s` at its end: `1.5s`.",
        }),
        "FieldMask" => json!({
            "type": "string",
            "description": "The paths of fields, separated by commas: `title,owner.displayName`.",
        }),
        "Struct" => json!({"type": "object"}),
        "Value" => json!({}),
        "ListValue" => json!({"type": "array", "items": {}}),
        "BoolValue" => json!({"type": "boolean"}),
        "StringValue" => json!({"type": "string"}),
        "BytesValue" => bytes(),
        "Int32Value" => int32(),
        "UInt32Value" => uint32(),
        "Int64Value" => int64(),
        "UInt64Value" => uint64(),
        "FloatValue" | "DoubleValue" => json!({"type": "number"}),
        _ => return None,
    })
}

/// The value of the enum `NullValue`.
pub(super) fn null() -> Value {
    json!({"type": "null"})
}

/// Bytes: base64.
pub(super) fn bytes() -> Value {
    json!({"type": "string", "contentEncoding": "base64"})
}

pub(super) fn int32() -> Value {
    json!({"type": "integer", "format": "int32", "minimum": i32::MIN, "maximum": i32::MAX})
}

pub(super) fn uint32() -> Value {
    json!({"type": "integer", "format": "uint32", "minimum": 0, "maximum": u32::MAX})
}

/// A number of 64 bits is a string, since many readers of JSON would round it.
pub(super) fn int64() -> Value {
    json!({"type": "string", "format": "int64", "pattern": "^-?[0-9]{1,19}$"})
}

pub(super) fn uint64() -> Value {
    json!({"type": "string", "format": "uint64", "pattern": "^[0-9]{1,20}$"})
}

/// The JSON form of a status that is not `OK`.
pub(super) fn failure() -> Value {
    json!({
        "type": "object",
        "description": "The status of a call that failed.",
        "properties": {
            "code": {"type": "integer", "format": "int32", "description": "The number of the status."},
            "status": {"type": "string", "description": "The name of the status: `NOT_FOUND`."},
            "message": {"type": "string", "description": "The reason, in the words of the service."},
            "details": {
                "type": "array",
                "items": {"type": "object"},
                "description": "Further messages of the service about the failure.",
            },
        },
        "required": ["code", "status", "message"],
    })
}
