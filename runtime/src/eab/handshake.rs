//! The handshake: what a service says of itself, and whether a document's method can be called.

use serde_json::Value;
use toolwright_model::{
    EabBinding,
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
        let steps = error.path().iter().map(|step| match step {
            Segment::Map { key } => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
            Segment::Seq { index } => format!("/{index}"),
            Segment::Enum { variant } => format!("/{variant}"),
            Segment::Unknown => String::new(),
        });
        let pointer: String = steps.collect();
        fault(&pointer, error.inner().to_string())
    })
}

/// Whether the method of the document can be called at the service, for artifacts of the type by
/// which it was found, if it was.
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
    let refused = |fault, message| Err(ToolError::NotReady { fault, message });
    if handshake.service != *service || handshake.domain != *domain {
        let message = format!(
            "at `{endpoint}` is the service `{}` of the domain `{}`, not `{service}` of `{domain}`",
            handshake.service, handshake.domain
        );
        return refused(ReadinessFault::Service, message);
    }
    if !handshake.api_version.serves(*api_version) {
        let message = format!(
            "the service `{service}` speaks version {} of its API, the document version {api_version}",
            handshake.api_version
        );
        return refused(ReadinessFault::ApiVersion, message);
    }
    let version = &handshake.version;
    if !handshake.capabilities.iter().any(|known| known == method) {
        let message = format!(
            "the service `{service}` ({version}) does not have the method `{method}`, which the document has"
        );
        return refused(ReadinessFault::Capability, message);
    }
    let takes = |wanted: &str| handshake.artifact_types.iter().any(|known| known == wanted);
    if let Some(wanted) = artifact_type.filter(|wanted| !takes(wanted)) {
        let message = format!(
            "the service `{service}` ({version}) does not take artifacts of the type `{wanted}`, which the document has"
        );
        return refused(ReadinessFault::Capability, message);
    }
    if handshake.status == Readiness::Unavailable {
        let why = handshake
            .message
            .as_deref()
            .map_or_else(String::new, |why| format!(": {why}"));
        let message = format!("the service `{service}` says that it is unavailable{why}");
        return refused(ReadinessFault::Unavailable, message);
    }
    Ok(())
}
