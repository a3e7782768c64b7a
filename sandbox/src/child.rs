//! The child: one process with one thread, which confines itself before it runs anything.

mod descriptors;
mod files;
mod jobs;
mod limits;
mod mounts;
mod namespaces;
mod probe;
mod program;
mod sample;
mod session;
mod system_calls;
mod watch;

use std::{
    env, io,
    os::{fd::AsFd, unix::net::UnixStream},
    path::Path,
    process,
};

use rustix::{
    fs::Mode,
    process::{setsid, umask},
};

use crate::{
    Confinement, RegisteredJob, Support,
    message::{self, Order, Report},
};
use system_calls::Calls;

/// Runs the order of the caller, and ends the process.
pub(crate) fn main(jobs: &[RegisteredJob]) -> ! {
    let done = control().and_then(|control| {
        descriptors::close_inherited(control.as_fd())?;
        // The signals of the caller's terminal are not for it.
        setsid()?;
        let order = message::read(&control)?;
        let report = carry_out(order, &control, jobs).unwrap_or_else(Report::Failed);
        message::write(&control, &report)
    });
    process::exit(i32::from(done.is_err()))
}

/// Returns the socket to the caller, which is standard input.
fn control() -> io::Result<UnixStream> {
    let control = io::stdin().as_fd().try_clone_to_owned()?;
    Ok(UnixStream::from(control))
}

fn carry_out(order: Order, control: &UnixStream, jobs: &[RegisteredJob]) -> Result<Report, String> {
    match order {
        Order::Probe(probe) => Ok(Report::Support(Box::new(probe::probe(probe)))),
        Order::Job {
            confinement,
            support,
            job,
            is_kept,
        } => {
            umask(Mode::from_raw_mode(confinement.umask));
            namespaces::enter(&confinement, &support, false)?;
            mounts::restrict(&confinement.files, &support)?;
            limits::set_alarm(confinement.limits.time);
            confine(&confinement, &support, Calls::Job)?;
            let jobs = jobs::Jobs::new(jobs, confinement, control);
            match is_kept {
                true => jobs.run_all(job),
                false => jobs.run(job).map(Report::Result),
            }
        }
        Order::Watch(task) => watch::watch(task, control).map(Report::Finished),
        Order::Program(task) => program::run(&task).map(Report::Finished),
    }
}

/// Gives up all rights that the confinement does not state, for good.
fn confine(confinement: &Confinement, support: &Support, calls: Calls) -> Result<(), String> {
    change_folder(&confinement.folder)?;
    limits::set(&confinement.limits, support)?;
    namespaces::drop_capabilities().map_err(|error| format!("capabilities: {error}"))?;
    files::restrict(confinement, support, calls)?;
    system_calls::restrict(confinement, support, calls)
}

fn change_folder(folder: &Path) -> Result<(), String> {
    let changed = env::set_current_dir(folder);
    changed.map_err(|error| format!("the folder `{}`: {error}", folder.display()))
}
