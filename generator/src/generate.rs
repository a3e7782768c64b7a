//! A complete run of the front end: from paths to a checked catalogue.
//!
//! load → parse → lower → passes → check. Emission and reconciling use the resulting catalogue.

pub mod build;
mod corrections;
pub mod dump;
pub mod inspect;

mod service_name;

use std::{collections::BTreeMap, slice};

use toolwright_model::ServiceName;

pub use crate::check::{Accept, Options, Unnameable};
pub use crate::parse::{lock::lock_path, overlay::Proposal};
use crate::{
    check::{CheckedCatalog, check},
    document::{
        diagnostic::{Code, Diagnostic, Diagnostics},
        documents::Documents,
        format::Format,
        load::{FileSystem, Loader},
        source::{Place, SourceId, Sources},
    },
    ir::{Catalog, LoweredOperation, Service},
    lower, parallel,
    parse::{
        self,
        lock::{self, Lock},
        overlay::Overlay,
    },
    passes,
};
use corrections::Corrections;
pub use corrections::{is_openapi_overlay, openapi_overlays};
pub use toolwright_model::TOOL_VERBS;

/// A document with its input options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// The path of the document.
    pub document: String,
    /// The path of its overlay.
    pub overlay: Option<String>,
    /// The path of its lock.
    pub lock: Option<String>,
    /// The service name. The overlay's name is used without it, then the document's, then the
    /// file's.
    pub service: Option<String>,
    /// The folder that contains all referenced files; by default the document's own.
    pub reach: Option<String>,
}

/// The result of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The catalogue, or `None` if a diagnostic is an error.
    pub catalog: Option<CheckedCatalog>,
    /// All diagnostics, by place.
    pub diagnostics: Vec<Diagnostic>,
    /// The overview of each document, in input order.
    pub overviews: Vec<Overview>,
    /// The files.
    pub sources: Sources,
    /// Their trees.
    pub documents: Documents,
}

/// The overview of a document, independent of its operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overview {
    /// The path of the document, as given.
    pub document: String,
    /// The service, or `None` if the document cannot be read.
    pub service: Option<ServiceName>,
    /// The format, such as `openapi 3.0.3`; empty if the document cannot be read.
    pub format: String,
    /// The number of operations in the document.
    pub operations: usize,
    /// The proposed entries of its overlay.
    pub proposals: Vec<Proposal>,
}

impl Input {
    /// Creates the input of a document without an overlay.
    #[must_use]
    pub fn new(document: impl Into<String>) -> Self {
        Self {
            document: document.into(),
            ..Self::default()
        }
    }

    /// Sets the overlay.
    #[must_use]
    pub fn overlay(mut self, path: impl Into<String>) -> Self {
        self.overlay = Some(path.into());
        self
    }

    /// Sets the lock.
    #[must_use]
    pub fn lock(mut self, path: impl Into<String>) -> Self {
        self.lock = Some(path.into());
        self
    }

    /// Sets the service name.
    #[must_use]
    pub fn service(mut self, name: impl Into<String>) -> Self {
        self.service = Some(name.into());
        self
    }

    /// Allows references to files below this folder.
    #[must_use]
    pub fn reach(mut self, folder: impl Into<String>) -> Self {
        self.reach = Some(folder.into());
        self
    }
}

impl Outcome {
    /// Returns the paths of all files that the run read or tried to read.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let paths = self.sources.iter().map(|(_, source)| source.path.as_str());
        paths.filter(|path| *path != crate::document::OUTCOME_PATH)
    }

    /// Returns the catalogue and frees the trees, which take more memory than it.
    #[must_use]
    pub fn into_catalog(self) -> Option<CheckedCatalog> {
        self.catalog
    }
}

/// Runs all stages up to the check.
#[must_use]
pub fn run(inputs: &[Input], options: Options, files: &dyn FileSystem) -> Outcome {
    run_with(inputs, options, files, &[])
}

/// Runs all stages up to the check, with formats of the program next to those of this crate.
#[must_use]
pub fn run_with(
    inputs: &[Input],
    options: Options,
    files: &dyn FileSystem,
    formats: &[&dyn Format],
) -> Outcome {
    let mut diagnostics = Diagnostics::default();
    let front = lower_inputs(inputs, files, formats, &mut diagnostics);
    let catalog = passes::run(front.catalog, &mut diagnostics);
    let catalog = check(catalog, options, &mut diagnostics);
    Outcome {
        catalog,
        diagnostics: diagnostics.sorted(),
        overviews: front.overviews,
        sources: front.sources,
        documents: front.documents,
    }
}

/// Runs all stages for each input by itself, on all cores. An error in one does not affect the others.
#[must_use]
pub fn run_each(
    inputs: &[Input],
    options: Options,
    files: &(dyn FileSystem + Sync),
) -> Vec<Outcome> {
    parallel::map(inputs, |input| run(slice::from_ref(input), options, files))
}

