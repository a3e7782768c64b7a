//! Other tools for a registry that is in use.

use std::sync::Arc;

use toolwright_model::ToolName;

use super::{Registry, RegistryError, RegistryProblem};
use crate::{boundary::tool::Tool, config::Config};

impl Registry {
    /// Puts tools in the place of those with their names, or adds them, together with a policy that was
    /// compiled for them. Both apply at the same moment, also to existing views. A call that has begun ends
    /// with the tool that it began with, if the new policy still allows it.
    ///
    /// A tool that was not there before is granted as if it had been there: by the selectors of the
    /// configuration, and if there is a policy lock, only once a person has accepted it. Discovery and the
    /// lists of clients show the new tools from then on; the program announces the change to clients.
    ///
    /// # Errors
    /// Returns a [`RegistryError`] with all problems; tools and policy stay unchanged.
    pub fn reload_tools(
        &self,
        config: &Config,
        tools: impl IntoIterator<Item = Tool>,
    ) -> Result<(), RegistryError> {
        let _changing = self.changing();
        let tools: Vec<Tool> = tools.into_iter().collect();
        let faults = tools.iter().flat_map(|tool| {
            let faults = tool.parameter_faults();
            faults.map(|(parameter, message)| RegistryProblem::ScopeParameter {
                tool: tool.spec().name.clone(),
                parameter: parameter.to_owned(),
                message,
            })
        });
        let faults: Vec<_> = faults.collect();
        let all = Arc::new(self.core.tools().with(tools));
        let mut compiled = self.compile(config, &all);
        compiled.problems.extend(faults);
        compiled.problems.extend(self.moved_places(config));
        self.put_in_force(compiled)
    }

    /// Withdraws tools: from now on nobody is offered them, until [`Registry::reload_tools`] brings them back.
    /// Their names stay known to the policy, so no selector of it becomes a fault. A call that has passed the
    /// gates ends as it began.
    pub fn withdraw_tools<'n>(&self, names: impl IntoIterator<Item = &'n ToolName>) {
        let _changing = self.changing();
        let before = self.core.tools();
        let names = names.into_iter();
        let entries = names.filter_map(|name| before.get(name.as_str()));
        let withdrawn = entries.map(|entry| entry.tool.withdrawn());
        let tools = Arc::new(before.with(withdrawn));
        self.core.policy.send_modify(|policy| {
            let mut now = policy.as_ref().clone();
            now.tools = tools;
            *policy = Arc::new(now);
        });
    }
}
