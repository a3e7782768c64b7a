//! Runs a skill against recorded answers, without any service: `toolwright skill test`. A script runs in its
//! sandbox.

use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolwright::{PlannedStep, ToolError};

use crate::{
    format::Skill,
    run::{Caller, Run, run},
};

/// The name of the folder with the tests of a skill, next to its file.
pub const FOLDER: &str = "tests";

/// A test of a skill: parameters, the expected calls with their answers, and the expected result.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// The parameters.
    #[serde(default)]
    pub parameters: Map<String, Value>,
    /// The calls, in order.
    pub calls: Vec<RecordedCall>,
    /// The expected result; none if the run is to fail.
    #[serde(default)]
    pub result: Option<Value>,
    /// The code of the expected error.
    #[serde(default)]
    pub error: Option<String>,
}

/// A call of a test.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedCall {
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub arguments: Value,
    /// The answer.
    #[serde(default)]
    pub answer: Value,
    /// The HTTP status of an error of the service, in place of the answer.
    #[serde(default)]
    pub status: Option<u16>,
}

/// The result of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// The run.
    pub run: Run,
    /// The differences from the expectations; none if it passes.
    pub differences: Vec<String>,
}

impl Trial {
    /// Reads a test from its JSON.
    ///
    /// # Errors
    /// When it is not one.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Runs a skill with the recorded answers. Nobody is asked to approve anything.
    pub async fn of(&self, skill: &Skill) -> Tried {
        let recorded = Recorded {
            expected: &self.calls,
            state: Mutex::default(),
        };
        let violations = violations(skill, &self.parameters);
        if !violations.is_empty() {
            let result = Ok(Value::Null);
            return Tried {
                run: Run { calls: 0, result },
                differences: violations,
            };
        }
        let run = run(skill, self.parameters.clone(), &recorded).await;
        let state = recorded.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        let mut differences = state.differences;
        for call in self.calls.iter().skip(state.made) {
            differences.push(format!("the call of `{}` was not made", call.tool));
        }
        differences.extend(self.compare(&run));
        Tried { run, differences }
    }

    fn compare(&self, run: &Run) -> Option<String> {
        match (&run.result, &self.result, &self.error) {
            (Ok(result), Some(wanted), None) if result == wanted => None,
            (Ok(result), wanted, _) => {
                let wanted = wanted
                    .as_ref()
                    .map_or("an error".to_owned(), Value::to_string);
                Some(format!(
                    "the result is {result}, and the test expects {wanted}"
                ))
            }
            (Err(error), _, Some(code)) if error.code() == code => None,
            (Err(error), ..) => Some(format!("the run failed: {error} ({})", error.code())),
        }
    }
}

/// Returns the differences of parameters from the schema of a skill.
fn violations(skill: &Skill, parameters: &Map<String, Value>) -> Vec<String> {
    let schema = skill.sequence.input_schema();
    let Ok(validator) = jsonschema::draft202012::new(&schema) else {
        return vec!["the schema of the parameters is not usable".to_owned()];
    };
    let parameters = json!(parameters);
    let errors = validator.iter_errors(&parameters);
    errors
        .map(|error| format!("the parameters do not fit: {error}"))
        .collect()
}

/// Answers calls with the recorded answers.
struct Recorded<'t> {
    expected: &'t [RecordedCall],
    state: Mutex<Progress>,
}

#[derive(Default)]
struct Progress {
    made: usize,
    differences: Vec<String>,
}

impl Caller for &Recorded<'_> {
    async fn call(&self, tool: &str, arguments: Value) -> Result<Value, ToolError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let expected = self.expected.get(state.made);
        state.made += 1;
        let failed = |message: String| ToolError::Failed {
            code: "not_recorded".to_owned(),
            message,
            retryable: false,
        };
        let Some(expected) = expected else {
            let message = format!("the call of `{tool}` with {arguments} is not recorded");
            state.differences.push(message.clone());
            return Err(failed(message));
        };
        if expected.tool != tool || expected.arguments != arguments {
            let message = format!(
                "call {}: `{tool}` with {arguments}, and the test expects `{}` with {}",
                state.made, expected.tool, expected.arguments
            );
            state.differences.push(message.clone());
            return Err(failed(message));
        }
        match expected.status {
            None => Ok(expected.answer.clone()),
            Some(status) => Err(ToolError::Service {
                status,
                message: String::new(),
                body: Box::new(expected.answer.clone()),
                request: None,
                detail: None,
            }),
        }
    }

    async fn refuse(&self, tool: &str, _: Value) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let message = format!("`tools` of the skill does not list `{tool}`");
        state.differences.push(message);
    }

    fn only_reads(&self, _: &str) -> bool {
        true
    }

    fn needs_approval(&self, _: &str) -> bool {
        false
    }

    async fn approve(&mut self, _: &[PlannedStep]) -> Result<(), ToolError> {
        Ok(())
    }
}
