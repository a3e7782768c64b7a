//! Runs the script of a skill in a sandbox, and makes the calls that it asks for.
//!
//! The script has no network, and no files but the programs of the system and a scratch folder in memory. It
//! reaches tools through one socket only, and each call is made as the caller of the skill. If the machine
//! cannot confine it so, it does not run.

use std::{collections::BTreeMap, future::pending, time::Duration};

use serde_json::{Map, Value};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
    select,
};
use toolwright::ToolError;
use toolwright_sandbox::{
    Confinement, Connections, End, Error, Limit, Output, Program, SCRATCH, Sandbox, Session, Step,
};

use super::{Caller, MOST_CALLS, Run, RunError, RunFault, ScriptFault};
use crate::{
    format::{SCRIPT, Script, Skill},
    inside::{self, Answer, LONGEST_REQUEST, Request},
};

/// The longest result, in bytes.
const LONGEST_RESULT: usize = 4 << 20;

/// The bytes of standard error that a run may print.
const LONGEST_ERRORS: u64 = 1 << 20;

/// The end of standard error that an error shows, in bytes.
const SHOWN_ERRORS: usize = 2 << 10;

/// The bytes of the scratch folder.
const SCRATCH_SIZE: u64 = 64 << 20;

/// The name of the file of the parameters, in the scratch folder.
const PARAMETERS: &str = "parameters.json";

/// Writes standard input to a file.
const PUT: &str = r#"mkdir -p bin && cat >"$0" && chmod 700 "$0""#;

/// Moves the socket to descriptor 3, where it stays while pipes and files replace standard input.
const START: &str = "exec 3<&0 <parameters.json && exec ./run.sh";

/// Runs a script with parameters that fit the skill.
pub(super) async fn run(
    skill: &Skill,
    script: &Script,
    mut parameters: Map<String, Value>,
    caller: impl Caller + Send + Sync,
) -> Run {
    for parameter in &skill.parameters {
        if let Some(default) = parameter.schema.get("default") {
            let given = parameters.entry(&parameter.name);
            given.or_insert_with(|| default.clone());
        }
    }
    let mut desk = Desk {
        script,
        caller,
        asked: 0,
        calls: 0,
        failed: None,
    };
    let ended = in_sandbox(&Sandbox::new(), script, parameters, &mut desk).await;
    let result = ended.map_err(|fault| RunError {
        step: SCRIPT.to_owned(),
        tool: match &fault {
            RunFault::Script(_) => None,
            _ => desk.failed.take().map(|(tool, _)| tool),
        },
        fault,
        by_parameter: !skill.parameters.is_empty(),
    });
    Run {
        calls: desk.calls,
        result,
    }
}

async fn in_sandbox<C: Caller + Send + Sync>(
    sandbox: &Sandbox,
    script: &Script,
    parameters: Map<String, Value>,
    desk: &mut Desk<'_, C>,
) -> Result<Value, RunFault> {
    let support = sandbox.support().map_err(not_started)?;
    if !support.scratch {
        let message = "this machine grants no folder for temporary files";
        return Err(ScriptFault::Unavailable(message.to_owned()).into());
    }
    let session = sandbox.session(&confinement(script)).await;
    let session = session.map_err(not_started)?;
    put(&session, "bin/toolwright", inside::wrapper().into_bytes()).await?;
    put(
        &session,
        PARAMETERS,
        Value::Object(parameters).to_string().into_bytes(),
    )
    .await?;
    put(&session, SCRIPT, script.text.clone().into_bytes()).await?;
    let mut step = shell([START]);
    step.longest_output = u64::try_from(LONGEST_RESULT)
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    step.longest_errors = LONGEST_ERRORS;
    let mut connections = step.open_connections().map_err(not_started)?;
    let ended = select! {
        ended = session.run(&step) => ended,
        () = desk.answer_all(&mut connections) => return Err(RunFault::TooManyCalls),
    };
    // Nothing of the script is left when its caller receives the result.
    let _ = session.end().await;
    desk.result(ended)
}

/// Returns the confinement of a script: no network, and no files but those of the system and the scratch
/// folder. All layers are required.
fn confinement(script: &Script) -> Confinement {
    let mut confinement = Confinement::new(SCRATCH);
    confinement.files = confinement.files.with_system_programs();
    confinement.files.own_program = true;
    let limits = &mut confinement.limits;
    limits.time = Duration::from_secs(script.seconds);
    limits.cpu = limits.time;
    limits.scratch = SCRATCH_SIZE;
    limits.file_size = SCRATCH_SIZE;
    confinement
}

/// Returns a step that runs a script of ours in the scratch folder.
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
async fn put(session: &Session, name: &str, content: Vec<u8>) -> Result<(), RunFault> {
    let mut step = shell([PUT, name]);
    step.input = content;
    let ended = session.run(&step).await.map_err(not_started)?;
    if ended.end == End::Exited(0) {
        return Ok(());
    }
    let errors = shown(&ended.errors);
    let message = format!("the file `{name}` cannot be written: {errors}");
    Err(ScriptFault::NotStarted(message).into())
}

fn not_started(error: Error) -> RunFault {
    let fault = match error {
        Error::Ended(End::Limit(limit)) => ScriptFault::Limit(limit),
        Error::Unsupported(_) => ScriptFault::Unavailable(error.to_string()),
        error => ScriptFault::NotStarted(error.to_string()),
    };
    fault.into()
}

