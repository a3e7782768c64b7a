//! Private files: credentials, tokens, keys, approvals and the audit.
//!
//! Such a file is worth nothing as evidence, or as a secret, if other users of the machine can
//! change or read it. So it is opened first and checked afterwards, on the open file: the
//! file that was checked is the one that is read.
//!
//! The rules hold on Unix. On other systems access control lists decide, which are not checked.

mod share;

use std::{
    fs::{self, File, Metadata, OpenOptions},
    io::{self, Read, Write},
    path::Path,
};

pub use share::{check_file_for, create_folder_for, create_for};

/// The reason to refuse a symbolic link, and the fix.
const LINK: &str = "it is a symbolic link; give the path that it leads to";

/// The handling of a symbolic link in place of the file itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// The link is followed, and its target is checked. Secret stores mount their files this way.
    Follow,
    /// The link is refused.
    Refuse,
}

/// Who may read and change a private file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// The user who runs this process, and root.
    Owner,
    /// The members of a group, by its number. Every member can replace what another one wrote.
    Group(u32),
}

/// Opens a private file for reading.
///
/// # Errors
/// When it cannot be opened, and [`io::ErrorKind::PermissionDenied`] with the reason and the fix
/// when it is not private or not a regular file.
pub fn open(path: &Path, links: Links) -> io::Result<File> {
    open_for(path, links, Audience::Owner)
}

/// Opens a file for reading that is private to an audience.
///
/// # Errors
/// As [`open`].
pub fn open_for(path: &Path, links: Links, audience: Audience) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    flags(&mut options, links);
    let file = options
        .open(path)
        .map_err(|error| refused_link(error, links))?;
    check_for(&file.metadata()?, audience).map_err(denied)?;
    Ok(file)
}

/// Reads a private file of at most `limit` bytes as UTF-8.
///
/// # Errors
/// As [`open`], and [`io::ErrorKind::InvalidData`] when it is longer or not UTF-8.
pub fn read(path: &Path, links: Links, limit: u64) -> io::Result<String> {
    text(open(path, links)?, limit)
}

/// Reads a private file as [`read`] does, but refuses a symbolic link in the whole path, not only in place of the
/// file. The path is checked and opened in one step. Returns none on systems without such a step.
///
/// # Errors
/// As [`read`], and one that [`is_link`] recognises if there is a link.
#[cfg(target_os = "linux")]
pub fn read_without_links(path: &Path, limit: u64) -> io::Result<Option<String>> {
    use nix::{
        errno::Errno,
        fcntl::{AT_FDCWD, OFlag, OpenHow, ResolveFlag, openat2},
    };
    let how = OpenHow::new()
        .flags(OFlag::O_RDONLY | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK)
        .resolve(ResolveFlag::RESOLVE_NO_SYMLINKS);
    let file = match openat2(AT_FDCWD, path, how) {
        Ok(file) => File::from(file),
        // The kernel does not have the call, or does not let this process use it.
        Err(Errno::ENOSYS | Errno::EPERM) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    check(&file.metadata()?).map_err(denied)?;
    text(file, limit).map(Some)
}

/// Returns none: other systems have no such step.
///
/// # Errors
/// None.
#[cfg(not(target_os = "linux"))]
pub fn read_without_links(_: &Path, _: u64) -> io::Result<Option<String>> {
    Ok(None)
}

/// Checks whether a file could not be opened because there is a symbolic link where none may be.
#[must_use]
pub fn is_link(error: &io::Error) -> bool {
    #[cfg(unix)]
    return error.raw_os_error() == Some(nix::libc::ELOOP);
    #[cfg(not(unix))]
    {
        let _ = error;
        false
    }
}

fn text(file: File, limit: u64) -> io::Result<String> {
    let mut text = String::new();
    file.take(limit + 1).read_to_string(&mut text)?;
    if text.len() as u64 > limit {
        let message = format!("it is longer than {limit} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(text)
}

/// Reads a file of at most `limit` bytes that only this user, or root, can change. Others may read
/// it. A symbolic link is followed.
///
/// # Errors
/// As [`read`].
pub fn read_protected(path: &Path, limit: u64) -> io::Result<String> {
    let mut options = OpenOptions::new();
    options.read(true);
    flags(&mut options, Links::Follow);
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(denied("it is not a regular file".to_owned()));
    }
    check_changes(&metadata).map_err(denied)?;
    text(file, limit)
}

/// Opens a private file for appending, and creates it if it is absent. A symbolic link is refused.
///
/// # Errors
/// As [`open`].
pub fn append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    flags(&mut options, Links::Refuse);
    mode(&mut options);
    let file = options
        .open(path)
        .map_err(|error| refused_link(error, Links::Refuse))?;
    check(&file.metadata()?).map_err(denied)?;
    Ok(file)
}

/// Creates a private file, which must not exist yet.
///
/// # Errors
/// When it exists or cannot be created.
pub fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    mode(&mut options);
    options.open(path)
}

