//! What is generated, before anything is written.

use std::path::{Path, PathBuf};

use serde::Serialize;
use toolwright::{ServiceName, config::WorkspaceConfig};
use toolwright_generator::{
    check::{CheckedCatalog, CheckedService},
    emit,
    generate::Accept,
    lock,
    output::OutputTree,
    reconcile::{self, Reconciliation},
};

use crate::{
    Failure,
    output::Progress,
    specification::{Specification, checked, plural},
    workspace,
};

/// What a run gives.
pub(crate) struct Generation {
    /// The adapters, unless only the lock was asked for.
    pub(crate) adapters: Option<Files>,
    /// The lock of each service that has one.
    pub(crate) locks: Vec<Files>,
    /// The services that they are about.
    pub(crate) services: Vec<Summary>,
}

/// Files that should be in a folder.
pub(crate) struct Files {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// The files.
    pub(crate) tree: OutputTree,
    /// What the run says of other files in the folder.
    others: Others,
}

/// What a run says of files that it does not write.
enum Others {
    /// Nothing.
    Unknown,
    /// Those that bear the generator's mark are orphans, unless they are below these folders.
    Orphans { foreign: Vec<String> },
}

/// One service in numbers.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) name: ServiceName,
    /// What was read: `openapi 3.1.0`.
    pub(crate) format: String,
    /// The operations in the document.
    pub(crate) operations: usize,
    /// The tools that they became.
    pub(crate) tools: usize,
    /// The nodes of its types.
    pub(crate) nodes: usize,
    /// Those of them that have no better type than any value.
    pub(crate) untyped: usize,
}

/// A crate that builds as it is.
pub(crate) struct Crate {
    /// Where the runtime is; otherwise it is the published one.
    pub(crate) runtime_path: Option<PathBuf>,
}

impl Generation {
    /// The crate of a project's adapters; with names of services, the part of it that they have.
    pub(crate) fn of_workspace(
        folders: &WorkspaceConfig,
        names: &[ServiceName],
        accept: Accept,
        progress: &Progress,
    ) -> Result<Self, Failure> {
        let all = workspace::services(&folders.specs)?;
        let chosen = workspace::chosen(&all, names)?;
        let specifications: Vec<Specification> = chosen.into_iter().map(Into::into).collect();
        let catalog = read(&specifications, accept, progress)?;
        let names: Vec<_> = all.iter().map(|service| service.name.clone()).collect();
        let mut tree = emit::workspace(&names);
        for service in catalog.services() {
            let name = &service.service().name;
            tree.add_below(&format!("src/{name}"), emit::service(service));
        }
        let is_chosen = |name: &ServiceName| {
            catalog
                .services()
                .iter()
                .any(|service| service.service().name == *name)
        };
        let foreign = names.iter().filter(|name| !is_chosen(name));
        let adapters = Files {
            folder: folders.generated.clone(),
            tree,
            others: Others::Orphans {
                foreign: foreign.map(|name| format!("src/{name}/")).collect(),
            },
        };
        Ok(Self::new(&specifications, &catalog, Some(adapters)))
    }

    /// The adapters of one specification, as a module or as a crate; without a folder for them, its
    /// lock alone.
    pub(crate) fn of_one(
        specification: &Specification,
        folder: Option<PathBuf>,
        as_crate: Option<Crate>,
        accept: Accept,
        progress: &Progress,
    ) -> Result<Self, Failure> {
        let specifications = std::slice::from_ref(specification);
        let catalog = read(specifications, accept, progress)?;
        let adapters = folder.map(|folder| Files {
            folder,
            tree: modules(&catalog, as_crate.as_ref()),
            others: Others::Orphans {
                foreign: Vec::new(),
            },
        });
        Ok(Self::new(specifications, &catalog, adapters))
    }

    fn new(
        specifications: &[Specification],
        catalog: &CheckedCatalog,
        adapters: Option<Files>,
    ) -> Self {
        let services = catalog.services().iter().zip(specifications);
        let locks = services.filter_map(|(service, specification)| {
            Files::one(specification.lock.as_deref()?, lock::updated(service))
        });
        Self {
            adapters,
            locks: locks.collect(),
            services: summaries(catalog),
        }
    }

    /// All that should be there.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Files> {
        self.adapters.iter().chain(&self.locks)
    }
}

impl Files {
    /// A file by itself.
    fn one(path: &Path, content: String) -> Option<Self> {
        let mut tree = OutputTree::new();
        tree.add(path.file_name()?.to_string_lossy(), content);
        Some(Self {
            folder: path.parent()?.to_owned(),
            tree,
            others: Others::Unknown,
        })
    }

    /// How the folder compares to what should be there.
    pub(crate) fn compare(&self) -> Result<Reconciliation, Failure> {
        let compared = match &self.others {
            Others::Unknown => reconcile::compare_listed(&self.tree, &self.folder),
            Others::Orphans { .. } => reconcile::compare(&self.tree, &self.folder),
        };
        let mut found = compared.map_err(|error| Failure::new(format!("cannot read {error}")))?;
        if let Others::Orphans { foreign } = &self.others {
            let is_foreign = |path: &str| foreign.iter().any(|folder| path.starts_with(folder));
            found.files.retain(|(path, _)| !is_foreign(path));
        }
        Ok(found)
    }

    /// The path of one of its files, as the user knows it.
    pub(crate) fn path(&self, file: &str) -> String {
        self.folder.join(file).display().to_string()
    }
}

fn modules(catalog: &CheckedCatalog, as_crate: Option<&Crate>) -> OutputTree {
    let mut tree = OutputTree::new();
    for service in catalog.services() {
        tree.add_below(
            "",
            match as_crate {
                None => emit::service(service),
                Some(Crate { runtime_path }) => emit::standalone(service, runtime_path.as_deref()),
            },
        );
    }
    tree
}

fn read(
    specifications: &[Specification],
    accept: Accept,
    progress: &Progress,
) -> Result<CheckedCatalog, Failure> {
    progress.step(format!(
        "reading {}",
        plural(specifications.len(), "specification")
    ));
    let inputs: Vec<_> = specifications.iter().map(Specification::input).collect();
    checked(&inputs, accept).map(|(catalog, _)| catalog)
}

fn summaries(catalog: &CheckedCatalog) -> Vec<Summary> {
    catalog.services().iter().map(summary).collect()
}

fn summary(service: &CheckedService) -> Summary {
    let tools = service.tools().count();
    let service = service.service();
    Summary {
        name: service.name.clone(),
        format: service.format.clone(),
        operations: service.operations_in_document,
        tools,
        nodes: service.types.nodes(),
        untyped: service.types.untyped(),
    }
}
