//! Scripts in a sandbox that call tools through one socket: those of skills, and the programs of agents.
//!
//! A script has no network, no environment of the server, and no files but the programs of the system and a scratch
//! folder in memory. It reaches tools through one socket only: a [`Desk`] makes the calls that it asks for. If the
//! machine cannot confine it so, it does not run.
//!
//! Descriptor 3 of the script is the socket, and `toolwright` is a command of its own that asks for calls. A program with scripts calls `toolwright_sandbox::serve` first in `main`, since it is also the child.

mod inside;

use std::{collections::BTreeMap, fmt, future::Future, future::pending, io, time::Duration};

use tokio::{net::UnixStream, select};
use toolwright::socket::{CallAnswer, CallRequest, read_request, write_answer};
use toolwright_sandbox::{
    Confinement, Connections, Error, Program, SCRATCH, Sandbox, Session, Step,
};
pub use toolwright_sandbox::{End, Limit, Output};

/// The greatest number of requests of one run.
pub const MOST_CALLS: u64 = 500;

/// The bytes of standard error that a run may print.
const LONGEST_ERRORS: u64 = 1 << 20;

/// The bytes of the scratch folder.
const SCRATCH_SIZE: u64 = 64 << 20;

/// The end of standard error that an error shows, in bytes.
const SHOWN_ERRORS: usize = 2 << 10;

/// Writes standard input to a file.
const PUT: &str = r#"mkdir -p bin && cat >"$0" && chmod 700 "$0""#;

/// A script.
#[derive(Clone, Debug)]
pub struct Script<'s> {
    /// The files of its scratch folder, which is its working folder: their names and contents.
    pub files: Vec<(&'s str, Vec<u8>)>,
    /// The line of the shell that starts it. Standard input of the line is the socket.
    pub command: &'s str,
    /// The longest time of a run.
    pub time: Duration,
    /// The longest standard output, in bytes.
    pub longest_output: u64,
}

/// Makes the calls that a script asks for, one after another.
pub trait Desk {
    /// Makes a call.
    fn call(&mut self, request: CallRequest) -> impl Future<Output = CallAnswer> + Send;
}

/// Why a run has no output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The machine cannot confine the script. It was not started.
    Unavailable(String),
    /// It cannot be started.
    NotStarted(String),
    /// It exceeded a limit.
    Limit(Limit),
    /// It asked for more than [`MOST_CALLS`] calls.
    TooManyCalls,
}

/// Runs a script to its end. When this returns, or is dropped, nothing of the script is left.
///
/// # Errors
/// [`Fault`] if it was not started, or was ended. An exit code is no fault.
pub async fn run(
    sandbox: &Sandbox,
    script: Script<'_>,
    desk: &mut (impl Desk + Send),
) -> Result<Output, Fault> {
    let support = sandbox.support()?;
    if !support.scratch {
        let message = "this machine grants no folder for temporary files";
        return Err(Fault::Unavailable(message.to_owned()));
    }
    let session = sandbox.session(&confinement(script.time)).await?;
    put(&session, "bin/toolwright", inside::wrapper().into_bytes()).await?;
    for (name, content) in script.files {
        put(&session, name, content).await?;
    }
    let mut step = shell([script.command]);
    step.longest_output = script.longest_output.saturating_add(1);
    step.longest_errors = LONGEST_ERRORS;
    let mut connections = step.open_connections()?;
    let ended = select! {
        ended = session.run(&step) => ended,
        () = answer_all(&mut connections, desk) => return Err(Fault::TooManyCalls),
    };
    // Nothing of the script is left when its caller receives the output.
    let _ = session.end().await;
    match ended? {
        output if output.output.len() as u64 > script.longest_output => {
            Err(Fault::Limit(Limit::Output))
        }
        output => Ok(output),
    }
}

/// Returns the end of what a script printed to standard error.
#[must_use]
pub fn shown_errors(errors: &[u8]) -> String {
    let start = errors.len().saturating_sub(SHOWN_ERRORS);
    let end = String::from_utf8_lossy(errors.get(start..).unwrap_or_default());
    end.trim().to_owned()
}

