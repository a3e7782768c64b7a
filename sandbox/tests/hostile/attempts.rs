//! The attempts, and what stops each of them.

use std::fmt;

/// The part of the sandbox that stops an attempt first. Others would stop many of them as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Landlock,
    Mounts,
    Seccomp,
    Namespaces,
    Privileges,
    Descriptors,
    Limits,
}

impl By {
    /// Checks whether the part fails calls with an error.
    pub(crate) fn fails_with(self, error: i32) -> bool {
        let errors: &[i32] = match self {
            // EACCES, EXDEV.
            Self::Landlock => &[13, 18],
            // EROFS.
            Self::Mounts => &[30],
            // EPERM, ENOSYS.
            Self::Seccomp => &[1, 38],
            // ENOENT, ESRCH; EINVAL for a user that does not exist.
            Self::Namespaces => &[2, 3, 22],
            // EPERM, EACCES.
            Self::Privileges => &[1, 13],
            // EBADF.
            Self::Descriptors => &[9],
            // EAGAIN, ENOMEM, EMFILE, EFBIG, ENOSPC.
            Self::Limits => &[11, 12, 24, 27, 28],
        };
        errors.contains(&error)
    }
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Landlock => "Landlock",
            Self::Mounts => "read-only mounts",
            Self::Seccomp => "seccomp",
            Self::Namespaces => "namespaces",
            Self::Privileges => "no privileges",
            Self::Descriptors => "closed descriptors",
            Self::Limits => "limits",
        })
    }
}

/// An attempt of `attempts.pl`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt {
    pub(crate) name: &'static str,
    pub(crate) by: By,
    pub(crate) description: &'static str,
}

const fn attempt(name: &'static str, by: By, description: &'static str) -> Attempt {
    Attempt {
        name,
        by,
        description,
    }
}

/// Attempts whose success is a file that appears later.
pub(crate) const LATE: [&str; 2] = ["outlive-by-double-fork", "ignore-the-end"];

/// Attempts that would harm the machine outside of the sandbox.
pub(crate) const NEVER_OUTSIDE: [&str; 1] = ["remount-writable"];

