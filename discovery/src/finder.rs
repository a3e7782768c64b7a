//! The search that a registry uses.

use std::sync::Arc;

use toolwright::{
    ToolSpec,
    discovery::{Searcher, ToolIndex},
};

#[cfg(feature = "embeddings")]
use crate::{Embedder, meaning::MeaningIndex};
use crate::{index::Index, query::wanted};

/// Searches tools by their words, and by their meanings if it has a model.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Finder {
    #[cfg(feature = "embeddings")]
    embedder: Option<Arc<Embedder>>,
}

impl Finder {
    /// Creates a search by words.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a search by words and by the meanings that a model knows. Indexing takes as long as the
    /// model needs for each tool: seconds for a thousand.
    #[cfg(feature = "embeddings")]
    #[must_use]
    pub fn with_model(embedder: Embedder) -> Self {
        Self {
            embedder: Some(Arc::new(embedder)),
        }
    }
}

impl Searcher for Finder {
    fn index(&self, tools: &[Arc<ToolSpec>]) -> Box<dyn ToolIndex> {
        let words = Index::new(tools);
        #[cfg(feature = "embeddings")]
        if let Some(embedder) = &self.embedder {
            return Box::new(MeaningIndex::new(words, tools, Arc::clone(embedder)));
        }
        Box::new(WordIndex(words))
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
