//! Which tools of a server have a definition that a person did not accept.

use std::{
    collections::BTreeSet,
    sync::{Arc, PoisonError, RwLock},
};

/// The tools that are off because of their definitions. A tool that is off stays off until the program
/// reads the accepted definitions again: a server must not change a definition for a while.
#[derive(Clone, Debug, Default)]
pub(crate) struct Withdrawn(Arc<RwLock<BTreeSet<String>>>);

impl Withdrawn {
    /// Creates the set of tools that are off from the start.
    pub(crate) fn new(tools: impl IntoIterator<Item = String>) -> Self {
        Self(Arc::new(RwLock::new(tools.into_iter().collect())))
    }

    /// Checks whether a tool is off.
    pub(crate) fn contains(&self, tool: &str) -> bool {
        let tools = self.0.read().unwrap_or_else(PoisonError::into_inner);
        tools.contains(tool)
    }

    /// Returns the number of tools that are off.
    pub(crate) fn len(&self) -> usize {
        let tools = self.0.read().unwrap_or_else(PoisonError::into_inner);
        tools.len()
    }

    /// Switches a tool off, and returns true if it was on.
    pub(crate) fn add(&self, tool: &str) -> bool {
        let mut tools = self.0.write().unwrap_or_else(PoisonError::into_inner);
        tools.insert(tool.to_owned())
    }
}
