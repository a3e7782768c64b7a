//! The mounts of a child: everything is read-only but the paths that it may write, and some paths are covered.
//!
//! Landlock decides about the content of files, and about the entries of folders. It leaves the
//! permissions, the owners and the times of files to the user, and read-only mounts do not.

use std::{
    ffi::{CString, OsString},
    fs, io,
    os::{fd::AsRawFd as _, unix::ffi::OsStringExt},
    path::{Path, PathBuf},
};

use nix::sched::{CloneFlags, unshare};
use rustix::{
    fs::{FileType, Mode, OFlags, fstat, open},
    io::Errno,
    mount::{
        MountFlags, MountPropagationFlags, mount, mount_bind, mount_bind_recursive, mount_change,
        mount_remount,
    },
};

use crate::{Files, SCRATCH, Support};

/// The empty file that covers others.
const NOTHING: &str = "/dev/null";

/// The process numbers that the kernel reserves in each namespace.
const RESERVED_NUMBERS: u64 = 301;

/// Enters a namespace of mounts, which are separate from the machine's.
pub(super) fn enter() -> io::Result<()> {
    unshare(CloneFlags::CLONE_NEWNS)?;
    let flags = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    Ok(mount_change("/", flags)?)
}

/// Enters a namespace of mounts if the machine grants one, makes all of them read-only except for the paths
/// that may be written, and covers those that are hidden.
pub(super) fn restrict(files: &Files, support: &Support) -> Result<(), String> {
    if !support.mount {
        return Ok(());
    }
    enter().map_err(|error| format!("a mount namespace: {error}"))?;
    make_read_only(&files.write)?;
    files.hidden.iter().try_for_each(|path| cover(path))
}

/// Puts an empty file or an empty folder in the place of a path. No name of a mount can be removed or renamed in
/// this namespace.
fn cover(path: &Path) -> Result<(), String> {
    let describe = |error| format!("the path `{}`: {error}", path.display());
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let found = match open(path, flags, Mode::empty()) {
        Ok(found) => found,
        // There is nothing to cover any more.
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(()),
        Err(error) => return Err(describe(error)),
    };
    let stat = fstat(&found).map_err(describe)?;
    // Another process may have exchanged the path by now: the file that was found is covered.
    let place = format!("/proc/self/fd/{}", found.as_raw_fd());
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | MountFlags::RDONLY;
    let covered = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => mount("tmpfs", &place, "tmpfs", flags, c"size=4k,mode=000"),
        FileType::Symlink => return Ok(()),
        _ => mount_bind(NOTHING, &place),
    };
    match covered {
        Ok(()) | Err(Errno::NOENT | Errno::NOTDIR) => Ok(()),
        Err(error) => Err(describe(error)),
    }
}

fn make_read_only(writable: &[PathBuf]) -> Result<(), String> {
    let mut kept = Vec::new();
    for path in writable {
        let describe = |error| format!("the path `{}`: {error}", path.display());
        let path = path.canonicalize().map_err(describe)?;
        mount_bind_recursive(&path, &path).map_err(|error| describe(error.into()))?;
        kept.push(path);
    }
    let mounts = fs::read("/proc/self/mountinfo");
    let mounts = mounts.map_err(|error| format!("the list of mounts: {error}"))?;
    for line in mounts.split(|byte| *byte == b'\n') {
        let Some((path, flags)) = parse(line) else {
            continue;
        };
        if kept.iter().any(|kept| path.starts_with(kept)) || flags.contains(MountFlags::RDONLY) {
            continue;
        }
        let flags = flags | MountFlags::BIND | MountFlags::RDONLY;
        match mount_remount(&path, flags, "") {
            // The mount is below another one, and no path leads to it.
            Ok(()) | Err(Errno::NOENT | Errno::INVAL | Errno::NOTDIR) => {}
            Err(error) => return Err(format!("the mount `{}`: {error}", path.display())),
        }
    }
    Ok(())
}

/// Returns the path and the flags of a line of `mountinfo`.
fn parse(line: &[u8]) -> Option<(PathBuf, MountFlags)> {
    let mut fields = line.split(|byte| *byte == b' ').skip(4);
    let path = unescape(fields.next()?);
    let mut flags = MountFlags::empty();
    for option in fields.next()?.split(|byte| *byte == b',') {
        flags |= match option {
            b"ro" => MountFlags::RDONLY,
            b"nosuid" => MountFlags::NOSUID,
            b"nodev" => MountFlags::NODEV,
            b"noexec" => MountFlags::NOEXEC,
            b"noatime" => MountFlags::NOATIME,
            b"nodiratime" => MountFlags::NODIRATIME,
            b"relatime" => MountFlags::RELATIME,
            _ => continue,
        };
    }
    Some((PathBuf::from(OsString::from_vec(path)), flags))
}

/// Replaces the octal escapes of white space and `\` in a path.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        let escape = match rest {
            [b'\\', digits @ ..] => digits.get(..3).and_then(octal),
            _ => None,
        };
        path.push(escape.unwrap_or(*first));
        rest = match escape {
            Some(_) => rest.get(4..).unwrap_or_default(),
            None => after,
        };
    }
    path
}

fn octal(digits: &[u8]) -> Option<u8> {
    let digits = std::str::from_utf8(digits).ok()?;
    u8::from_str_radix(digits, 8).ok()
}

/// Mounts a `/proc` that shows the processes of this namespace alone.
pub(super) fn mount_proc() -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    Ok(mount("proc", "/proc", "proc", flags, None)?)
}

/// Limits the process numbers of this namespace, since the kernel does not count the processes of root.
/// Makes `/proc` read-only.
pub(super) fn close_proc(processes: u64) -> io::Result<()> {
    let most = RESERVED_NUMBERS.saturating_add(processes);
    // Older kernels have one limit for all namespaces, which a namespace cannot change.
    let _ = fs::write("/proc/sys/kernel/pid_max", most.to_string());
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    Ok(mount_remount(
        "/proc",
        flags | MountFlags::BIND | MountFlags::RDONLY,
        "",
    )?)
}

/// Mounts a folder in memory for temporary files.
pub(super) fn mount_scratch(bytes: u64) -> io::Result<()> {
    if !Path::new(SCRATCH).is_dir() {
        return Err(io::Error::other(format!("there is no folder `{SCRATCH}`")));
    }
    let options = CString::new(format!("size={bytes},mode=700,nr_inodes=65536"))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    let options = Some(options.as_c_str());
    Ok(mount("tmpfs", SCRATCH, "tmpfs", flags, options)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_mounts_is_read_with_its_escapes() {
        let line =
            br"36 35 98:0 /m /mnt/a\040b\134 ro,nosuid,relatime master:1 - ext3 /dev/root rw";
        let (path, flags) = parse(line).unwrap();
        assert_eq!(path, Path::new(r"/mnt/a b\"));
        let expected = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::RELATIME;
        assert_eq!(flags, expected);
        assert_eq!(unescape(br"\9x\04"), br"\9x\04");
        assert!(parse(b"").is_none());
    }
}
