//! The handshake, and the check whether a document's method can be called.

use serde_json::Value;
use toolwright_model::{
    EabBinding, JsonPointer,
    eab::{Handshake, Readiness},
};

use super::{
    Endpoint,
    envelope::{Fault, fault, object},
};
use crate::error::{ReadinessFault, ToolError};

/// Reads the answer to a handshake.
///
/// # Errors
/// [`Fault`] with the first thing that is wrong.
pub fn read_handshake(bytes: &[u8]) -> Result<Handshake, Fault> {
    let fields = object(bytes)?;
    let read: Result<Handshake, _> = serde_path_to_error::deserialize(Value::Object(fields));
    read.map_err(|error| {
        use serde_path_to_error::Segment;
        let mut pointer = JsonPointer::root();
        for step in error.path() {
            match step {
                Segment::Map { key } => pointer.push(key),
                Segment::Seq { index } => pointer.push(&index.to_string()),
                Segment::Enum { variant } => pointer.push(variant),
                Segment::Unknown => {}
            }
        }
        fault(pointer.as_str(), error.inner().to_string())
    })
}

/// Checks that the service can run the document's method, for artifacts of the type that selected
/// it, if one did.
pub(super) fn check(
    handshake: &Handshake,
    binding: &EabBinding,
    endpoint: &Endpoint,
    artifact_type: Option<&str>,
) -> Result<(), ToolError> {
    let EabBinding {
        service,
        domain,
        api_version,
        method,
        ..
    } = binding;
    let refused = |fault, message| {
        let request = None;
        Err(ToolError::NotReady {
            fault,
            message,
            request,
        })
    };
    if handshake.service != *service || handshake.domain != *domain {
        let message = format!(
            "`{endpoint}` serves `{}` of the domain `{}`, not `{service}` of `{domain}`",
            handshake.service, handshake.domain
        );
        return refused(ReadinessFault::Service, message);
    }
    if !handshake.api_version.serves(*api_version) {
        let message = format!(
            "the service `{service}` implements version {} of its API, the document requires {api_version}",
            handshake.api_version
        );
        return refused(ReadinessFault::ApiVersion, message);
    }
    let version = &handshake.version;
    if !handshake.capabilities.iter().any(|known| known == method) {
        let message = format!(
            "the service `{service}` ({version}) does not have the method `{method}`, which the document declares"
        );
        return refused(ReadinessFault::Capability, message);
    }
    let takes = |wanted: &str| handshake.artifact_types.iter().any(|known| known == wanted);
    if let Some(wanted) = artifact_type.filter(|wanted| !takes(wanted)) {
        let message = format!(
            "the service `{service}` ({version}) does not accept artifacts of the type `{wanted}`, which the document declares"
        );
        return refused(ReadinessFault::Capability, message);
    }
    if handshake.status == Readiness::Unavailable {
        let why = handshake
            .message
            .as_deref()
            .map_or_else(String::new, |why| format!(": {why}"));
        let message = format!("the service `{service}` reports that it is unavailable{why}");
        return refused(ReadinessFault::Unavailable, message);
    }
    Ok(())
}
