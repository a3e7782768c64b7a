//! Removes the secrets of a call from everything that leaves it. No other module does.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::{
    credentials::CredentialsError,
    error::{FileError, SentRequest, ToolError},
    exchange::redact::{RecentRedactors, Redactor},
    output::{Continuation, ToolOutput},
    progress::{Listener, Printing},
    schema::Violation,
    secret::Secret,
};

/// The greatest length of a message, in characters. It is cut after the secrets were removed.
const MESSAGE_LIMIT: usize = 500;

/// The secrets that a call uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallSecrets {
    known: Arc<Mutex<Vec<Secret>>>,
    redactors: RecentRedactors,
}

impl CallSecrets {
    /// Creates an empty set, with the redactors of earlier calls.
    pub(crate) fn new(redactors: &RecentRedactors) -> Self {
        Self {
            known: Arc::default(),
            redactors: redactors.clone(),
        }
    }

    /// Adds secrets.
    pub(crate) fn add(&self, secrets: impl IntoIterator<Item = Secret>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(secrets);
    }

    /// Returns a redactor for the secrets known so far.
    pub(crate) fn redactor(&self) -> Redactor {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        self.redactors.of(known.iter())
    }

    /// Removes the secrets from the error of a call.
    pub(crate) fn clean(&self, error: ToolError) -> ToolError {
        clean_error(error, &self.redactor())
    }

    /// Returns a listener that receives the output of a call before its result, without the secrets that
    /// are known when it is printed.
    pub(crate) fn printing(&self, listener: Option<&Listener>) -> Printing {
        let secrets = self.clone();
        Printing::new(listener, move |text| secrets.redactor().text(text))
    }

    /// Removes the secrets from a message between a server and the client of a call.
    pub(crate) fn leave_message(&self, message: Value) -> Value {
        let redactor = self.redactor();
        redactor.value(message)
    }

    /// Removes the secrets from the result of a call.
    pub(crate) fn leave(
        &self,
        result: Result<ToolOutput, ToolError>,
    ) -> Result<ToolOutput, ToolError> {
        let redactor = self.redactor();
        match result {
            Ok(output) => Ok(clean_output(output, &redactor)),
            Err(error) => Err(clean_error(error, &redactor)),
        }
    }
}

fn clean_output(output: ToolOutput, redactor: &Redactor) -> ToolOutput {
    let ToolOutput {
        value,
        status,
        truncated,
        next,
        undescribed,
        link,
        file,
        etag,
    } = output;
    ToolOutput {
        value: redactor.value(value),
        status,
        truncated,
        next: match next {
            Continuation::With(arguments) => {
                let clean = redactor.value(arguments.into());
                Continuation::With(clean.as_object().cloned().unwrap_or_default())
            }
            other => other,
        },
        undescribed,
        link: link.map(|link| redactor.text(link)),
        // A part of a version would be another version.
        etag: etag.filter(|etag| redactor.text(etag.clone()) == *etag),
        // The media type and the name were checked before the body was saved.
        file,
    }
}

fn clean_error(error: ToolError, redactor: &Redactor) -> ToolError {
    let text = |text: String| redactor.error(&text);
    let message = |message: String| bounded(redactor.error(&message));
    match error {
        ToolError::ToolNotPermitted { role, tool } => ToolError::ToolNotPermitted {
            role,
            tool: text(tool),
        },
        ToolError::ArtifactNotPermitted {
            role,
            method,
            artifact_type,
        } => ToolError::ArtifactNotPermitted {
            role,
            method: text(method),
            artifact_type: text(artifact_type),
        },
        ToolError::ArtifactAmbiguous { asked, tools } => ToolError::ArtifactAmbiguous {
            asked: text(asked),
            tools,
        },
        ToolError::InvalidArguments { tool, violations } => {
            let clean = |violation: Violation| Violation {
                pointer: text(violation.pointer),
                message: text(violation.message),
            };
            ToolError::InvalidArguments {
                tool,
                violations: violations.into_iter().map(clean).collect(),
            }
        }
        ToolError::Credentials(error) => ToolError::Credentials(clean_credentials(error, redactor)),
        ToolError::Service {
            status,
            message: said,
            body,
            request,
            detail,
        } => ToolError::Service {
            status,
            message: message(said),
            body: Box::new(redactor.error_value(*body)),
            request: clean_request(request, redactor),
            detail: detail.map(text),
        },
        ToolError::Transport {
            fault,
            message: said,
            detail,
            request,
        } => ToolError::Transport {
            fault,
            message: message(said),
            detail: detail.map(text),
            request: clean_request(request, redactor),
        },
        ToolError::UnusableAnswer {
            status,
            message: said,
            request,
        } => ToolError::UnusableAnswer {
            status,
            message: message(said),
            request: clean_request(request, redactor),
        },
        ToolError::AuditUnavailable { message } => ToolError::AuditUnavailable {
            message: text(message),
        },
        ToolError::AnswerTooLarge {
            status,
            limit,
            size,
            can_be_saved,
            request,
        } => ToolError::AnswerTooLarge {
            status,
            limit,
            size,
            can_be_saved,
            request: clean_request(request, redactor),
        },
        ToolError::File(FileError::Failed { detail }) => ToolError::File(FileError::Failed {
            detail: text(detail),
        }),
        ToolError::Undecided { message } => ToolError::Undecided {
            message: text(message),
        },
        ToolError::NotReady {
            fault,
            message: said,
            request,
        } => ToolError::NotReady {
            fault,
            message: message(said),
            request: clean_request(request, redactor),
        },
        ToolError::Method {
            code,
            message: said,
            request,
        } => ToolError::Method {
            code,
            message: message(said),
            request: clean_request(request, redactor),
        },
        ToolError::Failed {
            code,
            message: said,
            retryable,
        } => ToolError::Failed {
            code: text(code),
            message: message(said),
            retryable,
        },
        // These hold only names, numbers and times that the runtime or the operator chose.
        same @ (ToolError::OutOfScope { .. }
        | ToolError::ApprovalRequired { .. }
        | ToolError::ApprovalRejected { .. }
        | ToolError::ApprovalLimit
        | ToolError::File(_)
        | ToolError::NestedTooDeeply
        | ToolError::Panicked { .. }) => same,
    }
}

fn clean_request(
    request: Option<Box<SentRequest>>,
    redactor: &Redactor,
) -> Option<Box<SentRequest>> {
    request.map(|mut request| {
        request.url = redactor.error(&request.url);
        request
    })
}

fn clean_credentials(error: CredentialsError, redactor: &Redactor) -> CredentialsError {
    error.map_texts(|text| redactor.error(&text))
}

fn bounded(text: String) -> String {
    if text.chars().count() <= MESSAGE_LIMIT {
        return text;
    }
    let kept: String = text.chars().take(MESSAGE_LIMIT).collect();
    format!("{kept}…")
}
