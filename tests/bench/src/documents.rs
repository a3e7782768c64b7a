//! The documents: those of the shared folder, and schemas and protos of other folders.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// The format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    OpenApi,
    GraphQl,
    Grpc,
}

/// A document to measure.
#[derive(Debug)]
pub(crate) struct Document {
    /// The path below its folder, which is also the document's name.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// The folder that imports of the document start from.
    pub(crate) root: PathBuf,
    pub(crate) bytes: u64,
}

impl Format {
    /// Returns the format of a document by its name.
    pub(crate) fn of(name: &str) -> Self {
        match Path::new(name).extension().and_then(|end| end.to_str()) {
            Some("graphql") => Self::GraphQl,
            Some("proto") => Self::Grpc,
            _ => Self::OpenApi,
        }
    }
}

/// Finds the documents of at least `at_least` bytes whose names contain one of `words`: OpenAPI in the
/// shared folder, GraphQL and gRPC in the other folders.
///
/// The smallest come first: a run that is interrupted has then measured as many as possible. The
/// shared folder is `TOOLWRIGHT_SHARED`, or else `shared` next to the project.
pub(crate) fn find(
    at_least: u64,
    words: &[String],
    others: &[PathBuf],
) -> Result<Vec<Document>, String> {
    let shared = env::var_os("TOOLWRIGHT_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let shared = shared.canonicalize().unwrap_or(shared);
    let mut documents = Vec::new();
    let shared_folders = ["corpus", "services"].map(|name| shared.join(name));
    read_below(
        &shared,
        shared_folders.into(),
        &["json", "yaml", "yml"],
        &mut documents,
    )?;
    for root in others {
        read_below(
            root,
            vec![root.clone()],
            &["graphql", "proto"],
            &mut documents,
        )?;
    }
    documents.retain(|document| {
        document.bytes >= at_least
            && (words.is_empty() || words.iter().any(|word| document.name.contains(word)))
    });
    documents.sort_by(|a, b| (a.bytes, &a.name).cmp(&(b.bytes, &b.name)));
    Ok(documents)
}

/// Adds the documents with these extensions in folders below a root.
fn read_below(
    root: &Path,
    mut folders: Vec<PathBuf>,
    extensions: &[&str],
    documents: &mut Vec<Document>,
) -> Result<(), String> {
    while let Some(folder) = folders.pop() {
        let failed = |error: io::Error| format!("cannot read `{}`: {error}", folder.display());
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if extension.is_some_and(|extension| extensions.contains(&extension))
                && has_operations(&path)
            {
                let name = path.strip_prefix(root).unwrap_or(&path);
                documents.push(Document {
                    name: name.to_string_lossy().into_owned(),
                    bytes: fs::metadata(&path).map_err(failed)?.len(),
                    root: root.to_owned(),
                    path,
                });
            }
        }
    }
    Ok(())
}

/// Checks that a proto has a service: files of messages alone are imported by others.
fn has_operations(path: &Path) -> bool {
    let is_proto = Format::of(&path.to_string_lossy()) == Format::Grpc;
    let has_service = |text: String| text.lines().any(|line| line.starts_with("service "));
    !is_proto || fs::read_to_string(path).is_ok_and(has_service)
}
