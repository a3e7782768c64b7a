//! The shared documents.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// A document to measure.
#[derive(Debug)]
pub(crate) struct Document {
    /// The path below the shared folder, which is also the document's name.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
}

/// Finds the documents of at least `at_least` bytes whose names contain one of `words`.
///
/// The smallest come first: a run that is interrupted has then measured as many as possible. The
/// folder is `TOOLWRIGHT_SHARED`, or else `shared` next to the project.
pub(crate) fn find(at_least: u64, words: &[String]) -> Result<Vec<Document>, String> {
    let shared = env::var_os("TOOLWRIGHT_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let shared = shared.canonicalize().unwrap_or(shared);
    let mut documents = Vec::new();
    let mut folders = vec![shared.join("corpus"), shared.join("services")];
    while let Some(folder) = folders.pop() {
        read(&folder, &shared, &mut folders, &mut documents)
            .map_err(|error| format!("cannot read `{}`: {error}", folder.display()))?;
    }
    documents.retain(|document| {
        document.bytes >= at_least
            && (words.is_empty() || words.iter().any(|word| document.name.contains(word)))
    });
    documents.sort_by(|a, b| (a.bytes, &a.name).cmp(&(b.bytes, &b.name)));
    Ok(documents)
}

fn read(
    folder: &Path,
    shared: &Path,
    folders: &mut Vec<PathBuf>,
    documents: &mut Vec<Document>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() {
            folders.push(path);
        } else if matches!(extension, Some("json" | "yaml" | "yml")) {
            let name = path.strip_prefix(shared).unwrap_or(&path);
            documents.push(Document {
                name: name.to_string_lossy().into_owned(),
                bytes: fs::metadata(&path)?.len(),
                path,
            });
        }
    }
    Ok(())
}
