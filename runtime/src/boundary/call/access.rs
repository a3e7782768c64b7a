//! The check of a service's settings and credentials, without a call.

use jiff::Timestamp;
use toolwright_model::{ToolName, WorkspaceName};
use uuid::Uuid;

use super::{
    Callee,
    work::{Requester, Route},
};
use crate::{boundary::view::ScopedToolView, error::ToolError};

/// The settings and credentials with which calls of a tool would be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceAccess {
    /// The named workspace of the service; none if the service has none.
    pub workspace: Option<WorkspaceName>,
    /// The base URL, the socket or the server, without user information.
    pub target: String,
    /// The file with the credentials, or their place in another source; none if there are none.
    pub file: Option<String>,
    /// The end of the token, if the token itself states it.
    pub expires: Option<Timestamp>,
    /// The URL that issues access tokens, without its query, if the credentials obtain them.
    pub token_endpoint: Option<String>,
}

impl ScopedToolView {
    /// Checks the settings and the credentials with which calls of a tool would be sent: for the
    /// operator, never for an agent. Nothing is sent, no name of a host is resolved, and the audit
    /// records nothing. None for a function of the program that [logs in](crate::Tool::logs_in_at) nowhere,
    /// and for a name that no tool has.
    ///
    /// # Errors
    /// The error that every call of the tool would have.
    pub fn check_access(&self, tool: &ToolName) -> Result<Option<ServiceAccess>, ToolError> {
        let (core, scope) = (self.core(), self.scope());
        let tools = core.tools();
        let Some(entry) = tools.get(tool.as_str()) else {
            return Ok(None);
        };
        let call = Uuid::nil();
        let requester = Requester { core, scope, call };
        let callee = Callee::Tool(tool.as_str());
        let chosen = requester.choose(&core.policy(), entry, callee, None);
        let chosen = chosen.map_err(|denial| *denial.error)?;
        let access = requester.read_credentials(&entry.spec().service, &chosen);
        if let Some(server) = entry.tool.server() {
            let access = access?;
            access.check_parts(entry.tool.credential_parts())?;
            return Ok(Some(ServiceAccess {
                workspace: chosen.name.clone(),
                target: server.to_owned(),
                file: access.place().map(str::to_owned),
                expires: None,
                token_endpoint: None,
            }));
        }
        let route = Route::new(requester, entry, callee, access, &chosen);
        let access = route.and_then(|route| route.check_access());
        access.map_err(|denial| *denial.error)
    }
}