/// All attempts.
#[rustfmt::skip]
pub(crate) const ATTEMPTS: &[Attempt] = &[
    attempt("read-shadow", By::Landlock, "read `/etc/shadow`"),
    attempt("read-ssh-key", By::Landlock, "read a key of SSH"),
    attempt("list-outside", By::Landlock, "list a folder outside"),
    attempt("read-by-dots", By::Landlock, "read a file outside by `..`"),
    attempt("read-by-symlink", By::Landlock, "read a file outside by a symlink that is there"),
    attempt("read-by-own-symlink", By::Landlock, "read a file outside by a symlink of its own"),
    attempt("read-by-hard-link", By::Landlock, "read a file outside by a hard link of its own"),
    attempt("read-by-proc-root", By::Landlock, "read a file outside by `/proc/self/root`"),
    attempt("read-by-proc-cwd", By::Landlock, "read a file outside by `/proc/self/cwd`"),
    attempt("read-by-proc-of-parent", By::Namespaces, "read a file outside by the `/proc` of the caller"),
    attempt("read-by-handle", By::Seccomp, "read a file outside by its handle"),
    attempt("move-in", By::Landlock, "move a file from outside into its folder"),
    attempt("write-outside", By::Mounts, "write a file outside"),
    attempt("write-by-symlink", By::Mounts, "write a file outside by a symlink"),
    attempt("write-readable", By::Mounts, "write a file that it may only read"),
    attempt("create-outside", By::Mounts, "create a file outside"),
    attempt("truncate-outside", By::Mounts, "truncate a file outside"),
    attempt("delete-outside", By::Mounts, "delete a file outside"),
    attempt("move-out", By::Landlock, "move a file out of its folder"),
    attempt("hard-link-out", By::Mounts, "link a file of its folder to a name outside"),
    attempt("chmod-outside", By::Mounts, "change the permissions of a file outside"),
    attempt("chown-outside", By::Mounts, "change the owner of a file outside"),
    attempt("set-times-outside", By::Mounts, "change the times of a file outside"),
    attempt("set-attribute-outside", By::Seccomp, "change an extended attribute of a file outside"),
    attempt("execute-own-program", By::Landlock, "execute a program that it wrote"),
    attempt("execute-from-memory", By::Seccomp, "execute a program in memory"),
    attempt("create-device", By::Seccomp, "create a device"),
    attempt("create-fifo", By::Landlock, "create a named pipe in its folder"),
    attempt("read-memory-device", By::Landlock, "open `/dev/mem`"),
    attempt("read-disk-device", By::Landlock, "open the device of a disk"),
    attempt("write-kernel-setting", By::Mounts, "open a setting of the kernel for writing"),
    attempt("create-cgroup", By::Mounts, "create a control group"),
    attempt("connect-tcp", By::Seccomp, "connect to a TCP port of the machine"),
    attempt("listen-tcp", By::Seccomp, "listen on a TCP port"),
    attempt("connect-multipath-tcp", By::Seccomp, "create a socket of multipath TCP"),
    attempt("send-udp", By::Seccomp, "send a datagram"),
    attempt("connect-unix", By::Seccomp, "connect to a Unix socket in its folder"),
    attempt("connect-abstract", By::Seccomp, "connect to an abstract socket"),
    attempt("open-raw-socket", By::Seccomp, "create a raw socket"),
    attempt("open-packet-socket", By::Seccomp, "create a packet socket"),
    attempt("open-netlink-socket", By::Seccomp, "create a netlink socket"),
    attempt("open-vsock", By::Seccomp, "create a socket to the host of a virtual machine"),
    attempt("ptrace", By::Seccomp, "trace a process"),
    attempt("read-memory-of-process", By::Seccomp, "read the memory of a process"),
    attempt("write-memory-of-process", By::Seccomp, "write the memory of a process"),
    attempt("take-descriptor", By::Seccomp, "take an open file from a process"),
    attempt("compare-processes", By::Seccomp, "compare the resources of processes"),
    attempt("read-environment-of-parent", By::Namespaces, "read the environment of the caller"),
    attempt("see-other-processes", By::Namespaces, "find another process"),
    attempt("signal-other-process", By::Namespaces, "signal another process"),
    attempt("inherit-descriptor", By::Descriptors, "use an open file of the caller"),
    attempt("outlive-by-double-fork", By::Namespaces, "outlive the call by a double fork in a new session"),
    attempt("ignore-the-end", By::Limits, "ignore all signals and go on after the time limit"),
    attempt("type-into-terminal", By::Landlock, "type into a terminal (`TIOCSTI`)"),
    attempt("control-terminal", By::Seccomp, "send `TIOCSTI` to any file"),
    attempt("mount", By::Seccomp, "mount a file system"),
    attempt("new-mount-call", By::Seccomp, "mount by the newer calls"),
    attempt("remount-writable", By::Seccomp, "mount the root as writable"),
    attempt("pivot-root", By::Seccomp, "change the root with `pivot_root`"),
    attempt("chroot", By::Seccomp, "change the root with `chroot`"),
    attempt("unshare", By::Seccomp, "enter a new user namespace with `unshare`"),
    attempt("clone-namespace", By::Seccomp, "enter a new user namespace with `clone`"),
    attempt("new-clone-call", By::Seccomp, "enter a new user namespace with `clone3`"),
    attempt("enter-namespace", By::Seccomp, "enter a namespace with `setns`"),
    attempt("gain-user-by-setuid-program", By::Privileges, "become another user by a set-user-ID program"),
    attempt("become-user", By::Namespaces, "become another user with `setuid`"),
    attempt("gain-capabilities", By::Seccomp, "set capabilities"),
    attempt("keyctl", By::Seccomp, "use the keyring of the session"),
    attempt("add-key", By::Seccomp, "add a key to the kernel"),
    attempt("bpf", By::Seccomp, "create a BPF map"),
    attempt("perf", By::Seccomp, "count events with `perf_event_open`"),
    attempt("io-uring", By::Seccomp, "create an `io_uring`"),
    attempt("userfaultfd", By::Seccomp, "create a `userfaultfd`"),
    attempt("load-module", By::Seccomp, "load a module of the kernel"),
    attempt("load-kernel", By::Seccomp, "load another kernel with `kexec_load`"),
    attempt("reboot", By::Seccomp, "reboot"),
    attempt("set-clock", By::Seccomp, "set the clock"),
    attempt("set-host-name", By::Seccomp, "set the name of the host"),
    attempt("swap", By::Seccomp, "turn off a swap file"),
    attempt("watch-whole-disk", By::Seccomp, "watch all files with `fanotify`"),
    attempt("shared-memory", By::Seccomp, "create shared memory of System V"),
    attempt("change-personality", By::Seccomp, "turn off the random layout of memory"),
    attempt("call-by-other-numbers", By::Seccomp, "use the numbers of another ABI for system calls"),
    attempt("fork-bomb", By::Limits, "start 400 processes"),
    attempt("memory-bomb", By::Limits, "use 256 MiB of memory"),
    attempt("memory-bomb-of-many", By::Limits, "use 160 MiB of memory in four processes"),
    attempt("large-file", By::Limits, "write a file of 64 MiB"),
    attempt("fill-the-disk", By::Limits, "write 800 MiB in files of 4 MiB"),
    attempt("reserve-the-disk", By::Seccomp, "reserve space on the disk"),
    attempt("fill-temporary-files", By::Limits, "write 32 MiB of temporary files"),
    attempt("open-file-bomb", By::Limits, "open 200 files"),
    attempt("flood-output", By::Limits, "print 8 MiB"),
    attempt("burn-cpu", By::Limits, "use 4 seconds of CPU time"),
    attempt("burn-cpu-of-many", By::Limits, "use 8 seconds of CPU time in two processes"),
    attempt("raise-limits", By::Privileges, "raise its limit of open files"),
    attempt("raise-limits-of-parent", By::Seccomp, "read the limits of its parent"),
    attempt("raise-priority", By::Privileges, "raise its priority"),
];
