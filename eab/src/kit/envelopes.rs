//! Envelopes that are broken, or not of this service.

use serde_json::{Value, json};
use toolwright::eab::{Outcome, read_outcome};
use toolwright_model::eab::ErrorCode;

use super::{
    Method,
    visit::{Visit, id_of, refuses},
};

/// A method that no service has.
const NO_METHOD: &str = "no_such_method_of_any_service";

/// Checks how the service handles envelopes of a method.
pub(super) async fn verify(visit: &mut Visit<'_>, method: &Method<'_>) {
    let name = method.name();
    let params = method.params.clone().unwrap_or_default();
    let right = visit.envelope(name, &params);

    let mut unknown = right.clone();
    put(&mut unknown, "method", json!(NO_METHOD));
    let reply = visit.send(NO_METHOD, &unknown).await;
    let found = refuses(
        reply,
        Some(id_of(&unknown)),
        &[ErrorCode::UnsupportedMethod],
    );
    visit.report.note("envelope.unknown-method", None, found);

    let mut other = right.clone();
    put(&mut other, "method", json!(NO_METHOD));
    let codes = [ErrorCode::InvalidRequest, ErrorCode::UnsupportedMethod];
    let reply = visit.send(name, &other).await;
    let found = refuses(reply, Some(id_of(&other)), &codes);
    visit.report.note("envelope.other-method", None, found);

    let version = method.binding.api_version;
    let later = format!("{}.0", version.major + 1);
    let newer = format!("{}.{}", version.major, u32::MAX);
    for (id, version) in [
        ("envelope.other-major-version", later),
        ("envelope.newer-minor-version", newer),
    ] {
        let mut other = right.clone();
        put(&mut other, "api_version", json!(version));
        let reply = visit.send(name, &other).await;
        let found = refuses(reply, Some(id_of(&other)), &[ErrorCode::ApiVersionMismatch]);
        visit.report.note(id, None, found);
    }

    for (id, key, value) in [
        ("envelope.no-request-id", "request_id", None),
        (
            "envelope.request-id-of-another-type",
            "request_id",
            Some(json!(7)),
        ),
        ("envelope.no-version", "api_version", None),
        (
            "envelope.version-that-is-none",
            "api_version",
            Some(json!("one")),
        ),
        ("envelope.no-method", "method", None),
    ] {
        let mut broken = right.clone();
        match value {
            Some(value) => put(&mut broken, key, value),
            None => drop(broken.as_object_mut().and_then(|it| it.shift_remove(key))),
        }
        let request_id = (key != "request_id").then(|| id_of(&broken).to_owned());
        let reply = visit.send(name, &broken).await;
        let found = refuses(reply, request_id.as_deref(), &[ErrorCode::InvalidRequest]);
        visit.report.note(id, None, found);
    }

    let mut more = right.clone();
    put(&mut more, "x_of_a_later_version", json!({"a": [1]}));
    let reply = visit.send(name, &more).await;
    let found = reply.and_then(|reply| {
        let read = read_outcome(&reply.bytes, id_of(&more), &Value::Bool(true));
        match read {
            Ok(Outcome::Error {
                code: ErrorCode::InvalidRequest,
                message,
            }) => Err(format!("an unknown field is refused: {message}")),
            Ok(_) => Ok(()),
            Err(fault) => Err(format!("the answer does not conform: {fault}")),
        }
    });
    visit.report.note("envelope.unknown-field", None, found);
}

fn put(envelope: &mut Value, key: &str, value: Value) {
    if let Some(fields) = envelope.as_object_mut() {
        fields.insert(key.to_owned(), value);
    }
}
