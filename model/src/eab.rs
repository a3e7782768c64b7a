//! EAB, the Extension API Bridge: how a tool is bound to a method of a domain service, and the
//! closed sets of words that go over the wire.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{BodyShape, Bound, words::words};

/// The version of the wire, and of the documents: `1.x`.
pub const MAJOR_VERSION: u32 = 1;

/// Below which path the methods of a service are: `POST /api/v1/<method>`.
pub const PATH: &str = "/api/v1/";

/// The method that every service implements and that is not a tool.
pub const HANDSHAKE: &str = "handshake";

/// The categories of diagnostics. One of another category is informational.
pub const CATEGORIES: &[&str] = &[
    "syntax_error",
    "type_error",
    "constraint_violation",
    "interface_mismatch",
    "dependency_error",
    "style_violation",
    "safety_concern",
    "performance_concern",
    "test_failure",
    "completeness",
];

/// One method of a service on the Extension API Bridge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EabBinding {
    /// The service as it names itself in its document and in the handshake.
    pub service: String,
    /// The domain of the service.
    pub domain: String,
    /// The version of the service's API that the document describes.
    pub api_version: ApiVersion,
    /// The method: `extract_interfaces`.
    pub method: String,
    /// The time limit of a call, up to the last byte of the response.
    pub timeout_seconds: u64,
    /// The structure of `params`.
    pub params: BodyShape,
    /// The document's addresses of the service; the operator's configuration takes precedence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transports: Vec<Transport>,
    /// The types of artifacts that the service takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifact_types: Vec<String>,
    /// The types of interfaces that the service knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interface_types: Vec<String>,
}

/// The address of a service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Transport {
    /// HTTP over a Unix socket.
    Unix {
        /// The socket.
        path: String,
    },
    /// HTTP.
    Http {
        /// The prefix of every method's path: `http://127.0.0.1:7071`.
        base_url: String,
    },
}

words! {
    /// A way of speaking to a service.
    TransportKind {
        /// HTTP over a Unix socket.
        Unix = "unix",
        /// HTTP.
        Http = "http",
    }
}

words! {
    /// The outcome of a method.
    Status {
        /// It ran, and found nothing that blocks.
        Success = "success",
        /// It ran, and found something that blocks: a result like any other.
        Failure = "failure",
        /// It could not run.
        Error = "error",
    }
}

words! {
    /// The severity of a diagnostic.
    Severity {
        /// The subject must be changed.
        Blocking = "blocking",
        /// It may stay so.
        Warning = "warning",
        /// For information only.
        Informational = "informational",
    }
}

words! {
    /// The reason a method could not run.
    ErrorCode {
        /// A program that the method needs is not there.
        ToolNotFound = "tool_not_found",
        /// A program that the method needs failed.
        ToolFailed = "tool_failed",
        /// The request is not what the method takes.
        InvalidRequest = "invalid_request",
        /// The service has no such method.
        UnsupportedMethod = "unsupported_method",
        /// The service speaks another version of its API.
        ApiVersionMismatch = "api_version_mismatch",
        /// The service gave up.
        Timeout = "timeout",
        /// The artifact in the request is not in the repository.
        ArtifactNotFound = "artifact_not_found",
        /// The service is at fault.
        InternalError = "internal_error",
    }
}

words! {
    /// A service's readiness to work.
    Readiness {
        /// It can.
        Ready = "ready",
        /// It can, but not as well as it should.
        Degraded = "degraded",
        /// It cannot now.
        Unavailable = "unavailable",
    }
}

/// The version of a service's API: `1.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ApiVersion {
    /// The number that changes if something is removed or changes its meaning.
    pub major: u32,
    /// The number that changes if something is added.
    pub minor: u32,
}

/// A service's description of itself: the response to `POST /api/v1/handshake`. Unknown fields are
/// ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handshake {
    /// The service, as its document names it.
    pub service: String,
    /// The version of the service.
    pub version: String,
    /// The version of its API.
    pub api_version: ApiVersion,
    /// The domain.
    pub domain: String,
    /// The methods that it has.
    pub capabilities: Vec<String>,
    /// The types of artifacts that it takes.
    #[serde(default)]
    pub artifact_types: Vec<String>,
    /// The types of interfaces that it knows.
    #[serde(default)]
    pub interface_types: Vec<String>,
    /// The service's readiness.
    pub status: Readiness,
    /// The reason if the service is not ready or is degraded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl EabBinding {
    /// The path of the method: `/api/v1/extract_interfaces`.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{PATH}{}", self.method)
    }

    /// Returns the sources of the values of `params`.
    pub fn bounds(&self) -> impl Iterator<Item = &Bound> {
        self.params.bounds()
    }
}

impl Transport {
    /// Returns the kind of the transport.
    #[must_use]
    pub const fn kind(&self) -> TransportKind {
        match self {
            Self::Unix { .. } => TransportKind::Unix,
            Self::Http { .. } => TransportKind::Http,
        }
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix { path } => write!(f, "unix:{path}"),
            Self::Http { base_url } => f.write_str(base_url),
        }
    }
}

impl ErrorCode {
    /// Checks whether the same call may succeed later without any change.
    #[must_use]
    pub const fn is_retryable(self) -> bool {
        matches!(self, Self::ToolFailed | Self::Timeout | Self::InternalError)
    }
}

impl ApiVersion {
    /// Checks whether a service of this version can serve a document of the other version: nothing
    /// was removed, and everything that the document uses already exists.
    #[must_use]
    pub const fn serves(self, document: Self) -> bool {
        self.major == document.major && self.minor >= document.minor
    }
}

impl fmt::Display for ApiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl std::str::FromStr for ApiVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let leads = text.len() > 1 && text.starts_with('0');
            (plain && !leads).then(|| text.parse().ok()).flatten()
        };
        let parts = text.split_once('.');
        let parts = parts.and_then(|(major, minor)| Some((number(major)?, number(minor)?)));
        match parts {
            Some((major, minor)) => Ok(Self { major, minor }),
            None => Err(format!("`{text}` is not a version such as `1.0`")),
        }
    }
}

impl TryFrom<String> for ApiVersion {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<ApiVersion> for String {
    fn from(version: ApiVersion) -> Self {
        version.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_two_numbers() {
        for text in ["1.0", "0.12", "10.3"] {
            assert_eq!(text.parse::<ApiVersion>().unwrap().to_string(), text);
        }
        for bad in ["", "1", "1.", ".1", "1.0.0", "v1.0", "01.0", "1.-1", "1.+1"] {
            assert!(bad.parse::<ApiVersion>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_service_may_have_more_than_its_document_declares() {
        let version = |text: &str| text.parse::<ApiVersion>().unwrap();
        assert!(version("1.2").serves(version("1.0")));
        assert!(!version("1.0").serves(version("1.2")));
        assert!(!version("2.0").serves(version("1.0")));
    }

    #[test]
    fn a_binding_survives_its_json_form() {
        let json = serde_json::json!({
            "service": "kicad", "domain": "electrical", "api_version": "1.0",
            "method": "validate", "timeout_seconds": 300,
            "params": {"fields": [{"name": "path", "value": {"argument": "path"}}]},
            "transports": [{"kind": "unix", "path": "/run/kicad.sock"},
                           {"kind": "http", "base_url": "http://127.0.0.1:7071"}],
            "artifact_types": ["kicad_pcb"],
            "interface_types": ["power_rail"],
        });
        let binding: EabBinding = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(serde_json::to_value(&binding).unwrap(), json);
        assert_eq!(binding.path(), "/api/v1/validate");
    }
}
