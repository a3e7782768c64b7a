//! Attributes, and the resource that emits them.

use opentelemetry_proto::tonic::{
    common::v1::{AnyValue, InstrumentationScope, KeyValue, any_value::Value},
    resource::v1::Resource,
};

/// Returns an attribute.
pub(super) fn attribute(key: impl Into<String>, value: impl Into<Value>) -> KeyValue {
    KeyValue {
        key: key.into(),
        value: Some(AnyValue {
            value: Some(value.into()),
        }),
        ..KeyValue::default()
    }
}

/// Returns a string attribute.
pub(super) fn text(key: impl Into<String>, value: impl Into<String>) -> KeyValue {
    attribute(key, Value::StringValue(value.into()))
}

/// Returns the resource of this program.
pub(super) fn resource(attributes: Vec<KeyValue>) -> Resource {
    let mut all = vec![
        text("service.name", "toolwright"),
        text("service.version", env!("CARGO_PKG_VERSION")),
    ];
    all.extend(attributes);
    Resource {
        attributes: all,
        ..Resource::default()
    }
}

/// Returns the scope of what this program emits.
pub(super) fn scope() -> InstrumentationScope {
    InstrumentationScope {
        name: "toolwright".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..InstrumentationScope::default()
    }
}
