//! The envelopes: the object around `params`, and the object around `result`. Pure, and so tested
//! without a service.

use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};
use toolwright_model::eab::{ApiVersion, CATEGORIES, ErrorCode, Severity, Status};

use super::{Endpoint, Repository, RunContext};
use crate::schema::{ArgumentSchema, Violation};

/// The system that requests name as their sender.
const SYSTEM: &str = "toolwright";

/// The fields of an answer that the caller is given.
const OF_OUTCOME: &[&str] = &[
    "status",
    "result",
    "diagnostics",
    "constraint_results",
    "metadata",
];

/// The envelope of a request.
#[derive(Clone, Debug, Serialize)]
pub struct Request<'a> {
    /// A UUID, which the answer repeats.
    pub request_id: String,
    /// The version of the service's API that is spoken.
    pub api_version: ApiVersion,
    /// The method.
    pub method: &'a str,
    /// Who asks.
    pub caller: Caller<'a>,
    /// The repository that the service works on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<Value>,
    /// The method's parameters.
    pub params: Value,
    /// The interface contracts that the service must check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface_contracts: Option<&'a Value>,
}

/// Who asks.
#[derive(Clone, Debug, Serialize)]
pub struct Caller<'a> {
    /// The program.
    pub system: &'static str,
    /// The role of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'a str>,
    /// The run of the pipeline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<&'a str>,
    /// The node of the pipeline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<&'a str>,
    /// The work item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_item: Option<&'a str>,
}

/// The result that a response holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The method ran: the status, its result and its findings.
    Ran(Value),
    /// The method could not run.
    Error {
        /// The error code.
        code: ErrorCode,
        /// The same in words.
        message: String,
    },
}

/// The ways that a response breaks the protocol or the schema of its method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(
    /// The violations, at least one; pointers are into the response.
    pub Vec<Violation>,
);

impl<'a> Caller<'a> {
    /// The caller of a run.
    #[must_use]
    pub fn new(role: Option<&'a str>, run: &'a RunContext) -> Self {
        Self {
            system: SYSTEM,
            role,
            run: run.run.as_deref(),
            node: run.node.as_deref(),
            work_item: run.work_item.as_deref(),
        }
    }
}

impl Repository {
    /// Returns the repository in a form that a service at this endpoint can reach; none if no such
    /// form is known.
    pub(super) fn for_service_at(&self, endpoint: &Endpoint) -> Option<Value> {
        let mut fields = Map::new();
        match endpoint {
            Endpoint::Unix(_) => {
                let path = self.path.as_deref()?;
                // The folder of a file that is named without one is empty.
                let path = Path::new(".").join(path);
                let path = std::path::absolute(path).ok()?;
                fields.insert("path".to_owned(), path.to_str()?.into());
            }
            Endpoint::Http(_) => {
                let clone_url = self.clone_url.as_deref()?;
                fields.insert("clone_url".to_owned(), clone_url.into());
            }
        }
        if let Some(reference) = &self.reference {
            fields.insert("ref".to_owned(), reference.as_str().into());
        }
        Some(Value::Object(fields))
    }
}

/// Reads an answer: that it is one to the request, and keeps to the protocol and to the schema of
/// what the tool returns.
///
/// # Errors
/// [`Fault`] with everything that is wrong with it.
pub fn read_outcome(
    bytes: &[u8],
    request_id: &str,
    output_schema: &Value,
) -> Result<Outcome, Fault> {
    read_checked(bytes, request_id, output_schema, &ArgumentSchema::default())
}

