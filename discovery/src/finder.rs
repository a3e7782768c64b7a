//! The search that a registry uses.

use std::sync::Arc;

use toolwright::{
    ToolSpec,
    discovery::{Searcher, ToolIndex},
};

use crate::{index::Index, query::wanted};

/// Searches tools by their words.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Finder {}

impl Finder {
    /// Creates a search by words.
    #[must_use]
    pub const fn new() -> Self {
        Self {}
    }
}

impl Searcher for Finder {
    fn index(&self, tools: &[Arc<ToolSpec>]) -> Box<dyn ToolIndex> {
        Box::new(WordIndex(Index::new(tools)))
    }
}

/// The index of the words of tools.
struct WordIndex(Index);

impl ToolIndex for WordIndex {
    fn search(&self, query: &str, most: usize) -> Vec<usize> {
        let found = self.0.search(&wanted(query, &self.0), most);
        found.into_iter().map(|(place, _)| place).collect()
    }
}
