//! The errors of building a registry.

use std::{fmt, path::PathBuf};

use toolwright_model::{Origin, ServiceName, ToolName, text::escape_invisible, write_joined};
use toolwright_policy::PolicyProblem;

use crate::boundary::workspaces::ARGUMENT;

/// Everything that is wrong with the inputs of a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryError {
    /// At least one.
    pub problems: Vec<RegistryProblem>,
}

/// One problem with the inputs of a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegistryProblem {
    /// Two tools have one name.
    DuplicateTool {
        /// The name.
        name: ToolName,
        /// The origin of the first tool.
        first: Origin,
        /// The origin of the second tool.
        second: Origin,
    },
    /// A tool has the name of a tool of discovery.
    NameOfDiscovery {
        /// The name.
        name: ToolName,
        /// The origin of the tool.
        origin: Origin,
    },
    /// The tools that are compiled in for a service cannot be read.
    UnreadableTools {
        /// The service, as the generator wrote it.
        service: String,
        /// The reason.
        message: String,
    },
    /// A tool that `#[tool]` registers cannot be taken in.
    LinkedTool {
        /// The function.
        origin: Origin,
        /// The reason.
        message: String,
    },
    /// A tool is a method, and the registry was not given a value of its type.
    StateMissing {
        /// The method.
        origin: Origin,
        /// The type.
        state: &'static str,
    },
    /// Two values of one type were given as the state of tools.
    StateTwice {
        /// The type.
        state: &'static str,
    },
    /// The schema of a tool's arguments cannot be checked against.
    Schema {
        /// The tool.
        tool: ToolName,
        /// The reason.
        message: String,
    },
    /// A pattern in the schema of a tool's arguments cannot be compiled, and refuses nothing.
    Pattern {
        /// The tool.
        tool: ToolName,
        /// The regular expression.
        pattern: String,
    },
    /// A tool declares a scope parameter that cannot be checked.
    ScopeParameter {
        /// The tool.
        tool: ToolName,
        /// The parameter.
        parameter: String,
        /// The reason.
        message: String,
    },
    /// A native tool has no function.
    NoFunction {
        /// The tool.
        tool: ToolName,
    },
    /// A string is not the name of a role.
    Role {
        /// The reason.
        message: String,
    },
    /// A string is not a selector.
    Selector {
        /// The place in a file, or the purpose of the selector.
        place: String,
        /// The reason.
        message: String,
    },
    /// A fault of the policy.
    Policy(PolicyProblem),
    /// The configuration mentions a service that has no tools.
    UnknownService {
        /// The place in a file, or the purpose of the settings.
        place: String,
        /// The service.
        service: ServiceName,
        /// The service with a similar name.
        similar: Option<String>,
    },
    /// A tool of a service with workspaces has an argument that chooses among them.
    WorkspaceArgument {
        /// The place of the service's settings.
        place: String,
        /// The tool.
        tool: ToolName,
    },
    /// No audit was given.
    NoAudit,
    /// A new configuration moves a place that a running program keeps.
    NeedsRestart {
        /// The place: `audit file`.
        place: &'static str,
        /// The place in the new configuration.
        path: PathBuf,
    },
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_joined(f, &self.problems, "\n")
    }
}

impl fmt::Display for RegistryProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateTool {
                name,
                first,
                second,
            } => write!(
                f,
                "two tools are named `{name}`: `{}` at `{}`, and `{}` at `{}`",
                first.document, first.pointer, second.document, second.pointer
            ),
            Self::NameOfDiscovery { name, origin } => write!(
                f,
                "the tool `{name}` of `{}` has the name of a tool that finds or calls others; rename it",
                origin.document
            ),
            Self::UnreadableTools { service, message } => {
                write!(
                    f,
                    "the compiled-in tools of `{service}` cannot be read: {message}; generate them again"
                )
            }
            Self::LinkedTool { origin, message } => write!(
                f,
                "`{}` in `{}` is not a tool: {message}",
                origin.pointer, origin.document
            ),
            Self::StateMissing { origin, state } => write!(
                f,
                "`{}` in `{}` is called on a `{state}`, but none was given; \
                 add `.state(Arc::new(…))`, or `.without_state::<{state}>()` to leave its tools out",
                origin.pointer, origin.document
            ),
            Self::StateTwice { state } => {
                write!(f, "two values of `{state}` were given; give one")
            }
            Self::Schema { tool, message } => {
                write!(
                    f,
                    "the input schema of `{tool}` does not compile: {message}"
                )
            }
            Self::Pattern { tool, pattern } => write!(
                f,
                "the pattern `{}` of `{tool}` does not compile, so arguments are not checked against it",
                escape_invisible(pattern)
            ),
            Self::ScopeParameter {
                tool,
                parameter,
                message,
            } => write!(
                f,
                "the scope parameter `{parameter}` of `{tool}`: {message}"
            ),
            Self::NoFunction { tool } => {
                write!(
                    f,
                    "`{tool}` is a native tool, but no function was given for it"
                )
            }
            Self::Role { message } => f.write_str(message),
            Self::Selector { place, message } => write!(f, "{place}: {message}"),
            Self::Policy(problem) => problem.fmt(f),
            Self::UnknownService {
                place,
                service,
                similar: Some(similar),
            } => {
                write!(
                    f,
                    "{place}: there is no tool of the service `{service}`; a similar name is `{similar}`"
                )
            }
            Self::UnknownService {
                place,
                service,
                similar: None,
            } => {
                write!(f, "{place}: there is no tool of the service `{service}`")
            }
            Self::WorkspaceArgument { place, tool } => write!(
                f,
                "{place}: the service cannot have workspaces, since `{tool}` has an argument `{ARGUMENT}` of its own"
            ),
            Self::NoAudit => f.write_str(
                "no audit was given; a registry requires one, because it records every decision",
            ),
            Self::NeedsRestart { place, path } => write!(
                f,
                "the {place} cannot move to `{}` while the program runs; restart it",
                path.display()
            ),
        }
    }
}

impl std::error::Error for RegistryError {}