/// Writes a private file, and creates the folders above it if they are absent. An existing file is
/// replaced in one step: a reader sees the old content or the new one.
///
/// # Errors
/// When it cannot be written.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut staged = path.as_os_str().to_owned();
    staged.push(format!(".{}", uuid::Uuid::new_v4()));
    let staged = Path::new(&staged);
    let written = create(staged).and_then(|mut file| {
        file.write_all(content.as_ref())?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(staged, path));
    if replaced.is_err() {
        let _ = fs::remove_file(staged);
    }
    replaced
}

/// Creates a private folder and those above it, unless it exists, and checks it.
///
/// # Errors
/// When it cannot be created, and [`io::ErrorKind::PermissionDenied`] when it is not private.
pub fn create_folder(path: &Path) -> io::Result<()> {
    build_folder(path)?;
    check_folder(path)
}

/// Creates the folder of a file, private like those above it that are absent, unless it exists,
/// and checks it as [`check_parent`] does.
///
/// # Errors
/// When it cannot be created, and [`io::ErrorKind::PermissionDenied`] when other users can change
/// it.
pub fn create_parent(file: &Path) -> io::Result<()> {
    build_folder(parent(file))?;
    check_parent(file)
}

fn build_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// Returns the folder of a file.
#[must_use]
pub fn parent(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Checks that only this user, or root, can add, rename and delete files in the folder of a file.
/// Other users may list it. A symbolic link in place of the folder is refused.
///
/// # Errors
/// [`io::ErrorKind::PermissionDenied`] with the reason and the fix.
pub fn check_parent(file: &Path) -> io::Result<()> {
    let folder = parent(file);
    let metadata = fs::symlink_metadata(folder)?;
    let checked = if metadata.is_symlink() {
        Err(LINK.to_owned())
    } else {
        check_changes(&metadata)
    };
    checked.map_err(|reason| {
        let folder = folder.display();
        denied(format!("its folder `{folder}` is not safe: {reason}"))
    })
}

/// Checks that only this user can list and change a folder.
///
/// # Errors
/// [`io::ErrorKind::PermissionDenied`] with the reason and the fix.
pub fn check_folder(path: &Path) -> io::Result<()> {
    check_folder_for(path, Audience::Owner)
}

/// Checks that only an audience can list and change a folder.
///
/// # Errors
/// As [`check_folder`].
pub fn check_folder_for(path: &Path, audience: Audience) -> io::Result<()> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_dir() {
        return Err(denied("it is not a folder".to_owned()));
    }
    check_owner(&metadata, audience).map_err(denied)
}

/// Checks that an open file is a regular file that only this user, or root, can read and change.
///
/// # Errors
/// The reason and the fix, as the end of a sentence that names the file.
pub fn check(metadata: &Metadata) -> Result<(), String> {
    check_for(metadata, Audience::Owner)
}

fn check_for(metadata: &Metadata, audience: Audience) -> Result<(), String> {
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    check_owner(metadata, audience)
}

/// Returns the identity of a file among all that exist at the same time: its device and its
/// number on it. Other systems than Unix have no such pair, and there all are equal.
#[must_use]
pub fn identity(metadata: &Metadata) -> (u64, u64) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (metadata.dev(), metadata.ino())
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        (0, 0)
    }
}

