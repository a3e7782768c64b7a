//! The matches of selectors among the tools of a registry.

use std::collections::{BTreeMap, BTreeSet};

use toolwright_model::{ServiceName, ToolName};

use super::Tools;
use crate::{
    declaration::PolicyTool,
    lock::{Pending, PolicyLock},
    problem::PolicyProblem,
    selector::Selector,
    snapshot::SourceId,
    written::Stated,
};

/// Selects tools, and collects the problems of selectors.
pub(super) struct Selection<'a> {
    pub(super) tools: Tools<'a>,
    /// The tools by their services, since most selectors of a large policy name one.
    by_service: BTreeMap<&'a ServiceName, Vec<PolicyTool<'a>>>,
    /// The tools of each source of grants.
    sources: Vec<BTreeSet<ToolName>>,
    /// Faults.
    pub(super) problems: Vec<PolicyProblem>,
    /// Parts of the policy that match nothing here, which is no fault.
    pub(super) unmatched: Vec<PolicyProblem>,
    pub(super) matched: PolicyLock,
    pub(super) pending: Vec<Pending>,
}

impl<'a> Selection<'a> {
    pub(super) fn new(tools: Tools<'a>) -> Self {
        let mut by_service: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for tool in tools.here {
            by_service
                .entry(&tool.spec.service)
                .or_default()
                .push(*tool);
        }
        Self {
            tools,
            by_service,
            sources: Vec::new(),
            problems: Vec::new(),
            unmatched: Vec::new(),
            matched: PolicyLock::default(),
            pending: Vec::new(),
        }
    }

    /// Adds a source of grants with its tools.
    pub(super) fn add_source(&mut self, tools: BTreeSet<ToolName>) -> SourceId {
        self.sources.push(tools);
        SourceId(self.sources.len() - 1)
    }

    /// Returns the sources with their tools.
    pub(super) fn sources(&self) -> impl Iterator<Item = (SourceId, &BTreeSet<ToolName>)> {
        let sources = self.sources.iter().enumerate();
        sources.map(|(at, tools)| (SourceId(at), tools))
    }

    /// Returns the tools that a grant or an `enable` selects. It is a fault if there are none,
    /// unless the configuration may mention other tools.
    pub(super) fn select(&mut self, stated: &Stated<Selector>) -> Vec<PolicyTool<'a>> {
        let may_be_empty = self.tools.partial && stated.is_configured;
        self.select_or(stated, may_be_empty)
    }

    /// Returns the tools that a part of a profile selects. Repositories share profiles, so it may
    /// select none.
    pub(super) fn select_some(&mut self, stated: &Stated<Selector>) -> Vec<PolicyTool<'a>> {
        if !stated.is_configured {
            return self.matches(stated);
        }
        self.select_or(stated, true)
    }

    /// Returns the tools that a limit is for. A slip here would leave a call without its limit, so
    /// a selector that selects no tool of the workspace is always a fault.
    pub(super) fn must_select(&mut self, stated: &Stated<Selector>) -> Vec<PolicyTool<'a>> {
        self.select_or(stated, false)
    }

    /// Returns the tools that a selector switches off: a limit, too.
    pub(super) fn switch_off(&mut self, stated: &Stated<Selector>) -> Vec<PolicyTool<'a>> {
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
        selected: Vec<PolicyTool<'a>>,
    ) -> Vec<PolicyTool<'a>> {
        let selector = stated.value.as_str();
        if !stated.is_configured || stated.value.names_one_tool() {
            return selected;
        }
        let names = selected.iter().map(|tool| tool.spec.name.clone());
        self.matched.accept(owner, selector, names);
        let Some(lock) = self.tools.lock else {
            return selected;
        };
        let accepted = lock.accepted(owner, selector);
        let is_accepted =
            |tool: &PolicyTool<'_>| accepted.is_some_and(|tools| tools.contains(&tool.spec.name));
        let (accepted, new): (Vec<_>, Vec<_>) = selected.into_iter().partition(is_accepted);
        if !new.is_empty() {
            self.pending.push(Pending {
                owner: owner.to_owned(),
                selector: selector.to_owned(),
                place: stated.place.clone(),
                tools: new.iter().map(|tool| tool.spec.name.clone()).collect(),
            });
        }
        accepted
    }

    fn matches(&self, stated: &Stated<Selector>) -> Vec<PolicyTool<'a>> {
        let tools = match stated.value.service() {
            Some(service) => self.by_service.get(service).map_or(&[][..], Vec::as_slice),
            None => self.tools.here,
        };
        let selected = tools.iter().filter(|tool| stated.value.selects(tool.spec));
        selected.copied().collect()
    }

    fn select_or(&mut self, stated: &Stated<Selector>, may_be_empty: bool) -> Vec<PolicyTool<'a>> {
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
