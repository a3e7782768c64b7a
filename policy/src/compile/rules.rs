//! The rules of scopes: their parameters fit their tools, and pinned arguments do not contradict
//! each other.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use toolwright_model::{Role, ToolName, most_similar};

use super::selection::Selection;
use crate::{
    condition::argument_name,
    declaration::{ParameterCheck, PolicyTool, SCOPE_KEYS, ScopeParameters},
    pattern::{PathPattern, Pattern},
    problem::PolicyProblem,
    scope::{CommonScope, CompiledScope},
    selector::Selector,
    snapshot::{Limits, ScopedGrant, ToolRules},
    variable::Template,
    written::{ScopeRule, Stated},
};

impl<'a> Selection<'a> {
    /// Adds a rule to each of the tools that it is for, and checks it.
    pub(super) fn add_rule(
        &mut self,
        rule: &ScopeRule,
        selected: &[PolicyTool<'a>],
        rules: &mut ToolRules,
    ) {
        self.check_rule(rule, selected);
        let written = Arc::new(rule.scope.clone());
        let common = CommonScope::without_variables(&written);
        let mut shared: BTreeMap<_, Vec<(&ScopeParameters, Arc<CompiledScope>)>> = BTreeMap::new();
        for tool in selected {
            let known = tool.argument_names();
            let alike = shared.entry(known.clone()).or_default();
            let found = alike.iter().find(|(known, _)| *known == tool.parameters);
            let compiled = match found {
                Some((_, compiled)) => Arc::clone(compiled),
                None => {
                    let (place, parameters) = (rule.tools.place.clone(), tool.parameters.clone());
                    let (written, common) = (Arc::clone(&written), common.clone());
                    let known = known.into_iter().map(str::to_owned).collect();
                    let compiled = CompiledScope::new(place, written, common, parameters, known);
                    let compiled = Arc::new(compiled);
                    alike.push((tool.parameters, Arc::clone(&compiled)));
                    compiled
                }
            };
            let rules = rules.entry(tool.spec.name.clone()).or_default();
            rules.push(compiled);
        }
    }

    /// Checks that some of the tools have each argument.
    pub(super) fn check_arguments<'n>(
        &mut self,
        names: impl Iterator<Item = &'n str>,
        selector: &Stated<Selector>,
        selected: &[PolicyTool<'a>],
    ) {
        for name in names {
            let argument = argument_name(name);
            if !selected.is_empty() && !selected.iter().any(|tool| tool.has_argument(&argument)) {
                self.problems.push(PolicyProblem::NoSuchArgument {
                    place: selector.place.clone(),
                    argument,
                    selector: selector.value.to_string(),
                });
            }
        }
    }

    /// Checks that all grants of a tool to a role pin the same arguments.
    pub(super) fn check_pins(&mut self, limits: &Limits) {
        for (role, sources) in &limits.scopes {
            // Without pinned arguments there is nothing to compare, for however many tools.
            if !sources.iter().any(|source| source.pins()) {
                continue;
            }
            let tools = sources.iter().flat_map(|source| source.tools.keys());
            let tools: BTreeSet<_> = tools.collect();
            for tool in tools {
                let grants: Vec<_> = limits.grants_of(role, tool.as_str()).collect();
                self.check_grants(role, tool, &grants);
            }
        }
    }

    fn check_rule(&mut self, rule: &ScopeRule, selected: &[PolicyTool<'a>]) {
        let ScopeRule { tools, scope } = rule;
        let names = scope.arguments.keys().chain(scope.pinned.keys());
        self.check_arguments(names.map(String::as_str), tools, selected);
        for (name, stated) in &scope.own {
            let mut declared = selected.iter().filter_map(|tool| tool.parameters.get(name));
            match declared.next() {
                Some(parameter) => self.check_value(name, parameter.check, stated),
                None if selected.is_empty() => {}
                None => self.report_parameter(name, selected, rule, stated),
            }
        }
    }

    fn report_parameter(
        &mut self,
        name: &str,
        tools: &[PolicyTool<'a>],
        rule: &ScopeRule,
        stated: &Stated<Vec<Template>>,
    ) {
        let declared = tools.iter().flat_map(|tool| tool.parameters.keys());
        let known = declared
            .map(String::as_str)
            .chain(SCOPE_KEYS.iter().copied());
        self.problems.push(PolicyProblem::UnknownParameter {
            place: stated.place.clone(),
            parameter: name.to_owned(),
            selector: rule.tools.value.to_string(),
            similar: most_similar(name, known).map(str::to_owned),
        });
    }

    fn check_value(&mut self, name: &str, check: ParameterCheck, stated: &Stated<Vec<Template>>) {
        for template in &stated.value {
            let sample = template.sample();
            let compiled = match check {
                ParameterCheck::AllowedPaths | ParameterCheck::DeniedPaths => {
                    PathPattern::new(&sample).map(drop)
                }
                ParameterCheck::Pattern => Pattern::new(&sample).map(drop),
                ParameterCheck::Value | ParameterCheck::Url | ParameterCheck::Words => Ok(()),
            };
            if let Err(error) = compiled {
                self.problems.push(PolicyProblem::ParameterValue {
                    place: stated.place.clone(),
                    parameter: name.to_owned(),
                    message: error.to_string(),
                });
            }
        }
    }

    fn check_grants(&mut self, role: &Role, tool: &ToolName, grants: &[ScopedGrant<'_>]) {
        let Some((first, others)) = grants.split_first() else {
            return;
        };
        for &grant in grants {
            let rules = grant.rules.iter();
            let pairs = rules.zip(1..).flat_map(|(rule, next)| {
                let others = grant.rules.iter().skip(next);
                others.map(move |other| (rule, other))
            });
            for argument in pairs.filter_map(|(rule, other)| rule.contradicts(other)) {
                self.report_pins(role, tool, argument, [grant, grant]);
            }
        }
        for other in others {
            if let Some(argument) = differing_pin(*first, *other) {
                self.report_pins(role, tool, argument, [*first, *other]);
            }
        }
    }

    fn report_pins(
        &mut self,
        role: &Role,
        tool: &ToolName,
        argument: String,
        grants: [ScopedGrant<'_>; 2],
    ) {
        let pinning = grants.iter().flat_map(|grant| grant.rules);
        let mut places = pinning
            .filter(|rule| rule.written_pins().any(|(name, _)| *name == argument))
            .map(|rule| rule.place.clone());
        self.problems.push(PolicyProblem::PinConflict {
            place: places.next().unwrap_or_default(),
            role: role.clone(),
            tool: tool.clone(),
            argument,
            sources: grants.map(|grant| grant.source.to_owned()),
        });
    }
}

/// Returns an argument that only one of two grants pins, or that they pin to different values.
fn differing_pin(one: ScopedGrant<'_>, other: ScopedGrant<'_>) -> Option<String> {
    let pins = |grant: ScopedGrant<'_>| -> Vec<(String, String)> {
        let pins = grant.rules.iter().flat_map(|rule| rule.written_pins());
        let mut pins: Vec<_> = pins
            .map(|(name, value)| (name.clone(), format!("{value:?}")))
            .collect();
        pins.sort();
        pins.dedup();
        pins
    };
    let (one, other) = (pins(one), pins(other));
    let differing = one.iter().find(|pin| !other.contains(pin));
    let differing = differing.or_else(|| other.iter().find(|pin| !one.contains(pin)));
    differing.map(|(name, _)| name.clone())
}
