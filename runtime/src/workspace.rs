//! One workspace of a service, as a key of what must not be shared with another one.

use std::fmt;

use serde::{Deserialize, Serialize};
use toolwright_model::{ServiceName, WorkspaceName};

/// The folder of the credentials of named workspaces, below those of their service.
pub(crate) const FOLDER: &str = "workspaces";

/// A service, and the workspace of it that a call is for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceWorkspace {
    /// The service.
    pub service: ServiceName,
    /// The workspace; none if the service has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<WorkspaceName>,
}

impl ServiceWorkspace {
    /// The workspace of a service that has no named ones.
    pub(crate) const fn unnamed(service: ServiceName) -> Self {
        Self {
            service,
            workspace: None,
        }
    }

    /// Checks whether this is a workspace of the same service, and another one.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        self.service == other.service && self.workspace != other.workspace
    }
}

/// The service; with a workspace, the service and the workspace: `depot/north`.
impl fmt::Display for ServiceWorkspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.workspace {
            Some(workspace) => write!(f, "{}/{workspace}", self.service),
            None => self.service.fmt(f),
        }
    }
}
