//! The kinds of failures to reach a service, and of differences from its document.

use toolwright_model::eab::ErrorCode;

/// The way that a request failed to reach a service or its response failed to arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransportFault {
    /// No connection could be made.
    Connect,
    /// The whole answer did not arrive in time.
    Timeout,
    /// The service redirects to a target that a call must not follow.
    Redirect,
    /// The connection broke, or what came was not HTTP.
    Broken,
    /// The request cannot be put on the wire at all.
    Unsendable,
}

/// A difference between a domain service and its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadinessFault {
    /// It is another service, or one of another domain.
    Service,
    /// It speaks another version of its API.
    ApiVersion,
    /// It does not have the method, or does not take the type of artifact.
    Capability,
    /// It reports that it cannot work now.
    Unavailable,
}

impl TransportFault {
    pub(super) const fn is_retryable(self) -> bool {
        matches!(self, Self::Connect | Self::Timeout | Self::Broken)
    }

    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::Connect => "connect_failed",
            Self::Timeout => "timeout",
            Self::Redirect => "redirect_refused",
            Self::Broken => "connection_broken",
            Self::Unsendable => "unsendable",
        }
    }
}

impl ReadinessFault {
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::Service => "service_mismatch",
            Self::ApiVersion => ErrorCode::ApiVersionMismatch.word(),
            Self::Capability | Self::Unavailable => "tool_unavailable",
        }
    }
}
