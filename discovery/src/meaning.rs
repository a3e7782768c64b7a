//! The search by words and by meanings together.

use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

use toolwright::{ToolSpec, discovery::ToolIndex};

use crate::{
    Embedder,
    embeddings::similarity,
    index::{Class, Index},
    query::wanted,
};

/// The most results of each search that are combined.
const MOST: usize = 50;

/// The most characters of a description that a model reads.
const DESCRIPTION: usize = 300;

/// The weight of the meaning, compared with the words.
const MEANING: f32 = 0.2;

/// The index of the words and the meanings of tools.
pub(crate) struct MeaningIndex {
    words: Index,
    embedder: Arc<Embedder>,
    vectors: Vec<Vec<f32>>,
    classes: Vec<Class>,
}

impl MeaningIndex {
    pub(crate) fn new(words: Index, tools: &[Arc<ToolSpec>], embedder: Arc<Embedder>) -> Self {
        let vectors = tools
            .iter()
            .map(|spec| embedder.embed_and_keep(&text(spec)));
        Self {
            words,
            vectors: vectors.collect(),
            embedder,
            classes: tools.iter().map(|spec| Class::of(spec)).collect(),
        }
    }

    /// Returns the places of the most similar meanings.
    fn similar(similarities: &[f32]) -> Vec<usize> {
        let places = similarities.iter().enumerate();
        let mut found: Vec<_> = places
            .map(|(place, similarity)| (Reverse(similarity.to_bits()), place))
            .collect();
        if found.len() > MOST {
            found.select_nth_unstable(MOST);
            found.truncate(MOST);
        }
        found.sort_unstable();
        found.into_iter().map(|(_, place)| place).collect()
    }
}

/// Adds both scores, that of the words as a part of the best one. A search whose words match nothing
/// finds nothing: the most similar of tools that do not fit would be a wrong answer.
impl ToolIndex for MeaningIndex {
    fn search(&self, query: &str, most: usize) -> Vec<usize> {
        let by_words = self
            .words
            .search(&wanted(query, &self.words), MOST.max(most));
        let best = by_words.iter().map(|(_, score)| *score);
        let best = best.fold(f32::MIN_POSITIVE, f32::max);
        if by_words.is_empty() {
            return Vec::new();
        }
        let sought = self.embedder.embed(query);
        let vectors = self.vectors.iter();
        let similarities: Vec<f32> = vectors
            .map(|vector| similarity(&sought, vector).max(0.0))
            .collect();
        let meant = |place: usize| MEANING * similarities.get(place).copied().unwrap_or_default();
        let mut scores: BTreeMap<usize, f32> = BTreeMap::new();
        for place in Self::similar(&similarities) {
            scores.insert(place, meant(place));
        }
        for (place, score) in by_words {
            scores.insert(place, score / best + meant(place));
        }
        let mut found: Vec<_> = scores
            .into_iter()
            .map(|(place, score)| (self.classes.get(place), Reverse(score.to_bits()), place))
            .collect();
        found.sort_unstable();
        found.truncate(most);
        found.into_iter().map(|(_, _, place)| place).collect()
    }
}

/// Returns what a model reads of a tool: its title, the beginning of its description, and its name.
fn text(spec: &ToolSpec) -> String {
    let name = spec.name.as_str().replace('-', " ");
    let description: String = spec.description.chars().take(DESCRIPTION).collect();
    format!("{}. {description}. {name}", spec.title)
}
