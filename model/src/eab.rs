//! EAB, the Extension API Bridge: how a tool is bound to a method of a domain service, and the
//! closed sets of words that go over the wire.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{BodyShape, Bound, words::words};

/// The version of the wire, and of the documents: `1.x`.
pub const MAJOR_VERSION: u32 = 1;

/// Below which path the methods of a service are: `POST /api/v1/<method>`.
pub const PATH: &str = "/api/v1/";

/// The method that every service has, and that is no tool.
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

/// One method of a service behind the Extension API Bridge.
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
    /// How long a call may take, to the last byte of the answer.
    pub timeout_seconds: u64,
    /// What `params` is made of.
    pub params: BodyShape,
    /// Where the document says that the service is; what the operator says wins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transports: Vec<Transport>,
    /// The types of artifacts that the service takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifact_types: Vec<String>,
    /// The types of interfaces that the service knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interface_types: Vec<String>,
}

/// Where a service is.
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
        /// What the path of a method is put behind: `http://127.0.0.1:7071`.
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
    /// How a method ended.
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
    /// How much a diagnostic matters.
    Severity {
        /// What it is about cannot stay so.
        Blocking = "blocking",
        /// It may stay so.
        Warning = "warning",
        /// It is only told.
        Informational = "informational",
    }
}

words! {
    /// Why a method could not run.
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
        /// What the request speaks of is not in the repository.
        ArtifactNotFound = "artifact_not_found",
        /// The service is at fault.
        InternalError = "internal_error",
    }
}

words! {
    /// Whether a service can work.
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
    /// What changes when something is taken away or means something else.
    pub major: u32,
    /// What changes when something is added.
    pub minor: u32,
}

/// What a service says of itself: the answer to `POST /api/v1/handshake`. Further fields are passed
/// over.
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
    /// Whether it can work.
    pub status: Readiness,
    /// Why it cannot, or not well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl EabBinding {
    /// The path of the method: `/api/v1/extract_interfaces`.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{PATH}{}", self.method)
    }

    /// Where the values of `params` come from.
    pub fn bounds(&self) -> impl Iterator<Item = &Bound> {
        self.params.bounds()
    }
}

impl Transport {
    /// What kind it is of.
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
    /// Whether the same call may succeed later without anybody's doing.
    #[must_use]
    pub const fn is_retryable(self) -> bool {
        matches!(self, Self::ToolFailed | Self::Timeout | Self::InternalError)
    }
}

impl ApiVersion {
    /// Whether a service of this version can be spoken to as a document of the other describes it:
    /// nothing was taken away, and it has all that was added until then.
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
    fn a_service_may_have_more_than_its_document_says() {
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
