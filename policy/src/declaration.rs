//! The scope parameters that a tool declares for itself.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;
use toolwright_model::{Binding, ToolSpec};

use crate::condition::argument_name;

/// The keys of a scope that every tool knows. The others are parameters that tools declare.
pub(crate) const SCOPE_KEYS: [&str; 8] = [
    "tools",
    "allowed_urls",
    "allowed_methods",
    "allowed_workspaces",
    "pinned",
    "arguments",
    "rate",
    "max_response_bytes",
];

/// The parameter of the URLs that a call may request.
pub(crate) const URLS: &str = "allowed_urls";

/// A scope parameter that a tool declares: an operator sets it, and a call must fit it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeParameter {
    /// The check that the parameter makes.
    pub check: ParameterCheck,
    /// The argument that it checks, or the JSON Pointer to a part of one. A check without an argument
    /// refuses every call.
    #[serde(default)]
    pub argument: Option<String>,
    /// True if the tool itself asks for the check of what it finds, such as the paths of a search. There
    /// is no argument then.
    #[serde(default)]
    pub found: bool,
    /// True if calls are refused while the parameter is not set.
    pub required: bool,
}

/// The check of a scope parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ParameterCheck {
    /// The argument is a path that one of the patterns matches.
    AllowedPaths,
    /// The argument is a path that none of the patterns matches, in any case.
    DeniedPaths,
    /// The argument is a string without control characters that one of the regular expressions
    /// matches as a whole.
    Pattern,
    /// Nothing is checked. The tool reads the value and obeys it, such as a limit of size.
    Value,
    /// Nothing is checked. The tool splits the value into words, such as a command with its arguments. A
    /// variable that is inserted is a part of one word, and does not begin an option.
    Words,
    /// The argument is the URL that the tool requests. Its parameter is `allowed_urls`, which every scope has.
    Url,
}

/// The scope parameters of a tool, by their names.
pub type ScopeParameters = BTreeMap<String, ScopeParameter>;

/// A tool, as a policy sees it.
#[derive(Clone, Copy, Debug)]
pub struct PolicyTool<'a> {
    /// The record of the tool.
    pub spec: &'a ToolSpec,
    /// The scope parameters that it declares.
    pub parameters: &'a ScopeParameters,
}

impl ScopeParameter {
    /// Creates a parameter that must be set.
    #[must_use]
    pub fn required(check: ParameterCheck, argument: impl Into<String>) -> Self {
        Self {
            check,
            argument: Some(argument.into()),
            found: false,
            required: true,
        }
    }

    /// Creates a parameter that need not be set.
    #[must_use]
    pub fn optional(check: ParameterCheck, argument: impl Into<String>) -> Self {
        Self {
            required: false,
            ..Self::required(check, argument)
        }
    }

    /// Creates a parameter that the tool reads itself.
    #[must_use]
    pub const fn value(required: bool) -> Self {
        Self {
            check: ParameterCheck::Value,
            argument: None,
            found: false,
            required,
        }
    }

    /// Creates a parameter that the tool itself checks what it finds against.
    #[must_use]
    pub const fn found(check: ParameterCheck, required: bool) -> Self {
        Self {
            check,
            argument: None,
            found: true,
            required,
        }
    }

    /// Returns the fault of the declaration of a parameter for a tool, if it has one: a name that
    /// every scope uses, or an argument that the tool does not have.
    #[must_use]
    pub fn fault(&self, name: &str, spec: &ToolSpec) -> Option<String> {
        if SCOPE_KEYS.contains(&name) && !self.is_url(name) {
            return Some(format!(
                "every scope has a parameter `{name}`; use another name"
            ));
        }
        if self.check == ParameterCheck::Url && !self.is_url(name) {
            return Some(format!("the parameter of a URL is `{URLS}`"));
        }
        let nothing = ScopeParameters::new();
        let tool = PolicyTool {
            spec,
            parameters: &nothing,
        };
        if self.found {
            return self.fault_of_found(spec);
        }
        match (&self.argument, self.check) {
            (None, check) if check.is_value() => None,
            (Some(argument), check) if check.is_value() => Some(format!(
                "it is a value for the tool and cannot check the argument `{argument}`"
            )),
            (None, _) => Some("it checks no argument; name one".to_owned()),
            (Some(argument), _) if !tool.has_argument(&argument_name(argument)) => {
                Some(format!("the tool has no argument `{argument}`"))
            }
            (Some(_), _) => None,
        }
    }

    /// Checks whether the parameter restricts the URL that the tool requests.
    pub(crate) fn is_url(&self, name: &str) -> bool {
        self.check == ParameterCheck::Url && name == URLS
    }

    fn fault_of_found(&self, spec: &ToolSpec) -> Option<String> {
        let fault = match (&self.argument, self.check) {
            (Some(argument), _) => {
                return Some(format!(
                    "it checks what the tool finds and cannot check the argument `{argument}`"
                ));
            }
            (None, check) if check.is_value() => "it is a value for the tool and checks nothing",
            (None, ParameterCheck::Url) => "a URL is in an argument; name it",
            (None, _) if spec.binding != Binding::Native => {
                "only a function of the program can check what it finds; name an argument"
            }
            (None, _) => return None,
        };
        Some(fault.to_owned())
    }
}

impl ParameterCheck {
    /// Checks whether the tool alone reads the parameter.
    pub(crate) const fn is_value(self) -> bool {
        matches!(self, Self::Value | Self::Words)
    }

    /// Checks whether the parameter restricts paths.
    pub(crate) const fn is_of_paths(self) -> bool {
        matches!(self, Self::AllowedPaths | Self::DeniedPaths)
    }
}

impl<'a> PolicyTool<'a> {
    /// Checks whether the tool has an argument.
    pub(crate) fn has_argument(&self, name: &str) -> bool {
        let properties = self.spec.input_schema.root().get("properties");
        properties.is_some_and(|properties| properties.get(name).is_some())
    }

    /// Returns the names of the tool's arguments.
    pub(crate) fn argument_names(&self) -> BTreeSet<&'a str> {
        let properties = self.spec.input_schema.root().get("properties");
        let properties = properties.and_then(Value::as_object).into_iter().flatten();
        properties.map(|(name, _)| name.as_str()).collect()
    }
}
