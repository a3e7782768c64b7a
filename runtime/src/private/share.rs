//! Files and folders that the members of a group share.

use std::{
    fs::{self, File, Metadata},
    io,
    path::Path,
};

use super::{Audience, LINK, check_folder_for, check_for, create, create_folder, denied};

impl Audience {
    /// Returns the members of a group, by its name or number; without a group, the user who runs
    /// this process.
    ///
    /// # Errors
    /// When the system has no such group.
    pub fn of_group(group: Option<&str>) -> io::Result<Self> {
        group.map_or(Ok(Self::Owner), |name| group_number(name).map(Self::Group))
    }
}

/// Creates a private folder and those above it, unless it exists, opens it to the audience, and
/// checks it.
///
/// # Errors
/// When it cannot be created, and [`io::ErrorKind::PermissionDenied`] when it is not private to the
/// audience.
pub fn create_folder_for(path: &Path, audience: Audience) -> io::Result<()> {
    if !path.exists() {
        create_folder(path)?;
        share(path, 0o2770, audience)?;
    }
    check_folder_for(path, audience)
}

/// Creates a file that is private to an audience. It must not exist yet.
///
/// # Errors
/// When it exists or cannot be created.
pub fn create_for(path: &Path, audience: Audience) -> io::Result<File> {
    let file = create(path)?;
    share(path, 0o660, audience)?;
    Ok(file)
}

/// Checks a file that is private to an audience without opening it, and returns its metadata. A
/// symbolic link is refused.
///
/// Closing a file releases the locks that the process holds on it, so a database that is in use must
/// not be opened to check it. The folder of the file must be private, too.
///
/// # Errors
/// When it does not exist, and [`io::ErrorKind::PermissionDenied`] with the reason and the fix when
/// it is not private or not a regular file.
pub fn check_file_for(path: &Path, audience: Audience) -> io::Result<Metadata> {
    let metadata = fs::symlink_metadata(path)?;
    if metadata.is_symlink() {
        return Err(denied(LINK.to_owned()));
    }
    check_for(&metadata, audience).map_err(denied)?;
    Ok(metadata)
}

/// Opens a file of this user to the group, if there is one.
#[cfg(unix)]
fn share(path: &Path, mode: u32, audience: Audience) -> io::Result<()> {
    use std::os::unix::fs::{PermissionsExt, chown};
    if let Audience::Group(group) = audience {
        chown(path, None, Some(group))?;
        fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn share(_: &Path, _: u32, _: Audience) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn group_number(name: &str) -> io::Result<u32> {
    use nix::unistd::Group;
    if let Ok(number) = name.parse() {
        return Ok(number);
    }
    let group = Group::from_name(name).map_err(io::Error::from)?;
    let unknown = || {
        let message = format!("there is no group `{name}`");
        io::Error::new(io::ErrorKind::NotFound, message)
    };
    Ok(group.ok_or_else(unknown)?.gid.as_raw())
}

#[cfg(not(unix))]
fn group_number(name: &str) -> io::Result<u32> {
    let message = format!("the group `{name}` cannot be used on this system");
    Err(io::Error::new(io::ErrorKind::Unsupported, message))
}
