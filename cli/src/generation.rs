//! The generated files before anything is written.

mod before;
mod fixes;
pub(crate) mod left_out;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use toolwright::{ServiceName, config::WorkspaceConfig};
use toolwright_generator::{
    check::{CheckedCatalog, CheckedService},
    diagnostic::Diagnostic,
    emit::{self, CrateOptions, OutputTree},
    generate::{Accept, Options, Unnameable},
    load::{Disk, FileSystem, Layered},
    reconcile::{self, Reconciliation, Recorded, Stamp},
    render::{self, Style},
};

pub(crate) use before::Reuse;
use before::{RunMessages, RunRequest};
pub(crate) use fixes::Fixes;

use crate::{
    Failure,
    names::{self, DecidedName},
    new_crate,
    output::{Progress, plural},
    overlay_file::OverlayFile,
    specification::{Specification, check, with_slashes},
    workspace,
};

/// The result of a run.
pub(crate) struct Generation {
    /// The adapters, unless only the lock was asked for.
    pub(crate) adapters: Option<Files>,
    /// The lock of each service that has one, and the overlays that get lines, by folder.
    pub(crate) locks: Vec<Files>,
    /// The lines that overlays get.
    pub(crate) fixes: Fixes,
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
    /// The number of lines that are missing in the overlay.
    pub(crate) missing_lines: usize,
    /// The new names that the document decided. A run that repeats a previous one has none.
    #[serde(skip_deserializing)]
    pub(crate) decided: Vec<DecidedName>,
}

/// What a command demands of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    /// The accepted differences from the lock.
    pub(crate) accept: Accept,
    /// True if every operation must become a tool, unless the overlay excludes it.
    pub(crate) strict: bool,
    /// The use of previous results.
    pub(crate) reuse: Reuse,
    /// The lines that overlays get.
    pub(crate) fixing: Fixing,
}

/// The lines that a run adds to overlays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fixing {
    /// None.
    Nothing,
    /// Those without which operations are left out.
    Missing,
    /// Those, and the exclusions of operations that cannot be tools.
    Exclude,
}

impl Demand {
    fn options(self) -> Options {
        let unnameable = if self.strict {
            Unnameable::Refuse
        } else {
            Unnameable::LeaveOut
        };
        Options {
            unnameable,
            accept: self.accept,
        }
    }

    fn find_fixes(
        self,
        specifications: &mut [Specification],
        progress: &Progress,
    ) -> Result<Fixes, Failure> {
        if self.fixing == Fixing::Nothing {
            return Ok(Fixes::default());
        }
        progress.step("looking for missing lines");
        fixes::find(specifications, self)
    }
}

impl Generation {
    /// The crate of a project's adapters; with names of services, the part of it that they have.
    pub(crate) fn of_workspace(
        folders: &WorkspaceConfig,
        names: &[ServiceName],
        options: &CrateOptions,
        demand: Demand,
        progress: &Progress,
    ) -> Result<Self, Failure> {
        let mut all = workspace::services(&folders.specs)?;
        all.retain(|service| !service.is_mounted());
        let chosen = workspace::select(&all, names)?;
        let mut specifications: Vec<Specification> = chosen.into_iter().map(Into::into).collect();
        let fixes = demand.find_fixes(&mut specifications, progress)?;
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
        let asked = (&specifications, demand.options(), &names);
        let request = RunRequest::new(demand.reuse, asked);
        if let Some((said, tree)) = request.as_before(&folder, &fixes) {
            let adapters = Files {
                folder,
                tree,
                others,
            };
            return Ok(Self::as_before(&specifications, adapters, said));
        }
        let sources = Layered::new(&fixes.texts, Disk);
        let files = Recorded::new(&sources);
        let read = read(&specifications, demand, &files, progress)?;
        let catalog = &read.catalog;
        let features = new_crate::features(&names, catalog.services());
        let mut tree = emit::workspace(&features, options);
        if let Some(manifest) = new_crate::with_features(&folder, &features)? {
            tree.add("Cargo.toml", manifest);
        }
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
        let generation = Self::new(&specifications, catalog, read.services, Some(adapters));
        let generation = generation.stamped(&specifications, request, files, read.warnings);
        generation.with_fixes(fixes)
    }

