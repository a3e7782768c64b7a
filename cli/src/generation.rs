//! The generated files before anything is written.

mod before;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use toolwright::{ServiceName, config::WorkspaceConfig};
use toolwright_generator::{
    check::{CheckedCatalog, CheckedService},
    emit::{self, OutputTree},
    generate::Options,
    load::Disk,
    reconcile::{self, Reconciliation, Recorded, Stamp},
    render::{self, Style},
};

pub(crate) use before::Reuse;
use before::{RunMessages, RunRequest};

use crate::{
    Failure,
    names::{self, DecidedName},
    output::{Progress, plural},
    specification::{Specification, check, with_slashes},
    workspace,
};

/// The result of a run.
pub(crate) struct Generation {
    /// The adapters, unless only the lock was asked for.
    pub(crate) adapters: Option<Files>,
    /// The lock of each service that has one.
    pub(crate) locks: Vec<Files>,
    /// The services that they are about.
    pub(crate) services: Vec<Summary>,
    /// The stamp for the folder of the adapters after they are written.
    stamp: Option<Stamp>,
}

/// Files that should be in a folder.
pub(crate) struct Files {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// The files.
    pub(crate) tree: OutputTree,
    /// The treatment of other files in the folder.
    others: Others,
}

/// The treatment of files that a run does not write.
enum Others {
    /// Nothing.
    Unknown,
    /// Those that bear the generator's mark are orphans, unless they are below these folders.
    Orphans { foreign: Vec<String> },
}

/// One service in numbers.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Summary {
    pub(crate) name: ServiceName,
    /// The format: `openapi 3.1.0`.
    pub(crate) format: String,
    /// The operations in the document.
    pub(crate) operations: usize,
    /// The tools that they became.
    pub(crate) tools: usize,
    /// The nodes of its types.
    pub(crate) nodes: usize,
    /// Those of them that have no better type than any value.
    pub(crate) untyped: usize,
    /// The number of operations that cannot be tools, by reason.
    pub(crate) left_out: BTreeMap<String, usize>,
    /// The new names that the document decided. A run that repeats a previous one has none.
    #[serde(skip_deserializing)]
    pub(crate) decided: Vec<DecidedName>,
}

/// A complete crate.
#[derive(Debug)]
pub(crate) struct Crate {
    /// The path of the crate that adapters depend on. Without it, the published crate is used.
    pub(crate) adapter_path: Option<PathBuf>,
}

impl Generation {
    /// The crate of a project's adapters; with names of services, the part of it that they have.
    pub(crate) fn of_workspace(
        folders: &WorkspaceConfig,
        names: &[ServiceName],
        options: Options,
        reuse: Reuse,
        progress: &Progress,
    ) -> Result<Self, Failure> {
        let all = workspace::services(&folders.specs)?;
        let chosen = workspace::select(&all, names)?;
        let specifications: Vec<Specification> = chosen.into_iter().map(Into::into).collect();
        let names: Vec<_> = all.iter().map(|service| service.name.clone()).collect();
        let is_chosen = |name: &ServiceName| {
            specifications
                .iter()
                .any(|chosen| chosen.service.as_ref() == Some(name))
        };
        let foreign = names.iter().filter(|name| !is_chosen(name));
        let others = Others::Orphans {
            foreign: foreign.map(|name| format!("src/{name}/")).collect(),
        };
        let folder = folders.generated.clone();
        let request = RunRequest::new(reuse, (&specifications, options, &names));
        if let Some((said, tree)) = request.as_before(&folder) {
            let adapters = Files {
                folder,
                tree,
                others,
            };
            return Ok(Self::as_before(&specifications, adapters, said));
        }
        let files = Recorded::new(&Disk);
        let (catalog, warnings) = read(&specifications, options, &files, progress)?;
        let mut tree = emit::workspace(&names);
        let adapters = emit::services(catalog.services());
        for (service, adapter) in catalog.services().iter().zip(adapters) {
            let name = &service.service().name;
            tree.add_below(&format!("src/{name}"), adapter);
        }
        let adapters = Files {
            folder,
            tree,
            others,
        };
        let generation = Self::new(&specifications, &catalog, Some(adapters));
        Ok(generation.stamped(&specifications, request, files, warnings))
    }

    /// The adapters of one specification, as a module or as a crate; without a folder for them, its
    /// lock alone.
    pub(crate) fn of_one(
        specification: &Specification,
        folder: Option<PathBuf>,
        as_crate: Option<Crate>,
        options: Options,
        reuse: Reuse,
        progress: &Progress,
    ) -> Result<Self, Failure> {
        let specifications = std::slice::from_ref(specification);
        let others = Others::Orphans {
            foreign: Vec::new(),
        };
        let request = RunRequest::new(reuse, (specification, options, &as_crate));
        if let Some(folder) = &folder
            && let Some((said, tree)) = request.as_before(folder)
        {
            let adapters = Files {
                folder: folder.clone(),
                tree,
                others,
            };
            return Ok(Self::as_before(specifications, adapters, said));
        }
        let files = Recorded::new(&Disk);
        let (catalog, warnings) = read(specifications, options, &files, progress)?;
        let adapters = folder.map(|folder| Files {
            folder,
            tree: modules(&catalog, as_crate.as_ref()),
            others,
        });
        let generation = Self::new(specifications, &catalog, adapters);
        Ok(generation.stamped(specifications, request, files, warnings))
    }

