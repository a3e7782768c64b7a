//! The events of the tools of mounted MCP servers.

use std::str::FromStr;

use serde::Serialize;
use toolwright_model::{ServiceName, words};

/// A definition of a server's tool that a person accepted, or no longer accepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct DefinitionAccepted {
    /// The service that the server is mounted as.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub service: ServiceName,
    /// The name of the tool at the server.
    pub mounted_tool: String,
    /// The SHA-256 of the definition; none if the tool was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// The name of the person, as the person gave it.
    pub person: String,
    /// The user of the operating system who accepted it.
    #[serde(rename = "person_os_user")]
    pub os_user: String,
    /// The person's reason.
    pub why: String,
}

/// A definition that is not the accepted one. The tool is off until a person accepts it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct DefinitionChanged {
    /// The service that the server is mounted as.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub service: ServiceName,
    /// The name of the tool at the server.
    pub mounted_tool: String,
    /// The SHA-256 of the new definition; none if the server no longer lists the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
}

/// A request that a mounted server made of its client. What was asked and answered is not recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct ServerAsked {
    /// The service that the server is mounted as.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub server: ServiceName,
    /// The kind of the request.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub server_request: ServerRequest,
    /// True if the operator grants the server requests of this kind.
    pub granted: bool,
    /// What became of the request.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub answer: ServerAnswer,
}

words! {
    /// A kind of request that a mounted server makes of its client.
    #[non_exhaustive]
    ServerRequest {
        /// Input of a person, by a form.
        Elicitation = "elicitation",
        /// A message of the client's model.
        Sampling = "sampling",
        /// The folders that the client works in.
        Roots = "roots",
        /// More input, in place of the result of a call.
        Input = "input",
        /// Anything else.
        Other = "other",
    }
}

words! {
    /// What became of a request of a mounted server.
    #[non_exhaustive]
    ServerAnswer {
        /// The person filled in the form.
        Accepted = "accepted",
        /// The person declined.
        Declined = "declined",
        /// The person closed the form.
        Cancelled = "cancelled",
        /// The client's model answered.
        Answered = "answered",
        /// Refused: the operator does not grant such requests.
        NotGranted = "not_granted",
        /// Refused: the server serves no call.
        NoCall = "no_call",
        /// Refused: the server serves several calls, and the request may be for any of them.
        SeveralCalls = "several_calls",
        /// Refused: the client of the call does not answer such requests.
        NotSupported = "not_supported",
        /// Refused: the request is not one that is passed on.
        Invalid = "invalid",
        /// Refused: the server made too many requests in one call.
        TooMany = "too_many",
        /// The client did not answer before the call ended, or its answer cannot be used.
        Unanswered = "unanswered",
    }
}

impl ServerRequest {
    /// The requests that an operator can grant.
    pub const GRANTABLE: [Self; 2] = [Self::Elicitation, Self::Sampling];
}

impl FromStr for ServerRequest {
    type Err = String;

    /// Returns the request that an operator grants.
    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::from_word(text).filter(|request| Self::GRANTABLE.contains(request));
        let [first, second] = Self::GRANTABLE;
        known.ok_or_else(|| {
            format!("`{text}` cannot be granted; the words are `{first}` and `{second}`")
        })
    }
}
