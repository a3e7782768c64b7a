//! The search of tools that the configuration describes.

use toolwright::config::Config;
use toolwright_discovery::Finder;

use crate::Failure;

/// Returns the search, with the model of the configuration if it names one.
#[cfg(feature = "embeddings")]
pub(crate) fn finder(config: &Config) -> Result<Finder, Failure> {
    let Some(folder) = &config.discovery.model else {
        return Ok(Finder::new());
    };
    let model = toolwright_discovery::Embedder::open(folder);
    let model = model.map_err(|error| Failure::new(error.to_string()).help(HELP))?;
    Ok(Finder::with_model(model))
}

/// Returns the search. This program cannot use a model.
#[cfg(not(feature = "embeddings"))]
pub(crate) fn finder(config: &Config) -> Result<Finder, Failure> {
    match &config.discovery.model {
        None => Ok(Finder::new()),
        Some(_) => Err(Failure::new(
            "`[discovery]` names a model, and this program was built without the feature `embeddings`",
        )
        .help("build it with `--features embeddings`, or remove `model`")),
    }
}

/// The layout of a model.
#[cfg(feature = "embeddings")]
const HELP: &str =
    "`model` of `[discovery]` is a folder with `config.json`, `model.safetensors` and `vocab.txt`";