/// The result of the lowering stage.
pub(crate) struct Front {
    pub(crate) catalog: Catalog<LoweredOperation>,
    pub(crate) overviews: Vec<Overview>,
    pub(crate) sources: Sources,
    pub(crate) documents: Documents,
}

/// Loads, parses and lowers.
pub(crate) fn lower_inputs(
    inputs: &[Input],
    files: &dyn FileSystem,
    formats: &[&dyn Format],
    diagnostics: &mut Diagnostics,
) -> Front {
    let mut loader = Loader::new(files).with_formats(formats);
    let loaded: Vec<_> = inputs
        .iter()
        .map(|input| load(input, &mut loader, diagnostics))
        .collect();
    let sources = loader.finish();
    let mut documents = Documents::default();
    let mut services = Vec::new();
    let mut overviews = Vec::new();
    let inputs: Vec<_> = inputs.iter().zip(loaded).collect();
    let lowered = parallel::map(&inputs, |(input, loaded)| {
        let mut diagnostics = Diagnostics::default();
        let loaded = loaded.as_ref();
        let lowered =
            loaded.and_then(|loaded| lower_input(input, loaded, &sources, &mut diagnostics));
        (lowered.unzip(), diagnostics)
    });
    for ((input, loaded), ((service, proposals), said)) in inputs.into_iter().zip(lowered) {
        diagnostics.append(said);
        overviews.push(Overview {
            proposals: proposals.unwrap_or_default(),
            ..overview(input, service.as_ref())
        });
        services.extend(service);
        if let Some(loaded) = loaded {
            documents.absorb(loaded.documents);
        }
    }
    check_services(&services, diagnostics);
    Front {
        catalog: Catalog { services },
        overviews,
        sources,
        documents,
    }
}

/// A loaded document with its overlay and lock.
struct Loaded {
    source: SourceId,
    documents: Documents,
    overlay: Overlay,
    lock: Option<SourceId>,
    /// The name of the format, if the program added it.
    format: Option<String>,
}

fn load(input: &Input, loader: &mut Loader<'_>, diagnostics: &mut Diagnostics) -> Option<Loaded> {
    loader.open(&input.document, diagnostics);
    let corrections = Corrections::load(input, loader, diagnostics);
    let reach = input.reach.as_deref();
    let edit = |root: &mut _, diagnostics: &mut _| corrections.edit(root, diagnostics);
    let document = loader.edited_document(&input.document, reach, edit, diagnostics);
    let format = loader.format_of(&input.document);
    let format = format.map(|format| format.name().to_owned());
    let lock = input.lock.as_ref();
    let lock = lock.and_then(|path| loader.text(path, diagnostics));
    let (source, mut documents) = document?;
    corrections.patch(source, &mut documents, diagnostics);
    Some(Loaded {
        source,
        documents,
        overlay: corrections.overlay,
        lock,
        format,
    })
}

fn lower_input(
    input: &Input,
    loaded: &Loaded,
    sources: &Sources,
    diagnostics: &mut Diagnostics,
) -> Option<(Service<LoweredOperation>, Vec<Proposal>)> {
    let (source, documents) = (loaded.source, &loaded.documents);
    let text = |id: Option<SourceId>| Some((id?, sources.file(id?)?.text.as_str()));
    let overlay = &loaded.overlay;
    let mut document = parse::parse(documents, sources, source, diagnostics)?;
    if let Some(format) = &loaded.format {
        document.format.clone_from(format);
    }
    let name = service_name::resolve(input, overlay, &document, diagnostics)?;
    let lock = text(loaded.lock).map_or_else(Lock::default, |(id, text)| {
        lock::parse(id, text, &name, diagnostics)
    });
    let service = lower::service(name, &document, overlay, lock, documents, diagnostics);
    let proposals = overlay.proposals.iter().map(|(_, proposal)| proposal);
    Some((service, proposals.cloned().collect()))
}

fn overview(input: &Input, service: Option<&Service<LoweredOperation>>) -> Overview {
    let document = input.document.clone();
    match service {
        Some(service) => Overview {
            document,
            service: Some(service.name.clone()),
            format: service.format.clone(),
            operations: service.operations_in_document,
            proposals: Vec::new(),
        },
        None => Overview {
            document,
            ..Overview::default()
        },
    }
}

/// Checks that each service has one document.
fn check_services(services: &[Service<LoweredOperation>], diagnostics: &mut Diagnostics) {
    let mut seen: BTreeMap<&ServiceName, SourceId> = BTreeMap::new();
    for service in services {
        if let Some(first) = seen.insert(&service.name, service.source) {
            diagnostics.report(
                Diagnostic::error(
                    Code::NameCollision,
                    Place::start_of(service.source),
                    format!("two documents have the service name `{}`", service.name),
                )
                .also(Place::start_of(first), "the first document")
                .help(
                    "rename one of the services with `--service`, or with `service` in its overlay",
                ),
            );
        }
    }
}

#[cfg(test)]
mod tests;
