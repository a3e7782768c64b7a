//! The interpreter: runs the steps of a skill through a caller.
//!
//! Each step is an ordinary call through the caller's own view, so it passes all gates with the caller's
//! role and scope. A step that fails ends the run; the steps before it have happened. A script makes its
//! calls in the same way.
//!
//! If a call of the skill needs an approval, the run stops before its first call that changes something,
//! and a person sees everything that it would still send: [`Caller::approve`]. The calls of a script cannot
//! be known before, so each of them waits for itself.

mod script;
mod values;

use std::{fmt, future::Future};

use serde_json::{Map, Value};
use toolwright::{PlannedStep, ToolError};
use toolwright_sandbox::{End, Limit};

use crate::{
    format::Skill,
    sequence::{Each, Sequence, Step},
};
pub(crate) use values::Missing;
use values::{Filled, Known, Values};

/// The greatest number of calls of one run.
pub const MOST_CALLS: u64 = 500;

/// The one who makes the calls of a run.
pub trait Caller {
    /// Makes a call.
    ///
    /// # Errors
    /// The error of the call.
    fn call(
        &self,
        tool: &str,
        arguments: Value,
    ) -> impl Future<Output = Result<Value, ToolError>> + Send;

    /// Records that a script asked for a call of a tool that its skill does not list. It makes no call.
    fn refuse(&self, tool: &str, arguments: Value) -> impl Future<Output = ()> + Send;

    /// Returns whether a call of a tool changes nothing and needs no approval.
    fn only_reads(&self, tool: &str) -> bool;

    /// Returns whether calls of a tool need an approval.
    fn needs_approval(&self, tool: &str) -> bool;

    /// Asks a person to approve the calls that the run would still make. It is asked once at most, if one
    /// of them needs it.
    ///
    /// # Errors
    /// [`ToolError::ApprovalRequired`] until a person has decided, and the error of a call that may not
    /// pass.
    fn approve(
        &mut self,
        steps: &[PlannedStep],
    ) -> impl Future<Output = Result<(), ToolError>> + Send;
}

/// A run that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The number of calls that were made.
    pub calls: u64,
    /// The result, or what ended the run.
    pub result: Result<Value, RunError>,
}

/// The end of a run that has no result.
#[derive(Clone, Debug, PartialEq)]
pub struct RunError {
    /// The step, or [`SCRIPT`](crate::SCRIPT).
    pub step: String,
    /// The tool that was called; none if a script itself failed.
    pub tool: Option<String>,
    /// The fault.
    pub fault: RunFault,
    /// True if an argument of the step is a parameter of the skill.
    pub by_parameter: bool,
}

/// The fault that ended a run.
#[derive(Clone, Debug, PartialEq)]
pub enum RunFault {
    /// The call failed.
    Call(ToolError),
    /// A result does not hold the value that a hole names: it has another shape than the skill expects.
    Missing(String),
    /// There is nothing that a hole names: a list is too short, or a value is null.
    Nothing(String),
    /// The value of `each` is not a list.
    NoList,
    /// The list has more elements than the loop may take.
    TooLong {
        /// The number of elements.
        elements: usize,
        /// The greatest number.
        most: u64,
    },
    /// The run would make more than [`MOST_CALLS`] calls.
    TooManyCalls,
    /// A call of a script waited for an approval, and nobody decided before the time of the run ended.
    Undecided(ToolError),
    /// A script called a tool that its skill does not list.
    NotDeclared,
    /// A script failed.
    Script(ScriptFault),
}

/// The end of a script that has no result.
#[derive(Clone, Debug, PartialEq)]
pub enum ScriptFault {
    /// The machine cannot confine it. It was not started.
    Unavailable(String),
    /// It cannot be started.
    NotStarted(String),
    /// It ended with another exit code than 0.
    Ended {
        /// The end.
        end: End,
        /// The end of its standard error.
        errors: String,
    },
    /// It exceeded a limit.
    Limit(Limit),
    /// Its standard output is not JSON.
    NoJson(String),
}

/// The exit code of a script whose caller asked for something that is not possible.
pub const CALLERS_FAULT: i32 = 64;

