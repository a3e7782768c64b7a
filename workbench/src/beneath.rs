//! Opening what a relative path names below a folder, and nothing else.
//!
//! On Linux the kernel resolves the path (`openat2`): it never leaves the folder, by `..`, by a symbolic
//! link or by a link of `/proc`, even if other processes rename folders in the meantime. Elsewhere, and on a kernel
//! without the call, each folder of the path is opened relative to the one before it, and symbolic links are
//! refused: [`walk`].

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::{
    fs::{Mode, OFlags, openat},
    io::{Errno, Result},
};

/// The most attempts if a rename disturbs the kernel.
#[cfg(target_os = "linux")]
const ATTEMPTS: usize = 16;

/// The flags for looking at a file without opening it, which neither a device nor a pipe notices.
#[cfg(target_os = "linux")]
pub(crate) const LOOK: OFlags = OFlags::PATH;
/// The flags for looking at a file. A pipe must not wait for its other end.
#[cfg(not(target_os = "linux"))]
pub(crate) const LOOK: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// Opens a path below a folder. A symbolic link in it is an error (`ELOOP`).
pub(crate) fn open(folder: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::ResolveFlags;
        match kernel(folder, path, flags, ResolveFlags::NO_SYMLINKS) {
            Err(Errno::NOSYS) => {}
            opened => return opened,
        }
    }
    walk(folder, path, flags)
}

/// Opens a path below a folder, and follows symbolic links that stay below it. Without the kernel's help,
/// they are an error (`ELOOP`).
pub(crate) fn follow(folder: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::ResolveFlags;
        match kernel(folder, path, flags, ResolveFlags::empty()) {
            Err(Errno::NOSYS) => {}
            opened => return opened,
        }
    }
    walk(folder, path, flags)
}

#[cfg(target_os = "linux")]
fn kernel(
    folder: BorrowedFd<'_>,
    path: &str,
    flags: OFlags,
    more: rustix::fs::ResolveFlags,
) -> Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | more;
    let open = || {
        openat2(
            folder,
            path,
            flags | OFlags::CLOEXEC,
            Mode::empty(),
            resolve,
        )
    };
    // The kernel does not know if a path stayed below the folder while something was renamed.
    let is_final = |opened: &Result<OwnedFd>| !matches!(opened, Err(Errno::AGAIN));
    let mut attempts = std::iter::repeat_with(open).take(ATTEMPTS);
    attempts.find(is_final).unwrap_or(Err(Errno::AGAIN))
}

/// Opens a path name by name, without following any symbolic link.
fn walk(folder: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd> {
    let fixed = OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let enter = LOOK | OFlags::DIRECTORY | fixed;
    let mut parent: Option<OwnedFd> = None;
    let mut names = path.split('/').peekable();
    while let Some(name) = names.next() {
        if matches!(name, "" | "." | "..") {
            return Err(Errno::XDEV);
        }
        let inside = parent.as_ref().map_or(folder, AsFd::as_fd);
        if names.peek().is_none() {
            return openat(inside, name, flags | fixed, Mode::empty());
        }
        parent = Some(openat(inside, name, enter, Mode::empty())?);
    }
    Err(Errno::NOENT)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use rustix::fs::{CWD, FileType, fstat};

    use super::*;

    fn folder(path: &std::path::Path) -> OwnedFd {
        openat(CWD, path, LOOK | OFlags::DIRECTORY, Mode::empty()).unwrap()
    }

    #[test]
    fn every_way_of_opening_stays_below_the_folder() {
        let outer = tempfile::tempdir().unwrap();
        let inner = outer.path().join("inner");
        fs::create_dir_all(inner.join("a/b")).unwrap();
        fs::write(outer.path().join("secret"), "x").unwrap();
        fs::write(inner.join("a/b/file"), "x").unwrap();
        symlink("../secret", inner.join("up")).unwrap();
        symlink(outer.path(), inner.join("absolute")).unwrap();
        symlink("/proc/self/root", inner.join("magic")).unwrap();
        let root = folder(&inner);
        for open in [open, follow, walk] {
            let found = open(root.as_fd(), "a/b/file", LOOK).unwrap();
            assert!(FileType::from_raw_mode(fstat(&found).unwrap().st_mode).is_file());
            for path in [
                "../secret",
                "a/../../secret",
                "/etc/passwd",
                "absolute/secret",
                "magic/etc/passwd",
                "",
            ] {
                open(root.as_fd(), path, LOOK).expect_err(path);
            }
            let up = open(root.as_fd(), "up", OFlags::RDONLY);
            assert!(matches!(up, Err(Errno::LOOP | Errno::XDEV)), "{up:?}");
        }
    }

    #[test]
    fn only_a_link_below_the_folder_is_followed() {
        let inner = tempfile::tempdir().unwrap();
        fs::write(inner.path().join("file"), "x").unwrap();
        symlink("file", inner.path().join("link")).unwrap();
        let root = folder(inner.path());
        let flags = OFlags::RDONLY;
        assert_eq!(open(root.as_fd(), "link", flags).unwrap_err(), Errno::LOOP);
        assert_eq!(walk(root.as_fd(), "link", flags).unwrap_err(), Errno::LOOP);
        #[cfg(target_os = "linux")]
        follow(root.as_fd(), "link", flags).unwrap();
    }
}