    /// The adapters of one specification, as a module or as a crate; without a folder for them, its
    /// lock alone.
    pub(crate) fn of_one(
        specification: Specification,
        folder: Option<PathBuf>,
        as_crate: Option<CrateOptions>,
        demand: Demand,
        progress: &Progress,
    ) -> Result<Self, Failure> {
        let specifications = &mut [specification];
        let fixes = demand.find_fixes(specifications, progress)?;
        let [specification] = &*specifications;
        let specifications = std::slice::from_ref(specification);
        let others = Others::Orphans {
            foreign: Vec::new(),
        };
        let asked = (specification, demand.options(), &as_crate);
        let request = RunRequest::new(demand.reuse, asked);
        if let Some(folder) = &folder
            && let Some((said, tree)) = request.as_before(folder, &fixes)
        {
            let adapters = Files {
                folder: folder.clone(),
                tree,
                others,
            };
            return Ok(Self::as_before(specifications, adapters, said));
        }
        let sources = Layered::new(&fixes.texts, Disk);
        let files = Recorded::new(&sources);
        let read = read(specifications, demand, &files, progress)?;
        let adapters = folder.map(|folder| Files {
            folder,
            tree: modules(&read.catalog, as_crate.as_ref()),
            others,
        });
        let generation = Self::new(specifications, &read.catalog, read.services, adapters);
        let generation = generation.stamped(specifications, request, files, read.warnings);
        generation.with_fixes(fixes)
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
            fixes: Fixes::default(),
            services: said.services,
            stamp: None,
        }
    }

    fn new(
        specifications: &[Specification],
        catalog: &CheckedCatalog,
        summaries: Vec<Summary>,
        adapters: Option<Files>,
    ) -> Self {
        let services = catalog.services().iter().zip(specifications);
        let locks = services.filter_map(|(service, specification)| {
            Files::single_file(specification.lock.as_deref()?, emit::lock(service))
        });
        Self {
            adapters,
            locks: locks.collect(),
            fixes: Fixes::default(),
            services: summaries,
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

    /// Adds the overlays that get lines to the files. Files of one folder are replaced together.
    fn with_fixes(mut self, fixes: Fixes) -> Result<Self, Failure> {
        for overlay in &fixes.overlays {
            let files = Files::of_overlay(overlay)?;
            let mut known = self.locks.iter_mut();
            match known.find(|known| known.folder == files.folder) {
                Some(known) => known.tree.add_below("", files.tree),
                None => self.locks.push(files),
            }
        }
        self.fixes = fixes;
        Ok(self)
    }

    /// Without the adapters.
    pub(crate) fn only_locks(mut self) -> Self {
        self.adapters = None;
        self
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

    /// An overlay by itself.
    pub(crate) fn of_overlay(overlay: &OverlayFile) -> Result<Self, Failure> {
        let path = overlay.path();
        Self::single_file(path, overlay.text())
            .ok_or_else(|| Failure::new(format!("`{}` is not a file", path.display())))
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

fn modules(catalog: &CheckedCatalog, as_crate: Option<&CrateOptions>) -> OutputTree {
    let mut tree = OutputTree::new();
    for service in catalog.services() {
        tree.add_below(
            "",
            match as_crate {
                None => emit::service(service),
                Some(options) => emit::standalone(service, options),
            },
        );
    }
    tree
}

/// The result of reading.
struct ReadServices {
    catalog: CheckedCatalog,
    services: Vec<Summary>,
    /// The rendered warnings.
    warnings: String,
}

/// Reads the specifications. Fails before anything is generated if an operation is left out that must
/// not be.
fn read(
    specifications: &[Specification],
    demand: Demand,
    files: &dyn FileSystem,
    progress: &Progress,
) -> Result<ReadServices, Failure> {
    progress.step(format!(
        "reading {}",
        plural(specifications.len(), "specification")
    ));
    let inputs: Vec<_> = specifications.iter().map(Specification::input).collect();
    let (catalog, outcome) = check(&inputs, demand.options(), files)?;
    let all = catalog.services().iter();
    let services: Vec<_> = all
        .map(|service| summary(service, &outcome.diagnostics))
        .collect();
    if demand.strict {
        left_out::refuse(&services)?;
    }
    let warnings = render::text(
        &outcome.diagnostics,
        &outcome.sources,
        &outcome.documents,
        Style::Plain,
    );
    Ok(ReadServices {
        catalog,
        services,
        warnings: warnings.trim_end().to_owned(),
    })
}

fn summary(service: &CheckedService, diagnostics: &[Diagnostic]) -> Summary {
    let tools = service.tools().count();
    let decided = names::decided(service);
    let left_out = service.left_out().into_iter();
    let left_out = left_out.map(|(why, count)| (why.to_owned(), count));
    let left_out = left_out.collect();
    let service = service.service();
    let fixes = diagnostics.iter().filter_map(|one| one.fix.as_ref());
    Summary {
        name: service.name.clone(),
        format: service.format.clone(),
        operations: service.operations_in_document,
        tools,
        nodes: service.types.nodes(),
        untyped: service.types.untyped(),
        left_out,
        missing_lines: fixes.filter(|fix| fix.service == service.name).count(),
        decided,
    }
}
