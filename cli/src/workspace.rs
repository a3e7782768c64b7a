//! The services of a project: one folder each below `specs/`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use toolwright::ServiceName;
use toolwright_model::most_similar;

use crate::{Failure, failure::Code};

/// The names that a specification may have in its folder.
const SPECIFICATIONS: [&str; 16] = [
    "openapi.yaml",
    "openapi.yml",
    "openapi.json",
    "swagger.yaml",
    "swagger.yml",
    "swagger.json",
    "eab.yaml",
    "eab.yml",
    "eab.json",
    "schema.graphql",
    "schema.graphqls",
    "schema.gql",
    "graphql.json",
    "service.proto",
    DESCRIPTORS,
    MOUNTED,
];

/// The name of a descriptor set of Protocol Buffers.
pub(crate) const DESCRIPTORS: &str = "service.binpb";

/// The name of the accepted definitions of a mounted MCP server.
const MOUNTED: &str = "mcp.json";

/// The name of the overlay in the folder of a service.
pub(crate) const OVERLAY: &str = "overlay.toml";

/// The name of the lock in the folder of a service.
pub(crate) const LOCK: &str = "names.lock";

/// A specification and what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServiceFiles {
    /// The service.
    pub(crate) name: ServiceName,
    /// The specification.
    pub(crate) specification: PathBuf,
    /// The overlay, if there is one.
    pub(crate) overlay: Option<PathBuf>,
    /// The lock, which may not be there yet.
    pub(crate) lock: PathBuf,
}

impl ServiceFiles {
    /// Checks whether the service is a mounted MCP server. It has no adapters.
    pub(crate) fn is_mounted(&self) -> bool {
        self.specification.ends_with(MOUNTED)
    }
}

/// The services of a project, by name, in the folder of its specifications.
pub(crate) fn services(specs: &Path) -> Result<Vec<ServiceFiles>, Failure> {
    let found = find_services(specs)?.into_iter();
    found.map(|(_, files)| files).collect()
}

/// A folder in which a service belongs, and the service or what is wrong.
pub(crate) type Found = (PathBuf, Result<ServiceFiles, Failure>);

/// Finds the services of a project. A folder that is no service does not affect the others.
pub(crate) fn find_services(specs: &Path) -> Result<Vec<Found>, Failure> {
    let unreadable = |error: io::Error| {
        let failure = Failure::file("read", specs, &error);
        match error.kind() {
            io::ErrorKind::NotFound => {
                failure.help("add a service with `toolwright add SPEC`, which creates the folder")
            }
            _ => failure,
        }
    };
    let mut folders = Vec::new();
    for entry in fs::read_dir(specs).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    folders.sort();
    let found = folders.into_iter().map(|folder| {
        let files = service(&folder);
        (folder, files)
    });
    Ok(found.collect())
}

/// Returns the names of the services of a project that can be found.
pub(crate) fn names(specs: &Path) -> Vec<ServiceName> {
    let found = find_services(specs).unwrap_or_default().into_iter();
    found
        .filter_map(|(_, files)| files.ok().map(|files| files.name))
        .collect()
}

/// Those of the services that were named, or all of them if none was.
pub(crate) fn select(
    services: &[ServiceFiles],
    names: &[ServiceName],
) -> Result<Vec<ServiceFiles>, Failure> {
    if names.is_empty() {
        return Ok(services.to_vec());
    }
    let known = || services.iter().map(|service| service.name.as_str());
    for name in names {
        if !known().any(|known| known == name.as_str()) {
            let failure =
                Failure::new(format!("there is no service `{name}`")).code(Code::UnknownService);
            return Err(match most_similar(name.as_str(), known()) {
                Some(similar) => {
                    failure.help(format!("a service with a similar name exists: `{similar}`"))
                }
                None => failure.help(format!(
                    "the services are {}",
                    known().collect::<Vec<_>>().join(", ")
                )),
            });
        }
    }
    let named = |service: &&ServiceFiles| names.contains(&service.name);
    Ok(services.iter().filter(named).cloned().collect())
}

