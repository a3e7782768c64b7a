//! A whole run of the front end: from paths to a checked catalogue.
//!
//! load → parse → lower → passes → check. What comes behind, emission and reconciling, needs the
//! catalogue that is given here.

mod service_name;

use std::collections::BTreeMap;

use toolwright_model::ServiceName;

pub use crate::check::{Accept, Options, Unnameable};
use crate::{
    check::{CheckedCatalog, check},
    diagnostic::{Code, Diagnostic, Diagnostics},
    documents::Documents,
    ir::{Catalog, Service},
    load::{FileSystem, Loader},
    lock::{self, Lock},
    lower, parallel, passes,
    source::{Place, SourceId, Sources},
    spec::{self, overlay, overlay::Overlay},
};

/// A document, and how it is to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// The path of the document.
    pub document: String,
    /// The path of its overlay.
    pub overlay: Option<String>,
    /// The path of its lock.
    pub lock: Option<String>,
    /// The service's name. Without it the overlay's word counts, or else the file's name.
    pub service: Option<String>,
    /// The folder below which other files may be referred to; the document's own without it.
    pub reach: Option<String>,
}

/// What a run found.
#[derive(Debug)]
pub struct Outcome {
    /// The catalogue; none exactly when a diagnostic is an error.
    pub catalog: Option<CheckedCatalog>,
    /// Everything that is to be said, by place.
    pub diagnostics: Vec<Diagnostic>,
    /// What each document is, in the order of the inputs.
    pub overviews: Vec<Overview>,
    /// The files.
    pub sources: Sources,
    /// Their trees.
    pub documents: Documents,
}

/// What a document is, whatever became of its operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overview {
    /// The path of the document, as it was given.
    pub document: String,
    /// The service; none when the document cannot be read.
    pub service: Option<ServiceName>,
    /// What was read: `openapi 3.0.3`; empty when the document cannot be read.
    pub format: String,
    /// How many operations the document has.
    pub operations: usize,
}

impl Input {
    /// A document without an overlay.
    #[must_use]
    pub fn new(document: impl Into<String>) -> Self {
        Self {
            document: document.into(),
            ..Self::default()
        }
    }

    /// With this overlay.
    #[must_use]
    pub fn overlay(mut self, path: impl Into<String>) -> Self {
        self.overlay = Some(path.into());
        self
    }

    /// With this lock.
    #[must_use]
    pub fn lock(mut self, path: impl Into<String>) -> Self {
        self.lock = Some(path.into());
        self
    }

    /// As this service.
    #[must_use]
    pub fn service(mut self, name: impl Into<String>) -> Self {
        self.service = Some(name.into());
        self
    }

    /// With files from anywhere below this folder.
    #[must_use]
    pub fn reach(mut self, folder: impl Into<String>) -> Self {
        self.reach = Some(folder.into());
        self
    }
}

impl Outcome {
    /// The paths of all files that were read, or tried to be.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let paths = self.sources.iter().map(|(_, source)| source.path.as_str());
        paths.filter(|path| *path != spec::eab::OUTCOME_PATH)
    }
}

/// Runs all stages up to the check.
#[must_use]
pub fn run(inputs: &[Input], options: Options, files: &dyn FileSystem) -> Outcome {
    let mut diagnostics = Diagnostics::default();
    let front = lowered(inputs, files, &mut diagnostics);
    let mut catalog = front.catalog;
    passes::run(&mut catalog, &mut diagnostics);
    let catalog = check(catalog, options, &mut diagnostics);
    Outcome {
        catalog,
        diagnostics: diagnostics.sorted(),
        overviews: front.overviews,
        sources: front.sources,
        documents: front.documents,
    }
}

/// What there is after the lowering stage.
pub(crate) struct Front {
    pub(crate) catalog: Catalog,
    pub(crate) overviews: Vec<Overview>,
    pub(crate) sources: Sources,
    pub(crate) documents: Documents,
}