/// The same with a schema that may be compiled already.
pub(super) fn read_checked(
    bytes: &[u8],
    request_id: &str,
    output_schema: &Value,
    compiled: &ArgumentSchema,
) -> Result<Outcome, Fault> {
    let mut fields = object(bytes)?;
    if fields.get("request_id").and_then(Value::as_str) != Some(request_id) {
        return Err(fault("/request_id", "differs from the request's"));
    }
    let status = fields.get("status").and_then(Value::as_str);
    let Some(status) = status.and_then(Status::from_word) else {
        let known = Status::ALL.iter().map(|status| status.word());
        let known: Vec<_> = known.collect();
        let message = format!("is not one of `{}`", known.join("`, `"));
        return Err(fault("/status", message));
    };
    if status == Status::Error {
        return error(&fields);
    }
    fields.retain(|name, _| OF_OUTCOME.contains(&name.as_str()));
    let unknown_matters_less = |diagnostic: &mut Value| downgrade(diagnostic);
    let diagnostics = fields.get_mut("diagnostics").and_then(Value::as_array_mut);
    diagnostics
        .into_iter()
        .flatten()
        .for_each(unknown_matters_less);
    if status == Status::Success && blocks(&fields) {
        let message = "is `success`, but a diagnostic is blocking";
        return Err(fault("/status", message));
    }
    let lacks_result = fields.get("result").is_none_or(Value::is_null);
    match status {
        Status::Success if lacks_result => drop(fields.insert("result".to_owned(), Value::Null)),
        Status::Failure if lacks_result => drop(fields.remove("result")),
        _ => {}
    }
    let outcome = Value::Object(fields);
    match compiled.violations(output_schema, &outcome) {
        Ok(violations) if violations.is_empty() => Ok(Outcome::Ran(outcome)),
        Ok(violations) => Err(Fault(violations)),
        Err(problem) => Err(fault("", format!("cannot be checked: {problem}"))),
    }
}

/// The answer as an object.
pub(super) fn object(bytes: &[u8]) -> Result<Map<String, Value>, Fault> {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(fault("", "is not a JSON object")),
        Err(error) => {
            let (line, column) = (error.line(), error.column());
            let message =
                format!("is not JSON, or nested too deeply, at line {line}, column {column}");
            Err(fault("", message))
        }
    }
}

fn error(fields: &Map<String, Value>) -> Result<Outcome, Fault> {
    let Some(error) = fields.get("error").and_then(Value::as_object) else {
        let message = "is not an object, but the status is `error`";
        return Err(fault("/error", message));
    };
    let code = error.get("code").and_then(Value::as_str);
    let Some(code) = code.and_then(ErrorCode::from_word) else {
        return Err(fault("/error/code", "is not an error code"));
    };
    let Some(message) = error.get("message").and_then(Value::as_str) else {
        return Err(fault("/error/message", "is not a string"));
    };
    Ok(Outcome::Error {
        code,
        message: message.to_owned(),
    })
}

/// Makes a diagnostic of an unknown category informational. A malformed diagnostic stays unchanged:
/// the schema check reports it.
fn downgrade(diagnostic: &mut Value) {
    let category = diagnostic.get("category").and_then(Value::as_str);
    let unknown = category.is_some_and(|category| !CATEGORIES.contains(&category));
    let severity = diagnostic.get("severity").and_then(Value::as_str);
    if unknown
        && severity.and_then(Severity::from_word).is_some()
        && let Some(fields) = diagnostic.as_object_mut()
    {
        let severity = Severity::Informational.word();
        fields.insert("severity".to_owned(), severity.into());
    }
}

fn blocks(fields: &Map<String, Value>) -> bool {
    let diagnostics = fields.get("diagnostics").and_then(Value::as_array);
    let mut severities = diagnostics
        .into_iter()
        .flatten()
        .filter_map(|diagnostic| diagnostic.get("severity")?.as_str());
    severities.any(|severity| severity == Severity::Blocking.word())
}

pub(super) fn fault(pointer: &str, message: impl Into<String>) -> Fault {
    Fault(vec![Violation {
        pointer: pointer.to_owned(),
        message: message.into(),
    }])
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, Violation { pointer, message }) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            if pointer.is_empty() {
                write!(f, "{separator}it {message}")?;
            } else {
                write!(f, "{separator}at `{pointer}`: {message}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
