//! The two sides of a comparison: a specification, a table of tools, or a folder of either.

use std::{
    fs,
    path::{Path, PathBuf},
};

use toolwright::ServiceName;
use toolwright_drift::Inventory;
use toolwright_generator::generate::{Accept, Options, Unnameable};

use crate::{
    Failure,
    specification::Specification,
    workspace::{self, ServiceFiles},
};

/// The tables in a folder of adapters, the most detailed first.
const TABLES: [&str; 2] = ["tools.json", "manifest.json"];

/// Options that accept every difference from the lock, since the report lists them.
const IGNORE_LOCK: Options = Options {
    unnameable: Unnameable::LeaveOutLocked,
    accept: Accept {
        renames: true,
        lowering: true,
    },
};

/// A side after reading.
pub(crate) struct Side {
    /// The user's name for the side.
    pub(crate) name: String,
    /// Its tools.
    pub(crate) inventory: Inventory,
    /// The corrections of its overlays that change nothing.
    pub(crate) needless: Vec<String>,
}

/// The content of a side.
#[derive(Default)]
struct Content {
    inventory: Inventory,
    /// The service, if the side is the specification of one.
    service: Option<ServiceName>,
    needless: Vec<String>,
}

/// A side before reading.
pub(crate) struct Reading {
    path: PathBuf,
    source: SideSource,
}

enum SideSource {
    /// Tables that the generator wrote.
    Tables(Vec<PathBuf>),
    /// Specifications in the folders of their services.
    Services(Vec<ServiceFiles>),
    /// A specification without a folder; only its file name suggests the service.
    File(Specification),
}

impl Reading {
    /// Detects the kind of a path.
    pub(crate) fn open(path: &Path, overlay: Option<&Path>) -> Result<Self, Failure> {
        let source = if path.is_dir() {
            folder(path)?
        } else if is_table(path)? {
            SideSource::Tables(vec![path.to_owned()])
        } else {
            let overlay = overlay.map(Path::to_owned);
            SideSource::File(Specification::new(path.to_owned(), None, overlay))
        };
        Ok(Self {
            path: path.to_owned(),
            source,
        })
    }

    /// Reads both sides. A service has the same name on both: the name that the user states, the
    /// name that a folder or table declares, or the name of the new file.
    pub(crate) fn read_both(
        old: Self,
        new: Self,
        service: Option<&ServiceName>,
    ) -> Result<(Side, Side), Failure> {
        let known = service
            .cloned()
            .or(old.only_service()?)
            .or(new.only_service()?);
        let read_new = new.read(known.as_ref());
        let name = match &read_new {
            Ok(new) => known.clone().or_else(|| new.service.clone()),
            Err(_) => known.clone(),
        };
        // Report the problems of both sides in one run.
        let read_old = old.read(name.as_ref());
        let (read_new, read_old) = (read_new?, read_old?);
        let side = |reading: Self, content: Content| Side {
            name: reading.path.display().to_string(),
            inventory: match service {
                Some(service) => content.inventory.of_service(service),
                None => content.inventory,
            },
            needless: content.needless,
        };
        Ok((side(old, read_old), side(new, read_new)))
    }

    /// Returns the service if the side declares exactly one.
    fn only_service(&self) -> Result<Option<ServiceName>, Failure> {
        match &self.source {
            SideSource::Tables(files) => match files.as_slice() {
                [file] => {
                    let inventory = table(file)?;
                    let first = inventory.tools().first();
                    Ok(first.map(|tool| tool.service().clone()))
                }
                _ => Ok(None),
            },
            SideSource::Services(services) => match services.as_slice() {
                [service] => Ok(Some(service.name.clone())),
                _ => Ok(None),
            },
            SideSource::File(_) => Ok(None),
        }
    }

    fn read(&self, service: Option<&ServiceName>) -> Result<Content, Failure> {
        let mut content = Content::default();
        match &self.source {
            SideSource::Tables(files) => {
                for file in files {
                    content.add(table(file)?);
                }
            }
            SideSource::Services(services) => {
                for files in services {
                    // A single service is the compared one, independent of the folder's name.
                    let alone = service.filter(|_| services.len() == 1);
                    let mut specification = Specification::from(files.clone());
                    specification.service = alone.cloned().or(specification.service);
                    let read = specification.read(IGNORE_LOCK)?;
                    content.add(Inventory::of_specs(read.specs));
                    content.needless.extend(read.needless);
                }
            }
            SideSource::File(specification) => {
                let mut specification = specification.clone();
                specification.service = service.cloned();
                let read = specification.read(IGNORE_LOCK)?;
                content.add(Inventory::of_specs(read.specs));
                content.service = read.service;
                content.needless = read.needless;
            }
        }
        Ok(content)
    }
}

impl Content {
    fn add(&mut self, inventory: Inventory) {
        self.inventory = std::mem::take(&mut self.inventory).merge(inventory);
    }
}

/// Detects the content of a folder: the adapters of a service, a service, or folders of either.
fn folder(path: &Path) -> Result<SideSource, Failure> {
    if let Some(table) = table_in(path) {
        return Ok(SideSource::Tables(vec![table]));
    }
    if workspace::is_service(path) {
        return Ok(SideSource::Services(vec![workspace::service(path)?]));
    }
    let inner = path.join("src");
    let path = if inner.is_dir() { &inner } else { path };
    let folders = folders(path)?;
    let tables: Vec<PathBuf> = folders
        .iter()
        .filter_map(|folder| table_in(folder))
        .collect();
    if !tables.is_empty() {
        return Ok(SideSource::Tables(tables));
    }
    if folders.iter().any(|folder| workspace::is_service(folder)) {
        return Ok(SideSource::Services(workspace::services(path)?));
    }
    let message = format!("there are no tools in `{}`", path.display());
    Err(Failure::new(message).help(
        "pass a specification, a `tools.json`, a `manifest.json`, or a folder of them such as `specs` or `generated`",
    ))
}

fn folders(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable = |error| Failure::file("read", path, &error);
    let mut folders = Vec::new();
    for entry in fs::read_dir(path).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    folders.sort();
    Ok(folders)
}

fn table_in(folder: &Path) -> Option<PathBuf> {
    let mut tables = TABLES.iter().map(|name| folder.join(name));
    tables.find(|path| path.is_file())
}

/// Checks whether the generator wrote the file. An unreadable file is reported later, as a
/// specification.
fn is_table(path: &Path) -> Result<bool, Failure> {
    let text = fs::read_to_string(path).unwrap_or_default();
    read_table(path, &text).map(|table| table.is_some())
}

fn table(path: &Path) -> Result<Inventory, Failure> {
    let text = fs::read_to_string(path).map_err(|error| Failure::file("read", path, &error))?;
    read_table(path, &text)?.ok_or_else(|| {
        let message = format!("`{}` is not a table of tools", path.display());
        Failure::new(message).help("run `toolwright generate` to write it")
    })
}

fn read_table(path: &Path, text: &str) -> Result<Option<Inventory>, Failure> {
    Inventory::of_table(text).map_err(|error| {
        Failure::new(format!("cannot read `{}`: {error}", path.display()))
            .help("generate it again with this version of `toolwright`")
    })
}
