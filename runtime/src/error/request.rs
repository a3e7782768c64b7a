//! The request of a failed call, as the operator sees it.

use std::{fmt, path::PathBuf};

use serde::Serialize;
use toolwright_model::Method;

/// A request to a service, without its secrets.
///
/// The URL has neither user information nor credentials. Values that the schema of the tool declares
/// secret, those that the operator masks, and query parameters with the name of a secret are masked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SentRequest {
    /// The method.
    pub method: Method,
    /// The URL. Redirects are not followed in it.
    pub url: String,
    /// The socket that carried the request, rather than the host of its URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socket: Option<PathBuf>,
}

impl fmt::Display for SentRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.url)?;
        match &self.socket {
            Some(socket) => write!(f, " over {}", socket.display()),
            None => Ok(()),
        }
    }
}
