//! The limits that the kernel holds for each process.

use std::{fs, time::Duration};

use nix::unistd::alarm;
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::{Limits, Support};

/// Lets the kernel kill this process soon after its limit, if the caller did not.
pub(super) fn set_alarm(time: Duration) {
    let seconds = u32::try_from(time.as_secs()).unwrap_or(u32::MAX);
    alarm::set(seconds.saturating_add(2));
}

/// Sets the limits of this process and its children.
pub(super) fn set(limits: &Limits, support: &Support) -> Result<(), String> {
    // A second later than the one who watches all processes, who says which limit ended them.
    let seconds = limits.cpu.as_secs().saturating_add(1);
    let mut values = vec![
        (Resource::Core, 0),
        (Resource::Cpu, seconds),
        // Memory that can be written. Programs reserve much more address space than they use, and this one
        // may have reserved some already: it must still be able to start the program.
        (Resource::Data, limits.memory.saturating_add(reserved())),
        (Resource::Fsize, limits.file_size),
        (Resource::Memlock, 1 << 16),
        (Resource::Msgqueue, 0),
        (Resource::Nofile, limits.open_files),
    ];
    if support.user {
        // Without a namespace of users, the kernel counts all processes of the user.
        values.push((Resource::Nproc, limits.processes));
    }
    for (resource, value) in values {
        lower(resource, value).map_err(|error| format!("the limit {resource:?}: {error}"))?;
    }
    Ok(())
}

/// Returns the bytes of writable memory that this process has reserved.
fn reserved() -> u64 {
    let sizes = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = sizes.split_ascii_whitespace().nth(5);
    let pages = pages
        .and_then(|pages| pages.parse::<u64>().ok())
        .unwrap_or(0);
    let page = u64::try_from(rustix::param::page_size()).unwrap_or(4096);
    pages.saturating_mul(page)
}

/// Lowers a limit for good; one that is lower already is kept.
fn lower(resource: Resource, value: u64) -> Result<(), rustix::io::Errno> {
    let current = rustix::process::getrlimit(resource).maximum;
    let value = Some(current.map_or(value, |current| current.min(value)));
    setrlimit(
        resource,
        Rlimit {
            current: value,
            maximum: value,
        },
    )
}
