//! The jobs of a confined child: one, or several with equal rights.

use std::{
    fs::File,
    io, iter,
    os::{
        fd::{AsFd as _, AsRawFd as _},
        unix::net::UnixStream,
    },
    process,
    time::Duration,
};

use nix::{
    sys::{
        resource::{UsageWho, getrusage},
        time::TimeVal,
    },
    unistd::alarm,
};
use rustix::{
    fs::Mode,
    process::{Signal, set_parent_process_death_signal, umask},
};
use serde_json::Value;

use super::{change_folder, limits};
use crate::{
    Confinement, JOBS, RegisteredJob,
    connections::receive_file,
    message::{self, NextJob, Report},
};

/// The CPU time of a child for all of its jobs. The kernel holds its limit a second later than it is set, so each job
/// has all of the time of its limit.
const MOST_CPU: Duration = Duration::from_millis(100);

/// The memory that a child may need for its jobs beyond what it had before the first one, in KiB.
const MOST_MEMORY: i64 = 8 << 10;

/// The jobs of a confined child.
pub(super) struct Jobs<'a> {
    jobs: &'a [RegisteredJob],
    confinement: Confinement,
    control: &'a UnixStream,
}

/// The resources of a child that jobs can use up.
struct Used {
    cpu: Duration,
    /// The most memory that it had at any time, in KiB.
    memory: i64,
    /// The number that the next open file has.
    next_file: i32,
}

impl<'a> Jobs<'a> {
    pub(super) const fn new(
        jobs: &'a [RegisteredJob],
        confinement: Confinement,
        control: &'a UnixStream,
    ) -> Self {
        Self {
            jobs,
            confinement,
            control,
        }
    }

    /// Receives the open files of a job, and runs it.
    pub(super) fn run(
        &self,
        NextJob { name, input, files }: NextJob,
    ) -> Result<Result<Value, String>, String> {
        let receive = || receive_file(self.control.as_fd());
        let files: io::Result<_> = iter::repeat_with(receive).take(files).collect();
        let mut jobs = self.jobs.iter().chain(JOBS.iter());
        let job = jobs.find(|job| job.name() == name);
        let job = job.ok_or_else(|| format!("the program has no job `{name}`"))?;
        Ok(job.run(input, files.map_err(describe)?))
    }

    /// Runs a job, and those that the caller names afterwards. Returns the result of the last one: one that fails,
    /// or that leaves less for the next one than it had itself.
    pub(super) fn run_all(&self, first: NextJob) -> Result<Report, String> {
        // The child is stopped while it waits, and would not notice that the caller is gone.
        set_parent_process_death_signal(Some(Signal::KILL))
            .map_err(|error| format!("the signal of the caller's end: {error}"))?;
        // The filter of system calls permits to read from a socket as from a file.
        let control = self.control.as_fd().try_clone_to_owned();
        let control = control.map_err(describe)?;
        let control = File::from(control);
        let start = Used::now().map_err(describe)?;
        let mut next = first;
        loop {
            let result = self.run(next)?;
            let Ok(output) = result else {
                return Ok(Report::Result(result));
            };
            let used = Used::now().map_err(describe)?;
            if !used.leaves_enough(&start) {
                return Ok(Report::Result(Ok(output)));
            }
            alarm::cancel();
            umask(Mode::from_raw_mode(self.confinement.umask));
            change_folder(&self.confinement.folder)?;
            message::write(&control, &Report::Kept(output)).map_err(describe)?;
            next = match message::read(&control) {
                Ok(next) => next,
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => process::exit(0),
                Err(error) => return Err(describe(error)),
            };
            limits::set_alarm(self.confinement.limits.time);
        }
    }
}

impl Used {
    fn now() -> io::Result<Self> {
        let used = getrusage(UsageWho::RUSAGE_SELF)?;
        let file = rustix::io::dup(io::stdin())?;
        Ok(Self {
            cpu: duration(used.user_time()) + duration(used.system_time()),
            memory: used.max_rss(),
            next_file: file.as_raw_fd(),
        })
    }

    /// Checks whether another job finds as much as the first one did, by and large.
    fn leaves_enough(&self, start: &Self) -> bool {
        self.cpu.saturating_sub(start.cpu) < MOST_CPU
            && self.memory - start.memory < MOST_MEMORY
            && self.next_file == start.next_file
    }
}

fn duration(time: TimeVal) -> Duration {
    let seconds = u64::try_from(time.tv_sec()).unwrap_or_default();
    let microseconds = u64::try_from(time.tv_usec()).unwrap_or_default();
    Duration::from_secs(seconds) + Duration::from_micros(microseconds)
}

fn describe(error: io::Error) -> String {
    format!("the jobs of the child: {error}")
}
