//! The folders of a repository that a program may use.

use std::path::{Path, PathBuf};

use toolwright::{ToolContext, ToolError, policy::is_protected_folder};

use crate::failure::{failed, misconfigured};

/// The folders of programs of every system, in the order of a search.
pub const SYSTEM_PATH: [&str; 5] = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/// Returns the folder of the repository of a call, without symbolic links.
///
/// # Errors
/// `no_repository` if the call has none.
pub fn repository(ctx: &ToolContext) -> Result<PathBuf, ToolError> {
    // The folder of a file without a path is the current one.
    let spelled = |root: &Path| match root.as_os_str().is_empty() {
        true => PathBuf::from("."),
        false => root.to_owned(),
    };
    let root = ctx.repository().path.as_deref().map(spelled);
    let root = root.and_then(|root| root.canonicalize().ok());
    root.ok_or_else(|| {
        let message = "there is no repository; the operator sets `path` in `[repository]`";
        failed("no_repository", message)
    })
}

/// The folders of a repository with the credentials and the state of Toolwright.
const SECRET: [&str; 2] = [".local", ".toolwright"];

/// Returns the folders of the repository that no program may read: those with credentials and with the state of
/// Toolwright, as far as they are below one of these paths.
#[must_use]
pub fn secret<'p>(root: &Path, read: impl Iterator<Item = &'p PathBuf> + Clone) -> Vec<PathBuf> {
    let folders = SECRET.iter().map(|name| root.join(name));
    let is_readable = |folder: &PathBuf| read.clone().any(|path| folder.starts_with(path));
    folders
        .filter(|folder| folder.exists() && is_readable(folder))
        .collect()
}

/// Returns an existing path without symbolic links.
///
/// # Errors
/// `command_misconfigured` if there is no such path.
pub fn existing(path: &Path) -> Result<PathBuf, ToolError> {
    let describe = |error| misconfigured(format!("the path `{}`: {error}", path.display()));
    path.canonicalize().map_err(describe)
}

/// Returns a folder of the repository, which no symbolic link leads out of.
///
/// # Errors
/// `outside_of_repository` if it is elsewhere.
pub fn below(root: &Path, folder: &str) -> Result<PathBuf, ToolError> {
    let path = existing(&root.join(folder))?;
    if !path.starts_with(root) {
        return Err(failed(
            "outside_of_repository",
            "the path leaves the repository",
        ));
    }
    Ok(path)
}

/// Returns a folder that a program may write. It holds nothing that is protected.
///
/// # Errors
/// `command_misconfigured` if it does, or `outside_of_repository`.
pub fn writable(root: &Path, folder: &str) -> Result<PathBuf, ToolError> {
    let path = below(root, folder)?;
    let inner = path.strip_prefix(root).unwrap_or(&path).to_string_lossy();
    if inner.is_empty() || is_protected_folder(&inner) {
        return Err(misconfigured(format!(
            "commands cannot write `{folder}`, because it is protected or contains what is"
        )));
    }
    Ok(path)
}
