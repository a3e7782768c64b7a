//! Runs the script of a skill in a sandbox, and makes the calls that it asks for as the caller of the skill.

use std::time::Duration;

use serde_json::{Map, Value};
use toolwright::{
    ToolError,
    socket::{CallAnswer, CallRequest},
};
use toolwright_sandbox::Sandbox;
use toolwright_scripts::{self as scripts, End, Fault, Limit, Output, shown_errors};

use super::{Caller, Run, RunError, RunFault, ScriptFault};
use crate::format::{SCRIPT, Script, Skill};

/// The longest result, in bytes.
const LONGEST_RESULT: u64 = 4 << 20;

/// The name of the file of the parameters, in the scratch folder.
const PARAMETERS: &str = "parameters.json";

/// Moves the socket to descriptor 3, where it stays while pipes and files replace standard input.
const START: &str = "exec 3<&0 <parameters.json && exec ./run.sh";

/// Runs a script with parameters that fit the skill.
pub(super) async fn run(
    skill: &Skill,
    script: &Script,
    mut parameters: Map<String, Value>,
    caller: impl Caller + Send + Sync,
) -> Run {
    for parameter in &skill.sequence.parameters {
        if let Some(default) = parameter.schema.get("default") {
            let given = parameters.entry(&parameter.name);
            given.or_insert_with(|| default.clone());
        }
    }
    let mut desk = Desk {
        script,
        caller,
        calls: 0,
        failed: None,
    };
    let sandboxed = scripts::Script {
        files: vec![
            (
                PARAMETERS,
                Value::Object(parameters).to_string().into_bytes(),
            ),
            (SCRIPT, script.text.clone().into_bytes()),
        ],
        command: START,
        time: Duration::from_secs(script.seconds),
        longest_output: LONGEST_RESULT,
    };
    let ended = scripts::run(&Sandbox::new(), sandboxed, &mut desk).await;
    let result = desk.result(ended).map_err(|fault| RunError {
        step: SCRIPT.to_owned(),
        tool: match &fault {
            RunFault::Script(_) => None,
            _ => desk.failed.take().map(|(tool, _)| tool),
        },
        fault,
        by_parameter: !skill.sequence.parameters.is_empty(),
    });
    Run {
        calls: desk.calls,
        result,
    }
}

/// Makes the calls of a script, one after another.
struct Desk<'s, C> {
    script: &'s Script,
    caller: C,
    calls: u64,
    /// The last call, if it failed: its tool and its fault.
    failed: Option<(String, RunFault)>,
}

impl<C: Caller + Send + Sync> scripts::Desk for Desk<'_, C> {
    async fn call(&mut self, request: CallRequest) -> CallAnswer {
        let CallRequest { tool, arguments } = request;
        let mut declared = self.script.tools.iter();
        if !declared.any(|declared| declared.value.as_str() == tool) {
            self.caller.refuse(&tool, arguments).await;
            let message = format!("`tools` of the skill does not list `{tool}`");
            self.failed = Some((tool, RunFault::NotDeclared));
            return CallAnswer::refusal("tool_not_declared", &message);
        }
        self.calls += 1;
        match self.caller.call(&tool, arguments).await {
            Ok(value) => {
                self.failed = None;
                CallAnswer::Success(value)
            }
            Err(error) => {
                let answer = CallAnswer::failure(&error);
                let fault = match error {
                    error @ ToolError::ApprovalRequired { .. } => RunFault::Undecided(error),
                    error => RunFault::Call(error),
                };
                self.failed = Some((tool, fault));
                answer
            }
        }
    }
}

impl<C> Desk<'_, C> {
    /// Returns the result of a script that has ended. A script that ends well has dealt with the calls that
    /// failed.
    fn result(&self, ended: Result<Output, Fault>) -> Result<Value, RunFault> {
        let output = match ended {
            Ok(output) if output.end == End::Exited(0) => output,
            Err(fault @ (Fault::TooManyCalls | Fault::Limit(Limit::Output))) => {
                return Err(fault.into());
            }
            other => {
                let failed = self.failed.as_ref().map(|(_, fault)| fault.clone());
                return Err(failed.unwrap_or_else(|| match other {
                    Ok(output) => ScriptFault::Ended {
                        end: output.end,
                        errors: shown_errors(&output.errors),
                    }
                    .into(),
                    Err(fault) => fault.into(),
                }));
            }
        };
        serde_json::from_slice(&output.output)
            .map_err(|error| ScriptFault::NoJson(error.to_string()).into())
    }
}

impl From<Fault> for RunFault {
    fn from(fault: Fault) -> Self {
        Self::Script(match fault {
            Fault::TooManyCalls => return Self::TooManyCalls,
            Fault::Unavailable(message) => ScriptFault::Unavailable(message),
            Fault::NotStarted(message) => ScriptFault::NotStarted(message),
            Fault::Limit(limit) => ScriptFault::Limit(limit),
        })
    }
}
