//! Names of tools: `<verb>-<service>-<noun>`, from one operation alone.

use std::fmt;

use toolwright_model::{MAX_TOOL_NAME, Method, ServiceName, ToolName};

use crate::facts::OperationFacts;

/// What the overlay decides of a name; the rest is derived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameHints<'a> {
    /// The verb: one of [`VERBS`].
    pub verb: Option<&'a str>,
    /// The noun: one or more words in kebab case, such as `work-item-comments`.
    pub noun: Option<&'a str>,
}

/// A name, its parts, and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    /// The verb.
    pub verb: String,
    /// The noun, in kebab case, as it stands in the name.
    pub noun: String,
    /// The name, or why there is none.
    pub name: Result<ToolName, NamingError>,
    /// How the name came about, one step a line, for `explain`.
    pub derivation: Vec<String>,
}

/// Why an operation has no name. Each is mended by an overlay line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamingError {
    /// The name would be longer than [`MAX_TOOL_NAME`] characters, and no rule shortens it.
    TooLong {
        /// The name that would be.
        name: String,
    },
    /// The path and the operation id have no word to make a noun of.
    NoNoun,
    /// The overlay's verb is not one of [`VERBS`].
    UnknownVerb {
        /// The verb of the overlay.
        verb: String,
        /// A verb of the list that is spelt alike.
        similar: Option<&'static str>,
    },
    /// The overlay's noun is not kebab case.
    NounGrammar {
        /// The noun of the overlay.
        noun: String,
    },
}

impl fmt::Display for NamingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { name } => write!(
                f,
                "the name `{name}` has {} characters, {MAX_TOOL_NAME} are allowed",
                name.len()
            ),
            Self::NoNoun => f.write_str("neither the path nor the operation id gives a noun"),
            Self::UnknownVerb { verb, .. } => write!(f, "`{verb}` is not a verb of tool names"),
            Self::NounGrammar { noun } => write!(
                f,
                "`{noun}` is not a noun: lower-case words of letters and digits, joined by single hyphens"
            ),
        }
    }
}

impl std::error::Error for NamingError {}

/// The verbs that a tool name may begin with, in alphabetical order.
pub const VERBS: &[&str] = &[
    "create", "delete", "get", "list", "replace", "run", "update",
];

/// Names the operation.
#[must_use]
pub fn name_of(service: &ServiceName, facts: &OperationFacts, hints: NameHints<'_>) -> Naming {
    let item = facts.path.ends_with('}');
    let verb = hints.verb.unwrap_or(match facts.method {
        Method::Get if facts.answers_list() => "list",
        Method::Put => "replace",
        Method::Patch => "update",
        Method::Delete => "delete",
        Method::Post if item => "update",
        Method::Post => "create",
        _ => "get",
    });
    let noun = hints.noun.map_or_else(
        || {
            facts
                .path
                .split('/')
                .filter(|segment| !segment.is_empty() && !segment.starts_with('{'))
                .map(str::to_lowercase)
                .collect::<Vec<_>>()
                .join("-")
        },
        ToOwned::to_owned,
    );
    let text = format!("{verb}-{service}-{noun}");
    Naming {
        verb: verb.to_owned(),
        noun,
        name: ToolName::new(text.clone()).map_err(|_| NamingError::TooLong { name: text }),
        derivation: Vec::new(),
    }
}
