//! The matches of selectors among the tools of a registry.

use std::collections::{BTreeMap, BTreeSet};

use toolwright_model::ToolName;

use super::Tools;
use crate::{
    declaration::PolicyTool,
    lock::{Pending, PolicyLock},
    problem::PolicyProblem,
    selector::Selector,
    written::Stated,
};

/// Selects tools, and collects the problems of selectors.
pub(super) struct Selection<'a> {
    pub(super) tools: Tools<'a>,
    /// The tools by their names.
    by_name: BTreeMap<&'a ToolName, PolicyTool<'a>>,
    /// Faults.
    pub(super) problems: Vec<PolicyProblem>,
    /// Parts of the policy that match nothing here, which is no fault.
    pub(super) unmatched: Vec<PolicyProblem>,
    pub(super) matched: PolicyLock,
    pub(super) pending: Vec<Pending>,
}

impl<'a> Selection<'a> {
    pub(super) fn new(tools: Tools<'a>) -> Self {
        let by_name = tools.here.iter().map(|tool| (&tool.spec.name, *tool));
        Self {
            tools,
            by_name: by_name.collect(),
            problems: Vec::new(),
            unmatched: Vec::new(),
            matched: PolicyLock::default(),
            pending: Vec::new(),
        }
    }

    /// Returns the tools with some names.
    pub(super) fn tools_of<'s>(
        &self,
        selected: impl IntoIterator<Item = &'s ToolName>,
    ) -> Vec<PolicyTool<'a>> {
        let tools = selected.into_iter();
        tools
            .filter_map(|name| self.by_name.get(name).copied())
            .collect()
    }

    /// Returns the tools that a grant or an `enable` selects. It is a fault if there are none,
    /// unless the configuration may mention other tools.
    pub(super) fn select(&mut self, stated: &Stated<Selector>) -> Vec<ToolName> {
        let may_be_empty = self.tools.partial && stated.is_configured;
        self.select_or(stated, may_be_empty)
    }

    /// Returns the tools that a part of a profile selects. Repositories share profiles, so it may
    /// select none.
    pub(super) fn select_some(&mut self, stated: &Stated<Selector>) -> Vec<ToolName> {
        if !stated.is_configured {
            return self.matches(stated);
        }
        self.select_or(stated, true)
    }

    /// Returns the tools that a limit is for. A slip here would leave a call without its limit, so
    /// a selector that selects no tool of the workspace is always a fault.
    pub(super) fn must_select(&mut self, stated: &Stated<Selector>) -> Vec<ToolName> {
        self.select_or(stated, false)
    }

    /// Returns the tools that a selector switches off: a limit, too.
    pub(super) fn switch_off(&mut self, stated: &Stated<Selector>) -> Vec<ToolName> {
        let faults = self.problems.len();
        let selected = self.must_select(stated);
        if selected.is_empty() && self.problems.len() == faults {
            self.unmatched.push(PolicyProblem::DisablesElsewhere {
                place: stated.place.clone(),
                selector: stated.value.to_string(),
            });
        }
        selected
    }

    /// Returns the tools of a selector that a person has accepted. A selector that names one tool
    /// needs no acceptance, since it can match no other.
    pub(super) fn accepted(
        &mut self,
        owner: &str,
        stated: &Stated<Selector>,
        selected: Vec<ToolName>,
    ) -> Vec<ToolName> {
        let selector = stated.value.as_str();
        if !stated.is_configured || stated.value.names_one_tool() {
            return selected;
        }
        self.matched
            .accept(owner, selector, selected.iter().cloned());
        let Some(lock) = self.tools.lock else {
            return selected;
        };
        let accepted = lock.accepted(owner, selector);
        let is_accepted = |tool: &ToolName| accepted.is_some_and(|tools| tools.contains(tool));
        let (accepted, new): (Vec<_>, Vec<_>) = selected.into_iter().partition(is_accepted);
        if !new.is_empty() {
            self.pending.push(Pending {
                owner: owner.to_owned(),
                selector: selector.to_owned(),
                place: stated.place.clone(),
                tools: BTreeSet::from_iter(new),
            });
        }
        accepted
    }

    fn matches(&self, stated: &Stated<Selector>) -> Vec<ToolName> {
        let tools = self.tools.here.iter();
        let selected = tools.filter(|tool| stated.value.selects(tool.spec));
        selected.map(|tool| tool.spec.name.clone()).collect()
    }

    fn select_or(&mut self, stated: &Stated<Selector>, may_be_empty: bool) -> Vec<ToolName> {
        let selected = self.matches(stated);
        let Stated { value, place, .. } = stated;
        let elsewhere = self.tools.elsewhere;
        if selected.is_empty() && !elsewhere.iter().any(|spec| value.selects(spec)) {
            let specs = self.tools.here.iter().map(|tool| tool.spec);
            let problem = PolicyProblem::SelectsNothing {
                place: place.clone(),
                selector: value.to_string(),
                message: value.why_nothing(specs.chain(elsewhere)),
            };
            if may_be_empty {
                self.unmatched.push(problem);
            } else {
                self.problems.push(problem);
            }
        }
        selected
    }
}
