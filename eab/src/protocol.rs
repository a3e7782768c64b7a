//! What goes over the wire, as types.

use std::path::PathBuf;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use toolwright_model::eab::{ApiVersion, ErrorCode, Severity, Status};

/// The envelope of a request. Fields that are not known are passed over.
#[derive(Clone, Debug, Deserialize)]
pub struct Request {
    /// What the answer repeats.
    pub request_id: String,
    /// The version of the API that is spoken.
    pub api_version: ApiVersion,
    /// The method.
    pub method: String,
    /// Who asks.
    #[serde(default)]
    pub caller: Caller,
    /// What is worked on.
    #[serde(default)]
    pub repository: Option<Repository>,
    /// What the method takes.
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

/// What is worked on.
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

/// What a method found. Whether that is a success follows from the diagnostics: one that blocks
/// makes it a failure.
#[derive(Clone, Debug, Default)]
pub struct Found<R = Value> {
    /// The result.
    pub result: R,
    /// What was found.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the interface contracts hold that were given.
    pub constraint_results: Option<Vec<ConstraintResult>>,
    /// What else there is to say of the run.
    pub metadata: Option<Map<String, Value>>,
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// One of [`CATEGORIES`](toolwright_model::eab::CATEGORIES).
    pub category: &'static str,
    /// What is wrong, in a sentence.
    pub message: String,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// Where something was found.
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
    /// What it is in the words of the domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<String>,
}

/// Whether one interface contract holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConstraintResult {
    /// The contract, by its name.
    pub contract: String,
    /// Whether it holds.
    pub satisfied: bool,
    /// Why.
    pub message: String,
}

/// Why a method could not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of reason.
    pub code: ErrorCode,
    /// The reason, in a sentence.
    pub message: String,
}

impl Request {
    /// The params as their type.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidRequest`], with the place, when they are not of it.
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

    /// The folder that is worked on.
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
            message: "the path of the repository is no folder here".to_owned(),
        })
    }
}

impl Found {
    /// A result without findings.
    ///
    /// # Errors
    /// [`ErrorCode::InternalError`] when the result has no JSON form.
    pub fn of(result: impl Serialize) -> Result<Self, Refusal> {
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

impl<R> Found<R> {
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
    pub fn map<T>(self, form: impl FnOnce(R) -> T) -> Found<T> {
        Found {
            result: form(self.result),
            diagnostics: self.diagnostics,
            constraint_results: self.constraint_results,
            metadata: self.metadata,
        }
    }

    /// With what was found.
    #[must_use]
    pub fn with(mut self, diagnostics: Vec<Diagnostic>) -> Self {
        self.diagnostics = diagnostics;
        self
    }

    /// How it ended.
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
    /// The request is not what the method takes.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self {
            code: ErrorCode::InvalidRequest,
            message: message.into(),
        }
    }
}
