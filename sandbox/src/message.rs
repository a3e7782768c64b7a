//! The messages between a caller and its child, and between the two processes of a run.

use std::{
    collections::BTreeMap,
    fmt,
    io::{self, Read, Write},
    os::unix::process::ExitStatusExt,
    path::PathBuf,
    process::ExitStatus,
    time::Duration,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{Confinement, Support};

/// The argument that makes a program the child of a sandbox.
pub(crate) const CHILD: &str = "--toolwright-sandbox-child";

/// The argument that makes a program one of its own in a sandbox, by the name that follows.
pub(crate) const OWN_PROGRAM: &str = "--toolwright-sandbox-program";

/// The longest message in bytes.
const LONGEST: usize = 256 << 20;

/// The work of a child.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    /// Reports what the machine supports.
    Probe(Probe),
    /// Confines itself and runs a job.
    Job {
        confinement: Confinement,
        support: Support,
        job: NextJob,
        /// True if it may wait for further jobs, a [`NextJob`] each.
        is_kept: bool,
    },
    /// Starts the process that runs a program, watches it and its children, and ends them.
    Watch(Task),
    /// Confines itself, runs a program and waits for it.
    Program(Task),
}

/// A job with its input. The open files of the job follow the message.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct NextJob {
    pub(crate) name: String,
    pub(crate) input: Value,
    /// The number of its open files.
    pub(crate) files: usize,
}

/// A run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    pub(crate) confinement: Confinement,
    pub(crate) support: Support,
    pub(crate) work: Work,
}

/// The work of a run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Work {
    /// A program with its arguments.
    Program(PathBuf, Vec<String>),
    /// A program with its arguments, whose input comes from the socket that is standard output.
    Dialogue(PathBuf, Vec<String>),
    /// Programs that the caller names one after another, on the socket that is standard output.
    Session,
}

/// A program of a session. Its input follows the message.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct NextProgram {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) folder: PathBuf,
    pub(crate) environment: BTreeMap<String, String>,
    /// The bytes of the input.
    pub(crate) input: usize,
    /// True if its standard input is a socket, which follows the input.
    pub(crate) asks: bool,
    /// The most bytes of the output.
    pub(crate) longest_output: u64,
    /// The most bytes of the errors.
    pub(crate) longest_errors: u64,
}

/// The end of a program of a session.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ProgramEnd {
    /// It ended. The output follows the message, and then the errors.
    Ended {
        end: End,
        output: usize,
        errors: usize,
    },
    /// It cannot be started, or waited for.
    Failed(String),
}

/// A feature that a child tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Probe {
    /// Landlock, seccomp, the namespaces.
    Machine,
    /// A `/proc` of its own and a folder for temporary files, as the first process of a namespace.
    Mounts,
}

/// The answer of a child.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The features that the machine supports.
    Support(Box<Support>),
    /// The result of a job, after which the child ends.
    Result(Result<Value, String>),
    /// The result of a job, after which the child waits for the next one.
    Kept(Value),
    /// The end of a program.
    Finished(Finished),
    /// The confinement cannot be set up, or the program cannot be started.
    Failed(String),
}

/// The end of a program, and what it used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    /// The end.
    pub end: End,
    /// The resources that all of its processes used.
    pub usage: Usage,
}

/// The end of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// It ended with this code.
    Exited(i32),
    /// A signal ended it.
    Signalled(i32),
    /// It was ended at a limit.
    Limit(Limit),
}

/// A limit that ends a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Limit {
    /// The time.
    Time,
    /// The CPU time of all processes.
    Cpu,
    /// The memory of all processes.
    Memory,
    /// The number of processes.
    Processes,
    /// The bytes that were written to disks.
    Written,
    /// The bytes of output.
    Output,
}

/// The resources that the processes of a program used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// The time from start to end.
    pub time: Duration,
    /// The CPU time.
    pub cpu: Duration,
    /// The largest memory of one process, in bytes.
    pub memory: u64,
}

impl End {
    pub(crate) fn of_status(status: ExitStatus) -> Self {
        match (status.signal(), status.code()) {
            (Some(signal), _) => Self::Signalled(signal),
            (None, code) => Self::Exited(code.unwrap_or(-1)),
        }
    }
}

/// Continues `it …`.
impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "ended with exit code {code}"),
            Self::Signalled(signal) => write!(f, "was ended by signal {signal}"),
            Self::Limit(limit) => write!(f, "was ended because it exceeded its limit of {limit}"),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "time",
            Self::Cpu => "CPU time",
            Self::Memory => "memory",
            Self::Processes => "processes",
            Self::Written => "bytes written to disk",
            Self::Output => "output",
        })
    }
}

/// Encodes a message: its length in four bytes, and its JSON.
pub(crate) fn encode(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let json = serde_json::to_vec(message)?;
    let length = u32::try_from(json.len()).ok();
    let length = length.filter(|_| json.len() <= LONGEST);
    let length = length.ok_or_else(|| io::Error::other("the message is too long"))?;
    let mut bytes = Vec::with_capacity(json.len() + 4);
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(&json);
    Ok(bytes)
}

/// Returns the length of a message by its first four bytes.
pub(crate) fn length(prefix: [u8; 4]) -> io::Result<usize> {
    checked(usize::try_from(u32::from_be_bytes(prefix)).unwrap_or(usize::MAX))
}

/// Returns a length that the other side states, if it is one that may be allocated.
pub(crate) fn checked(length: usize) -> io::Result<usize> {
    if length > LONGEST {
        return Err(io::Error::other("the message is too long"));
    }
    Ok(length)
}

/// Writes a message.
pub(crate) fn write(mut to: impl Write, message: &impl Serialize) -> io::Result<()> {
    to.write_all(&encode(message)?)
}

/// Reads a message.
pub(crate) fn read<T: DeserializeOwned>(mut from: impl Read) -> io::Result<T> {
    let mut prefix = [0; 4];
    from.read_exact(&mut prefix)?;
    let mut json = vec![0; length(prefix)?];
    from.read_exact(&mut json)?;
    Ok(serde_json::from_slice(&json)?)
}
