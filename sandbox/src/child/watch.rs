//! The process that watches a run: it starts the first process of the run, checks its limits, and ends
//! all of its processes.

use std::{
    ffi::OsString,
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::net::UnixStream,
    },
    process::{Child, Command},
    time::{Duration, Instant},
};

use nix::sys::resource::{UsageWho, getrusage};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{
        Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal, set_child_subreaper,
    },
};

use super::{namespaces, sample};
use crate::{
    End, Finished, Limit, Limits, Usage,
    message::{self, CHILD, Order, Report, Task},
};

/// The time between two checks of the limits: short at first, to notice a bomb early.
const CHECKS: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(50));

/// Returns the program of this process.
pub(super) fn this_program() -> OsString {
    OsString::from("/proc/self/exe")
}

/// Runs a program to its end, to a limit, or until the caller is gone.
pub(super) fn watch(task: Task, caller: &UnixStream) -> Result<Finished, String> {
    let start = Instant::now();
    namespaces::enter(&task.confinement, &task.support, true)?;
    if task.support.user {
        namespaces::keep_capabilities().map_err(|error| format!("capabilities: {error}"))?;
    }
    // Without a namespace, orphans become children of this process.
    set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(|error| format!("the children of the program: {error}"))?;
    let limits = task.confinement.limits.clone();
    let has_namespace = task.support.pid;
    let (mut child, control) = start_first(task).map_err(|error| error.to_string())?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or("the child has no number")?;
    let limit = supervise(pid, caller, &limits, start).map_err(|error| error.to_string())?;
    let status = child.wait().map_err(|error| error.to_string())?;
    if !has_namespace {
        kill_descendants();
    }
    let end = match (limit, message::read::<Report>(&control)) {
        (Some(limit), _) => limit,
        (None, Ok(Report::Finished(finished))) => finished.end,
        (None, Ok(Report::Failed(message))) => return Err(message),
        (None, _) => End::of_status(status),
    };
    Ok(Finished {
        end,
        usage: usage(start),
    })
}

/// Starts the first process of the run, and gives it its order.
fn start_first(task: Task) -> io::Result<(Child, UnixStream)> {
    let (control, theirs) = UnixStream::pair()?;
    let mut command = Command::new(this_program());
    command.arg(CHILD).env_clear().stdin(OwnedFd::from(theirs));
    let child = command.spawn()?;
    drop(command);
    message::write(&control, &Order::Program(task))?;
    Ok((child, control))
}

/// Waits until the first process ends. Kills it, and with it its namespace, at a limit and when the
/// caller is gone.
fn supervise(
    pid: Pid,
    caller: &UnixStream,
    limits: &Limits,
    start: Instant,
) -> io::Result<Option<End>> {
    let process = pidfd_open(pid, PidfdFlags::empty())?;
    let mut wait = CHECKS.0;
    loop {
        let left = limits.time.saturating_sub(start.elapsed());
        let mut events = [
            PollFd::new(&process, PollFlags::IN),
            PollFd::from_borrowed_fd(caller.as_fd(), PollFlags::IN),
        ];
        let timeout = Timespec::try_from(wait.min(left)).map_err(io::Error::other)?;
        match poll(&mut events, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [ended, is_alone] = events.map(|event| !event.revents().is_empty());
        if ended {
            return Ok(None);
        }
        let end = if is_alone {
            Some(End::Signalled(Signal::KILL.as_raw()))
        } else if left.is_zero() {
            Some(End::Limit(Limit::Time))
        } else {
            sample::of_tree(pid.as_raw_nonzero().get())
                .exceeded(limits)
                .map(End::Limit)
        };
        if end.is_some() {
            pidfd_send_signal(&process, Signal::KILL)?;
            return Ok(end);
        }
        wait = (wait * 2).min(CHECKS.1);
    }
}

/// Kills all processes below this one, until none is left.
fn kill_descendants() {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    loop {
        let mut descendants = sample::descendants(own);
        descendants.retain(|pid| *pid != own);
        if descendants.is_empty() {
            return;
        }
        for pid in descendants.into_iter().filter_map(Pid::from_raw) {
            let _ = kill_process(pid, Signal::KILL);
        }
        while let Ok(Some(_)) = rustix::process::wait(rustix::process::WaitOptions::NOHANG) {}
    }
}

/// Returns what all processes of the run used.
fn usage(start: Instant) -> Usage {
    let used = getrusage(UsageWho::RUSAGE_CHILDREN).ok();
    let time = |value: nix::sys::time::TimeVal| {
        let seconds = u64::try_from(value.tv_sec()).unwrap_or(0);
        Duration::from_secs(seconds)
            + Duration::from_micros(u64::try_from(value.tv_usec()).unwrap_or(0))
    };
    Usage {
        time: start.elapsed(),
        cpu: used.map_or(Duration::ZERO, |used| {
            time(used.user_time()) + time(used.system_time())
        }),
        memory: used
            .and_then(|used| u64::try_from(used.max_rss()).ok())
            .unwrap_or(0)
            .saturating_mul(1024),
    }
}