/// Runs a skill with parameters that fit its schema.
pub async fn run(
    skill: &Skill,
    parameters: Map<String, Value>,
    caller: impl Caller + Send + Sync,
) -> Run {
    if let Some(script) = &skill.script {
        return script::run(skill, script, parameters, caller).await;
    }
    run_sequence(&skill.sequence, parameters, caller).await
}

/// Runs a sequence with parameters that fit its schema.
pub async fn run_sequence(
    sequence: &Sequence,
    parameters: Map<String, Value>,
    caller: impl Caller + Send + Sync,
) -> Run {
    let mut values = Values::default();
    for parameter in &sequence.parameters {
        let given = parameters.get(&parameter.name);
        let given = given.or_else(|| parameter.schema.get("default"));
        let known = given.map_or(Known::Absent, |value| Known::Value(value.clone()));
        values.set(&parameter.name, known);
    }
    let mut running = Running {
        sequence,
        caller,
        values,
        calls: 0,
        asked: false,
    };
    let result = running.steps().await;
    Run {
        calls: running.calls,
        result,
    }
}

struct Running<'s, C> {
    sequence: &'s Sequence,
    caller: C,
    values: Values,
    calls: u64,
    /// True if a person was asked, or need not be.
    asked: bool,
}

impl<C: Caller + Send> Running<'_, C> {
    async fn steps(&mut self) -> Result<Value, RunError> {
        let mut last = Value::Null;
        for (index, step) in self.sequence.steps.iter().enumerate() {
            let result = match self.step(index, step).await {
                Ok(result) => result,
                Err(fault) => return Err(self.error(step, fault)),
            };
            let known = match result {
                Some(result) => {
                    last = result.clone();
                    Known::Value(result)
                }
                None => Known::Absent,
            };
            self.values.set_item(None);
            self.values.set(&step.id, known);
        }
        let Some(returns) = &self.sequence.returns else {
            return Ok(last);
        };
        let filled = self.values.fill(returns);
        match (filled, self.sequence.steps.last()) {
            (Ok(filled), _) => Ok(filled.value),
            (Err(missing), Some(step)) => Err(self.error(step, missing.into())),
            (Err(_), None) => Ok(last),
        }
    }

    fn error(&self, step: &Step, fault: RunFault) -> RunError {
        let mut parameters = self.sequence.parameters.iter();
        let by_parameter = parameters.any(|parameter| step.uses(&parameter.name));
        RunError {
            step: step.id.clone(),
            tool: Some(step.tool.value.to_string()),
            fault,
            by_parameter,
        }
    }

    /// Runs a step. Returns none if its condition does not hold.
    async fn step(&mut self, index: usize, step: &Step) -> Result<Option<Value>, RunFault> {
        let Some(each) = &step.each else {
            if self.values.hold(&step.conditions) != Some(true) {
                return Ok(None);
            }
            return self.call(index, step).await.map(Some);
        };
        let mut results = Vec::new();
        for item in self.list(each)? {
            self.values.set_item(Some(Known::Value(item)));
            let result = match self.values.hold(&step.conditions) {
                Some(true) => self.call(index, step).await?,
                _ => Value::Null,
            };
            results.push(result);
        }
        Ok(Some(Value::Array(results)))
    }

    fn list(&self, each: &Each) -> Result<Vec<Value>, RunFault> {
        let filled = self.values.hole(&each.list);
        match filled.map_err(RunFault::from)? {
            Filled::Value(Value::Array(items)) => check_length(&items, each.most).map(|()| items),
            Filled::Absent => Ok(Vec::new()),
            Filled::Value(_) | Filled::Open => Err(RunFault::NoList),
        }
    }

    async fn call(&mut self, index: usize, step: &Step) -> Result<Value, RunFault> {
        let tool = step.tool.value.as_str();
        if !self.asked && !self.caller.only_reads(tool) {
            self.ask(index).await?;
        }
        let filled = self.values.fill(&step.arguments);
        let filled = filled.map_err(RunFault::from)?;
        if self.calls == MOST_CALLS {
            return Err(RunFault::TooManyCalls);
        }
        self.calls += 1;
        let called = self.caller.call(tool, filled.value).await;
        called.map_err(RunFault::Call)
    }

    /// Shows a person the calls from a step on, if one of them needs an approval.
    async fn ask(&mut self, index: usize) -> Result<(), RunFault> {
        self.asked = true;
        let rest = self.sequence.steps.get(index..).unwrap_or_default();
        let mut needs = rest.iter().map(|step| step.tool.value.as_str());
        if !needs.any(|tool| self.caller.needs_approval(tool)) {
            return Ok(());
        }
        let mut values = self.values.clone();
        let mut planned = Vec::new();
        for step in rest {
            values.set_item(None);
            let result = plan(step, &mut values, &mut planned)?;
            values.set_item(None);
            values.set(&step.id, result);
        }
        self.caller.approve(&planned).await.map_err(RunFault::Call)
    }
}

