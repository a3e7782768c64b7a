//! What a call names: a tool, or what is to be done with which type of artifact.

use toolwright_model::{Role, ToolName, ToolSpec};

use crate::{
    audit::bounded_name,
    error::ToolError,
    registry::{Core, Entry},
};

/// What a call names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Asked<'a> {
    /// A tool.
    Tool(&'a str),
    /// The method of whichever service takes artifacts of a type.
    Artifact(Artifact<'a>),
}

/// A method, and the type of artifact that it is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Artifact<'a> {
    pub(crate) method: &'a str,
    pub(crate) artifact_type: &'a str,
}

impl<'a> Asked<'a> {
    /// How the audit tells of it until it is known which tool that is.
    pub(super) fn in_words(self) -> String {
        match self {
            Self::Tool(name) => bounded_name(name),
            Self::Artifact(Artifact {
                method,
                artifact_type,
            }) => bounded_name(&format!("{method} of {artifact_type}")),
        }
    }

    /// The tools that may be meant, whoever asks.
    pub(super) fn candidates(self, core: &Core) -> Vec<(&ToolName, &Entry)> {
        match self {
            Self::Tool(name) => core.tools.get_key_value(name).into_iter().collect(),
            Self::Artifact(artifact) => {
                let tools = core.tools.iter();
                tools
                    .filter(|(_, entry)| artifact.is_for(entry.spec()))
                    .collect()
            }
        }
    }

    /// What a role is told that may not call it, or asks for what there is not.
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

    /// What a role is told that may call each of several.
    pub(super) fn ambiguous(self, tools: Vec<ToolName>) -> ToolError {
        ToolError::ArtifactAmbiguous {
            asked: self.in_words(),
            tools,
        }
    }

    /// The type of artifact by which the tool is found, if it is.
    pub(super) const fn artifact_type(self) -> Option<&'a str> {
        match self {
            Self::Tool(_) => None,
            Self::Artifact(artifact) => Some(artifact.artifact_type),
        }
    }
}

impl Artifact<'_> {
    /// Whether a tool is the method of a service that takes artifacts of the type.
    pub(crate) fn is_for(self, spec: &ToolSpec) -> bool {
        spec.eab().is_some_and(|eab| {
            let mut types = eab.artifact_types.iter();
            eab.method == self.method && types.any(|known| known == self.artifact_type)
        })
    }
}
