//! The first process of a run: it confines itself, starts the program, or those of a session, and takes over
//! their orphans.

use std::{
    io,
    os::fd::AsFd as _,
    os::unix::process::{CommandExt, ExitStatusExt},
    path::Path,
    process::{Command, ExitStatus, Stdio},
};

use rustix::{
    fs::Mode,
    process::{Pid, Signal, WaitOptions, set_parent_process_death_signal, umask, wait},
};

use super::{confine, mounts, session, system_calls::Calls};
use crate::{
    Confinement, End, Finished, SCRATCH, Support, Usage,
    message::{Task, Work},
};

/// Runs a program until it ends. Its orphans end with this process, if it is the
/// first one of a namespace.
pub(super) fn run(task: &Task) -> Result<Finished, String> {
    let Task {
        confinement,
        support,
        work,
    } = task;
    // The caller of this process was there when it wrote the order; now it cannot go unnoticed.
    set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|error| format!("the signal of the parent's end: {error}"))?;
    umask(Mode::from_raw_mode(confinement.umask));
    mount(confinement, support)?;
    confine(confinement, support, Calls::Programs)?;
    let end = match work {
        Work::Program(program, arguments) => {
            run_one(program, arguments, Stdio::null(), confinement, support)?
        }
        Work::Dialogue(program, arguments) => {
            let socket = io::stdout().as_fd().try_clone_to_owned();
            let socket = socket.map_err(|error| format!("the standard input: {error}"))?;
            run_one(program, arguments, socket.into(), confinement, support)?
        }
        Work::Session => session::run_all().map(|()| End::Exited(0))?,
    };
    Ok(Finished {
        end,
        usage: Usage::default(),
    })
}

fn run_one(
    program: &Path,
    arguments: &[String],
    input: Stdio,
    confinement: &Confinement,
    support: &Support,
) -> Result<End, String> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(input).env_clear();
    command.envs(&confinement.environment);
    if support.scratch && confinement.limits.scratch > 0 {
        command.env("TMPDIR", SCRATCH);
    }
    let child = command.process_group(0).spawn();
    let child = child.map_err(|error| format!("the program `{}`: {error}", program.display()))?;
    wait_for(i32::try_from(child.id()).ok().and_then(Pid::from_raw))
}

fn mount(confinement: &Confinement, support: &Support) -> Result<(), String> {
    mounts::restrict(&confinement.files, support)?;
    if support.proc {
        mounts::mount_proc()
            .and_then(|()| mounts::close_proc(confinement.limits.processes))
            .map_err(|error| format!("`/proc`: {error}"))?;
    }
    let scratch = confinement.limits.scratch;
    if support.scratch && scratch > 0 {
        mounts::mount_scratch(scratch)
            .map_err(|error| format!("the folder for temporary files: {error}"))?;
    }
    Ok(())
}

/// Waits for children until one of them ends, and returns how.
fn wait_for(child: Option<Pid>) -> Result<End, String> {
    loop {
        let ended = wait(WaitOptions::empty());
        match ended {
            Ok(Some((pid, status))) if Some(pid) == child => {
                let status = ExitStatus::from_raw(status.as_raw());
                return Ok(End::of_status(status));
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(format!("waiting for the program: {error}")),
        }
    }
}
