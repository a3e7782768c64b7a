//! The JSON of messages, as Protocol Buffers define it.
//!
//! The members of an object are in the order of the fields' numbers, and those of a map are sorted, so the
//! same message has the same JSON.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MapKey, ReflectMessage as _,
    SerializeOptions, Value as Field,
};
use serde_json::{Map, Value};

/// Returns the JSON of a message.
pub(super) fn of_message(message: &DynamicMessage) -> Result<Value, String> {
    let descriptor = message.descriptor();
    let name = descriptor.full_name();
    if name == "google.protobuf.Any" {
        return Ok(any(message));
    }
    if is_well_known(name) {
        let options = SerializeOptions::new().stringify_64_bit_integers(true);
        let json = message.serialize_with_options(serde_json::value::Serializer, &options);
        let json = json.map_err(|error| format!("a `{name}` of the service is invalid: {error}"));
        return json.map(sorted);
    }
    let mut object = Map::new();
    for (field, value) in message.fields() {
        object.insert(field.json_name().to_owned(), of_field(&field, value)?);
    }
    Ok(Value::Object(object))
}

/// Returns the JSON of a message in an `Any`. One of an unknown type has its bytes as base64.
pub(super) fn of_any(pool: &DescriptorPool, type_url: &str, value: &[u8]) -> Value {
    let name = type_url.rsplit('/').next().unwrap_or(type_url);
    let mut object = Map::new();
    object.insert("@type".to_owned(), type_url.into());
    let descriptor = pool.get_message_by_name(name);
    let message = descriptor.and_then(|descriptor| DynamicMessage::decode(descriptor, value).ok());
    match message.map(|message| of_message(&message)) {
        Some(Ok(Value::Object(fields))) if !is_well_known(name) => object.extend(fields),
        Some(Ok(json)) => {
            object.insert("value".to_owned(), json);
        }
        Some(Err(_)) | None => {
            object.insert("value".to_owned(), BASE64_STANDARD.encode(value).into());
        }
    }
    Value::Object(object)
}

fn any(message: &DynamicMessage) -> Value {
    let url = message.get_field_by_number(1);
    let value = message.get_field_by_number(2);
    let url = url.as_deref().and_then(Field::as_str).unwrap_or_default();
    if url.is_empty() {
        return Value::Object(Map::new());
    }
    let value = value.as_deref().and_then(Field::as_bytes);
    let pool = message.descriptor().parent_pool().clone();
    of_any(&pool, url, value.map_or(&[], |value| value))
}

fn of_field(field: &FieldDescriptor, value: &Field) -> Result<Value, String> {
    let kind = field.kind();
    match value {
        Field::List(items) => items.iter().map(|item| of_value(&kind, item)).collect(),
        Field::Map(entries) => {
            let Some(entry) = kind.as_message() else {
                return Ok(Value::Null);
            };
            let kind = entry.map_entry_value_field().kind();
            let mut members: Vec<(String, Value)> = entries
                .iter()
                .map(|(key, value)| Ok((text_of_key(key), of_value(&kind, value)?)))
                .collect::<Result<_, String>>()?;
            members.sort_by(|a, b| a.0.cmp(&b.0));
            Ok(Value::Object(members.into_iter().collect()))
        }
        one => of_value(&kind, one),
    }
}

fn of_value(kind: &Kind, value: &Field) -> Result<Value, String> {
    Ok(match value {
        Field::Bool(value) => (*value).into(),
        Field::I32(number) => (*number).into(),
        Field::U32(number) => (*number).into(),
        Field::I64(number) => number.to_string().into(),
        Field::U64(number) => number.to_string().into(),
        // The shortest decimal that is this number.
        Field::F32(number) => match number.to_string().parse() {
            Ok(number) => of_float(number),
            Err(_) => of_float(f64::from(*number)),
        },
        Field::F64(number) => of_float(*number),
        Field::String(text) => text.as_str().into(),
        Field::Bytes(bytes) => BASE64_STANDARD.encode(bytes).into(),
        Field::EnumNumber(number) => of_enum(kind, *number),
        Field::Message(message) => of_message(message)?,
        Field::List(_) | Field::Map(_) => Value::Null,
    })
}

fn of_float(number: f64) -> Value {
    if number.is_nan() {
        return "NaN".into();
    }
    if number.is_infinite() {
        return if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }
        .into();
    }
    number.into()
}

/// Returns the name of a value, or the number of one that the document does not have.
fn of_enum(kind: &Kind, number: i32) -> Value {
    let Some(one) = kind.as_enum() else {
        return number.into();
    };
    if one.full_name() == "google.protobuf.NullValue" {
        return Value::Null;
    }
    let value = one.get_value(number);
    value.map_or_else(|| number.into(), |value| value.name().into())
}

fn text_of_key(key: &MapKey) -> String {
    match key {
        MapKey::Bool(key) => key.to_string(),
        MapKey::I32(key) => key.to_string(),
        MapKey::I64(key) => key.to_string(),
        MapKey::U32(key) => key.to_string(),
        MapKey::U64(key) => key.to_string(),
        MapKey::String(key) => key.clone(),
    }
}

/// Checks whether a message has a JSON form of its own.
fn is_well_known(name: &str) -> bool {
    let Some(name) = name.strip_prefix("google.protobuf.") else {
        return false;
    };
    matches!(
        name,
        "Any"
            | "Timestamp"
            | "Duration"
            | "FieldMask"
            | "Struct"
            | "Value"
            | "ListValue"
            | "BoolValue"
            | "StringValue"
            | "BytesValue"
            | "Int32Value"
            | "UInt32Value"
            | "Int64Value"
            | "UInt64Value"
            | "FloatValue"
            | "DoubleValue"
    )
}

/// Sorts the members of objects. Messages are nested a hundred levels deep at most.
fn sorted(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        Value::Object(object) => {
            let mut members: Vec<_> = object.into_iter().collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            let members = members.into_iter().map(|(key, value)| (key, sorted(value)));
            Value::Object(members.collect())
        }
        other => other,
    }
}