/// Makes the calls of a script, one after another.
struct Desk<'s, C> {
    script: &'s Script,
    caller: C,
    /// The number of requests, also of those that are no call.
    asked: u64,
    calls: u64,
    /// The last call, if it failed: its tool and its fault.
    failed: Option<(String, RunFault)>,
}

impl<C: Caller + Send + Sync> Desk<'_, C> {
    /// Answers the processes of the script. Returns after a request too many.
    async fn answer_all(&mut self, connections: &mut Connections) {
        loop {
            match connections.accept().await {
                Ok(_) if self.asked == MOST_CALLS => return,
                // A process that goes away or breaks the protocol has harmed only itself.
                Ok(connection) => drop(self.answer(connection).await),
                Err(_) => pending().await,
            }
            self.asked += 1;
        }
    }

    /// Answers one request.
    async fn answer(&mut self, mut connection: UnixStream) -> std::io::Result<()> {
        let length = usize::try_from(connection.read_u32().await?).unwrap_or(usize::MAX);
        let answer = if length > LONGEST_REQUEST {
            Answer::failed("request_too_long", "a request has at most 4 MiB")
        } else {
            let mut request = vec![0; length];
            connection.read_exact(&mut request).await?;
            match serde_json::from_slice(&request) {
                Ok(request) => self.call(request).await,
                Err(error) => Answer::failed("malformed_request", error.to_string()),
            }
        };
        let answer = serde_json::to_vec(&answer)?;
        let length = u32::try_from(answer.len()).map_err(std::io::Error::other)?;
        connection.write_u32(length).await?;
        connection.write_all(&answer).await
    }

    async fn call(&mut self, request: Request) -> Answer {
        let Request { tool, arguments } = request;
        let mut declared = self.script.tools.iter();
        if !declared.any(|declared| declared.value.as_str() == tool) {
            self.caller.refuse(&tool, arguments).await;
            let message = format!("`tools` of the skill does not list `{tool}`");
            let answer = Answer::failed("tool_not_declared", message);
            self.failed = Some((tool, RunFault::NotDeclared));
            return answer;
        }
        self.calls += 1;
        match self.caller.call(&tool, arguments).await {
            Ok(value) => {
                self.failed = None;
                Answer::Result(value)
            }
            Err(error) => {
                let answer = Answer::failed(error.code(), error.to_string());
                let fault = match error {
                    error @ ToolError::ApprovalRequired { .. } => RunFault::Undecided(error),
                    error => RunFault::Call(error),
                };
                self.failed = Some((tool, fault));
                answer
            }
        }
    }

    /// Returns the result of a script that has ended. A script that ends well has dealt with the calls that
    /// failed.
    fn result(&self, ended: Result<Output, Error>) -> Result<Value, RunFault> {
        let output = match ended {
            Ok(output) if output.output.len() > LONGEST_RESULT => {
                return Err(ScriptFault::Limit(Limit::Output).into());
            }
            Ok(output) if output.end == End::Exited(0) => output,
            other => {
                let failed = self.failed.as_ref().map(|(_, fault)| fault.clone());
                return Err(failed.unwrap_or_else(|| match other {
                    Ok(output) => ScriptFault::Ended {
                        end: output.end,
                        errors: shown(&output.errors),
                    }
                    .into(),
                    Err(error) => not_started(error),
                }));
            }
        };
        serde_json::from_slice(&output.output)
            .map_err(|error| ScriptFault::NoJson(error.to_string()).into())
    }
}

/// Returns the end of what a script printed to standard error.
fn shown(errors: &[u8]) -> String {
    let start = errors.len().saturating_sub(SHOWN_ERRORS);
    let end = String::from_utf8_lossy(errors.get(start..).unwrap_or_default());
    end.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use toolwright::PlannedStep;
    use toolwright_sandbox::Support;

    use super::*;

    /// A caller that must not be asked.
    struct Nobody;

    impl Caller for Nobody {
        async fn call(&self, tool: &str, _: Value) -> Result<Value, ToolError> {
            panic!("`{tool}` was asked for")
        }

        async fn refuse(&self, tool: &str, _: Value) {
            panic!("`{tool}` was asked for")
        }

        fn only_reads(&self, tool: &str) -> bool {
            panic!("`{tool}` was asked for")
        }

        fn needs_approval(&self, tool: &str) -> bool {
            panic!("`{tool}` was asked for")
        }

        async fn approve(&mut self, _: &[PlannedStep]) -> Result<(), ToolError> {
            panic!("an approval was asked for")
        }
    }

    #[tokio::test]
    async fn without_a_sandbox_nothing_runs() {
        let text = "name = \"find-shop-stock\"\nline = \"x\"\nowner = \"x\"\ntools = [\"a\"]\n";
        let skill = Skill::read_with(Path::new("skill.toml"), text, Some("echo 1")).unwrap();
        let script = skill.script.as_ref().unwrap();
        let mut only_scratch = Support::default();
        only_scratch.scratch = true;
        for support in [Support::default(), only_scratch] {
            let sandbox = Sandbox::new().with_support(support);
            let mut desk = Desk {
                script,
                caller: Nobody,
                asked: 0,
                calls: 0,
                failed: None,
            };
            let ended = in_sandbox(&sandbox, script, Map::new(), &mut desk).await;
            let is_refused =
                |fault: &RunFault| matches!(fault, RunFault::Script(ScriptFault::Unavailable(_)));
            assert!(ended.as_ref().is_err_and(is_refused), "{ended:?}");
        }
    }
}
