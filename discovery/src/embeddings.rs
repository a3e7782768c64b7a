//! Embeddings: vectors of texts by a local model. Similar meanings have similar vectors.
//!
//! The model is a BERT encoder in the layout of `sentence-transformers`, such as `all-MiniLM-L6-v2`: a
//! folder with `config.json`, `model.safetensors` and `vocab.txt`. Nothing is fetched.

mod encoder;
mod tokens;

use std::{
    collections::HashMap,
    fmt, fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use encoder::Encoder;
pub(crate) use encoder::similarity;
use tokens::Vocabulary;

/// The most vectors that are kept. A vector of 384 numbers takes 1.5 KB.
const MOST_KEPT: usize = 200_000;

/// A local model.
pub struct Embedder {
    vocabulary: Vocabulary,
    encoder: Encoder,
    /// The vectors of the strings that were embedded before: tools of several roles.
    kept: Mutex<HashMap<String, Vec<f32>>>,
}

/// The reason why a model cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbedderError {
    /// The file.
    pub file: PathBuf,
    /// The reason.
    pub message: String,
}

impl Embedder {
    /// Reads the model in a folder.
    ///
    /// # Errors
    /// [`EmbedderError`] if a file cannot be read, or is not one of a BERT encoder with 32-bit numbers.
    pub fn open(folder: &Path) -> Result<Self, EmbedderError> {
        let read = |name: &str| {
            let file = folder.join(name);
            fs::read(&file).map_err(|error| EmbedderError::new(&file, error))
        };
        let (config, weights) = (read("config.json")?, read("model.safetensors")?);
        let vocabulary = read("vocab.txt")?;
        let fault = |name: &str, message: String| EmbedderError::new(&folder.join(name), message);
        let vocabulary = String::from_utf8_lossy(&vocabulary);
        Ok(Self {
            vocabulary: Vocabulary::parse(&vocabulary)
                .map_err(|message| fault("vocab.txt", message))?,
            encoder: Encoder::read(&config, &weights)
                .map_err(|message| fault("model.safetensors", message))?,
            kept: Mutex::default(),
        })
    }

    /// Returns the vector of a string, of length 1.
    pub(crate) fn embed(&self, text: &str) -> Vec<f32> {
        self.encoder.encode(&self.vocabulary.tokens(text))
    }

    /// Returns the vector of a string that is embedded again and again, such as that of a tool.
    pub(crate) fn embed_and_keep(&self, text: &str) -> Vec<f32> {
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(text).cloned();
        known.unwrap_or_else(|| {
            let vector = self.embed(text);
            let mut kept = lock();
            if kept.len() < MOST_KEPT {
                kept.insert(text.to_owned(), vector.clone());
            }
            vector
        })
    }
}

impl EmbedderError {
    fn new(file: &Path, message: impl ToString) -> Self {
        Self {
            file: file.to_owned(),
            message: message.to_string(),
        }
    }
}

impl fmt::Display for EmbedderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "cannot use the model `{}`: {}",
            self.file.display(),
            self.message
        )
    }
}

impl std::error::Error for EmbedderError {}

impl fmt::Debug for Embedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedder").finish_non_exhaustive()
    }
}
