//! The callee of a call: a tool, or a method for a type of artifact.

use std::sync::Arc;

use toolwright_model::{Role, ToolName};

use crate::{
    audit::bounded_name,
    boundary::{artifact::ArtifactMethod, core::RegisteredTool, tools::Tools},
    error::ToolError,
};

/// The callee that a call names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Callee<'a> {
    /// A tool, by its name.
    Tool(&'a str),
    /// The method of the service that takes artifacts of a type.
    Artifact(ArtifactMethod<'a>),
}

impl<'a> Callee<'a> {
    /// Returns the name for the audit before the tool is known.
    pub(super) fn in_words(self) -> String {
        match self {
            Self::Tool(name) => bounded_name(name),
            Self::Artifact(ArtifactMethod {
                method,
                artifact_type,
            }) => bounded_name(&format!("{method} of {artifact_type}")),
        }
    }

    /// Returns the tools that the callee may name, regardless of the role.
    pub(super) fn candidates(self, tools: &Tools) -> Vec<(&ToolName, &Arc<RegisteredTool>)> {
        match self {
            Self::Tool(name) => tools.get_key_value(name).into_iter().collect(),
            Self::Artifact(artifact) => {
                let tools = tools.iter();
                tools
                    .filter(|(_, entry)| artifact.is_for(entry.spec()))
                    .collect()
            }
        }
    }

    /// Returns the error for a role that may not call the callee. It is the same if the callee does
    /// not exist.
    pub(super) fn not_permitted(self, role: &Role) -> ToolError {
        let role = role.clone();
        match self {
            Self::Tool(name) => ToolError::ToolNotPermitted {
                role,
                tool: bounded_name(name),
            },
            Self::Artifact(artifact) => ToolError::ArtifactNotPermitted {
                role,
                method: bounded_name(artifact.method),
                artifact_type: bounded_name(artifact.artifact_type),
            },
        }
    }

    /// Returns the error for a role that may call several matching tools.
    pub(super) fn ambiguous(self, tools: Vec<ToolName>) -> ToolError {
        ToolError::ArtifactAmbiguous {
            asked: self.in_words(),
            tools,
        }
    }

    /// Returns the type of artifact that selected the tool, if one did.
    pub(super) const fn artifact_type(self) -> Option<&'a str> {
        match self {
            Self::Tool(_) => None,
            Self::Artifact(artifact) => Some(artifact.artifact_type),
        }
    }
}
