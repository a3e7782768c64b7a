//! Specifications as the user names them with `--spec`, with the files next to them.

use std::path::{Path, PathBuf};

use toolwright::ServiceName;

use crate::{Failure, output::error_line, specification::Specification, workspace};

/// Returns the specification at a path, which may be the folder of a service. Without an overlay, the
/// one next to it is used.
pub(super) fn specification(
    path: &Path,
    service: Option<ServiceName>,
    overlay: Option<PathBuf>,
) -> Result<Specification, Failure> {
    let mut specification = if path.is_dir() {
        Specification::from(workspace::service(path)?)
    } else {
        let (overlay, lock) = workspace::files_beside(path);
        // Only a project gives a service this lock, and the name of its folder.
        let is_of_service = lock.is_some() && workspace::is_specification(path);
        let folder = path.parent().and_then(Path::file_name);
        let name = folder.filter(|_| is_of_service);
        let name = name.and_then(|name| ServiceName::new(name.to_string_lossy()).ok());
        Specification {
            path: path.to_owned(),
            service: name,
            overlay,
            lock,
        }
    };
    if let Some(overlay) = overlay {
        specification =
            Specification::new(specification.path, specification.service, Some(overlay));
    }
    specification.service = service.or(specification.service);
    Ok(specification)
}

/// Reports the overlays of specifications that are not in the folder of the project. An overlay can
/// lower the class of a tool.
pub(super) fn mention_overlays(specifications: &[Specification], project: Option<&Path>) {
    let project = project.and_then(|folder| folder.canonicalize().ok());
    for overlay in specifications
        .iter()
        .filter_map(|found| found.overlay.as_ref())
    {
        let whole = overlay.canonicalize().ok();
        let is_of_project = whole
            .zip(project.as_ref())
            .is_some_and(|(overlay, project)| overlay.starts_with(project));
        if !is_of_project {
            error_line(format_args!("using the overlay `{}`", overlay.display()));
        }
    }
}
