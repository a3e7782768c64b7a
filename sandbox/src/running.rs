//! A child: its start, its order, its output and its report.

use std::{
    ffi::OsString,
    io,
    os::{
        fd::{BorrowedFd, OwnedFd},
        unix::{net::UnixStream as BlockingStream, process::CommandExt},
    },
    path::PathBuf,
    process::Stdio,
    time::Duration,
};

use rustix::process::{
    Gid, Pid, Signal, Uid, getegid, geteuid, getgid, getgroups, getuid, kill_process,
};
use serde::{Serialize, de::DeserializeOwned};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    net::UnixStream,
    process::{Child, Command},
    runtime::{Handle, Id},
    time::timeout,
};

use crate::{
    End, Error, Limit,
    connections::send_file,
    message::{self, CHILD, Report},
    serve::is_served,
};

/// The program of this process, also if its file was replaced since it started.
const THIS_PROGRAM: &str = "/proc/self/exe";

/// The time that a child has beyond its limit to end by itself.
pub(crate) const GRACE: Duration = Duration::from_secs(5);

/// A stream of a program's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

/// The standard output of a child.
pub(crate) enum Output {
    /// It has none.
    None,
    /// The caller reads it, and standard error.
    Read,
    /// A socket to the caller.
    Socket(OwnedFd),
}

/// A child.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    control: UnixStream,
}

/// What a child has from the program at its start, and the program may have changed since: it can give up rights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The runtime that watches it.
    runtime: Id,
    users: [Uid; 2],
    groups: [Gid; 2],
    more_groups: Vec<Gid>,
}

impl Running {
    /// Starts a child, which waits for its order.
    pub(crate) fn start(helper: Option<PathBuf>, output: Output) -> Result<Running, Error> {
        let (mut command, control) = command(helper)?;
        let is_job = matches!(output, Output::None);
        match output {
            Output::None => command.stdout(Stdio::null()).stderr(Stdio::null()),
            Output::Read => command.stdout(Stdio::piped()).stderr(Stdio::piped()),
            Output::Socket(socket) => command.stdout(socket).stderr(Stdio::null()),
        };
        let mut command = Command::from(command);
        let child = command.kill_on_drop(is_job).spawn()?;
        // The child has the only copy of its end of the control socket from here on.
        drop(command);
        control.set_nonblocking(true)?;
        let control = UnixStream::from_std(control)?;
        Ok(Self { child, control })
    }

    /// Checks that the child has not ended.
    pub(crate) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Gives the child its order, or its next job.
    pub(crate) async fn give(&mut self, order: &impl Serialize) -> Result<(), Error> {
        Ok(self.control.write_all(&message::encode(order)?).await?)
    }

