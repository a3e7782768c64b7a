//! Namespaces of users, processes, networks and messages; and capabilities.

use std::{fs, io};

use nix::sched::{CloneFlags, unshare};
use rustix::{
    process::{getgid, getuid},
    thread::{
        CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
        configure_capability_in_ambient_set, remove_capability_from_bounding_set, set_capabilities,
    },
};

use crate::{Confinement, Network, Support};

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
    if flags.is_empty() {
        return Ok(());
    }
    unshare(flags).map_err(|error| format!("namespaces: {error}"))
}

/// Enters a namespace of users. The user and the group keep their numbers, and no others exist.
pub(super) fn enter_user() -> io::Result<()> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    unshare(CloneFlags::CLONE_NEWUSER)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// Lets the next program of this process keep its rights in the namespaces, to mount file systems.
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
    for capability in CapabilitySet::all().iter() {
        // Not permitted to a process without capabilities, which cannot regain any either: it also
        // gives up new privileges.
        let _ = remove_capability_from_bounding_set(capability);
    }
    let none = CapabilitySet::empty();
    let sets = capabilities(None)?;
    if sets.permitted == none && sets.inheritable == none {
        // There are none to give up, also for a process that may not even ask for it.
        return Ok(());
    }
    clear_ambient_capability_set()?;
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
