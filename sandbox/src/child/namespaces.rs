//! Namespaces and capabilities.

use std::{ffi::CString, fs, io, path::Path};

use nix::sched::{CloneFlags, unshare};
use rustix::{
    mount::{MountFlags, MountPropagationFlags, mount, mount_change},
    process::{getgid, getuid},
    thread::{
        CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
        configure_capability_in_ambient_set, remove_capability_from_bounding_set, set_capabilities,
    },
};

use crate::{Confinement, Network, Support};

/// The folder for temporary files, in memory.
pub(super) const SCRATCH: &str = "/dev/shm";

/// The process numbers that the kernel reserves in each namespace.
const RESERVED_NUMBERS: u64 = 301;

/// Enters the namespaces that the machine grants. With `processes`, the next child is the first process
/// of a namespace of processes.
pub(super) fn enter(
    confinement: &Confinement,
    support: &Support,
    processes: bool,
) -> Result<(), String> {
    if support.user {
        enter_user().map_err(|error| format!("a user namespace: {error}"))?;
    }
    // A child that connects to a port uses the network of the machine.
    let no_network = confinement.network == Network::None;
    let wanted = [
        (CloneFlags::CLONE_NEWPID, support.pid && processes),
        (CloneFlags::CLONE_NEWNET, support.network && no_network),
        (CloneFlags::CLONE_NEWIPC, support.ipc),
    ];
    let wanted = wanted.into_iter().filter(|(_, wanted)| *wanted);
    let flags: CloneFlags = wanted.map(|(flag, _)| flag).collect();
    unshare(flags).map_err(|error| format!("namespaces: {error}"))
}

/// Enters a namespace of users, in which the user and the group have the numbers that they have
/// outside, and no others exist.
pub(super) fn enter_user() -> io::Result<()> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    unshare(CloneFlags::CLONE_NEWUSER)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// Enters a namespace of mounts, which are separate from those of the machine.
pub(super) fn enter_mounts() -> io::Result<()> {
    unshare(CloneFlags::CLONE_NEWNS)?;
    let flags = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    Ok(mount_change("/", flags)?)
}

/// Lets the next program of this process keep its rights in the namespaces, so that it can mount.
pub(super) fn keep_capabilities() -> io::Result<()> {
    let mut sets = capabilities(None)?;
    sets.inheritable = sets.permitted;
    set_capabilities(None, sets)?;
    for capability in sets.permitted.iter() {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}

/// Gives up all capabilities, also those that a program could regain.
pub(super) fn drop_capabilities() -> io::Result<()> {
    clear_ambient_capability_set()?;
    for capability in CapabilitySet::all().iter() {
        // Not permitted to a process without capabilities, which cannot regain any either: it also
        // gives up new privileges.
        let _ = remove_capability_from_bounding_set(capability);
    }
    let none = CapabilitySet::empty();
    set_capabilities(
        None,
        CapabilitySets {
            effective: none,
            permitted: none,
            inheritable: none,
        },
    )?;
    Ok(())
}

/// Mounts a `/proc` that shows the processes of this namespace alone.
pub(super) fn mount_proc() -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    Ok(mount("proc", "/proc", "proc", flags, None)?)
}

/// Mounts a folder in memory for temporary files.
pub(super) fn mount_scratch(bytes: u64) -> io::Result<()> {
    if !Path::new(SCRATCH).is_dir() {
        return Err(io::Error::other(format!("there is no folder `{SCRATCH}`")));
    }
    let options = CString::new(format!("size={bytes},mode=700,nr_inodes=65536"))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    Ok(mount(
        "tmpfs",
        SCRATCH,
        "tmpfs",
        flags,
        Some(options.as_c_str()),
    )?)
}

/// Limits the process numbers of this namespace, where the kernel counts them for each namespace. The
/// kernel does not count the processes of its first user.
pub(super) fn limit_numbers(processes: u64) {
    let most = RESERVED_NUMBERS.saturating_add(processes);
    let _ = fs::write("/proc/sys/kernel/pid_max", most.to_string());
}