#[cfg(unix)]
fn check_changes(metadata: &Metadata) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    check_user(metadata)?;
    let mode = metadata.mode() & 0o777;
    if mode & 0o022 != 0 {
        return Err(format!(
            "its mode {mode:04o} lets other users change it; remove that with `chmod go-w`"
        ));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_changes(_: &Metadata) -> Result<(), String> {
    Ok(())
}

/// Checks that a file belongs to this user or to root, and returns whether it is this user.
#[cfg(unix)]
fn check_user(metadata: &Metadata) -> Result<bool, String> {
    use std::os::unix::fs::MetadataExt;
    let owner = metadata.uid();
    let this = nix::unistd::geteuid().as_raw();
    if owner != this && owner != 0 {
        return Err(format!(
            "it belongs to the user {owner}, and this process runs as the user {this}; change its owner"
        ));
    }
    Ok(owner == this)
}

#[cfg(unix)]
fn check_owner(metadata: &Metadata, audience: Audience) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    let mode = metadata.mode() & 0o777;
    let is_shared = matches!(audience, Audience::Group(group) if metadata.gid() == group);
    let foreign = if is_shared {
        0o007
    } else if check_user(metadata)? {
        0o077
    } else {
        // Root may let a group read, as services are given their secrets.
        0o037
    };
    if mode & foreign != 0 {
        let digits = match (metadata.is_dir(), is_shared) {
            (true, false) => "0700",
            (true, true) => "2770",
            (false, false) => "0600",
            (false, true) => "0660",
        };
        return Err(format!(
            "its mode {mode:04o} lets other users read or change it; set it to {digits} with `chmod`"
        ));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_owner(_: &Metadata, _: Audience) -> Result<(), String> {
    Ok(())
}

/// Makes opening refuse a link if it is asked to, and not wait for the other end of a pipe.
#[cfg(unix)]
fn flags(options: &mut OpenOptions, links: Links) {
    use std::os::unix::fs::OpenOptionsExt;
    let no_follow = match links {
        Links::Follow => 0,
        Links::Refuse => nix::libc::O_NOFOLLOW,
    };
    options.custom_flags(nix::libc::O_NONBLOCK | no_follow);
}

#[cfg(not(unix))]
fn flags(_: &mut OpenOptions, _: Links) {}

#[cfg(unix)]
fn mode(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600);
}

#[cfg(not(unix))]
fn mode(_: &mut OpenOptions) {}

fn refused_link(error: io::Error, links: Links) -> io::Error {
    match links == Links::Refuse && is_link(&error) {
        true => denied(LINK.to_owned()),
        false => error,
    }
}

/// Returns the error for a file that is not private.
pub(crate) fn denied(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, reason)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn written(folder: &Path, mode: u32) -> std::path::PathBuf {
        let file = folder.join(format!("{mode:o}"));
        fs::write(&file, "content").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    #[test]
    fn only_files_of_this_user_alone_are_private() {
        let folder = tempfile::tempdir().unwrap();
        for (mode, private) in [
            (0o600, true),
            (0o400, true),
            (0o640, false),
            (0o604, false),
            (0o620, false),
        ] {
            let file = written(folder.path(), mode);
            let read = read(&file, Links::Refuse, 100);
            assert_eq!(read.is_ok(), private, "{mode:o}: {read:?}");
        }
        let message = open(&folder.path().join("640"), Links::Follow).unwrap_err();
        assert!(message.to_string().contains("set it to 0600"), "{message}");
    }

    #[test]
    fn a_protected_file_may_be_read_but_not_changed_by_others() {
        let folder = tempfile::tempdir().unwrap();
        for (mode, protected) in [(0o600, true), (0o644, true), (0o664, false), (0o646, false)] {
            let file = written(folder.path(), mode);
            let read = read_protected(&file, 100);
            assert_eq!(read.is_ok(), protected, "{mode:o}: {read:?}");
        }
        assert!(read_protected(folder.path(), 100).is_err());
        assert!(read_protected(Path::new("/dev/null"), 100).is_err());
    }

    #[test]
    fn links_pipes_and_folders_are_refused_as_private_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = written(folder.path(), 0o600);
        let link = folder.path().join("link");
        symlink(&file, &link).unwrap();
        assert!(open(&link, Links::Follow).is_ok());
        assert!(open(&link, Links::Refuse).is_err());
        assert!(append(&link).is_err());
        for other in [Path::new("/dev/null"), folder.path()] {
            assert!(open(other, Links::Follow).is_err(), "{}", other.display());
        }
        assert!(append(Path::new("/dev/null")).is_err());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_path_with_a_link_is_not_read_in_one_step() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let file = written(&folder, 0o600);
        symlink(&folder, folder.join("link")).unwrap();
        symlink(&file, folder.join("file")).unwrap();
        let read = |name: &str| read_without_links(&folder.join(name), 100);
        assert_eq!(read("600").unwrap().as_deref(), Some("content"));
        for link in ["link/600", "file"] {
            assert!(is_link(&read(link).unwrap_err()), "{link}");
        }
        let absent = read("nothing").unwrap_err();
        assert_eq!(absent.kind(), io::ErrorKind::NotFound);
        written(&folder, 0o640);
        let shared = read("640").unwrap_err();
        assert_eq!(shared.kind(), io::ErrorKind::PermissionDenied);
    }

    #[test]
    fn a_written_file_is_private_even_if_it_replaces_another() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/b");
        write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        write(&file, "new").unwrap();
        assert_eq!(read(&file, Links::Refuse, 100).unwrap(), "new");
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_longer_than_the_limit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = written(folder.path(), 0o600);
        assert!(read(&file, Links::Refuse, 7).is_ok());
        assert!(read(&file, Links::Refuse, 6).is_err());
    }
}
