//! The scope parameters that tools declare for themselves: the check of a call's arguments, and the check
//! of the strings that a call leads to, which the tool asks for.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value};

use crate::{
    condition::argument,
    declaration::{ParameterCheck, ScopeParameter, ScopeParameters},
    pattern::{PathPattern, Pattern, compile_all, is_canonical_path},
    protected::{self, is_protected},
    refusal::{Refusal, RefusalReason},
    variable::{Language, Template, VariableFault, Variables},
};

/// The checks of one rule, by the names of their parameters.
pub(crate) type OwnChecks = BTreeMap<String, OwnCheck>;

/// The check of a parameter that a tool declares.
#[derive(Clone, Debug)]
pub(crate) struct OwnCheck {
    argument: Option<String>,
    /// True if the tool asks for the check, since no argument holds the string.
    is_asked_for: bool,
    /// The values as a person reads them.
    texts: Vec<String>,
    patterns: OwnPatterns,
}

#[derive(Clone, Debug)]
enum OwnPatterns {
    AllowedPaths(Vec<PathPattern>),
    DeniedPaths(Vec<PathPattern>),
    Words(Vec<Pattern>),
    Unchecked,
}

/// The values of the scope parameters that a tool declares, for one call. Several rules may set a
/// parameter; a call fits all of them.
#[derive(Clone, Debug, Default)]
pub struct ScopeValues {
    declared: Arc<ScopeParameters>,
    /// True if the tool may write, so that protected paths concern it.
    writes: bool,
    rules: Vec<RuleValues>,
}

/// The values that one rule sets.
#[derive(Clone, Debug)]
struct RuleValues {
    place: String,
    checks: Arc<OwnChecks>,
}

impl OwnCheck {
    pub(crate) fn new(
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
            ParameterCheck::Value | ParameterCheck::Url | ParameterCheck::Words => {
                OwnPatterns::Unchecked
            }
        };
        let language = match parameter.check {
            ParameterCheck::Words => Language::Word,
            _ => Language::Plain,
        };
        let mut texts = Vec::new();
        for template in templates {
            texts.extend(template.expand(variables, language)?);
        }
        Ok(Self {
            argument: parameter.argument.clone(),
            is_asked_for: parameter.found,
            texts,
            patterns,
        })
    }

    /// Checks the argument of a call.
    pub(crate) fn allows(&self, arguments: &Map<String, Value>) -> bool {
        if matches!(self.patterns, OwnPatterns::Unchecked) {
            return true;
        }
        let Some(name) = &self.argument else {
            return self.is_asked_for;
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

    /// Checks whether an allowed path may be below a folder.
    fn leads_to(&self, folder: &str) -> bool {
        match &self.patterns {
            OwnPatterns::AllowedPaths(paths) => {
                is_canonical_path(folder) && paths.iter().any(|path| path.may_match_below(folder))
            }
            _ => true,
        }
    }
}

impl ScopeValues {
    pub(crate) fn new(declared: &Arc<ScopeParameters>, writes: bool) -> Self {
        Self {
            declared: Arc::clone(declared),
            writes,
            rules: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, place: &str, checks: &Arc<OwnChecks>) {
        if !checks.is_empty() {
            self.rules.push(RuleValues {
                place: place.to_owned(),
                checks: Arc::clone(checks),
            });
        }
    }

    /// Returns the values of a parameter with the variables inserted: one list for each rule that
    /// sets it. There is none if no rule does.
    pub fn texts<'a>(&'a self, parameter: &'a str) -> impl Iterator<Item = &'a [String]> {
        self.checks(parameter)
            .map(|(_, check)| check.texts.as_slice())
    }

    /// Checks a string that a call leads to against a parameter, as the argument of a call is checked:
    /// the path of an opened file, the paths that a search finds. A path of a tool that writes must
    /// not be protected. A parameter that the tool does not declare, and a required one that no rule
    /// sets, allow nothing.
    ///
    /// # Errors
    /// The rule that refuses the string.
    pub fn check(&self, parameter: &str, text: &str) -> Result<(), Refusal> {
        let declared = self.declared.get(parameter);
        let is_path = declared.is_some_and(|declared| declared.check.is_of_paths());
        if self.writes && is_path && is_protected(text) {
            return Err(protected::refusal(parameter));
        }
        let mut checks = self.checks(parameter).peekable();
        if declared.is_none_or(|declared| declared.required && checks.peek().is_none()) {
            return Err(Refusal {
                rule: Some(parameter.to_owned()),
                ..Refusal::new(RefusalReason::ScopeMissing)
            });
        }
        match checks.find(|(_, check)| !check.allows_text(text)) {
            Some((place, _)) => {
                let reason = RefusalReason::ScopeViolation;
                Err(Refusal::by(reason, parameter, place))
            }
            None => Ok(()),
        }
    }

    /// Checks whether the tool declares the URL that it requests, so that the scope restricts it.
    #[must_use]
    pub fn restricts_urls(&self) -> bool {
        let mut declared = self.declared.iter();
        declared.any(|(name, parameter)| parameter.is_url(name))
    }

    /// Checks a string as [`ScopeValues::check`] does.
    #[must_use]
    pub fn allows(&self, parameter: &str, text: &str) -> bool {
        self.check(parameter, text).is_ok()
    }

    /// Checks whether a folder may contain paths that a parameter allows, so that a search need not
    /// enter the others.
    #[must_use]
    pub fn leads_to(&self, parameter: &str, folder: &str) -> bool {
        self.checks(parameter)
            .all(|(_, check)| check.leads_to(folder))
    }

    fn checks<'a>(&'a self, parameter: &'a str) -> impl Iterator<Item = (&'a str, &'a OwnCheck)> {
        self.rules.iter().filter_map(move |rule| {
            let check = rule.checks.get(parameter)?;
            Some((rule.place.as_str(), check))
        })
    }
}

impl PartialEq for ScopeValues {
    fn eq(&self, other: &Self) -> bool {
        let texts = |values: &Self| -> Vec<BTreeMap<String, Vec<String>>> {
            let texts = values.rules.iter().map(|rule| {
                let checks = rule.checks.iter();
                checks
                    .map(|(name, check)| (name.clone(), check.texts.clone()))
                    .collect()
            });
            texts.collect()
        };
        texts(self) == texts(other)
    }
}

impl Eq for ScopeValues {}
