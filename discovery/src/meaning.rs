//! The search by words and by meanings together.

use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

use toolwright::{ToolSpec, discovery::ToolIndex};

use crate::{Embedder, embeddings::similarity, index::Class};

/// The most results of each search that are combined.
const MOST: usize = 50;

/// The constant of reciprocal rank fusion: the influence of the first places.
const SMOOTHING: f32 = 5.0;

/// The weight of the meaning, compared with the words.
const MEANING: f32 = 0.3;

/// The index of the words and the meanings of tools.
pub(crate) struct MeaningIndex<W> {
    words: W,
    embedder: Arc<Embedder>,
    vectors: Vec<Vec<f32>>,
    classes: Vec<Class>,
}

impl<W: ToolIndex> MeaningIndex<W> {
    pub(crate) fn new(words: W, tools: &[Arc<ToolSpec>], embedder: Arc<Embedder>) -> Self {
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

    /// Returns the tools with the most similar meanings.
    fn similar(&self, query: &str) -> Vec<usize> {
        let wanted = self.embedder.embed(query);
        let vectors = self.vectors.iter().enumerate();
        let mut found: Vec<_> = vectors
            .map(|(place, vector)| {
                let similarity = similarity(&wanted, vector).max(0.0);
                (Reverse(similarity.to_bits()), place)
            })
            .collect();
        if found.len() > MOST {
            found.select_nth_unstable(MOST);
            found.truncate(MOST);
        }
        found.sort_unstable();
        found.into_iter().map(|(_, place)| place).collect()
    }
}

/// Combines the places in both rankings (reciprocal rank fusion). A search whose words match nothing
/// finds nothing: the most similar of tools that do not fit would be a wrong answer.
impl<W: ToolIndex> ToolIndex for MeaningIndex<W> {
    fn search(&self, query: &str, most: usize) -> Vec<usize> {
        let by_words = self.words.search(query, MOST.max(most));
        if by_words.is_empty() {
            return Vec::new();
        }
        let mut scores: BTreeMap<usize, f32> = BTreeMap::new();
        for (ranking, weight) in [(by_words, 1.0), (self.similar(query), MEANING)] {
            for (rank, place) in ranking.into_iter().enumerate() {
                let score = weight / (SMOOTHING + rank as f32);
                *scores.entry(place).or_default() += score;
            }
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

/// Returns what a model reads of a tool: its name in words, and its summary.
fn text(spec: &ToolSpec) -> String {
    let name = spec.name.as_str().replace('-', " ");
    format!("{name}: {}", spec.short)
}
