//! Trying what the machine supports.

use std::{
    fs, io,
    os::{fd::OwnedFd, unix::net::UnixStream},
    process::{Command, Stdio},
};

use landlock::{
    ABI, Access, AccessFs, LandlockStatus, Ruleset, RulesetAttr, RulesetError, RulesetStatus,
};
use nix::sched::{CloneFlags, unshare};

use super::{mounts, namespaces, system_calls, watch::this_program};
use crate::{
    Support,
    message::{self, CHILD, Order, Probe, Report},
};

/// Tries the features. This process is of no other use afterwards.
pub(super) fn probe(probe: Probe) -> Support {
    match probe {
        Probe::Machine => machine(),
        Probe::Mounts => Support {
            proc: mounts::mount_proc().is_ok(),
            scratch: mounts::mount_scratch(1 << 20).is_ok(),
            ..Support::default()
        },
    }
}

fn machine() -> Support {
    let mut support = Support {
        kernel: kernel(),
        cgroups: cgroups(),
        user: namespaces::enter_user().is_ok(),
        ..Support::default()
    };
    let can = |flag: CloneFlags| unshare(flag).is_ok();
    support.mount = mounts::enter().is_ok();
    support.ipc = can(CloneFlags::CLONE_NEWIPC);
    support.network = can(CloneFlags::CLONE_NEWNET);
    support.pid = can(CloneFlags::CLONE_NEWPID);
    if support.pid && support.mount {
        let tried = try_mounts().unwrap_or_default();
        support.proc = tried.proc;
        support.scratch = tried.scratch;
    }
    // Both are kept by this process for good, so they come last.
    support.landlock = landlock().unwrap_or(0);
    support.seccomp = system_calls::is_supported();
    support
}

/// Returns the release of the kernel.
fn kernel() -> String {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    release.trim().to_owned()
}

/// Checks whether this user may create control groups of version 2 in the one of this process.
fn cgroups() -> bool {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"));
    let is_version_2 = fs::exists("/sys/fs/cgroup/cgroup.controllers").unwrap_or(false);
    own.filter(|_| is_version_2).is_some_and(|own| {
        let folder = format!("/sys/fs/cgroup{own}/toolwright-{}", std::process::id());
        let can = fs::create_dir(&folder).is_ok();
        let _ = fs::remove_dir(&folder);
        can
    })
}

/// Returns the ABI of Landlock.
fn landlock() -> Result<u32, RulesetError> {
    let rules = Ruleset::default().handle_access(AccessFs::from_all(ABI::V1))?;
    let status = rules.create()?.restrict_self()?;
    Ok(match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, _) => 0,
        (_, LandlockStatus::Available { effective_abi, .. }) => abi_number(effective_abi),
        _ => 0,
    })
}

fn abi_number(abi: ABI) -> u32 {
    // The enumeration's discriminants are the numbers.
    u32::try_from(abi as i32).unwrap_or(0)
}

/// Lets the first process of the new namespace of processes try mounts.
fn try_mounts() -> io::Result<Support> {
    namespaces::keep_capabilities()?;
    let (ours, theirs) = UnixStream::pair()?;
    let mut command = Command::new(this_program());
    command.arg(CHILD).env_clear().stdin(OwnedFd::from(theirs));
    let mut child = command.stdout(Stdio::null()).spawn()?;
    drop(command);
    message::write(&ours, &Order::Probe(Probe::Mounts))?;
    let report = message::read(&ours);
    child.wait()?;
    match report? {
        Report::Support(support) => Ok(*support),
        _ => Ok(Support::default()),
    }
}
