//! Manifests: found below a folder, and read.

use std::{
    fs,
    path::{Component, Path},
};

use toml::{Table, Value};
use toolwright_model::eab::ErrorCode;

use crate::protocol::{Location, Refusal};

/// The depth to which folders are searched.
const DEEPEST: usize = 16;

/// The most manifests that are read.
const MOST: usize = 10_000;

/// A `Cargo.toml`.
pub(super) struct Manifest {
    /// Its path below the repository, with forward slashes.
    pub(super) path: String,
    pub(super) text: String,
    /// The parsed content, or the place and the message of a TOML error.
    pub(super) content: Result<Table, (Location, String)>,
}

/// The manifests below a folder of the repository, by their paths.
pub(super) fn find_below(root: &Path, path: Option<&str>) -> Result<Vec<Manifest>, Refusal> {
    let relative = Path::new(path.unwrap_or_default());
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !relative.components().all(is_plain) {
        return Err(Refusal::invalid("`path` is outside the repository"));
    }
    let folder = root.join(relative);
    let inside = || {
        Some(
            folder
                .canonicalize()
                .ok()?
                .starts_with(root.canonicalize().ok()?),
        )
    };
    if inside() != Some(true) || !folder.is_dir() {
        return Err(Refusal {
            code: ErrorCode::ArtifactNotFound,
            message: "`path` is not a folder of the repository".to_owned(),
        });
    }
    let mut paths = Vec::new();
    collect(&folder, DEEPEST, &mut paths);
    paths.sort();
    let manifests = paths.into_iter().take(MOST).filter_map(|path| {
        let text = fs::read_to_string(&path).ok()?;
        let path = path.strip_prefix(root).ok()?.to_str()?.replace('\\', "/");
        Some(Manifest::read(path, text))
    });
    Ok(manifests.collect())
}

fn collect(folder: &Path, depth: usize, paths: &mut Vec<std::path::PathBuf>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let skipped = name == "target" || name.to_str().is_none_or(|name| name.starts_with('.'));
        // A link may lead anywhere.
        if kind.is_dir() && depth > 0 && !skipped {
            collect(&entry.path(), depth - 1, paths);
        } else if kind.is_file() && name == "Cargo.toml" {
            paths.push(entry.path());
        }
    }
}

impl Manifest {
    pub(super) fn read(path: String, text: String) -> Self {
        let content = text.parse::<Table>().map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let before = text.get(..start).unwrap_or_default();
            let location = Location {
                path: path.clone(),
                line: Some(before.matches('\n').count() + 1),
                column: Some(before.chars().rev().take_while(|c| *c != '\n').count() + 1),
                element: None,
            };
            (location, error.message().to_owned())
        });
        Self {
            path,
            text,
            content,
        }
    }

    /// A table of the manifest, such as `package`.
    pub(super) fn table(&self, key: &str) -> Option<&Table> {
        self.content.as_ref().ok()?.get(key)?.as_table()
    }

    /// Returns the name of the package, if there is one.
    pub(super) fn name(&self) -> Option<&str> {
        self.table("package")?.get("name")?.as_str()
    }

    /// The dependencies of all kinds, by the names under which they are declared.
    pub(super) fn dependencies(&self) -> impl Iterator<Item = (&str, &Value)> {
        let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
        let tables = kinds.into_iter().filter_map(|kind| self.table(kind));
        tables.flatten().map(|(name, value)| (name.as_str(), value))
    }

    /// A place of the manifest, in the words of the domain.
    pub(super) fn location_of(&self, element: &str) -> Location {
        Location {
            path: self.path.clone(),
            element: Some(element.to_owned()),
            ..Location::default()
        }
    }
}
