//! The scope parameters that a tool declares for itself.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use toolwright_model::ToolSpec;

/// A scope parameter that a tool declares: an operator sets it, and a call must fit it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeParameter {
    /// The check that the parameter makes.
    pub check: ParameterCheck,
    /// The argument that it checks.
    pub argument: String,
    /// True if calls are refused while the parameter is not set.
    pub required: bool,
}

/// The check of a scope parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParameterCheck {
    /// The argument is a path that one of the patterns matches.
    AllowedPaths,
    /// The argument is a path that none of the patterns matches, in any case.
    DeniedPaths,
    /// The argument is a string that one of the regular expressions matches as a whole.
    Pattern,
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
            argument: argument.into(),
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
}

impl PolicyTool<'_> {
    /// Checks whether the tool has an argument.
    pub(crate) fn has_argument(&self, name: &str) -> bool {
        self.argument_names().contains(name)
    }

    /// Returns the names of the tool's arguments.
    pub(crate) fn argument_names(&self) -> BTreeSet<String> {
        let properties = self.spec.input_schema.root().get("properties");
        let properties = properties.and_then(Value::as_object).into_iter().flatten();
        properties.map(|(name, _)| name.clone()).collect()
    }
}
