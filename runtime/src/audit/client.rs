//! The client that calls: the program at the other end of a protocol.

use serde::Serialize;

use super::bounds::{bounded, bounded_name};

/// The greatest length of a session id or an address, in characters.
const ID_LIMIT: usize = 128;

/// The client of a view, as a protocol such as MCP identifies it. Each part is optional.
///
/// The name and the version are what the client claims; nothing verifies them. The principal is what
/// the program has authenticated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct ClientContext {
    /// The name of the program.
    #[serde(rename = "client", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The version of the program.
    #[serde(rename = "client_version", skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The id of the session. It must not be a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The network address of the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    /// The principal that the program authenticated, such as a user or the id of a token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
}

impl ClientContext {
    /// Returns the context in its recorded form: each part bounded, invisible characters escaped.
    pub(crate) fn bounded(self) -> Self {
        let name = |text: Option<String>| text.map(|text| bounded_name(&text));
        let id = |text: Option<String>| text.map(|text| bounded(&text, ID_LIMIT));
        Self {
            name: name(self.name),
            version: name(self.version),
            session: id(self.session),
            peer: id(self.peer),
            principal: id(self.principal),
        }
    }
}
