//! The types of the wire format.

use std::path::PathBuf;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use toolwright_model::eab::{ApiVersion, ErrorCode, Severity, Status};

/// The envelope of a request. Fields that are not known are passed over.
#[derive(Clone, Debug, Deserialize)]
pub struct Request {
    /// The id that the response repeats.
    pub request_id: String,
    /// The version of the API that is spoken.
    pub api_version: ApiVersion,
    /// The method.
    pub method: String,
    /// Who asks.
    #[serde(default)]
    pub caller: Caller,
    /// The repository to work on.
    #[serde(default)]
    pub repository: Option<Repository>,
    /// The method's parameters.
    #[serde(default)]
    pub params: Value,
    /// The interface contracts to check.
    #[serde(default)]
    pub interface_contracts: Option<Map<String, Value>>,
}

/// Who asks.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Caller {
    /// The program.
    pub system: Option<String>,
    /// The role of the agent.
    pub role: Option<String>,
    /// The run of the pipeline.
    pub run: Option<String>,
    /// The node of the pipeline.
    pub node: Option<String>,
    /// The work item.
    pub work_item: Option<String>,
}

/// The repository to work on.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Repository {
    /// The folder on this machine.
    pub path: Option<PathBuf>,
    /// The URL to clone.
    pub clone_url: Option<String>,
    /// The branch, tag or commit.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
}

/// The result of a method. Its success follows from the diagnostics: a blocking one makes it a
/// failure.
#[derive(Clone, Debug, Default)]
pub struct MethodResult<R = Value> {
    /// The result.
    pub result: R,
    /// The diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// The results of the given interface contracts.
    pub constraint_results: Option<Vec<ConstraintResult>>,
    /// Further facts about the run.
    pub metadata: Option<Map<String, Value>>,
}

/// A finding of a method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// One of [`CATEGORIES`](toolwright_model::eab::CATEGORIES).
    pub category: &'static str,
    /// The problem, in a sentence.
    pub message: String,
    /// The place of the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// The place of a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Location {
    /// The file, below the repository.
    pub path: String,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The name of the element in the domain's own terms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<String>,
}

/// The result of one interface contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConstraintResult {
    /// The contract, by its name.
    pub contract: String,
    /// True if it holds.
    pub satisfied: bool,
    /// The reason.
    pub message: String,
}

/// The reason why a method could not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of reason.
    pub code: ErrorCode,
    /// The reason, in a sentence.
    pub message: String,
}

impl Request {
    /// Parses the params as their type.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidRequest`], with the place, if they do not fit.
    pub fn params<P: DeserializeOwned>(&self) -> Result<P, Refusal> {
        let params = match &self.params {
            Value::Null => Value::Object(Map::new()),
            params => params.clone(),
        };
        serde_path_to_error::deserialize(params).map_err(|error| {
            let place = error.path().to_string();
            Refusal::invalid(format!("params at `{place}`: {}", error.inner()))
        })
    }

    /// Returns the folder to work on.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidRequest`] when the request names none, [`ErrorCode::ArtifactNotFound`]
    /// when it is not there.
    pub fn folder(&self) -> Result<PathBuf, Refusal> {
        let path = self.repository.as_ref().and_then(|it| it.path.clone());
        let path = path.ok_or_else(|| Refusal::invalid("the repository has no `path`"))?;
        if path.is_dir() {
            return Ok(path);
        }
        Err(Refusal {
            code: ErrorCode::ArtifactNotFound,
            message: "the path of the repository is not a folder on this machine".to_owned(),
        })
    }
}

impl MethodResult {
    /// A result without findings.
    ///
    /// # Errors
    /// [`ErrorCode::InternalError`] when the result has no JSON form.
    pub fn from_result(result: impl Serialize) -> Result<Self, Refusal> {
        let result = serde_json::to_value(result).map_err(|error| Refusal {
            code: ErrorCode::InternalError,
            message: format!("the result cannot be written: {error}"),
        })?;
        Ok(Self {
            result,
            ..Self::default()
        })
    }
}

impl<R> MethodResult<R> {
    /// A result without findings.
    pub const fn new(result: R) -> Self {
        Self {
            result,
            diagnostics: Vec::new(),
            constraint_results: None,
            metadata: None,
        }
    }

    /// The same with another form of the result.
    pub fn map<T>(self, form: impl FnOnce(R) -> T) -> MethodResult<T> {
        MethodResult {
            result: form(self.result),
            diagnostics: self.diagnostics,
            constraint_results: self.constraint_results,
            metadata: self.metadata,
        }
    }

    /// Adds diagnostics.
    #[must_use]
    pub fn with_diagnostics(mut self, diagnostics: Vec<Diagnostic>) -> Self {
        self.diagnostics = diagnostics;
        self
    }

    /// Returns the status that follows from the diagnostics.
    #[must_use]
    pub fn status(&self) -> Status {
        let blocks = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Blocking;
        if self.diagnostics.iter().any(blocks) {
            Status::Failure
        } else {
            Status::Success
        }
    }
}

impl Refusal {
    /// Creates the refusal of an invalid request.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self {
            code: ErrorCode::InvalidRequest,
            message: message.into(),
        }
    }
}
