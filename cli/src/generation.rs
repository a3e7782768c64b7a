//! What is generated, before anything is written.

use std::path::PathBuf;

use serde::Serialize;
use toolwright::{ServiceName, config::WorkspaceConfig};
use toolwright_generator::{
    check::{CheckedCatalog, CheckedService},
    emit,
    output::OutputTree,
};

use crate::{
    Failure,
    output::Progress,
    specification::{Specification, checked, plural},
    workspace,
};

/// Files that should be in a folder.
pub(crate) struct Generation {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// The files.
    pub(crate) tree: OutputTree,
    /// The services that they are about.
    pub(crate) services: Vec<Summary>,
    /// The folders of services that the run is not about.
    foreign: Vec<String>,
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
        progress: &Progress,
    ) -> Result<Self, Failure> {
        let all = workspace::services(&folders.specs)?;
        let chosen = workspace::chosen(&all, names)?;
        let specifications: Vec<Specification> = chosen.into_iter().map(Into::into).collect();
        let catalog = read(&specifications, progress)?;
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
        Ok(Self {
            folder: folders.generated.clone(),
            foreign: foreign.map(|name| format!("src/{name}/")).collect(),
            services: summaries(&catalog),
            tree,
        })
    }

    /// The adapters of one specification, as a module or as a crate.
    pub(crate) fn of_one(
        specification: &Specification,
        folder: PathBuf,
        as_crate: Option<Crate>,
        progress: &Progress,
    ) -> Result<Self, Failure> {
        let catalog = read(std::slice::from_ref(specification), progress)?;
        let mut tree = OutputTree::new();
        for service in catalog.services() {
            match &as_crate {
                None => tree.add_below("", emit::service(service)),
                Some(Crate { runtime_path }) => {
                    tree.add_below("", emit::standalone(service, runtime_path.as_deref()))
                }
            }
        }
        Ok(Self {
            folder,
            tree,
            services: summaries(&catalog),
            foreign: Vec::new(),
        })
    }

    /// Whether a file of the folder is one that the run is about.
    pub(crate) fn owns(&self, path: &str) -> bool {
        !self.foreign.iter().any(|folder| path.starts_with(folder))
    }
}

fn read(specifications: &[Specification], progress: &Progress) -> Result<CheckedCatalog, Failure> {
    progress.step(format!(
        "reading {}",
        plural(specifications.len(), "specification")
    ));
    let inputs: Vec<_> = specifications.iter().map(Specification::input).collect();
    checked(&inputs).map(|(catalog, _)| catalog)
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