/// Loads, parses and lowers.
pub(crate) fn lowered(
    inputs: &[Input],
    files: &dyn FileSystem,
    diagnostics: &mut Diagnostics,
) -> Front {
    let mut loader = Loader::new(files);
    let loaded: Vec<_> = inputs
        .iter()
        .map(|input| load(input, &mut loader, diagnostics))
        .collect();
    let sources = loader.finish();
    let mut documents = Documents::default();
    let mut catalog = Catalog::default();
    let mut overviews = Vec::new();
    let inputs: Vec<_> = inputs.iter().zip(loaded).collect();
    let lowered = parallel::map(&inputs, |(input, loaded)| {
        let mut diagnostics = Diagnostics::default();
        let loaded = loaded.as_ref();
        let service = loaded.and_then(|loaded| one(input, loaded, &sources, &mut diagnostics));
        (service, diagnostics)
    });
    for ((input, loaded), (service, said)) in inputs.into_iter().zip(lowered) {
        diagnostics.append(said);
        overviews.push(overview(input, service.as_ref()));
        catalog.services.extend(service);
        if let Some(loaded) = loaded {
            documents.absorb(loaded.documents);
        }
    }
    check_services(&catalog, diagnostics);
    Front {
        catalog,
        overviews,
        sources,
        documents,
    }
}

/// A document that was read, with what belongs to it.
struct Loaded {
    source: SourceId,
    documents: Documents,
    overlay: Option<SourceId>,
    lock: Option<SourceId>,
}

fn load(input: &Input, loader: &mut Loader<'_>, diagnostics: &mut Diagnostics) -> Option<Loaded> {
    let document = loader.document(&input.document, input.reach.as_deref(), diagnostics);
    let mut text = |path: &Option<String>| {
        let path = path.as_ref()?;
        loader.text(path, diagnostics)
    };
    let overlay = text(&input.overlay);
    let lock = text(&input.lock);
    let (source, documents) = document?;
    Some(Loaded {
        source,
        documents,
        overlay,
        lock,
    })
}

fn one(
    input: &Input,
    loaded: &Loaded,
    sources: &Sources,
    diagnostics: &mut Diagnostics,
) -> Option<Service> {
    let (source, documents) = (loaded.source, &loaded.documents);
    let text = |id: Option<SourceId>| Some((id?, sources.file(id?)?.text.as_str()));
    let overlay = text(loaded.overlay).map_or_else(Overlay::default, |(id, text)| {
        overlay::parse(id, text, diagnostics)
    });
    let document = spec::parse(documents, sources, source, diagnostics)?;
    let name = service_name::of(input, &overlay, &document, diagnostics)?;
    let lock = text(loaded.lock).map_or_else(Lock::default, |(id, text)| {
        lock::parse(id, text, &name, diagnostics)
    });
    Some(lower::service(
        name,
        &document,
        &overlay,
        lock,
        documents,
        diagnostics,
    ))
}

fn overview(input: &Input, service: Option<&Service>) -> Overview {
    let document = input.document.clone();
    match service {
        Some(service) => Overview {
            document,
            service: Some(service.name.clone()),
            format: service.format.clone(),
            operations: service.operations_in_document,
        },
        None => Overview {
            document,
            ..Overview::default()
        },
    }
}

/// A service has one document.
fn check_services(catalog: &Catalog, diagnostics: &mut Diagnostics) {
    let mut seen: BTreeMap<&ServiceName, SourceId> = BTreeMap::new();
    for service in &catalog.services {
        if let Some(first) = seen.insert(&service.name, service.source) {
            diagnostics.report(
                Diagnostic::error(
                    Code::NameCollision,
                    Place::start_of(service.source),
                    format!("two documents are given for the service `{}`", service.name),
                )
                .also(Place::start_of(first), "the other one")
                .help("give one of them another name with `--service` or `service` in its overlay"),
            );
        }
    }
}

#[cfg(test)]
mod tests;
