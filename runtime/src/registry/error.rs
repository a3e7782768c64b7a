//! Why there is no registry.

use std::{fmt, path::PathBuf};

use toolwright_model::{Origin, ServiceName, ToolName, text::escape_invisible};

/// Everything that is wrong with what a registry was to be made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryError {
    /// At least one.
    pub problems: Vec<RegistryProblem>,
}

/// One thing that is wrong with what a registry was to be made of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegistryProblem {
    /// Two tools have one name.
    DuplicateTool {
        /// The name.
        name: ToolName,
        /// Where the first comes from.
        first: Origin,
        /// Where the second comes from.
        second: Origin,
    },
    /// The tools that are compiled in for a service cannot be read.
    UnreadableTools {
        /// The service, as the generator wrote it.
        service: String,
        /// Why.
        message: String,
    },
    /// A tool that `#[tool]` registers cannot be taken in.
    LinkedTool {
        /// The function.
        origin: Origin,
        /// Why.
        message: String,
    },
    /// A tool is a method, and there is no value of its type.
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
        /// Why.
        message: String,
    },
    /// A pattern in the schema of a tool's arguments cannot be compiled, and refuses nothing.
    Pattern {
        /// The tool.
        tool: ToolName,
        /// The regular expression.
        pattern: String,
    },
    /// A native tool has no function.
    NoFunction {
        /// The tool.
        tool: ToolName,
    },
    /// A text is not the name of a role.
    Role {
        /// Why.
        message: String,
    },
    /// A text is not a selector.
    Selector {
        /// Where it was written: a place in a file, or what it was given for.
        place: String,
        /// Why.
        message: String,
    },
    /// A selector selects no tool.
    SelectsNothing {
        /// Where it was written: a place in a file, or what it was given for.
        place: String,
        /// The selector.
        selector: String,
        /// Why, and the similar name.
        message: String,
    },
    /// A selector switches off tools of the workspace, but none of this registry.
    DisablesElsewhere {
        /// Where it was written: a place in a file, or what it was given for.
        place: String,
        /// The selector.
        selector: String,
    },
    /// Something is said of a service of which there is no tool.
    UnknownService {
        /// Where it was written: a place in a file, or what it was given for.
        place: String,
        /// The service.
        service: ServiceName,
        /// The service with a similar name.
        similar: Option<String>,
    },
    /// No audit was given.
    NoAudit,
    /// A new configuration moves a place that a running program keeps.
    NeedsRestart {
        /// The place: `audit file`.
        place: &'static str,
        /// Where the new configuration puts it.
        path: PathBuf,
    },
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
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
            Self::UnreadableTools { service, message } => {
                write!(
                    f,
                    "the compiled-in tools of `{service}` cannot be read: {message}; generate them anew"
                )
            }
            Self::LinkedTool { origin, message } => write!(
                f,
                "`{}` in `{}` is no tool: {message}",
                origin.pointer, origin.document
            ),
            Self::StateMissing { origin, state } => write!(
                f,
                "`{}` in `{}` is called on a `{state}`, and none was given; \
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
                "the pattern `{}` of `{tool}` does not compile, so arguments are not held against it",
                escape_invisible(pattern)
            ),
            Self::NoFunction { tool } => {
                write!(
                    f,
                    "`{tool}` is a native tool, and no function was given for it"
                )
            }
            Self::Role { message } => f.write_str(message),
            Self::Selector { place, message } => write!(f, "{place}: {message}"),
            Self::SelectsNothing {
                place,
                selector,
                message,
            } => {
                write!(f, "{place}: `{selector}` selects no tool: {message}")
            }
            Self::DisablesElsewhere { place, selector } => {
                write!(f, "{place}: `{selector}` switches off none of these tools")
            }
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
            Self::NoAudit => f.write_str(
                "no audit was given; every decision is audited, so a registry needs a place for it",
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