    /// Returns the result of the previous run, whose inputs include the locks that it wrote.
    fn as_before(specifications: &[Specification], adapters: Files, said: RunMessages) -> Self {
        let locks = specifications.iter().filter_map(|specification| {
            let path = specification.lock.as_deref()?;
            Files::single_file(path, fs::read_to_string(path).ok()?)
        });
        Self {
            adapters: Some(adapters),
            locks: locks.collect(),
            services: said.services,
            stamp: None,
        }
    }

    fn new(
        specifications: &[Specification],
        catalog: &CheckedCatalog,
        adapters: Option<Files>,
    ) -> Self {
        let services = catalog.services().iter().zip(specifications);
        let locks = services.filter_map(|(service, specification)| {
            Files::single_file(specification.lock.as_deref()?, emit::lock(service))
        });
        Self {
            adapters,
            locks: locks.collect(),
            services: summaries(catalog),
            stamp: None,
        }
    }

    /// With the stamp of the adapters, if they are to bear one.
    fn stamped(
        mut self,
        specifications: &[Specification],
        request: RunRequest,
        read: Recorded<'_>,
        warnings: String,
    ) -> Self {
        let Some(adapters) = &self.adapters else {
            return self;
        };
        let said = RunMessages {
            services: std::mem::take(&mut self.services),
            warnings,
        };
        let mut stamp = request.stamp(read, &adapters.tree, &said);
        self.services = said.services;
        // A lock is read and written in one run, and the first run has none to read.
        let locks = specifications
            .iter()
            .filter_map(|specification| specification.lock.as_deref());
        for (path, files) in locks.map(with_slashes).zip(&self.locks) {
            for (_, content) in files.tree.iter() {
                if let Some(stamp) = &mut stamp {
                    stamp.rewritten(&path, content);
                }
            }
        }
        self.stamp = stamp;
        self
    }

    /// Leaves the stamp, once all files are as they should be.
    pub(crate) fn leave_stamp(&self) -> Result<(), Failure> {
        let (Some(stamp), Some(adapters)) = (&self.stamp, &self.adapters) else {
            return Ok(());
        };
        let failed = |error| Failure::file("write the stamp of", &adapters.folder, &error);
        stamp.write(&adapters.folder).map_err(failed)
    }

    /// Describes the operations that cannot be tools: how many and why. `None` if all can.
    pub(crate) fn left_out(&self) -> Option<String> {
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for (why, count) in self.services.iter().flat_map(|service| &service.left_out) {
            *reasons.entry(why).or_default() += count;
        }
        if reasons.is_empty() {
            return None;
        }
        let total = plural(reasons.values().sum(), "operation");
        let reasons: Vec<_> = reasons
            .into_iter()
            .map(|(why, count)| format!("{count} {why}"))
            .collect();
        Some(format!("{total} left out: {}", reasons.join(", ")))
    }

    /// Fails if operations are left out. The diagnostics about them have been shown.
    pub(crate) fn needs_all(&self) -> Result<(), Failure> {
        self.left_out().map_or(Ok(()), |left_out| {
            Err(Failure::new(format!("{left_out}, so nothing was done"))
                .help("correct the document, or name or exclude these operations in the overlay"))
        })
    }

    /// Returns all expected files.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Files> {
        self.adapters.iter().chain(&self.locks)
    }
}

impl Files {
    /// A file by itself.
    pub(crate) fn single_file(path: &Path, content: String) -> Option<Self> {
        let mut tree = OutputTree::new();
        tree.add(path.file_name()?.to_string_lossy(), content);
        Some(Self {
            folder: path.parent()?.to_owned(),
            tree,
            others: Others::Unknown,
        })
    }

    /// Compares the folder with the expected files.
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
                Some(Crate { adapter_path }) => emit::standalone(service, adapter_path.as_deref()),
            },
        );
    }
    tree
}

/// Returns the catalogue, and the rendered warnings.
fn read(
    specifications: &[Specification],
    options: Options,
    files: &Recorded<'_>,
    progress: &Progress,
) -> Result<(CheckedCatalog, String), Failure> {
    progress.step(format!(
        "reading {}",
        plural(specifications.len(), "specification")
    ));
    let inputs: Vec<_> = specifications.iter().map(Specification::input).collect();
    let (catalog, outcome) = check(&inputs, options, files)?;
    let warnings = render::text(&outcome.diagnostics, &outcome.sources, Style::Plain);
    Ok((catalog, warnings.trim_end().to_owned()))
}

fn summaries(catalog: &CheckedCatalog) -> Vec<Summary> {
    catalog.services().iter().map(summary).collect()
}

fn summary(service: &CheckedService) -> Summary {
    let tools = service.tools().count();
    let decided = names::decided(service);
    let left_out = service.left_out().into_iter();
    let left_out = left_out.map(|(why, count)| (why.to_owned(), count));
    let left_out = left_out.collect();
    let service = service.service();
    Summary {
        name: service.name.clone(),
        format: service.format.clone(),
        operations: service.operations_in_document,
        tools,
        nodes: service.types.nodes(),
        untyped: service.types.untyped(),
        left_out,
        decided,
    }
}
