//! The faults of a policy, with their places and fixes.

use std::fmt;

use toolwright_model::{ProfileName, Role, ToolName};

/// One fault of a policy for the tools of a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyProblem {
    /// A selector selects no tool.
    SelectsNothing {
        /// The place of the selector.
        place: String,
        /// The selector.
        selector: String,
        /// The reason, and the most similar name.
        message: String,
    },
    /// A selector switches off tools of the workspace, but none of these.
    DisablesElsewhere {
        /// The place of the selector.
        place: String,
        /// The selector.
        selector: String,
    },
    /// A role refers to a profile that does not exist.
    UnknownProfile {
        /// The place of the reference.
        place: String,
        /// The profile.
        profile: ProfileName,
        /// The most similar name.
        similar: Option<String>,
    },
    /// A `forbid` is for a role that is not declared.
    UnknownRole {
        /// The place of the reference.
        place: String,
        /// The role.
        role: Role,
        /// The most similar name.
        similar: Option<String>,
    },
    /// A scope sets a parameter that none of its tools declares.
    UnknownParameter {
        /// The place of the parameter.
        place: String,
        /// The parameter.
        parameter: String,
        /// The selector of the tools.
        selector: String,
        /// The most similar name.
        similar: Option<String>,
    },
    /// The value of a scope parameter cannot be used.
    ParameterValue {
        /// The place of the parameter.
        place: String,
        /// The parameter.
        parameter: String,
        /// The reason.
        message: String,
    },
    /// A scope limits an argument that none of its tools has.
    NoSuchArgument {
        /// The place of the scope.
        place: String,
        /// The argument.
        argument: String,
        /// The selector of the tools.
        selector: String,
    },
    /// A role has a tool by several grants, and they do not pin an argument to the same value.
    PinConflict {
        /// The place of one of the scopes.
        place: String,
        /// The role.
        role: Role,
        /// The tool.
        tool: ToolName,
        /// The argument.
        argument: String,
        /// The sources of the grants.
        sources: [String; 2],
    },
}

impl PolicyProblem {
    /// Returns the place of the fault.
    #[must_use]
    pub fn place(&self) -> &str {
        match self {
            Self::SelectsNothing { place, .. }
            | Self::DisablesElsewhere { place, .. }
            | Self::UnknownProfile { place, .. }
            | Self::UnknownRole { place, .. }
            | Self::UnknownParameter { place, .. }
            | Self::ParameterValue { place, .. }
            | Self::NoSuchArgument { place, .. }
            | Self::PinConflict { place, .. } => place,
        }
    }

    /// Returns the fix, if there is one to suggest.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::UnknownProfile { similar, .. }
            | Self::UnknownRole { similar, .. }
            | Self::UnknownParameter { similar, .. } => {
                let similar = similar.as_ref()?;
                Some(format!("a similar name is `{similar}`"))
            }
            Self::NoSuchArgument { .. } => {
                Some("use the name of an argument, as `toolwright show` prints it".to_owned())
            }
            Self::PinConflict { .. } => {
                Some("pin the same value in each of them, or grant the tool only once".to_owned())
            }
            Self::SelectsNothing { .. }
            | Self::DisablesElsewhere { .. }
            | Self::ParameterValue { .. } => None,
        }
    }
}

impl fmt::Display for PolicyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place())?;
        match self {
            Self::SelectsNothing {
                selector, message, ..
            } => write!(f, "`{selector}` selects no tool: {message}"),
            Self::DisablesElsewhere { selector, .. } => {
                write!(f, "`{selector}` switches off none of these tools")
            }
            Self::UnknownProfile { profile, .. } => write!(f, "there is no profile `{profile}`"),
            Self::UnknownRole { role, .. } => write!(f, "the role `{role}` is not declared"),
            Self::UnknownParameter {
                parameter,
                selector,
                ..
            } => write!(
                f,
                "no tool that `{selector}` selects here has a scope parameter `{parameter}`"
            ),
            Self::ParameterValue {
                parameter, message, ..
            } => write!(f, "the value of `{parameter}` cannot be used: {message}"),
            Self::NoSuchArgument {
                argument, selector, ..
            } => write!(
                f,
                "no tool that `{selector}` selects here has an argument `{argument}`"
            ),
            Self::PinConflict {
                role,
                tool,
                argument,
                sources: [one, other],
                ..
            } => write!(
                f,
                "the role `{role}` is granted `{tool}` by {one} and by {other}, and they do not pin `{argument}` to the same value"
            ),
        }?;
        match self.help() {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}