/// Returns the confinement of a script: no network, and no files but those of the system and the scratch
/// folder. All layers are required.
fn confinement(time: Duration) -> Confinement {
    let mut confinement = Confinement::new(SCRATCH);
    confinement.files = confinement.files.with_system_programs();
    confinement.files.own_program = true;
    let limits = &mut confinement.limits;
    limits.time = time;
    limits.cpu = time;
    limits.scratch = SCRATCH_SIZE;
    limits.file_size = SCRATCH_SIZE;
    confinement
}

/// Returns a step that runs a line of the shell in the scratch folder.
fn shell<const N: usize>(arguments: [&str; N]) -> Step {
    let arguments = ["-c"].into_iter().chain(arguments);
    let mut step = Step::new(Program::new("/bin/sh", arguments), SCRATCH);
    let environment = [
        ("HOME", SCRATCH.to_owned()),
        ("LANG", "C.UTF-8".to_owned()),
        (
            "PATH",
            format!("{SCRATCH}/bin:/usr/local/bin:/usr/bin:/bin"),
        ),
        ("TMPDIR", SCRATCH.to_owned()),
    ];
    let environment = environment.map(|(name, value)| (name.to_owned(), value));
    step.environment = BTreeMap::from(environment);
    step
}

/// Writes a file to the scratch folder.
async fn put(session: &Session, name: &str, content: Vec<u8>) -> Result<(), Fault> {
    let mut step = shell([PUT, name]);
    step.input = content;
    let ended = session.run(&step).await?;
    if ended.end == End::Exited(0) {
        return Ok(());
    }
    let errors = shown_errors(&ended.errors);
    let message = format!("the file `{name}` cannot be written: {errors}");
    Err(Fault::NotStarted(message))
}

/// Answers the processes of the script. Returns after a request too many.
async fn answer_all(connections: &mut Connections, desk: &mut (impl Desk + Send)) {
    let mut asked = 0;
    loop {
        match connections.accept().await {
            Ok(_) if asked == MOST_CALLS => return,
            // A process that goes away or breaks the protocol has harmed only itself.
            Ok(connection) => drop(answer(connection, desk).await),
            Err(_) => pending().await,
        }
        asked += 1;
    }
}

async fn answer(mut connection: UnixStream, desk: &mut (impl Desk + Send)) -> io::Result<()> {
    let answer = match read_request(&mut connection).await? {
        Ok(request) => desk.call(request).await,
        Err(refusal) => refusal,
    };
    write_answer(&mut connection, &answer).await
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        match error {
            Error::Ended(End::Limit(limit)) => Self::Limit(limit),
            Error::Unsupported(_) => Self::Unavailable(error.to_string()),
            error => Self::NotStarted(error.to_string()),
        }
    }
}

/// Continues `the script …`.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(message) | Self::NotStarted(message) => {
                write!(f, "was not started: {message}")
            }
            Self::Limit(limit) => End::Limit(*limit).fmt(f),
            Self::TooManyCalls => write!(f, "asked for more than {MOST_CALLS} calls"),
        }
    }
}

#[cfg(test)]
mod tests {
    use toolwright_sandbox::Support;

    use super::*;

    /// A desk that must not be asked.
    struct Nobody;

    impl Desk for Nobody {
        async fn call(&mut self, request: CallRequest) -> CallAnswer {
            panic!("`{}` was asked for", request.tool)
        }
    }

    #[tokio::test]
    async fn without_a_sandbox_nothing_runs() {
        let mut only_scratch = Support::default();
        only_scratch.scratch = true;
        for support in [Support::default(), only_scratch] {
            let sandbox = Sandbox::new().with_support(support);
            let script = Script {
                files: vec![("run.sh", b"echo 1".to_vec())],
                command: "./run.sh",
                time: Duration::from_secs(60),
                longest_output: 1,
            };
            let ended = run(&sandbox, script, &mut Nobody).await;
            assert!(matches!(ended, Err(Fault::Unavailable(_))), "{ended:?}");
        }
    }
}
