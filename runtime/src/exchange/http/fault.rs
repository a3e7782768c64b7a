//! The transport errors, in messages that hold no URL beyond its origin.

use std::{error::Error, io, time::Duration};

use reqwest::Url;

use crate::{
    credentials::CredentialsError,
    error::{FileError, ToolError, TransportFault},
    target::Refused,
};

/// The error of a request that was not answered.
pub(super) fn unanswered(peer: &str, error: &reqwest::Error) -> ToolError {
    if let Some(refused) = refusal(error) {
        return CredentialsError::from(refused.clone()).into();
    }
    if let Some(fault) = file_fault(error) {
        return fault.clone().into();
    }
    let cause = root_cause(error);
    let (fault, what) = if error.is_connect() {
        (TransportFault::Connect, "could not be reached")
    } else if error.is_timeout() {
        (TransportFault::Timeout, "did not answer in time")
    } else {
        (TransportFault::Broken, "closed the connection unexpectedly")
    };
    transport(
        fault,
        format!("the service {what}: {cause}"),
        Some(format!("at `{peer}`")),
    )
}

/// Returns the error of an incomplete response at the timeout.
pub(super) fn timed_out(timeout: Duration) -> ToolError {
    let seconds = timeout.as_secs_f64();
    let message = format!("the service did not complete its answer within {seconds} s");
    transport(TransportFault::Timeout, message, None)
}

/// Returns the error of a transfer in which nothing arrived for this long.
pub(super) fn stalled(timeout: Duration) -> ToolError {
    let seconds = timeout.as_secs_f64();
    let message = format!("the service sent nothing of its answer for {seconds} s");
    transport(TransportFault::Timeout, message, None)
}

/// The error that a redirect is not followed.
pub(super) fn redirect(message: impl Into<String>) -> ToolError {
    transport(TransportFault::Redirect, message.into(), None)
}

/// The error that the service at one origin redirects to another one.
pub(super) fn redirect_to(from: &str, to: &str) -> ToolError {
    let message = "the service redirects to another origin, which calls do not follow";
    let detail = format!("from `{from}` to `{to}`");
    transport(TransportFault::Redirect, message.to_owned(), Some(detail))
}

/// The error of a request that followed a redirect. The service has received the first request, so
/// that no connection could be made does not mean that nothing was sent.
pub(super) fn after_redirect(error: ToolError) -> ToolError {
    match error {
        ToolError::Transport {
            fault: TransportFault::Connect,
            message,
            detail,
            ..
        } => transport(TransportFault::Broken, message, detail),
        ToolError::File(error) => FileError::Failed {
            detail: format!("after a redirect: {error}"),
        }
        .into(),
        ToolError::Credentials(error) => {
            let detail = Some(error.detail());
            transport(TransportFault::Redirect, error.to_string(), detail)
        }
        error => error,
    }
}

/// The error that no client could be made.
pub(super) fn no_client(problem: &str) -> ToolError {
    let message = format!("this machine cannot make secure connections: {problem}");
    transport(TransportFault::Unsendable, message, None)
}

/// The error that a request cannot be put on the wire.
pub(super) fn unsendable(what: &str) -> ToolError {
    let message = format!("the request cannot be sent: {what}");
    transport(TransportFault::Unsendable, message, None)
}

/// Parses the URL of a request.
pub(crate) fn sendable(url: &str) -> Result<Url, ToolError> {
    Url::parse(url).map_err(|_| unsendable("its URL is invalid"))
}

/// The error that an answer arrived and cannot be used.
pub(super) const fn unusable(status: u16, message: String) -> ToolError {
    ToolError::UnusableAnswer {
        status: Some(status),
        message,
        request: None,
    }
}

fn transport(fault: TransportFault, message: String, detail: Option<String>) -> ToolError {
    ToolError::Transport {
        fault,
        message,
        detail,
        request: None,
    }
}

/// The reason why none of the addresses of the service's name may be connected to, if that is so.
fn refusal(error: &reqwest::Error) -> Option<&Refused> {
    let mut cause = error.source();
    while let Some(inner) = cause {
        let carried = inner
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        if let Some(refused) = carried.and_then(|carried| carried.downcast_ref()) {
            return Some(refused);
        }
        cause = inner.source();
    }
    None
}

/// Returns the fault of a file that was sent, if it broke the request off.
fn file_fault(error: &reqwest::Error) -> Option<&FileError> {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(fault) = inner.downcast_ref() {
            return Some(fault);
        }
        cause = inner.source();
    }
    None
}

/// Returns the innermost cause. The outer ones report that a request failed, and repeat its URL.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    if std::ptr::eq(cause, error as &dyn Error) {
        return "unknown cause".to_owned();
    }
    cause.to_string()
}
