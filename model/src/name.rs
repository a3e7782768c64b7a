//! Names with rules: tools, services and roles. Cloning a name copies no text.

use std::{borrow::Borrow, fmt, str::FromStr, sync::Arc};

/// The longest tool name, in characters.
///
/// Anthropic and OpenAI allow 64 in places, and MCP clients prepend `mcp__<server>__`.
pub const MAX_TOOL_NAME: usize = 48;

/// The longest name of a token, in characters.
const MAX_TOKEN_NAME: usize = 64;

/// The reason a string is not a valid name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameError {
    /// The string does not follow the grammar of its kind of name.
    Grammar {
        /// The expected kind of name: `tool name`, `service name` or `role`.
        kind: &'static str,
        /// The rejected string.
        text: String,
        /// The grammar, in words.
        rule: &'static str,
    },
    /// A tool name has more than [`MAX_TOOL_NAME`] characters.
    TooLong {
        /// The rejected string.
        text: String,
    },
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Grammar { kind, text, rule } => {
                write!(f, "`{text}` is not a {kind}: {rule}")
            }
            Self::TooLong { text } => write!(
                f,
                "the tool name `{text}` has {} characters, {MAX_TOOL_NAME} are allowed",
                text.chars().count()
            ),
        }
    }
}

impl std::error::Error for NameError {}

/// Checks for `word(-word)*`: words of lower-case letters and digits, starting with a letter.
fn is_kebab(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.split('-').all(|word| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
}

macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $rule:literal, $check:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(try_from = "String", into = "String"))]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks the string against the grammar.
            ///
            /// # Errors
            /// Returns [`NameError`] if the string breaks the grammar or exceeds the length.
            pub fn new(text: impl Into<String>) -> Result<Self, NameError> {
                let text = text.into();
                let check: fn(&str) -> Result<bool, NameError> = $check;
                if check(&text)? {
                    Ok(Self(text.into()))
                } else {
                    Err(NameError::Grammar { kind: $kind, text, rule: $rule })
                }
            }

            /// Returns the name as a string.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                Self::new(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = NameError;

            fn try_from(text: String) -> Result<Self, NameError> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.as_str().to_owned()
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

name!(
    /// A tool's name, `<verb>-<service>-<noun>`: lower-case kebab, at most [`MAX_TOOL_NAME`]
    /// characters, unique across all services.
    ///
    /// ```
    /// use toolwright_model::ToolName;
    ///
    /// assert!(ToolName::new("list-plane-tasks").is_ok());
    /// assert!(ToolName::new("List_Plane_Tasks").is_err());
    /// ```
    ToolName,
    "tool name",
    "lower-case words of letters and digits, joined by single hyphens, beginning with a letter",
    |text| {
        if is_kebab(text) && text.len() > MAX_TOOL_NAME {
            return Err(NameError::TooLong { text: text.to_owned() });
        }
        Ok(is_kebab(text))
    }
);

name!(
    /// A service's name: one lower-case word, such as `plane`.
    ServiceName,
    "service name",
    "one lower-case word of letters and digits, beginning with a letter",
    |text| Ok(is_kebab(text) && !text.contains('-'))
);

name!(
    /// The role of an agent, such as `quality`; grants refer to roles.
    Role,
    "role",
    "lower-case words of letters and digits, joined by single hyphens or underscores, beginning with a letter",
    |text| Ok(is_kebab(&text.replace('_', "-")))
);

name!(
    /// The name of a profile, such as `code-generation`; roles refer to profiles.
    ProfileName,
    "profile name",
    "lower-case words of letters and digits, joined by single hyphens or underscores, beginning with a letter",
    |text| Ok(is_kebab(&text.replace('_', "-")))
);

name!(
    /// The name of an account at the services, such as `clerk`; a role may have credentials of its
    /// own.
    AccountName,
    "account name",
    "lower-case words of letters and digits, joined by single hyphens or underscores, beginning with a letter",
    |text| Ok(is_kebab(&text.replace('_', "-")))
);

name!(
    /// The name of a workspace of a service, such as `north`: one instance or tenant of the service.
    WorkspaceName,
    "workspace name",
    "lower-case words of letters and digits, joined by single hyphens, beginning with a letter",
    |text| Ok(is_kebab(text))
);

name!(
    /// The name of a client's token, such as `nightly-build`; the audit records it as the caller.
    TokenName,
    "token name",
    "lower-case words of letters and digits, joined by single hyphens, beginning with a letter, at most 64 characters",
    |text| Ok(is_kebab(text) && text.len() <= MAX_TOKEN_NAME)
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_of_tool_names() {
        for good in ["list-plane-tasks", "a", "get-s3-v2"] {
            assert!(ToolName::new(good).is_ok(), "{good}");
        }
        for bad in ["", "-a", "a-", "a--b", "A", "1a", "a_b", "a b", "é"] {
            assert!(ToolName::new(bad).is_err(), "{bad}");
        }
        assert!(ToolName::new("a".repeat(MAX_TOOL_NAME)).is_ok());
        assert!(matches!(
            ToolName::new("a".repeat(MAX_TOOL_NAME + 1)),
            Err(NameError::TooLong { .. })
        ));
    }

    #[test]
    fn a_service_is_one_word_and_a_role_may_have_several() {
        assert!(ServiceName::new("plane").is_ok());
        assert!(ServiceName::new("plane-two").is_err());
        assert!(Role::new("code-review").is_ok());
        assert!(Role::new("code_review").is_ok());
        assert!(Role::new("Code").is_err());
    }

    #[test]
    #[cfg(feature = "serde")]
    fn a_name_is_checked_when_it_is_read() {
        assert!(serde_json::from_str::<ToolName>("\"x-y\"").is_ok());
        assert!(serde_json::from_str::<ToolName>("\"X\"").is_err());
    }
}