/// Adds the calls of a step that was not made yet, and returns what is known of its result.
fn plan(
    step: &Step,
    values: &mut Values,
    planned: &mut Vec<PlannedStep>,
) -> Result<Known, RunFault> {
    let Some(each) = &step.each else {
        if values.hold(&step.conditions) == Some(false) {
            return Ok(Known::Absent);
        }
        planned.push(planned_step(step, values, 1).map_err(RunFault::from)?);
        return Ok(Known::Open);
    };
    match values.hole(&each.list).map_err(RunFault::from)? {
        Filled::Value(Value::Array(items)) => {
            check_length(&items, each.most)?;
            for item in items {
                values.set_item(Some(Known::Value(item)));
                if values.hold(&step.conditions) != Some(false) {
                    planned.push(planned_step(step, values, 1).map_err(RunFault::from)?);
                }
            }
        }
        Filled::Absent => {}
        Filled::Open => {
            values.set_item(Some(Known::Open));
            planned.push(planned_step(step, values, each.most).map_err(RunFault::from)?);
        }
        Filled::Value(_) => return Err(RunFault::NoList),
    }
    Ok(Known::Open)
}

fn planned_step(step: &Step, values: &Values, most: u64) -> Result<PlannedStep, Missing> {
    let filled = values.fill(&step.arguments)?;
    Ok(PlannedStep {
        step: step.id.clone(),
        tool: step.tool.value.to_string(),
        arguments: filled.value,
        open: filled.open,
        most,
    })
}

fn check_length(items: &[Value], most: u64) -> Result<(), RunFault> {
    let elements = items.len();
    match u64::try_from(elements) {
        Ok(length) if length <= most => Ok(()),
        _ => Err(RunFault::TooLong { elements, most }),
    }
}

impl RunError {
    /// Returns the code of the fault, as the error of the skill has it.
    #[must_use]
    pub fn code(&self) -> &str {
        match &self.fault {
            RunFault::Call(error) => error.code(),
            RunFault::Missing(_) => "run_value_missing",
            RunFault::Nothing(_) => "run_nothing_found",
            RunFault::NoList => "run_no_list",
            RunFault::TooLong { .. } => "run_list_too_long",
            RunFault::TooManyCalls => "run_too_many_calls",
            RunFault::Undecided(_) => "run_approval_not_given",
            RunFault::NotDeclared => "run_tool_not_declared",
            RunFault::Script(fault) => fault.code(),
        }
    }

    /// Returns whether the run is a failure of the skill, rather than of its caller:
    ///
    /// - a service did not answer, answered with a status of 500 or more, or with something unusable,
    /// - a service refused a request that has no parameter of the skill,
    /// - a tool of the program failed,
    /// - a result is not what the skill expects,
    /// - a script ends at a limit, without a result, or with an exit code other than [`CALLERS_FAULT`].
    ///
    /// It does not fail if the caller may not make a call, gave arguments that a tool or a service
    /// refuses, asks for something that does not exist, has too long a list, waits for an approval or did not get it: a caller cannot make a
    /// skill look broken.
    #[must_use]
    pub const fn is_failure(&self) -> bool {
        match &self.fault {
            RunFault::Call(ToolError::Service { status, .. }) => {
                *status >= 500 || !self.by_parameter
            }
            RunFault::Call(error) => matches!(
                error,
                ToolError::Transport { .. }
                    | ToolError::UnusableAnswer { .. }
                    | ToolError::AnswerTooLarge { .. }
                    | ToolError::Panicked { .. }
                    | ToolError::NotReady { .. }
                    | ToolError::Method { .. }
                    | ToolError::Failed { .. }
            ),
            RunFault::Missing(_) | RunFault::NoList | RunFault::NotDeclared => true,
            RunFault::Nothing(_)
            | RunFault::TooLong { .. }
            | RunFault::TooManyCalls
            | RunFault::Undecided(_) => false,
            RunFault::Script(fault) => fault.is_failure(),
        }
    }
}

