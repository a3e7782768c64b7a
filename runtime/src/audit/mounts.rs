//! The events of the tools of mounted MCP servers.

use serde::Serialize;
use toolwright_model::ServiceName;

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
