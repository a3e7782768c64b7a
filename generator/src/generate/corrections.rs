//! The corrections of a document by its overlay, before the document is read.

use std::path::Path;

use super::Input;
use crate::{
    document::{
        diagnostic::{Code, Diagnostic, Diagnostics},
        documents::{Documents, join},
        load::Loader,
        source::{Placed, SourceId},
        tree::{self, Node},
    },
    parse::{
        graphql::{self, OperationFile},
        openapi_overlay::{self, OpenApiOverlay},
        overlay::{self, Overlay},
    },
};

/// The overlay of a document, and the OpenAPI Overlays that it applies.
#[derive(Default)]
pub(super) struct Corrections {
    pub(super) overlay: Overlay,
    standard: Vec<OpenApiOverlay>,
    /// The files with operations of GraphQL.
    operations: Vec<OperationFile>,
}

impl Corrections {
    /// Reads the overlay of an input. One in JSON or YAML is an OpenAPI Overlay itself.
    pub(super) fn load(
        input: &Input,
        loader: &mut Loader<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let Some(path) = &input.overlay else {
            return Self::default();
        };
        if is_openapi_overlay(path) {
            return Self {
                overlay: Overlay::default(),
                standard: load(path, loader, diagnostics).into_iter().collect(),
                operations: Vec::new(),
            };
        }
        let source = loader.text(path, diagnostics);
        let text = source.and_then(|source| Some((source, loader.sources().file(source)?)));
        let overlay = text.map_or_else(Overlay::default, |(source, file)| {
            overlay::parse(source, &file.text, diagnostics)
        });
        let mut standard = Vec::new();
        for file in &overlay.openapi_overlays {
            if is_below(&file.value) {
                standard.extend(load(&join(path, &file.value), loader, diagnostics));
            } else {
                diagnostics.report(outside(file));
            }
        }
        let operations = operation_files(path, &overlay, loader, diagnostics);
        Self {
            overlay,
            standard,
            operations,
        }
    }

    /// Changes the tree of the document, before the files that it refers to are loaded.
    pub(super) fn edit(&self, root: &mut Node, diagnostics: &mut Diagnostics) {
        for overlay in &self.standard {
            overlay.apply(root, diagnostics);
        }
        graphql::arrange(root, &self.overlay.graphql, &self.operations, diagnostics);
    }

    /// Changes schemas of the document and of the files that it refers to.
    pub(super) fn patch(
        &self,
        source: SourceId,
        documents: &mut Documents,
        diagnostics: &mut Diagnostics,
    ) {
        for overlay in &self.standard {
            documents.alias(overlay.source, source);
        }
        for file in &self.operations {
            documents.alias(file.source, source);
        }
        for patch in &self.overlay.patches {
            let (file, _) = patch.target();
            match documents.neighbour_mut(source, file) {
                Some(root) => patch.apply(root, diagnostics),
                None => {
                    let message = format!("the document does not refer to the file `{file}`");
                    let place = patch.schema.place;
                    diagnostics.report(Diagnostic::error(Code::UnmatchedOverlay, place, message));
                }
            }
        }
    }
}

/// Reads the files and folders with operations of GraphQL that an overlay names.
fn operation_files(
    path: &str,
    overlay: &Overlay,
    loader: &mut Loader<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<OperationFile> {
    let mut files = Vec::new();
    for entry in &overlay.graphql.operations {
        if !is_below(&entry.value) {
            diagnostics.report(outside(entry));
            continue;
        }
        let own = join(path, &entry.value);
        let paths = if tree::is_graphql(&own) {
            vec![own]
        } else {
            match loader.folder(&own) {
                Ok(mut paths) => {
                    paths.retain(|path| tree::is_graphql(path));
                    paths
                }
                Err(error) => {
                    let message = format!("cannot list the folder `{own}`");
                    diagnostics.report(
                        Diagnostic::error(Code::Unreadable, entry.place, message)
                            .note(error.to_string())
                            .help("name a file ending in `.graphql`, or a folder with such files"),
                    );
                    continue;
                }
            }
        };
        if paths.is_empty() {
            let message = format!("`{}` has no files ending in `.graphql`", entry.value);
            diagnostics.report(Diagnostic::error(Code::Empty, entry.place, message));
        }
        for path in paths {
            let source = loader.text(&path, diagnostics);
            files.extend(source.and_then(|source| {
                let text = loader.sources().file(source)?.text.clone();
                Some(OperationFile { source, text })
            }));
        }
    }
    files
}

/// Returns the OpenAPI Overlays that an overlay applies, as paths below its folder.
#[must_use]
pub fn openapi_overlays(overlay: &str) -> Vec<String> {
    let source = crate::document::source::Sources::new().add("overlay.toml", "");
    let overlay = overlay::parse(source, overlay, &mut Diagnostics::default());
    let files = overlay.openapi_overlays.into_iter().map(|file| file.value);
    files.filter(|file| is_below(file)).collect()
}

/// Checks whether an overlay is an OpenAPI Overlay, by its extension.
#[must_use]
pub fn is_openapi_overlay(path: &str) -> bool {
    let extension = Path::new(path).extension().unwrap_or_default();
    ["json", "yaml", "yml"]
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
}

fn load(
    path: &str,
    loader: &mut Loader<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<OpenApiOverlay> {
    let source = loader.text(path, diagnostics)?;
    let text = &loader.sources().file(source)?.text;
    match tree::read(source, path, text, diagnostics) {
        Ok(root) => Some(openapi_overlay::parse(source, &root, diagnostics)),
        Err(error) => {
            diagnostics.report(error);
            None
        }
    }
}

/// Checks whether a path stays below the folder that it starts at.
fn is_below(path: &str) -> bool {
    !path.is_empty()
        && !path.starts_with('/')
        && !path.contains(['\\', ':'])
        && path.split('/').all(|step| step != "..")
}

fn outside(file: &Placed<String>) -> Diagnostic {
    let message = format!(
        "`{}` is not a file below the folder of the overlay",
        file.value
    );
    Diagnostic::error(Code::UnknownValue, file.place, message)
        .help("move the file next to the overlay")
}
