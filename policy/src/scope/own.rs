//! The scope parameters that tools declare for themselves, with their variables inserted.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value};

use crate::{
    condition::argument,
    declaration::{ParameterCheck, ScopeParameter},
    pattern::{PathPattern, Pattern, compile_all, is_canonical_path},
    variable::{Language, Template, VariableFault, Variables},
};

/// The check of a parameter that a tool declares.
#[derive(Clone, Debug)]
pub(crate) struct OwnCheck {
    argument: Option<String>,
    /// The values as a person reads them.
    texts: Vec<String>,
    patterns: OwnPatterns,
}

/// The values of the scope parameters that a tool declares, for one call. Several rules may set a
/// parameter; a call fits all of them.
#[derive(Clone, Debug, Default)]
pub struct ScopeValues(Vec<Arc<BTreeMap<String, OwnCheck>>>);

#[derive(Clone, Debug)]
enum OwnPatterns {
    AllowedPaths(Vec<PathPattern>),
    DeniedPaths(Vec<PathPattern>),
    Words(Vec<Pattern>),
    Unchecked,
}

impl OwnCheck {
    pub(super) fn new(
        parameter: &ScopeParameter,
        templates: &[Template],
        variables: &Variables,
    ) -> Result<Self, VariableFault> {
        let paths = || compile_all(templates, variables, Language::Path, PathPattern::new);
        let patterns = match parameter.check {
            ParameterCheck::AllowedPaths => OwnPatterns::AllowedPaths(paths()?),
            ParameterCheck::DeniedPaths => OwnPatterns::DeniedPaths(paths()?),
            ParameterCheck::Pattern => {
                let words = compile_all(templates, variables, Language::Regex, Pattern::new);
                OwnPatterns::Words(words?)
            }
            ParameterCheck::Value => OwnPatterns::Unchecked,
        };
        let mut texts = Vec::new();
        for template in templates {
            texts.extend(template.expand(variables, Language::Plain)?);
        }
        Ok(Self {
            argument: parameter.argument.clone(),
            texts,
            patterns,
        })
    }

    pub(super) fn allows(&self, arguments: &Map<String, Value>) -> bool {
        if matches!(self.patterns, OwnPatterns::Unchecked) {
            return true;
        }
        let Some(name) = &self.argument else {
            return false;
        };
        let Some(value) = argument(arguments, name) else {
            return matches!(self.patterns, OwnPatterns::DeniedPaths(_));
        };
        let elements = match value {
            Value::Array(elements) if !elements.is_empty() => elements.as_slice(),
            value => std::slice::from_ref(value),
        };
        elements
            .iter()
            .all(|element| element.as_str().is_some_and(|text| self.allows_text(text)))
    }

    fn allows_text(&self, text: &str) -> bool {
        match &self.patterns {
            OwnPatterns::AllowedPaths(paths) => {
                is_canonical_path(text) && paths.iter().any(|path| path.matches(text))
            }
            OwnPatterns::DeniedPaths(paths) => {
                is_canonical_path(text) && !paths.iter().any(|path| path.matches_any_case(text))
            }
            // `.` matches a line break, and a second line must not slip into a name.
            OwnPatterns::Words(words) => {
                !text.contains(char::is_control) && words.iter().any(|word| word.matches(text))
            }
            OwnPatterns::Unchecked => true,
        }
    }
}

impl ScopeValues {
    pub(crate) fn add(&mut self, values: &Arc<BTreeMap<String, OwnCheck>>) {
        if !values.is_empty() {
            self.0.push(Arc::clone(values));
        }
    }

    /// Returns the values of a parameter with the variables inserted: one list for each rule that
    /// sets it. There is none if no rule does.
    pub fn texts<'a>(&'a self, parameter: &'a str) -> impl Iterator<Item = &'a [String]> {
        self.checks(parameter).map(|check| check.texts.as_slice())
    }

    /// Checks a string against a parameter, as the argument of a call is checked. Tools use it for
    /// the strings that a call leads to, such as the paths of the files that a search finds. If no
    /// rule sets the parameter, it limits nothing.
    #[must_use]
    pub fn allows(&self, parameter: &str, text: &str) -> bool {
        self.checks(parameter).all(|check| check.allows_text(text))
    }

    fn checks<'a>(&'a self, parameter: &'a str) -> impl Iterator<Item = &'a OwnCheck> {
        self.0.iter().filter_map(move |rule| rule.get(parameter))
    }
}

impl PartialEq for ScopeValues {
    fn eq(&self, other: &Self) -> bool {
        let texts = |values: &Self| -> Vec<BTreeMap<String, Vec<String>>> {
            let texts = values.0.iter().map(|rule| {
                let texts = rule.iter();
                texts
                    .map(|(name, check)| (name.clone(), check.texts.clone()))
                    .collect()
            });
            texts.collect()
        };
        texts(self) == texts(other)
    }
}

impl Eq for ScopeValues {}
