//! The events of skills.

use serde::Serialize;
use toolwright_model::{Standing, ToolName};

/// A change of the standing of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct SkillMoved {
    /// The skill.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub skill: ToolName,
    /// The SHA-256 of its file.
    pub skill_digest: String,
    /// The standing before; none if the skill is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "event-schema", schemars(with = "Option<String>"))]
    pub from: Option<Standing>,
    /// The standing from now on.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub to: Standing,
    /// The person who decided it, by the name that was given; none if it happened by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// The user of the operating system.
    #[serde(rename = "person_os_user")]
    pub os_user: String,
    /// The reason.
    pub why: String,
}

/// The end of a run of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct SkillRun {
    /// The SHA-256 of the skill's file.
    pub skill_digest: String,
    /// The standing at the time of the run.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub standing: Standing,
    /// The number of calls that the run made.
    pub calls: u64,
    /// True if the run is a failure of the skill.
    pub failed: bool,
    /// The step that ended the run, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// The code of its error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The warning that the caller received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}
