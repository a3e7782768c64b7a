//! The tools of a registry at one moment.

use std::{fmt, sync::Arc};

use indexmap::IndexMap;
use toolwright_model::ToolName;
use toolwright_policy::stand_in;

use super::{composition::Composition, core::RegisteredTool, tool::Tool};

/// The tools of a registry, sorted by name. A name is found by its hash, in a time that does not depend on its
/// place. A call keeps the tools that it began with.
#[derive(Clone, Default)]
pub(crate) struct Tools(IndexMap<ToolName, Arc<RegisteredTool>>);

impl Tools {
    /// Creates the set of these tools, which are sorted by name.
    pub(crate) fn new(tools: impl IntoIterator<Item = (ToolName, Tool)>) -> Self {
        let tools = tools.into_iter();
        let tools = tools.map(|(name, tool)| (name, Arc::new(RegisteredTool::new(tool))));
        Self(tools.collect())
    }

    /// Returns the set with some tools in place of those with their names, or in addition.
    pub(crate) fn with(&self, tools: impl IntoIterator<Item = Tool>) -> Self {
        let mut all = self.0.clone();
        for tool in tools {
            let name = tool.spec().name.clone();
            all.insert(name, Arc::new(RegisteredTool::new(tool)));
        }
        all.sort_unstable_keys();
        Self(all)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<RegisteredTool>> {
        self.0.get(name)
    }

    pub(crate) fn get_key_value(&self, name: &str) -> Option<(&ToolName, &Arc<RegisteredTool>)> {
        self.0.get_key_value(name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&ToolName, &Arc<RegisteredTool>)> {
        self.0.iter()
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &ToolName> {
        self.0.keys()
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &Arc<RegisteredTool>> {
        self.0.values()
    }

    /// Returns the tools that a policy grants and limits.
    pub(crate) fn governed(&self) -> impl Iterator<Item = &Arc<RegisteredTool>> {
        self.values().filter(|entry| entry.tool.is_governed())
    }

    /// Returns some tool for a name that no tool has.
    pub(crate) fn stand_in(&self, name: &str) -> Option<&RegisteredTool> {
        let (_, entry) = self.0.get_index(stand_in(name, self.0.len())?)?;
        Some(entry)
    }

    /// Returns the composed tools whose conditions hold now.
    pub(crate) fn composed_and_offered(&self) -> Vec<ToolName> {
        let tools = self.iter().filter(|(_, entry)| {
            let composition = entry.tool.composition();
            composition.is_some_and(Composition::is_offered)
        });
        tools.map(|(name, _)| name.clone()).collect()
    }
}

impl fmt::Debug for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
