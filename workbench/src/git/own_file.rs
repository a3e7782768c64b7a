//! Replacing a file of the git folder, `HEAD` or `index`, in a child process. It runs no program, and the kernel
//! shows it no other file of the folder: no hooks, no configuration.

use std::{
    fs::{self, File},
    io,
    os::fd::{AsFd as _, OwnedFd},
    path::{Path, PathBuf},
    sync::OnceLock,
};

use rustix::{
    fs::{AtFlags, CWD, Mode, OFlags, Stat, openat, renameat, statat, unlinkat},
    io::Errno,
};
use serde::{Deserialize, Serialize};
use toolwright::{ToolContext, ToolError};
use toolwright_commands::{
    Failure,
    confined::{confinement, not_started},
};
use toolwright_sandbox::{JOBS, Job, RegisteredJob, Sandbox};

use crate::{
    beneath::{self, LOOK},
    workspace::{AccessError, id},
};

#[linkme::distributed_slice(JOBS)]
static REPLACE_OWN_FILE: RegisteredJob = RegisteredJob::new::<ReplaceOwnFile>();

/// The job that replaces a file of a git folder.
struct ReplaceOwnFile;

/// The new content of a file of a git folder.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct NewFile {
    /// The folder of the repository.
    pub(super) root: PathBuf,
    /// The name of the file.
    pub(super) name: String,
    /// The file with the new content.
    pub(super) content: PathBuf,
    /// The version of the file that the new content was made of, if it must still be that one.
    pub(super) made_of: Option<String>,
}

impl Job for ReplaceOwnFile {
    const NAME: &'static str = "toolwright-replace-git-file";
    type Input = NewFile;
    type Output = Result<(), Failure>;

    fn run(input: NewFile, _: Vec<OwnedFd>) -> Result<Self::Output, String> {
        Ok(carry_out(&input))
    }
}

/// Replaces a file of the git folder.
pub(super) async fn replace(ctx: &ToolContext, file: NewFile) -> Result<(), ToolError> {
    let mut confinement = confinement(ctx, &file.root);
    let own = file.root.join(".git");
    confinement.umask = own_umask();
    confinement.files.hidden = others(&own, &file.name).map_err(AccessError::from)?;
    confinement.files.write = vec![own];
    confinement.files.read = vec![file.content.clone()];
    confinement.limits.processes = 1;
    let done = Sandbox::new()
        .job::<ReplaceOwnFile>(&confinement, &file, &[])
        .await;
    let done = done.map_err(|error| not_started(&error, "git_failed"))?;
    Ok(done?)
}

/// Returns the permissions that new files of this program do not get.
fn own_umask() -> u32 {
    const USUAL: u32 = 0o022;
    static UMASK: OnceLock<u32> = OnceLock::new();
    *UMASK.get_or_init(|| {
        // The system call that returns it also sets it, for all threads.
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mut lines = status.lines();
        let umask = lines.find_map(|line| line.strip_prefix("Umask:"));
        let umask = umask.and_then(|umask| u32::from_str_radix(umask.trim(), 8).ok());
        umask.unwrap_or(USUAL)
    })
}

/// Returns everything in a folder but one file.
fn others(folder: &Path, name: &str) -> io::Result<Vec<PathBuf>> {
    let mut others = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() != name {
            others.push(entry.path());
        }
    }
    Ok(others)
}

/// Replaces the file, under the lock that git uses.
fn carry_out(file: &NewFile) -> Result<(), Failure> {
    let flags = LOOK | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = openat(CWD, &file.root, flags, Mode::empty()).map_err(AccessError::from)?;
    let own = beneath::open(root.as_fd(), ".git", LOOK | OFlags::DIRECTORY);
    let own = own.map_err(AccessError::from)?;
    let lock_name = format!("{}.lock", file.name);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let lock = openat(&own, &lock_name, flags, Mode::from_raw_mode(0o666));
    let lock =
        lock.map_err(|_| Failure::new("git_locked", "another process uses the repository"))?;
    let written =
        write(file, &own, lock).and_then(|()| Ok(renameat(&own, &lock_name, &own, &file.name)?));
    if written.is_err() {
        let _ = unlinkat(&own, &lock_name, AtFlags::empty());
    }
    Ok(written?)
}

fn write(file: &NewFile, own: &OwnedFd, lock: OwnedFd) -> Result<(), AccessError> {
    if file.made_of.is_some() && file.made_of != version(own, &file.name)? {
        return Err(AccessError::Changed);
    }
    io::copy(&mut File::open(&file.content)?, &mut File::from(lock))?;
    Ok(())
}

/// Returns a text that differs for each version of a file; none if there is no file.
pub(super) fn version(folder: &OwnedFd, name: &str) -> Result<Option<String>, AccessError> {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(version_of(&stat))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns a text that differs for each version of a file.
pub(super) fn version_of(stat: &Stat) -> String {
    format!(
        "{} {} {}.{}",
        id(stat),
        stat.st_size,
        stat.st_mtime,
        stat.st_mtime_nsec
    )
}
