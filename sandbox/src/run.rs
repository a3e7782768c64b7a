//! The side of the caller: starting a child, its output and its end.

use std::{
    ffi::OsString,
    io,
    os::{
        fd::OwnedFd,
        unix::{net::UnixStream as BlockingStream, process::CommandExt},
    },
    path::PathBuf,
    process::Stdio,
    sync::OnceLock,
    time::Duration,
};

use serde::de::DeserializeOwned;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    net::UnixStream,
    process::{Child, Command},
    time::timeout,
};

use crate::{
    Confinement, End, Error, Finished, Job, Limit, Support,
    message::{self, CHILD, Order, Probe, Report, Task, Work},
    serve::is_served,
};

/// The program of this process, also if its file was replaced since it started.
const THIS_PROGRAM: &str = "/proc/self/exe";

/// The time that a child has beyond its limit to end by itself.
pub(crate) const GRACE: Duration = Duration::from_secs(5);

/// A program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The path of the program.
    pub path: PathBuf,
    /// The arguments after the name of the program.
    pub arguments: Vec<String>,
}

/// A stream of a program's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

/// Starts confined children.
#[derive(Clone, Debug, Default)]
pub struct Sandbox {
    helper: Option<PathBuf>,
    support: Option<Support>,
}

impl Program {
    /// Creates a program with its arguments.
    #[must_use]
    pub fn new<A: Into<String>>(
        path: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            path: path.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
        }
    }
}

impl Support {
    /// Finds out what the machine supports, once for each process.
    ///
    /// # Errors
    ///
    /// Returns an error if the child that tries the features cannot be started.
    pub fn detect() -> Result<Self, Error> {
        static FOUND: OnceLock<Support> = OnceLock::new();
        if let Some(found) = FOUND.get() {
            return Ok(found.clone());
        }
        let found = probe(None)?;
        Ok(FOUND.get_or_init(|| found).clone())
    }
}

impl Sandbox {
    /// Creates a sandbox whose children are this program, which must have called
    /// [`serve`](crate::serve).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a sandbox whose children are another program, which calls [`serve`](crate::serve).
    #[must_use]
    pub fn with_helper(helper: impl Into<PathBuf>) -> Self {
        Self {
            helper: Some(helper.into()),
            ..Self::default()
        }
    }

    /// Uses these features of the machine alone, as if it had no others.
    #[must_use]
    pub fn with_support(mut self, support: Support) -> Self {
        self.support = Some(support);
        self
    }

    /// Returns what the machine supports.
    ///
    /// # Errors
    ///
    /// Returns an error if the child that tries it cannot be started.
    pub fn support(&self) -> Result<Support, Error> {
        match (&self.support, &self.helper) {
            (Some(support), _) => Ok(support.clone()),
            (None, None) => Support::detect(),
            (None, Some(helper)) => probe(Some(helper.clone())),
        }
    }

    /// Runs a program, and passes its output on as it comes. When the future is dropped, all processes
    /// of the program are killed.
    ///
    /// # Errors
    ///
    /// Returns an error if a required layer is missing, or if the program cannot be started. A program
    /// that ends with a code, by a signal or at a limit is no error.
    pub async fn run(
        &self,
        confinement: &Confinement,
        program: &Program,
        output: impl FnMut(Stream, &[u8]),
    ) -> Result<Finished, Error> {
        let support = self.check(confinement)?;
        let order = Order::Watch(Task {
            confinement: confinement.clone(),
            support,
            work: Work::Program(program.path.clone(), program.arguments.clone()),
        });
        // The child kills the program, also if this process is gone; it is not killed itself.
        let mut running = self.start(&order, Output::Read).await?;
        let run = async {
            let exceeded = running.output(confinement.limits.output, output).await?;
            Ok::<_, Error>((exceeded, running.report(None).await?))
        };
        let Ok(ended) = timeout(confinement.limits.time + GRACE, run).await else {
            // The first process of the run ends with the child.
            running.child.kill().await?;
            return Err(Error::Ended(End::Limit(Limit::Time)));
        };
        match ended? {
            (true, Report::Finished(finished)) => Ok(Finished {
                end: End::Limit(Limit::Output),
                ..finished
            }),
            (false, Report::Finished(finished)) => Ok(finished),
            (_, report) => Err(report.failure()),
        }
    }

    /// Runs a job in a child. When the future is dropped, the child is killed.
    ///
    /// # Errors
    ///
    /// Returns an error if a required layer is missing, or if the job fails or exceeds a limit.
    pub async fn job<J: Job>(
        &self,
        confinement: &Confinement,
        input: &J::Input,
    ) -> Result<J::Output, Error> {
        let support = self.check(confinement)?;
        let input = serde_json::to_value(input).map_err(io::Error::from)?;
        let order = Order::Job {
            confinement: confinement.clone(),
            support,
            name: J::NAME.to_owned(),
            input,
        };
        let mut running = self.start(&order, Output::None).await?;
        match running.report(Some(confinement.limits.time)).await? {
            Report::Result(Ok(output)) => {
                Ok(serde_json::from_value(output).map_err(io::Error::from)?)
            }
            Report::Result(Err(message)) => Err(Error::Job(message)),
            report => Err(report.failure()),
        }
    }

    /// Returns what the machine supports, if that is all that the confinement requires.
    pub(crate) fn check(&self, confinement: &Confinement) -> Result<Support, Error> {
        let support = self.support()?;
        let missing = support.missing(confinement);
        if missing.is_empty() {
            Ok(support)
        } else {
            Err(Error::Unsupported(missing))
        }
    }

    pub(crate) async fn start(&self, order: &Order, output: Output) -> Result<Running, Error> {
        let (mut command, control) = command(self.helper.clone())?;
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
        let mut control = UnixStream::from_std(control)?;
        control.write_all(&message::encode(order)?).await?;
        Ok(Running { child, control })
    }
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

/// A child that was given its order.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    control: UnixStream,
}

impl Running {
    /// Passes output on until the program ends. Returns true if it was ended because of its length.
    async fn output(
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

    /// Waits for the report and the end of the child.
    pub(crate) async fn report(&mut self, time: Option<Duration>) -> Result<Report, Error> {
        let report = read_message::<Report>(&mut self.control);
        let report = match time {
            None => report.await,
            Some(time) => match timeout(time, report).await {
                Ok(report) => report,
                Err(_) => {
                    self.child.kill().await?;
                    return Err(Error::Ended(End::Limit(Limit::Time)));
                }
            },
        };
        let Ok(status) = timeout(GRACE, self.child.wait()).await else {
            self.child.kill().await?;
            return Err(Error::Setup("the child does not end".to_owned()));
        };
        let status = status?;
        report.map_err(|_| Error::Ended(End::of_status(status)))
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
fn command(helper: Option<PathBuf>) -> Result<(std::process::Command, BlockingStream), Error> {
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

/// Lets a child find out what the machine supports.
fn probe(helper: Option<PathBuf>) -> Result<Support, Error> {
    if cfg!(not(target_os = "linux")) {
        return Ok(Support::default());
    }
    let (mut command, control) = command(helper)?;
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    drop(command);
    control.set_read_timeout(Some(GRACE))?;
    message::write(&control, &Order::Probe(Probe::Machine))?;
    let report = message::read(&control);
    drop(control);
    child.wait()?;
    match report? {
        Report::Support(support) => Ok(*support),
        report => Err(report.failure()),
    }
}
