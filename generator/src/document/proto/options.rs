//! The options of methods, services and fields that describe how they are used.

use prost_reflect::{
    DynamicMessage, FieldDescriptor, MethodDescriptor, ReflectMessage as _, ServiceDescriptor,
    Value,
};
use prost_types::method_options::IdempotencyLevel;

/// The numbers of `google.api.FieldBehavior`.
const REQUIRED: i32 = 2;
const OUTPUT_ONLY: i32 = 3;
const INPUT_ONLY: i32 = 4;

/// How a field is used, as `google.api.field_behavior` describes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Behavior {
    /// True if a request needs it.
    pub(super) required: bool,
    /// True if only the service sets it.
    pub(super) output_only: bool,
    /// True if only requests have it.
    pub(super) input_only: bool,
}

/// The HTTP method and path of `google.api.http`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HttpRule {
    pub(super) method: String,
    /// The template of the path.
    pub(super) path: String,
}

/// Returns the behavior of a field.
pub(super) fn behavior(field: &FieldDescriptor) -> Behavior {
    let options = field.options();
    let value = extension(&options, "google.api.field_behavior");
    let listed = value.as_ref().and_then(Value::as_list).unwrap_or_default();
    let has = |number| {
        listed
            .iter()
            .any(|value| value.as_enum_number() == Some(number))
    };
    Behavior {
        required: has(REQUIRED),
        output_only: has(OUTPUT_ONLY),
        input_only: has(INPUT_ONLY),
    }
}

/// Returns the HTTP mapping of a method.
pub(super) fn http_rule(method: &MethodDescriptor) -> Option<HttpRule> {
    let rule = extension(&method.options(), "google.api.http")?;
    let rule = rule.as_message()?;
    for verb in ["get", "put", "post", "delete", "patch"] {
        if let Some(path) = text(rule, verb) {
            return Some(HttpRule {
                method: verb.to_ascii_uppercase(),
                path,
            });
        }
    }
    let custom = rule.get_field_by_name("custom")?;
    let custom = custom.as_message()?;
    Some(HttpRule {
        method: text(custom, "kind")?.to_ascii_uppercase(),
        path: text(custom, "path")?,
    })
}

/// Returns the declared idempotency of a method.
pub(super) fn idempotency(method: &MethodDescriptor) -> Option<IdempotencyLevel> {
    let options = method.method_descriptor_proto().options.as_ref()?;
    IdempotencyLevel::try_from(options.idempotency_level?).ok()
}

/// Returns the host of a service: `pubsub.googleapis.com`.
pub(super) fn default_host(service: &ServiceDescriptor) -> Option<String> {
    let host = extension(&service.options(), "google.api.default_host")?;
    let host = host.as_str()?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':');
    (!host.is_empty() && host.bytes().all(plain)).then(|| host.to_owned())
}

/// Returns the OAuth scopes of a service.
pub(super) fn scopes(service: &ServiceDescriptor) -> Vec<String> {
    let scopes = extension(&service.options(), "google.api.oauth_scopes");
    let scopes = scopes.as_ref().and_then(Value::as_str).unwrap_or_default();
    let scopes = scopes.split(',').map(str::trim);
    scopes
        .filter(|scope| !scope.is_empty())
        .map(str::to_owned)
        .collect()
}

fn extension(options: &DynamicMessage, name: &str) -> Option<Value> {
    let mut all = options.extensions();
    let found = all.find(|(extension, _)| extension.full_name() == name);
    found.map(|(_, value)| value.clone())
}

fn text(message: &DynamicMessage, field: &str) -> Option<String> {
    let field = message.descriptor().get_field_by_name(field)?;
    let value = message
        .has_field(&field)
        .then(|| message.get_field(&field))?;
    value
        .as_str()
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}
