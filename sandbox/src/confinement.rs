//! The description of the rights of a child.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use crate::Layer;

/// The folder for temporary files, in memory, if [`Limits::scratch`] grants one.
pub const SCRATCH: &str = "/dev/shm";

/// Files and folders of the system that programs need, with what is below them.
const SYSTEM_PROGRAMS: [&str; 6] = ["/bin", "/lib", "/lib32", "/lib64", "/sbin", "/usr"];

/// Files and folders of the system that programs read. None of them holds a secret.
const SYSTEM_FILES: [&str; 18] = [
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/ca-certificates.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/resolv.conf",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/timezone",
];

/// The rights of a child process. A new confinement permits nothing but to compute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Confinement {
    /// The files that it may use.
    pub files: Files,
    /// The network that it may use.
    pub network: Network,
    /// The limits of all of its processes together, or of each.
    pub limits: Limits,
    /// The folder that it starts in, which must be one that it may read.
    pub folder: PathBuf,
    /// Its whole environment.
    pub environment: BTreeMap<String, String>,
    /// The permissions that new files do not get.
    pub umask: u32,
    /// The layers without which it must not run.
    pub required: BTreeSet<Layer>,
}

/// The files that a child may use. Each path names a file, or a folder with all that is below it. A
/// symlink at the end of a path is followed once, before the child starts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Files {
    /// Paths that it may read.
    pub read: Vec<PathBuf>,
    /// Paths that it may read and execute.
    pub execute: Vec<PathBuf>,
    /// Paths that it may read, change, create and delete.
    pub write: Vec<PathBuf>,
    /// Paths below the others that it must not use, if the machine grants a mount namespace: a file that is empty
    /// or a folder that is empty is in the place of each, and cannot be replaced.
    pub hidden: Vec<PathBuf>,
    /// True if programs and files of the system are permitted like `execute` and `read`, as far as they exist.
    pub system: bool,
    /// True if the programs of a run may start the calling program, to be an
    /// [`OwnProgram`](crate::OwnProgram).
    pub own_program: bool,
}

/// The network that a child may use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Network {
    /// None: no socket but connected pairs.
    #[default]
    None,
    /// TCP connections to these ports, at any address. It cannot listen, and cannot use UDP, so it
    /// can resolve a name only from `/etc/hosts`.
    Ports(BTreeSet<u16>),
}

/// The limits of a child. Each ends the run, or makes the system call fail that would exceed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Limits {
    /// The time until all of its processes are killed.
    pub time: Duration,
    /// The CPU time of all of its processes together.
    pub cpu: Duration,
    /// The memory of each process, and of all together, in bytes.
    pub memory: u64,
    /// The number of processes and threads.
    pub processes: u64,
    /// The size of a file that it writes, in bytes.
    pub file_size: u64,
    /// The bytes that all of its processes write to disks.
    pub written: u64,
    /// The number of open files of each process.
    pub open_files: u64,
    /// The bytes of its standard output and standard error.
    pub output: u64,
    /// The size of its own folder for temporary files, in bytes, if the machine grants a mount
    /// namespace: `TMPDIR` names it. None if it is 0.
    pub scratch: u64,
}

impl Confinement {
    /// Creates a confinement that starts in a folder, may use no file and no network, and requires all
    /// layers.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            files: Files::default(),
            network: Network::None,
            limits: Limits::default(),
            folder: folder.into(),
            environment: BTreeMap::new(),
            umask: 0o077,
            required: Layer::ALL.into(),
        }
    }
}

impl Files {
    /// Adds the programs and libraries of the system, and the files that they read: none with a secret,
    /// and none of a user.
    #[must_use]
    pub const fn with_system_programs(mut self) -> Self {
        self.system = true;
        self
    }

    /// Returns the existing paths of the system that may be executed.
    pub(crate) fn system_programs(&self) -> impl Iterator<Item = &'static Path> {
        let paths = SYSTEM_PROGRAMS.iter().map(Path::new);
        paths.filter(|path| self.system && path.exists())
    }

    /// Returns the existing paths of the system that may be read.
    pub(crate) fn system_files(&self) -> impl Iterator<Item = &'static Path> {
        let paths = SYSTEM_FILES.iter().map(Path::new);
        paths.filter(|path| self.system && path.exists())
    }
}

impl Default for Limits {
    /// Limits for a small job.
    fn default() -> Self {
        const MIB: u64 = 1 << 20;
        Self {
            time: Duration::from_secs(30),
            cpu: Duration::from_secs(30),
            memory: 512 * MIB,
            processes: 64,
            file_size: 64 * MIB,
            written: 256 * MIB,
            open_files: 256,
            output: MIB,
            scratch: 0,
        }
    }
}
