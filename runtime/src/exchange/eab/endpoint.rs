//! The endpoint of a service, and the planned call of a method.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

use serde_json::Value;
use toolwright_model::{EabBinding, Method, Transport, TransportKind, eab::PATH};

use crate::{
    config::ServiceConfig,
    credentials::Access,
    error::SentRequest,
    exchange::{
        http::shown_url,
        request::{PlanError, Values, plan_params},
    },
    target::Origin,
};

/// The endpoint of a service.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Endpoint {
    /// A Unix socket.
    Unix(PathBuf),
    /// A base URL.
    Http(String),
}

/// A planned call, without its envelope.
#[derive(Clone, Debug)]
pub(crate) struct PlannedMethod {
    pub(crate) endpoint: Endpoint,
    pub(crate) params: Value,
    /// The type of the artifact that selected the method, if one did.
    pub(crate) artifact_type: Option<String>,
    /// True if the service has just confirmed that it can carry the call out.
    pub(crate) is_ready: bool,
}

/// Plans the call of a method.
pub(crate) fn plan(
    binding: &EabBinding,
    config: &ServiceConfig,
    access: &Access,
    values: Values<'_>,
) -> Result<PlannedMethod, PlanError> {
    Ok(PlannedMethod {
        endpoint: Endpoint::new(binding, config, access)?,
        params: plan_params(&binding.params, values)?,
        artifact_type: None,
        is_ready: false,
    })
}

impl Endpoint {
    /// Returns the endpoint that the operator configures. The default is the document's: the first
    /// transport of the kind that the operator wants.
    pub(crate) fn new(
        binding: &EabBinding,
        config: &ServiceConfig,
        access: &Access,
    ) -> Result<Self, PlanError> {
        let base_url = access.base_url.as_ref().or(config.base_url.as_ref());
        let declared = |kind: Option<TransportKind>| {
            let mut all = binding.transports.iter();
            all.find(|transport| kind.is_none_or(|kind| transport.kind() == kind))
        };
        match (config.transport, &config.endpoint, base_url) {
            (Some(TransportKind::Unix), Some(path), _) => Self::unix(path),
            (Some(TransportKind::Http), Some(url), _) => Self::http(url),
            (None, Some(endpoint), _) => endpoint.parse().map_err(PlanError::BaseUrl),
            (Some(TransportKind::Http) | None, None, Some(url)) => Self::http(url),
            (kind, None, _) => match declared(kind) {
                Some(Transport::Unix { path }) => Self::unix(path),
                Some(Transport::Http { base_url }) => Self::http(base_url),
                None => Err(PlanError::NoBaseUrl),
            },
        }
    }

    fn unix(path: &str) -> Result<Self, PlanError> {
        let path = path.strip_prefix("unix:").unwrap_or(path);
        if path.starts_with('/') {
            return Ok(Self::Unix(path.into()));
        }
        let problem = format!("`{path}` is not the path of a socket, which begins with `/`");
        Err(PlanError::BaseUrl(problem))
    }

    fn http(url: &str) -> Result<Self, PlanError> {
        if url.starts_with("http://") || url.starts_with("https://") {
            return Ok(Self::Http(url.trim_end_matches('/').to_owned()));
        }
        let problem = format!("`{url}` does not begin with `http://` or `https://`");
        Err(PlanError::BaseUrl(problem))
    }

    /// Returns the URL of a method. Over a socket its host has no meaning.
    pub(super) fn url(&self, method: &str) -> String {
        let base = match self {
            Self::Unix(_) => "http://localhost",
            Self::Http(base_url) => base_url,
        };
        format!("{base}{PATH}{method}")
    }

    /// Returns the request to a method, as the operator sees it.
    pub(crate) fn sent_request(&self, method: &str) -> SentRequest {
        let socket = self.socket().map(ToOwned::to_owned);
        SentRequest::new(Method::Post, shown_url(&self.url(method)), socket)
    }

    pub(crate) fn socket(&self) -> Option<&Path> {
        match self {
            Self::Unix(path) => Some(path),
            Self::Http(_) => None,
        }
    }

    /// The origin that credentials for it belong to.
    pub(crate) fn origin(&self) -> Option<Origin> {
        match self {
            Self::Unix(path) => Some(Origin::Socket(path.clone())),
            Self::Http(base_url) => Origin::of_url(base_url),
        }
    }

    /// Returns the kind of transport.
    #[must_use]
    pub const fn kind(&self) -> TransportKind {
        match self {
            Self::Unix(_) => TransportKind::Unix,
            Self::Http(_) => TransportKind::Http,
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Http(base_url) => f.write_str(base_url),
        }
    }
}

impl FromStr for Endpoint {
    type Err = String;

    /// `unix:/run/kicad.sock`, `/run/kicad.sock` or `http://127.0.0.1:7071`.
    fn from_str(text: &str) -> Result<Self, String> {
        let read = if text.contains("://") {
            Self::http(text)
        } else {
            Self::unix(text)
        };
        read.map_err(|error| match error {
            PlanError::BaseUrl(problem) => problem,
            error => error.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolwright_model::ServiceName;

    use super::*;

    fn binding() -> EabBinding {
        serde_json::from_value(json!({
            "service": "kicad", "domain": "electrical", "api_version": "1.0",
            "method": "validate", "timeout_seconds": 300, "params": {"fields": []},
            "transports": [{"kind": "unix", "path": "/run/kicad.sock"},
                           {"kind": "http", "base_url": "http://127.0.0.1:7071/"}],
        }))
        .unwrap()
    }

    #[test]
    fn the_operator_chooses_before_the_document() {
        use TransportKind::{Http, Unix};
        for (transport, endpoint, base_url, expected) in [
            (None, None, None, "unix:/run/kicad.sock"),
            (Some(Http), None, None, "http://127.0.0.1:7071"),
            (Some(Unix), Some("/tmp/k"), None, "unix:/tmp/k"),
            (Some(Http), Some("https://k"), None, "https://k"),
            (None, Some("unix:/tmp/k"), None, "unix:/tmp/k"),
            (None, Some("http://k/"), None, "http://k"),
            (None, None, Some("http://auth"), "http://auth"),
            (
                Some(Unix),
                None,
                Some("http://auth"),
                "unix:/run/kicad.sock",
            ),
        ] {
            let config = ServiceConfig {
                transport,
                endpoint: endpoint.map(str::to_owned),
                ..ServiceConfig::default()
            };
            let mut access = Access::none(&ServiceName::new("kicad").unwrap());
            access.base_url = base_url.map(str::to_owned);
            let found = Endpoint::new(&binding(), &config, &access).unwrap();
            assert_eq!(found.to_string(), expected);
        }
    }

    #[test]
    fn an_invalid_endpoint_is_refused() {
        for text in ["", "run/kicad.sock", "ftp://x", "unix:kicad"] {
            assert!(text.parse::<Endpoint>().is_err(), "{text}");
        }
    }
}
