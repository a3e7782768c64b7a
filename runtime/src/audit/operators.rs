//! The events of what operators decide while programs run.

use jiff::Timestamp;
use serde::Serialize;
use toolwright_model::{Role, TokenName, ToolName, WorkspaceName, words};

/// A person's switch of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct ToolSwitched {
    /// The tool.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub tool: ToolName,
    /// True if it is on now; none if its default applies again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The name of the person, as the person gave it.
    pub person: String,
    /// The user of the operating system who switched it.
    #[serde(rename = "person_os_user")]
    pub os_user: String,
    /// The person's reason.
    pub why: String,
}

/// A standing grant that begins, or that a person revokes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct StandingGrantChange {
    /// The id of the grant.
    pub standing_grant: String,
    /// True if it was revoked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub revoked: bool,
    /// The role whose calls pass.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub role: Role,
    /// The tool.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub tool: ToolName,
    /// The workspace of the service whose calls pass. Absent if the service has no named ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "event-schema", schemars(with = "Option<String>"))]
    pub source_workspace: Option<WorkspaceName>,
    /// The number of calls that pass.
    pub uses: u32,
    /// The time until which they pass.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub until: Timestamp,
    /// The name of the person, as the person gave it.
    pub person: String,
    /// The user of the operating system who granted or revoked it.
    #[serde(rename = "person_os_user")]
    pub os_user: String,
    /// The person's reason.
    pub why: String,
}

/// A token that a person issues or revokes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct TokenChange {
    /// The name of the token.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub token: TokenName,
    /// True if it was revoked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub revoked: bool,
    /// The role of the clients that show it.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub role: Role,
    /// The workspace that their calls are recorded with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The time until which it is accepted.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub until: Timestamp,
    /// The name of the person, as the person gave it.
    pub person: String,
    /// The user of the operating system who issued or revoked it.
    #[serde(rename = "person_os_user")]
    pub os_user: String,
    /// The person's reason.
    pub why: String,
}

/// What a person did at the console, besides decisions, which have events of their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct ConsoleUse {
    /// What was done.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub action: ConsoleAction,
    /// The name of the person who did it. If a link was issued, it is the person who may sign in.
    pub person: String,
    /// The user of the operating system who runs the console.
    #[serde(rename = "person_os_user")]
    pub os_user: String,
    /// The beginning of the digest of the session, if there is one.
    #[serde(rename = "console_session", skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The person's reason, or what the action was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

words! {
    /// An action at the console.
    ConsoleAction {
        /// A link was issued that signs the person in once.
        LinkIssued = "link_issued",
        /// The person signed in.
        SignedIn = "signed_in",
        /// The person signed out.
        SignedOut = "signed_out",
        /// The person ended a session of somebody.
        SessionEnded = "session_ended",
        /// The person was not allowed to do something.
        Refused = "refused",
        /// The person exported events of the audit.
        Exported = "exported",
    }
}
