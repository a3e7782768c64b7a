//! What can go wrong between us and a service, in words that hold no URL beyond its origin.

use std::{error::Error, time::Duration};

use crate::error::{ToolError, TransportFault};

/// The error of a request that was not answered.
pub(super) fn unanswered(peer: &str, error: &reqwest::Error) -> ToolError {
    let cause = root_cause(error);
    let (fault, what) = if error.is_timeout() {
        (TransportFault::Timeout, "did not answer in time")
    } else if error.is_connect() {
        (TransportFault::Connect, "could not be reached")
    } else {
        (TransportFault::Broken, "broke off the connection")
    };
    transport(fault, format!("the service at `{peer}` {what}: {cause}"))
}

/// The error that there was no whole answer in time.
pub(super) fn timed_out(timeout: Duration) -> ToolError {
    let seconds = timeout.as_secs_f64();
    let message = format!("the service gave no whole answer within {seconds} s");
    transport(TransportFault::Timeout, message)
}

/// The error that a redirect is not followed.
pub(super) fn redirect(message: impl Into<String>) -> ToolError {
    transport(TransportFault::Redirect, message.into())
}

/// The error that no client could be made.
pub(super) fn no_client(problem: &str) -> ToolError {
    let message = format!("no secure connection can be made on this machine: {problem}");
    transport(TransportFault::Unsendable, message)
}

/// The error that a request cannot be put on the wire.
pub(super) fn unsendable(what: &str) -> ToolError {
    let message = format!("the request cannot be sent: {what}");
    transport(TransportFault::Unsendable, message)
}

fn transport(fault: TransportFault, message: String) -> ToolError {
    ToolError::Transport { fault, message }
}

/// The innermost cause: the outer ones say that a request failed, and repeat its URL.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    if std::ptr::eq(cause, error as &dyn Error) {
        return "no cause is known".to_owned();
    }
    cause.to_string()
}