impl ScriptFault {
    const fn code(&self) -> &'static str {
        match self {
            Self::Unavailable(_) => "sandbox_unavailable",
            Self::NotStarted(_) => "skill_script_not_started",
            Self::Ended { .. } => "skill_script_failed",
            Self::Limit(_) => "skill_script_limit_exceeded",
            Self::NoJson(_) => "skill_script_no_json",
        }
    }

    const fn is_failure(&self) -> bool {
        match self {
            Self::Unavailable(_) | Self::NotStarted(_) => false,
            Self::Ended { end, .. } => !matches!(end, End::Exited(CALLERS_FAULT)),
            Self::Limit(_) | Self::NoJson(_) => true,
        }
    }
}

impl From<ScriptFault> for RunFault {
    fn from(fault: ScriptFault) -> Self {
        Self::Script(fault)
    }
}

impl From<Missing> for RunFault {
    fn from(missing: Missing) -> Self {
        match missing.is_nothing {
            true => Self::Nothing(missing.hole),
            false => Self::Missing(missing.hole),
        }
    }
}

impl From<RunError> for ToolError {
    /// The error that the caller of a skill receives: it names the call. One that waits for an approval
    /// stays what it is: the caller can wait for it too.
    fn from(error: RunError) -> Self {
        let code = error.code().to_owned();
        let message = error.to_string();
        match error.fault {
            RunFault::Call(
                waiting @ (Self::ApprovalRequired { .. } | Self::ApprovalRejected { .. }),
            ) => waiting,
            _ => Self::Failed {
                code,
                message,
                retryable: false,
            },
        }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.tool, &self.fault) {
            (_, RunFault::Script(_)) => write!(f, "the script `{}` ", self.step)?,
            (Some(tool), _) => write!(f, "the step `{}`, a call of `{tool}`: ", self.step)?,
            (None, _) => write!(f, "the script `{}`: ", self.step)?,
        }
        match &self.fault {
            RunFault::Call(error) => error.fmt(f),
            RunFault::Missing(hole) => write!(f, "the result has no value for `{hole}`"),
            RunFault::Nothing(hole) => write!(f, "nothing was found for `{hole}`"),
            RunFault::NoList => f.write_str("the value of `each` is not a list"),
            RunFault::TooLong { elements, most } => write!(
                f,
                "the list has {elements} elements, and the step takes at most {most}"
            ),
            RunFault::TooManyCalls => write!(f, "the run would make more than {MOST_CALLS} calls"),
            RunFault::Undecided(_) => f.write_str(
                "nobody approved the call before the time of the run ended; the earlier calls were made",
            ),
            RunFault::NotDeclared => f.write_str("`tools` of the skill does not list this tool"),
            RunFault::Script(fault) => fault.fmt(f),
        }
    }
}

/// Continues `the script …`.
impl fmt::Display for ScriptFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(message) => write!(
                f,
                "did not run: {message}; the operator finds out more with `toolwright sandbox check`"
            ),
            Self::NotStarted(message) => write!(f, "cannot be started: {message}"),
            Self::Ended { end, errors } if errors.is_empty() => end.fmt(f),
            Self::Ended { end, errors } => write!(f, "{end}: {errors}"),
            Self::Limit(limit) => End::Limit(*limit).fmt(f),
            Self::NoJson(message) => write!(f, "did not print its result as JSON: {message}"),
        }
    }
}

impl std::error::Error for RunError {}