    /// Hands over the open files of a job, which follow its order.
    pub(crate) async fn hand_over(&self, files: &[BorrowedFd<'_>]) -> Result<(), Error> {
        for file in files {
            send_file(&self.control, *file).await?;
        }
        Ok(())
    }

    /// Stops the child, which has no time of the processor until [`Running::wake`].
    pub(crate) fn stop(&self) -> Result<(), Error> {
        self.signal(Signal::STOP)
    }

    /// Lets the child go on.
    pub(crate) fn wake(&self) -> Result<(), Error> {
        self.signal(Signal::CONT)
    }

    fn signal(&self, signal: Signal) -> Result<(), Error> {
        // The number is not given to another process before the end of the child was noticed.
        let number = self.child.id().and_then(|id| i32::try_from(id).ok());
        let process = number.and_then(Pid::from_raw);
        let process = process.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        Ok(kill_process(process, signal).map_err(io::Error::from)?)
    }

    /// Kills the child.
    pub(crate) async fn kill(&mut self) -> Result<(), Error> {
        Ok(self.child.kill().await?)
    }

    /// Passes output on until the program ends. Returns true if it was ended because of its length.
    pub(crate) async fn output(
        &mut self,
        limit: u64,
        mut output: impl FnMut(Stream, &[u8]),
    ) -> Result<bool, Error> {
        let mut streams = (self.child.stdout.take(), self.child.stderr.take());
        let mut buffers = (vec![0; 1 << 16], vec![0; 1 << 16]);
        let mut left = limit;
        while streams.0.is_some() || streams.1.is_some() {
            let (stream, length) = tokio::select! {
                length = read(&mut streams.0, &mut buffers.0) => (Stream::Output, length?),
                length = read(&mut streams.1, &mut buffers.1) => (Stream::Error, length?),
            };
            let buffer = match (stream, length) {
                (Stream::Output, 0) => {
                    streams.0 = None;
                    continue;
                }
                (Stream::Error, 0) => {
                    streams.1 = None;
                    continue;
                }
                (Stream::Output, _) => &buffers.0,
                (Stream::Error, _) => &buffers.1,
            };
            let bytes = buffer.get(..length).unwrap_or_default();
            let fitting = usize::try_from(left).unwrap_or(usize::MAX).min(length);
            output(stream, bytes.get(..fitting).unwrap_or_default());
            left = left.saturating_sub(u64::try_from(length).unwrap_or(u64::MAX));
            if fitting < length {
                self.control.shutdown().await?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Waits for the report, and for the end of a child after its last one.
    pub(crate) async fn report(&mut self, time: Option<Duration>) -> Result<Report, Error> {
        let report = read_message::<Report>(&mut self.control);
        let report = match time {
            None => report.await,
            Some(time) => match timeout(time, report).await {
                Ok(report) => report,
                Err(_) => {
                    self.kill().await?;
                    return Err(Error::Ended(End::Limit(Limit::Time)));
                }
            },
        };
        if matches!(report, Ok(Report::Kept(_))) {
            return Ok(report?);
        }
        let Ok(status) = timeout(GRACE, self.child.wait()).await else {
            self.kill().await?;
            return Err(Error::Setup("the child does not end".to_owned()));
        };
        let status = status?;
        report.map_err(|_| Error::Ended(End::of_status(status)))
    }
}

impl Origin {
    /// Returns what a child would have that started now.
    pub(crate) fn now() -> Self {
        Self {
            runtime: Handle::current().id(),
            users: [getuid(), geteuid()],
            groups: [getgid(), getegid()],
            more_groups: getgroups().unwrap_or_default(),
        }
    }
}

impl Report {
    /// Returns the error of a report that is no result.
    pub(crate) fn failure(self) -> Error {
        match self {
            Self::Failed(message) => Error::Setup(message),
            Self::Finished(finished) => Error::Ended(finished.end),
            _ => Error::Setup("the child gave an answer to another order".to_owned()),
        }
    }
}

/// Reads from a stream that may have ended; waits forever if it has.
async fn read(stream: &mut Option<impl AsyncRead + Unpin>, buffer: &mut [u8]) -> io::Result<usize> {
    match stream {
        Some(stream) => stream.read(buffer).await,
        None => std::future::pending().await,
    }
}

/// Reads a message.
pub(crate) async fn read_message<T: DeserializeOwned>(stream: &mut UnixStream) -> io::Result<T> {
    let mut prefix = [0; 4];
    stream.read_exact(&mut prefix).await?;
    let mut json = vec![0; message::length(prefix)?];
    stream.read_exact(&mut json).await?;
    Ok(serde_json::from_slice(&json)?)
}

/// Returns a command that starts the child, and the caller's end of its control socket. It has no
/// environment, and inherits no open file of this program.
pub(crate) fn command(
    helper: Option<PathBuf>,
) -> Result<(std::process::Command, BlockingStream), Error> {
    if helper.is_none() && !is_served() {
        let message = "the program does not call `toolwright_sandbox::serve` first in `main`";
        return Err(Error::Setup(message.to_owned()));
    }
    let (control, theirs) = BlockingStream::pair()?;
    let program = helper.map_or_else(|| OsString::from(THIS_PROGRAM), OsString::from);
    let mut command = std::process::Command::new(program);
    command.arg0("toolwright-sandbox").arg(CHILD).env_clear();
    command.stdin(Stdio::from(OwnedFd::from(theirs)));
    Ok((command, control))
}