/// Returns the default path of the overlay of a specification, next to it.
pub(crate) fn overlay_of(specification: &Path) -> PathBuf {
    specification.with_file_name(OVERLAY)
}

/// Returns the overlay and the lock next to a specification, if they are there: `overlay.toml` in the
/// folder of a service, and `shop.overlay.toml` for `shop.yaml`.
pub(crate) fn files_beside(specification: &Path) -> (Option<PathBuf>, Option<PathBuf>) {
    let stem = specification.file_stem().unwrap_or_default();
    let prefix = match is_specification(specification) {
        true => String::new(),
        false => format!("{}.", stem.to_string_lossy()),
    };
    let beside = |name: &str| specification.with_file_name(format!("{prefix}{name}"));
    let [overlay, lock] = [OVERLAY, LOCK]
        .map(beside)
        .map(|path| path.is_file().then_some(path));
    (overlay, lock)
}

/// Returns the name of a specification's file in the folder of its service, by its format and content.
pub(crate) fn file_name(format: &str, text: &str) -> String {
    let is_json = text
        .trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with('{');
    let name = match (format.split(' ').next(), is_json) {
        (Some("eab"), true) => "eab.json",
        (Some("eab"), false) => "eab.yaml",
        (Some("swagger"), true) => "swagger.json",
        (Some("swagger"), false) => "swagger.yaml",
        (Some("graphql"), true) => "graphql.json",
        (Some("graphql"), false) => "schema.graphql",
        (Some("grpc"), _) => "service.proto",
        (_, true) => "openapi.json",
        (_, false) => "openapi.yaml",
    };
    name.to_owned()
}

/// Checks whether a file has the name of a service's specification.
pub(crate) fn is_specification(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| SPECIFICATIONS.contains(&name))
}

/// Checks whether a folder is that of a service: it contains a specification.
pub(crate) fn is_service(folder: &Path) -> bool {
    let mut names = SPECIFICATIONS.iter();
    names.any(|name| folder.join(name).is_file())
}

/// The service of a folder.
pub(crate) fn service(folder: &Path) -> Result<ServiceFiles, Failure> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let name = ServiceName::new(name).map_err(|error| {
        Failure::new(format!("`{}` is not a service name", folder.display()))
            .note(error.to_string())
            .help("rename the folder; its name is the service's name")
    })?;
    let there = |file: &&&str| folder.join(file).is_file();
    let mut found = SPECIFICATIONS.iter().filter(there);
    let specification = match (found.next(), found.next()) {
        (Some(only), None) => folder.join(only),
        (Some(one), Some(other)) => {
            return Err(Failure::new(format!(
                "`{}` has two specifications, `{one}` and `{other}`",
                folder.display()
            ))
            .help("remove one, or move one to a separate folder"));
        }
        (None, _) => {
            return Err(
                Failure::new(format!("`{}` has no specification", folder.display()))
                    .help(format!("it may be named {}", SPECIFICATIONS.join(", "))),
            );
        }
    };
    let overlay = folder.join(OVERLAY);
    Ok(ServiceFiles {
        name,
        specification,
        overlay: overlay.is_file().then_some(overlay),
        lock: folder.join(LOCK),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_specification() {
        let folder = tempfile::tempdir().unwrap();
        let depot = folder.path().join("depot");
        fs::create_dir(&depot).unwrap();
        assert!(
            service(&depot)
                .unwrap_err()
                .to_string()
                .contains("has no specification")
        );

        fs::write(depot.join("openapi.yaml"), "").unwrap();
        fs::write(depot.join("overlay.toml"), "").unwrap();
        let files = service(&depot).unwrap();
        assert_eq!(files.specification, depot.join("openapi.yaml"));
        assert_eq!(files.overlay, Some(depot.join("overlay.toml")));
        assert_eq!(files.lock, depot.join("names.lock"));

        fs::write(depot.join("eab.json"), "").unwrap();
        assert!(
            service(&depot)
                .unwrap_err()
                .to_string()
                .contains("two specifications")
        );
    }
}
