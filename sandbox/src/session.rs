//! Sessions: programs that run one after another within one sandbox.

use std::{
    collections::BTreeMap,
    io,
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::net::UnixStream as BlockingStream,
    },
    path::PathBuf,
    sync::Arc,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
    sync::Mutex,
};

use crate::{
    Confinement, Connections, End, Error, Finished, Program, Sandbox,
    connections::send_file,
    message::{self, NextProgram, Order, ProgramEnd, Report, Task, Work},
    running::{self, GRACE, Running},
};

/// Programs that run one after another within one sandbox, whose limits are those of all of them together.
/// When it is dropped, all of its processes are killed.
#[derive(Debug)]
pub struct Session {
    running: Mutex<Running>,
    /// The socket to the first process; none while a program runs, and after one that did not end.
    socket: Mutex<Option<UnixStream>>,
}

/// A program of a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Step {
    /// The program.
    pub program: Program,
    /// The folder that it starts in.
    pub folder: PathBuf,
    /// Its whole environment.
    pub environment: BTreeMap<String, String>,
    /// Its standard input.
    pub input: Vec<u8>,
    /// The most bytes of its output. Beyond it, the output is closed, and has this length.
    pub longest_output: u64,
    /// The most bytes of its standard error, likewise.
    pub longest_errors: u64,
    /// The socket that is its standard input in place of `input`.
    asks: Option<Arc<OwnedFd>>,
}

/// The end of a program of a session, and what it printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The end.
    pub end: End,
    /// Standard output.
    pub output: Vec<u8>,
    /// Standard error.
    pub errors: Vec<u8>,
}

impl Step {
    /// Creates a program that starts in a folder, with an empty environment and no input. Each of its streams has
    /// at most 1 MiB.
    #[must_use]
    pub fn new(program: Program, folder: impl Into<PathBuf>) -> Self {
        Self {
            program,
            folder: folder.into(),
            environment: BTreeMap::new(),
            input: Vec::new(),
            longest_output: 1 << 20,
            longest_errors: 1 << 20,
            asks: None,
        }
    }

    /// Lets the program and its children open connections to the caller. Its standard input is the socket
    /// for that, in place of `input`.
    ///
    /// # Errors
    ///
    /// Returns an error if the system grants no socket.
    pub fn open_connections(&mut self) -> Result<Connections, Error> {
        let (connections, theirs) = Connections::new()?;
        self.asks = Some(Arc::new(theirs));
        Ok(connections)
    }
}

impl Sandbox {
    /// Opens a session.
    ///
    /// # Errors
    ///
    /// Returns an error if a required layer is missing, or if the child cannot be started. A confinement that
    /// cannot be set up is an error of the first program.
    pub async fn session(&self, confinement: &Confinement) -> Result<Session, Error> {
        let support = self.check(confinement)?;
        let order = Order::Watch(Task {
            confinement: confinement.clone(),
            support,
            work: Work::Session,
        });
        let (ours, theirs) = BlockingStream::pair()?;
        let theirs = running::Output::Socket(OwnedFd::from(theirs));
        let running = self.start(&order, theirs).await?;
        ours.set_nonblocking(true)?;
        Ok(Session {
            running: Mutex::new(running),
            socket: Mutex::new(Some(UnixStream::from_std(ours)?)),
        })
    }
}

impl Session {
    /// Runs a program to its end.
    ///
    /// # Errors
    ///
    /// Returns an error if the program cannot be started, or if the session has ended: at a limit, or because
    /// the future of an earlier program was dropped.
    pub async fn run(&self, step: &Step) -> Result<Output, Error> {
        let mut place = self.socket.lock().await;
        let Some(mut socket) = place.take() else {
            return Err(Error::Setup("the session has ended".to_owned()));
        };
        match exchange(&mut socket, step).await {
            Ok(ended) => {
                *place = Some(socket);
                ended.map_err(Error::Setup)
            }
            Err(_) => {
                drop(socket);
                // The child reports why it has ended.
                let report = self.running.lock().await.report(Some(GRACE)).await;
                Err(report.map_or_else(|ended| ended, Report::failure))
            }
        }
    }
}

impl Session {
    /// Ends the session, and returns after the last of its processes is gone.
    ///
    /// # Errors
    ///
    /// Returns an error if the session has ended at a limit.
    pub async fn end(self) -> Result<Finished, Error> {
        drop(self.socket);
        let mut running = self.running.into_inner();
        match running.report(Some(GRACE)).await? {
            Report::Finished(finished) => Ok(finished),
            report => Err(report.failure()),
        }
    }
}

/// Gives the first process a program, and returns how it ended, or why it was not started.
async fn exchange(socket: &mut UnixStream, step: &Step) -> io::Result<Result<Output, String>> {
    let next = NextProgram {
        program: step.program.path.clone(),
        arguments: step.program.arguments.clone(),
        folder: step.folder.clone(),
        environment: step.environment.clone(),
        input: step.input.len(),
        asks: step.asks.is_some(),
        longest_output: step.longest_output,
        longest_errors: step.longest_errors,
    };
    socket.write_all(&message::encode(&next)?).await?;
    socket.write_all(&step.input).await?;
    if let Some(asks) = &step.asks {
        send_file(socket, asks.as_fd()).await?;
    }
    let ended = running::read_message(socket).await?;
    let (end, output, errors) = match ended {
        ProgramEnd::Ended {
            end,
            output,
            errors,
        } => (end, output, errors),
        ProgramEnd::Failed(message) => {
            let program = step.program.path.display();
            return Ok(Err(format!("the program `{program}`: {message}")));
        }
    };
    Ok(Ok(Output {
        end,
        output: read_bytes(socket, output, step.longest_output).await?,
        errors: read_bytes(socket, errors, step.longest_errors).await?,
    }))
}

/// Reads bytes whose length the other side states, if it is not beyond the limit.
async fn read_bytes(socket: &mut UnixStream, length: usize, most: u64) -> io::Result<Vec<u8>> {
    if u64::try_from(length).is_ok_and(|length| length > most) {
        return Err(io::Error::other("the output is longer than its limit"));
    }
    let mut bytes = vec![0; length];
    socket.read_exact(&mut bytes).await?;
    Ok(bytes)
}
